import DomainCore
import Foundation
import Policy

// Roles and statuses are those of `DomainCore`, by which the policy decides. Unlike those of the
// models they have no unknown values.

/// A person in memory: an account, or a child without one.
struct InMemoryUser {
    let id: String
    var email: String
    var name: String?
    var role: DomainCore.MemberRole
    /// Whether the role is a default that nobody has chosen.
    var isRoleDefault = false
    var avatarKey = ""
    var avatarURL: String?
    var locale: String?
    /// Ways to sign in, the oldest first; empty for a child.
    var identities: [InMemoryIdentity] = []
    /// Guardians of a child without an account, the primary one first; nil for an account.
    var guardians: [String]?

    /// Name to show, even for a person without a name.
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
    /// Attributes that the app stores; an object.
    var attributes: JSONValue = [:]
}

/// A row of the table of memberships: the `Membership` that the policy decides by, with the other
/// stored columns. Callers see it as a `Member`.
struct MembershipRow {
    /// Id of the membership; for a child the same as its user id.
    let id: String
    let family: String
    var user: String
    let addedAt: Date
    /// The part that the policy decides by. `isStandIn` is not stored:
    /// `InMemoryState.membership(of:)` computes it.
    var membership: Membership
    /// Highest household role that the member may choose for itself.
    var ceiling: DomainCore.HouseholdRole
    /// Whether another person granted the household role.
    var isRoleOthers = false
    /// Whether another person ended the membership and nobody has readmitted the person since.
    var isBarred = false
    /// Number of times that the family has rejected the person since.
    var rejections = 0

    var isActive: Bool { membership.status == .active }
    var isPresent: Bool { membership.status != .removed }

    /// Highest household role that a member may choose for itself after being granted `role`.
    static func ceiling(of role: DomainCore.HouseholdRole) -> DomainCore.HouseholdRole {
        min(role, .adult)
    }

    /// Household role of a person who returns: at most the one that others last granted. A parent
    /// whom the family demoted to kid returns as a visitor if the person is now a player, because a
    /// player who is a kid has more rights than a parent who is a kid.
    func householdRole(
        returningAs role: DomainCore.MemberRole
    ) -> DomainCore.HouseholdRole {
        role == .player && membership.role == .parent && ceiling == .kid
            ? .visitor : min(ceiling, role.usualHouseholdRole)
    }
}

extension DomainCore.MemberRole {
    /// Household role on entry, unless an invitation sets another.
    var usualHouseholdRole: DomainCore.HouseholdRole { self == .player ? .kid : .adult }
}

/// An invitation in memory.
struct InMemoryInvitation {
    let id: String
    let family: String
    var inviter: String
    /// Address of the invited person; empty for a link.
    var email: String
    var role: DomainCore.MemberRole
    var householdRole: DomainCore.HouseholdRole?
    /// Child that becomes the accepting account's member.
    var graduate: String?
    var token: String
    var status = DomainCore.InvitationStatus.pending
    var acceptedBy: String?
    let createdAt: Date
    /// Time of the last sending. Sending again is allowed after a minute.
    var sentAt = Date()

    var kind: DomainCore.InvitationKind { graduate == nil ? .member : .graduation }
    var isPending: Bool { status == .pending }
}

/// A refusal by the in-memory Hearth.
struct InMemoryRefusal: Error {
    let code: ErrorCode
    /// Obstacles to the erasure of an account.
    let blockers: [JSONValue]
    /// Ticket of the code for which this refusal counts as a try.
    let triedTicket: String?

    init(_ code: ErrorCode, blockers: [JSONValue] = [], triedTicket: String? = nil) {
        self.code = code
        self.blockers = blockers
        self.triedTicket = triedTicket
    }

    /// The HTTP status, as in the server's table of errors.
    var status: Int {
        switch code {
        case .notSignedIn, .invalidToken: 401
        case .accountRequired, .actingRefused, .notWhileActing, .visitorsOnlyRead,
            .targetIsParentAdmin, .targetIsManaged, .roleTooHigh, .standingTooLow,
            .notTheAddressee, .preferencesOfAnother, .removedFromFamily, .seatReserved,
            .consentRequired:
            403
        case .familyNotFound, .memberNotFound, .invitationNotFound, .codeUnknown, .notFound,
            .purposeNotFound, .identityNotFound:
            404
        case .parentAdminExists, .playerHasFamily, .roleMismatch, .guardianHasManagedMembers,
            .guardianNotAdult, .tooManyGuardians, .adminNotAdult, .transferAdminFirst,
            .memberIsWaiting, .memberIsNotWaiting, .roleFixedInFamily, .personAlreadyMember,
            .invitationAnswered, .notTheGraduate, .alreadyInvited, .identityInUse,
            .identityOfIssuerExists, .lastIdentity, .erasureBlocked, .consentOutdated:
            409
        case .codeExpired: 410
        case .preferencesTooLarge, .attributesTooLarge: 413
        case .idempotencyKeyReused: 422
        case .invitationJustSent: 429
        default: 400
        }
    }

    /// Message to show. Those that apps display are the same as a real server's.
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
