import Foundation

/// A person in memory: an account, or a child without one.
struct InMemoryUser {
    let id: String
    let email: String
    var name: String?
    var role: String
    /// Whether nobody has said the role.
    var isRoleDefault = false
    var avatarKey = ""
    var avatarURL: String?
    var locale: String?
    /// Of a child without an account: the primary one first.
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

/// A membership in memory.
struct InMemoryMember {
    /// A child's is its user id.
    let id: String
    let family: String
    var user: String
    var role: String
    var householdRole: String
    /// The highest household role that it may choose for itself.
    var ceiling: String
    var status: String
    /// Whether somebody answers for the person: who came by the code alone has no right to the
    /// seat.
    var isVouched: Bool
    /// Whether somebody else has given the household role.
    var isRoleOthers = false
    /// Ended by somebody else, and nobody has let the person in since.
    var isBarred = false
    /// How often the family has turned the person down since.
    var rejections = 0
}

/// An invitation in memory.
struct InMemoryInvitation {
    let id: String
    let family: String
    var inviter: String
    /// Empty for a link.
    var email: String
    var role: String
    var householdRole: String?
    /// The child that whoever accepts becomes.
    var graduate: String?
    var token: String
    var status = "pending"
    var acceptedBy: String?
    /// Sending again waits for a minute.
    var sentAt = Date()

    var kind: String { graduate == nil ? "member" : "graduation" }
}

/// A refusal of the one in memory.
struct InMemoryRefusal: Error {
    let code: ErrorCode

    init(_ code: ErrorCode) { self.code = code }

    var status: Int {
        switch code {
        case .notSignedIn, .invalidToken: 401
        case .actingRefused, .notWhileActing, .visitorsOnlyRead, .targetIsParentAdmin,
            .targetIsManaged, .roleTooHigh, .standingTooLow, .notTheAddressee,
            .preferencesOfAnother, .removedFromFamily, .consentRequired, .consentMissing,
            .seatReserved:
            403
        case .familyNotFound, .memberNotFound, .invitationNotFound, .codeUnknown, .notFound,
            .purposeNotFound:
            404
        case .parentAdminExists, .playerHasFamily, .roleMismatch, .guardianHasManagedMembers,
            .guardianNotAdult, .tooManyGuardians, .adminNotAdult, .transferAdminFirst,
            .memberIsNotWaiting,
            .roleFixedInFamily, .personAlreadyMember, .invitationAnswered, .memberIsWaiting,
            .notTheGraduate, .alreadyInvited:
            409
        case .preferencesTooLarge, .attributesTooLarge: 413
        case .idempotencyKeyReused: 422
        case .invitationJustSent: 429
        default: 400
        }
    }

    var message: String {
        switch code {
        case .codeMalformed: "Invalid family code format. Codes look like FAM-XXXXXX"
        case .codeUnknown: "Family code not found. Please check and try again."
        case .alreadyMember: "You are already a member of this family."
        case .parentAdminExists: "A Parent Admin already exists for this family."
        case .preferencesOfAnother: "Cannot access another member's preferences"
        case .familyNotFound: "Family not found."
        case .memberNotFound: "Member not found."
        case .invitationNotFound: "Invitation not found."
        case .standingTooLow: "You are not allowed to do this in this family."
        case .visitorsOnlyRead: "Visitors can only look."
        default: "This was refused: \(code.rawValue.replacingOccurrences(of: "_", with: " "))."
        }
    }
}
