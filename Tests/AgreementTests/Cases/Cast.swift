import Domain

/// The people that every case is played with; `me` is the one whose standing varies.
enum SamplePerson: Int, CaseIterable, Sendable {
    case me = 1
    case founder, chief, aunt, uncle, sitter, guest, teen, gone, waiting, stranger, boss, rival
    /// A player who was a child of the family and has an account now.
    case grown
    /// Children without an account: of `aunt`, or of `chief` where it is vouched, and, besides, of
    /// `me` where `me` is a guardian; once `me`'s and now `aunt`'s; `me`'s; `me`'s and, besides, of
    /// `aunt`; `me`'s and removed; of `uncle` and, besides him, of `aunt`; of `boss` in the other
    /// family; the one that `grown` has been.
    case niece, moved, child, toddler, lost, cousin, other, formerly

    var isManaged: Bool { rawValue >= SamplePerson.niece.rawValue }

    /// Whether its account, or the child without one, is a player; `me` varies.
    var isPlayer: Bool { isManaged || self == .teen || self == .grown || self == .rival }

    var userID: String { uuid(rawValue) }
    var email: String? { isManaged ? nil : "\(self)@example.com" }

    /// The id of the person's membership: for a managed one the user's own.
    func memberID(in family: SampleFamily) -> String {
        if self == .grown, family == .a { return SamplePerson.formerly.userID }
        return isManaged ? userID : uuid(100 * family.rawValue + rawValue)
    }
}

/// The families: two that `me` may belong to, and some that it may not.
enum SampleFamily: Int, CaseIterable, Sendable {
    case a = 1
    case b
    /// One seat, taken.
    case packed
    /// Admits nobody without approval.
    case gated
    /// Made by `me`, and nobody has ever belonged to it.
    case hollow
    /// The same, of a stranger.
    case foreign
    /// Where `me`, if anybody, lives alone.
    case nest
    /// Does not exist.
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
enum Letter: Int, CaseIterable, Sendable {
    /// To a stranger, by `me`.
    case mine = 1
    /// To `me`, by the chief.
    case toMe
    /// A link, by the aunt.
    case link
    /// Pending, but its time is over.
    case overdue
    case revoked
    case accepted
    /// To `me`, as a player, from the other family.
    case toMeElsewhere
    case linkElsewhere
    /// By `me` in the other family.
    case mineElsewhere
    /// To `me`, and declined.
    case declinedToMe
    /// To `me`, pending, but its time is over.
    case overdueToMe
    /// To a stranger, by the chief.
    case theirs
    /// A link by which `cousin` is to grow up, by its primary guardian.
    case cousinGrows
    /// A link by which `child` is to grow up, by `me`, its primary guardian; where `me` guards
    /// nobody, the child is gone.
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
    /// Nil: a link.
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
    /// The child that whoever accepts becomes.
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
    /// Whether it can still be handled by those who may.
    var isOpen: Bool { status == .pending && !isOverdue }
    /// Whether its time is not over: of those that are answered, of one.
    var hasTimeLeft: Bool { isOpen || self == .declinedToMe }
    var isOverdue: Bool { self == .overdue || self == .overdueToMe }
    /// Which generation of it was sent; the present one is 1.
    var sentGeneration: Int? { self == .mine ? 1 : self == .toMe ? 0 : nil }
    /// SHA-256 of its token, as SQL; in place of a token its id serves.
    var tokenHash: String { "sha256('\(id)')" }
}

/// A UUID that tells itself apart by its last three digits.
func uuid(_ number: Int) -> String {
    let digits = String(number)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
}
