/// The name of an e-mail, also in the files of an operator's own texts.
package enum MailName: String, Sendable, CaseIterable {
    case invitation
    case adminChanged = "admin_changed"
    case memberRemoved = "member_removed"
    case joinRequested = "join_requested"
    case requestApproved = "request_approved"
    case requestRejected = "request_rejected"
    case waitingEnded = "waiting_ended"
    case requestInOtherRole = "request_in_other_role"
    case guardianReplaced = "guardian_replaced"
    case guardianNamed = "guardian_named"
    case guardianRemoved = "guardian_removed"
    case graduation
    case graduationStarted = "graduation_started"
    case graduated
    case consentCode = "consent_code"
    case deletionCode = "deletion_code"
    case accountErased = "account_erased"
    case sessionReused = "session_reused"
    case passwordChanged = "password_changed"
    case passwordSet = "password_set"
    case passkeyAdded = "passkey_added"
    case signInLinked = "sign_in_linked"
    case passkeySynced = "passkey_synced"
    case identityAdded = "identity_added"
    case identityRemoved = "identity_removed"
    case signIn = "sign_in"
    case signUp = "sign_up"
    case accountExists = "account_exists"
    case reset

    /// Values that the text must contain, because the e-mail would be useless without them.
    package var needed: [MailValue] {
        switch self {
        case .invitation, .graduation, .accountExists, .reset: [.link]
        case .signIn, .signUp, .consentCode, .deletionCode: [.code]
        default: []
        }
    }

    /// Further values that the text may contain.
    package var allowed: [MailValue] {
        let always: [MailValue] = [.app, .address]
        let greeted = always + [.greeting, .recipient]
        return switch self {
        case .invitation: always + [.family, .inviter, .side, .until, .refusal]
        case .graduation: always + [.family, .inviter, .until]
        case .adminChanged: greeted + [.family, .admin]
        case .guardianReplaced: greeted + [.family, .guardian]
        case .joinRequested: greeted + [.family, .requester]
        case .memberRemoved, .requestApproved, .requestRejected, .waitingEnded,
            .requestInOtherRole, .guardianNamed, .guardianRemoved, .graduationStarted, .graduated:
            greeted + [.family]
        case .accountErased: always
        case .signIn: greeted + [.link]
        case .reset: greeted + [.appLink]
        case .identityRemoved: greeted + [.identity]
        case .consentCode, .deletionCode, .sessionReused, .passwordChanged, .passwordSet,
            .passkeyAdded, .signInLinked, .passkeySynced, .identityAdded,
            .signUp, .accountExists:
            greeted
        }
    }
}
