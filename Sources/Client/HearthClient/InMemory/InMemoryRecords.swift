import DomainCore
import Foundation
import Policy

// Roles and statuses are those of `DomainCore`, which the policy decides by: unlike the models'
// they have no unknown values.

/// A person in memory: an account, or a child without one.
struct InMemoryUser {
    let id: String
    let email: String
    var name: String?
    var role: DomainCore.MemberRole
    /// Whether nobody has said the role.
    var isRoleDefault = false
    var avatarKey = ""
    var avatarURL: String?
    var locale: String?
    /// Guardians of a child without an account, the primary one first; nil for an account.
    var guardians: [String]?

    /// The name to show, also for a person without one.
    var displayName: String {
        name ?? email.split(separator: "@").first.map(String.init) ?? "Member"
    }

    var isManaged: Bool { guardians != nil }
    var guardian: String? { guardians?.first }
    var shownID: JSONValue { .string(isManaged ? "managed_" + id : id) }
}

/// A family in memory.
struct InMemoryFamily {
    let id: String
    var name: String
    var code: String
    var codeExpires = false
    let creator: String
    var isApprovalRequired = false
    var home: JSONValue = .null
    var details: [String: JSONValue] = [:]
}

/// A row of the table of memberships: the `Membership` that the policy decides by, and what Hearth
/// stores besides. Callers see it as a `Member`.
struct MembershipRow {
    /// The membership's id; of a child the same as its user id.
    let id: String
    let family: String
    var user: String
    /// Whether the member stands in for others is not stored: `InMemoryState.membership(of:)`
    /// computes it.
    var membership: Membership
    /// The highest household role that the member may choose for itself.
    var ceiling: DomainCore.HouseholdRole
    /// Whether somebody else has given the household role.
    var isRoleOthers = false
    /// Whether somebody else ended the membership, and nobody has let the person in since.
    var isBarred = false
    /// How often the family has turned the person down since.
    var rejections = 0

    var isActive: Bool { membership.status == .active }
    var isPresent: Bool { membership.status != .removed }

    /// The highest household role that a member may choose for itself, of the one it was given.
    static func ceiling(of role: DomainCore.HouseholdRole) -> DomainCore.HouseholdRole {
        min(role, .adult)
    }

    /// The household role of a person who comes back: at most what others had made of it. As a
    /// player, a grown-up whom the family made a kid would have more rights than before.
    func householdRole(
        returningAs role: DomainCore.MemberRole
    ) -> DomainCore.HouseholdRole {
        role == .player && membership.role == .parent && ceiling == .kid
            ? .visitor : min(ceiling, role.usualHouseholdRole)
    }
}

extension DomainCore.MemberRole {
    /// The household role on entry, unless an invitation says another.
    var usualHouseholdRole: DomainCore.HouseholdRole { self == .player ? .kid : .adult }
}

/// An invitation in memory.
struct InMemoryInvitation {
    let id: String
    let family: String
    var inviter: String
    /// Empty for a link.
    var email: String
    var role: DomainCore.MemberRole
    var householdRole: DomainCore.HouseholdRole?
    /// The child that whoever accepts becomes.
    var graduate: String?
    var token: String
    var status = DomainCore.InvitationStatus.pending
    var acceptedBy: String?
    /// When it was sent last: sending again waits for a minute.
    var sentAt = Date()

    var kind: DomainCore.InvitationKind { graduate == nil ? .member : .graduation }
    var isPending: Bool { status == .pending }
}

/// A refusal of the Hearth in memory.
struct InMemoryRefusal: Error {
    let code: ErrorCode

    init(_ code: ErrorCode) { self.code = code }

    /// The HTTP status, as in the server's table of errors.
    var status: Int {
        switch code {
        case .notSignedIn, .invalidToken: 401
        case .accountRequired, .actingRefused, .notWhileActing, .visitorsOnlyRead,
            .targetIsParentAdmin, .targetIsManaged, .roleTooHigh, .standingTooLow,
            .notTheAddressee, .preferencesOfAnother, .removedFromFamily, .seatReserved:
            403
        case .familyNotFound, .memberNotFound, .invitationNotFound, .codeUnknown, .notFound,
            .purposeNotFound:
            404
        case .parentAdminExists, .playerHasFamily, .roleMismatch, .guardianHasManagedMembers,
            .guardianNotAdult, .tooManyGuardians, .adminNotAdult, .transferAdminFirst,
            .memberIsWaiting, .memberIsNotWaiting, .roleFixedInFamily, .personAlreadyMember,
            .invitationAnswered, .notTheGraduate, .alreadyInvited:
            409
        case .preferencesTooLarge: 413
        case .idempotencyKeyReused: 422
        case .invitationJustSent: 429
        default: 400
        }
    }

    /// The sentence to show; those that the apps show as a real Hearth says them.
    var message: String {
        switch code {
        case .codeMalformed: "Invalid family code format. Codes look like FAM-XXXXXX"
        case .codeUnknown: "Family code not found. Please check and try again."
        case .alreadyMember: "You are already a member of this family."
        case .parentAdminExists: "A Parent Admin already exists for this family."
        case .preferencesOfAnother: "Cannot access another member's preferences"
        case .familyNotFound: "Family not found."
        case .memberNotFound: "Member not found."
        case .invitationNotFound: "This invite link is invalid or has already been used."
        case .standingTooLow: "You are not allowed to do this in this family."
        case .visitorsOnlyRead: "Visitors can only look."
        default: "This was refused: \(code.rawValue.replacingOccurrences(of: "_", with: " "))."
        }
    }
}
