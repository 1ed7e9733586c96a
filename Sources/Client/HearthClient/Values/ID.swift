/// The id of something of one kind.
///
/// Hearth chooses ids; an app keeps and compares them. The id of a managed member, a child without
/// an account, begins with `managed_`.
public struct ID<Subject>: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// As Hearth writes it.
    public let rawValue: String

    /// An id as Hearth wrote it. What it is is not checked here: Hearth answers to an id that it
    /// does not know as to any other that the caller may not see.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The same as `init(rawValue:)`.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// As Hearth writes it.
    public var description: String { rawValue }
}

/// The id of a family.
public typealias FamilyID = ID<Family>
/// The id of a membership: of one person in one family. A managed member's is also its user id.
public typealias MemberID = ID<Member>
/// The id of a person, the same in all families.
public typealias UserID = ID<Profile>
/// The id of an invitation.
public typealias InvitationID = ID<Invitation>
