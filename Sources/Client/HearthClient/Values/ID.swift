/// The id of an entity of one kind, such as a family.
///
/// Hearth assigns ids; an app stores and compares them. The id of a managed member, a child without
/// an account, begins with `managed_`.
public struct ID<Subject>: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// Id as Hearth writes it.
    public let rawValue: String

    /// Creates an id from Hearth's spelling, without checking it: Hearth treats an unknown id like
    /// one that the caller may not see.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an id, like `init(rawValue:)`.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Id as Hearth writes it.
    public var description: String { rawValue }
}

extension ID: Codable {
    /// Decodes the id from a string.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the id as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// Id of a family.
public typealias FamilyID = ID<Family>
/// Id of a membership, of one person in one family. A managed member's id is also its user id.
public typealias MemberID = ID<Member>
/// Id of a person, the same in all families.
public typealias UserID = ID<Profile>
/// Id of an invitation.
public typealias InvitationID = ID<Invitation>
