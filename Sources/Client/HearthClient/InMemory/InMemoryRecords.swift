import Foundation

/// A person in memory: an account, or a child without one.
struct InMemoryUser {
    let id: String
    let email: String
    var name: String?
    var role: String
    var avatarKey = ""
    var avatarURL: String?
    /// Of a child without an account.
    var guardian: String?

    var isManaged: Bool { guardian != nil }
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
    let user: String
    var role: String
    var householdRole: String
    var status: String
    /// Ended by somebody else.
    var isBanned = false
}

/// An invitation in memory.
struct InMemoryInvitation {
    let id: String
    let family: String
    let inviter: String
    /// Empty for a link.
    let email: String
    let role: String
    let householdRole: String?
    var token: String
    var status = "pending"
    var acceptedBy: String?
    /// Sending again waits for a minute.
    var sentAt = Date()
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
            .preferencesOfAnother, .removedFromFamily:
            403
        case .familyNotFound, .memberNotFound, .invitationNotFound, .codeUnknown, .notFound: 404
        case .parentAdminExists, .playerHasFamily, .guardianHasManagedMembers,
            .guardianNotAdult, .tooManyGuardians, .adminNotAdult, .transferAdminFirst,
            .memberIsNotWaiting,
            .roleFixedInFamily, .personAlreadyMember, .invitationAnswered, .memberIsWaiting:
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
