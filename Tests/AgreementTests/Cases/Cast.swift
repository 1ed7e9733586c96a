import Domain

/// The people of every case; the membership of `me` varies.
enum SamplePerson: Int, CaseIterable, Sendable {
    case me = 1
    case founder, chief, aunt, uncle, sitter, guest, teen, gone, waiting, stranger, boss, rival
    /// A player who was a child of the family and now has an account.
    case grown
    /// Children without an account. The guardian of `niece` is `aunt`, or `chief` if `chief` is
    /// vouched for, and also `me` if `me` is a guardian. The guardian of `moved` was `me` and is
    /// now `aunt`. The guardian of `child`, and of `lost`, who was removed, is `me`. The guardians
    /// of `toddler` are `me` and `aunt`, those of `cousin` are `uncle` and `aunt`. The guardian of
    /// `other` is `boss` in the other family. `formerly` is the child that `grown` was.
    case niece, moved, child, toddler, lost, cousin, other, formerly

    var isManaged: Bool { rawValue >= SamplePerson.niece.rawValue }

    /// Whether the account, or the child without one, is a player; `me` varies.
    var isPlayer: Bool { isManaged || self == .teen || self == .grown || self == .rival }

    var userID: String { uuid(rawValue) }
    var email: String? { isManaged ? nil : "\(self)@example.com" }

    /// The id of the person's membership; for a managed member the user's own.
    func memberID(in family: SampleFamily) -> String {
        if self == .grown, family == .a { return SamplePerson.formerly.userID }
        // Older than the memberships of shared families, so only the order by other active members
        // puts it last.
        if family == .nest { return uuid(50 + rawValue) }
        return isManaged ? userID : uuid(100 * family.rawValue + rawValue)
    }
}

/// The families: two that `me` may belong to, and some that it may not.
enum SampleFamily: Int, CaseIterable, Sendable {
    case a = 1
    case b
    /// A family that one member fills.
    case packed
    /// A family that admits nobody without approval.
    case gated
    /// A family created by `me` that has never had a member.
    case hollow
    /// A family created by a stranger that has never had a member.
    case foreign
    /// The family in which `me` lives alone, if it does.
    case nest
    /// A family that does not exist.
    case absent

    static let existing: [SampleFamily] = [
        .a, .b, .packed, .gated, .hollow, .foreign, .nest,
    ]

    var id: String { uuid(900 + rawValue) }
    var code: String {
        "FAM-"
            + String(repeating: ["X", "A", "B", "P", "G", "H", "F", "N", "Z"][rawValue], count: 6)
    }
    var memberLimit: Int { self == .packed ? 1 : 15 }
}

/// The invitations of every case.
enum AddressedMessage: Int, CaseIterable, Sendable {
    /// Sent by `me` to a stranger.
    case mine = 1
    /// Sent by the chief to `me`.
    case toMe
    /// A link from the aunt.
    case link
    /// A pending invitation whose expiry has passed.
    case overdue
    case revoked
    case accepted
    /// Sent to `me`, as a player, from the other family.
    case toMeElsewhere
    case linkElsewhere
    /// Sent by `me` in the other family.
    case mineElsewhere
    /// Sent to `me` and declined.
    case declinedToMe
    /// Sent to `me`, pending, but past its expiry.
    case overdueToMe
    /// Sent by the chief to a stranger.
    case theirs
    /// A link with which `cousin` can graduate, from the primary guardian of `cousin`.
    case cousinGrows
    /// A link with which `child` can graduate, from `me` as the primary guardian. A case in which
    /// `me` is no guardian has no such child.
    case childGrows

    var id: String { uuid(500 + rawValue) }
    var family: SampleFamily {
        switch self {
        case .toMeElsewhere, .linkElsewhere, .mineElsewhere: .b
        case .overdueToMe: .gated
        default: .a
        }
    }
    var inviter: SamplePerson {
        switch self {
        case .mine, .revoked, .mineElsewhere, .childGrows: .me
        case .cousinGrows: .uncle
        case .toMe, .overdue, .declinedToMe, .theirs: .chief
        case .link, .accepted: .aunt
        case .toMeElsewhere, .linkElsewhere: .boss
        case .overdueToMe: .stranger
        }
    }
    /// The invited address; nil for a link.
    var address: String? {
        switch self {
        case .link, .linkElsewhere, .cousinGrows, .childGrows: nil
        case .toMe, .toMeElsewhere, .declinedToMe, .overdueToMe: SamplePerson.me.email
        default: "\(self)@example.net".lowercased()
        }
    }
    var role: MemberRole {
        [.link, .toMeElsewhere, .cousinGrows, .childGrows].contains(self) ? .player : .parent
    }
    /// The child that the accepting account becomes.
    var graduate: SamplePerson? {
        switch self {
        case .cousinGrows: .cousin
        case .childGrows: .child
        default: nil
        }
    }
    var status: InvitationStatus {
        switch self {
        case .revoked: .revoked
        case .accepted: .accepted
        case .declinedToMe: .declined
        default: .pending
        }
    }
    /// Whether authorised members can still change the invitation.
    var isOpen: Bool { status == .pending && !isOverdue }
    /// Whether the invitation has not expired yet. Of the answered invitations, only `declinedToMe`
    /// has time left.
    var hasTimeLeft: Bool { isOpen || self == .declinedToMe }
    var isOverdue: Bool { self == .overdue || self == .overdueToMe }
    /// The generation that was sent last; the current one is 1.
    var sentGeneration: Int? { self == .mine ? 1 : self == .toMe ? 0 : nil }
    /// SHA-256 of the invitation's token, as SQL. The id serves as the token.
    var tokenHash: String { "sha256('\(id)')" }
}

/// A UUID that is distinguished by its last three digits.
func uuid(_ number: Int) -> String {
    let digits = String(number)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
}
