/// The e-mails that Hearth sends, by their names in the files of an operator's own texts. The table
/// below has one row for each.
///
/// Hearth's own texts are in `Mail/Templates`. `sql/functions/mail.sql` decides when an enqueued
/// e-mail is no longer sent.
package enum MailKind: String, Sendable, CaseIterable {
    case invitation
    case graduation
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
    case graduationStarted = "graduation_started"
    case graduated
    case consentCode = "consent_code"
    case deletionCode = "deletion_code"
    case accountErased = "account_erased"
    case accountBlocked = "account_blocked"
    case sessionReused = "session_reused"
    case passwordChanged = "password_changed"
    case passwordSet = "password_set"
    case passkeyAdded = "passkey_added"
    case passkeySynced = "passkey_synced"
    case operatorPasskey = "operator_passkey"
    case signInLinked = "sign_in_linked"
    case identityAdded = "identity_added"
    case identityRemoved = "identity_removed"
    case signIn = "sign_in"
    case signUp = "sign_up"
    case accountExists = "account_exists"
    case reset
    case newAddress = "new_address"
    case addressByOperator = "address_by_operator"
    case addressChanging = "address_changing"
    case consoleCode = "console_code"

    /// The table of all e-mails.
    private var row: Row {
        switch self {
        // To an invitee, or to a child who is invited to have an account.
        case .invitation:
            Row(.invitation, needs: [.link], [.family, .inviter, .side, .until, .refusal])
        case .graduation: Row(.invitation, needs: [.link], [.family, .inviter, .until])

        // To each adult, when the Parent Admin's seat is claimed or transferred.
        case .adminChanged: Row(.change(about: .admin), [.link])
        // To the person who was removed.
        case .memberRemoved: Row(.change(about: nil))
        // To everybody who may approve a request to join; to the requester, whatever the outcome.
        case .joinRequested: Row(.change(about: .requester), [.link])
        case .requestApproved, .requestRejected, .waitingEnded, .requestInOtherRole:
            Row(.change(about: nil), [.link])
        // To the former guardian; to an added guardian; to a removed guardian.
        case .guardianReplaced: Row(.change(about: .guardian))
        case .guardianNamed: Row(.change(about: .child), [.link])
        case .guardianRemoved: Row(.change(about: .child))
        // To the other guardians, when a guardian invites the child to have an account, and on
        // graduation.
        case .graduationStarted, .graduated: Row(.change(about: .child))

        // To the owner of an account.
        case .consentCode, .deletionCode: Row(.account, isAwaited: true, needs: [.code])
        case .accountErased: Row(.erasure)
        case .accountBlocked: Row(.account)
        case .sessionReused, .passwordChanged, .passwordSet, .passkeyAdded, .passkeySynced:
            Row(.account)
        // To each admin of the service, when an operator adds a passkey to the console.
        case .operatorPasskey: Row(.account)
        case .signInLinked: Row(.account, [.provider, .link])
        case .identityAdded: Row(.account, [.provider])
        case .identityRemoved: Row(.account, [.identity])

        // To an address that is used to sign in, sign up or reset a password.
        case .signIn: Row(.emailToken, isAwaited: true, needs: [.code], [.link])
        case .signUp: Row(.emailToken, isAwaited: true, needs: [.code])
        case .accountExists: Row(.emailToken, isAwaited: true, needs: [.link])
        case .reset: Row(.emailToken, isAwaited: true, needs: [.link], [.appLink])

        // To the new address of an account, at the request of its owner or of an operator; to its
        // current address.
        case .newAddress: Row(.emailToken, isAwaited: true, needs: [.code])
        case .addressByOperator: Row(.emailToken, isAwaited: true, needs: [.link])
        case .addressChanging: Row(.addressChange)

        // To an operator who signs in to the console.
        case .consoleCode: Row(.emailToken, isAwaited: true, needs: [.code])
        }
    }

    /// The ids in the payload of an e-mail's job.
    enum Payload: Equatable {
        case invitation
        /// A family and a recipient in it, and possibly another person, whom the text may name by
        /// this value.
        case change(about: OtherPerson?)
        case account
        case erasure
        case emailToken
        /// The e-mail token that changes an account's address.
        case addressChange

        /// The other person whom an e-mail about a change is about.
        enum OtherPerson {
            case admin, guardian, requester
            /// The child, which the database reads and the text never names.
            case child
        }
    }

    private struct Row {
        let payload: Payload
        let isAwaited: Bool
        let needed: [MailValue]
        let further: [MailValue]

        init(
            _ payload: Payload, isAwaited: Bool = false, needs needed: [MailValue] = [],
            _ further: [MailValue] = []
        ) {
            self.payload = payload
            self.isAwaited = isAwaited
            self.needed = needed
            self.further = further
        }
    }

    var payload: Payload { row.payload }

    /// The kind of the job that sends the e-mail. The job of an e-mail token selects the kind of
    /// e-mail when it sends it. An invitation's job sends ``graduation`` if it invites a child to
    /// have an account.
    var jobKind: String {
        switch row.payload {
        case .emailToken: "mail.ticket"
        case .invitation: "mail.invitation"
        case .change, .account, .erasure, .addressChange: "mail." + rawValue
        }
    }

    /// Whether the recipient waits for the e-mail, so that it is also sent to an address on hold.
    package var isAwaited: Bool { row.isAwaited }

    /// Values that the text must contain, because the e-mail is useless without them.
    package var needed: [MailValue] { row.needed }

    /// Values that the text may contain.
    package var allowed: [MailValue] {
        let always: [MailValue] = [.app, .address]
        return switch row.payload {
        case .invitation, .erasure: always + row.further
        case .change:
            always + [.greeting, .recipient, .family] + (otherPerson.map { [$0] } ?? [])
                + row.further
        case .account, .emailToken, .addressChange: always + [.greeting, .recipient] + row.further
        }
    }

    /// The value by which the text names a person other than the recipient; nil if it names none.
    package var otherPerson: MailValue? {
        guard case .change(let other?) = row.payload else { return nil }
        return switch other {
        case .admin: .admin
        case .guardian: .guardian
        case .requester: .requester
        case .child: nil
        }
    }
}

/// A placeholder in the text of an e-mail, such as `{{family}}`.
package enum MailValue: String, Sendable, CaseIterable {
    /// Name of the app.
    case app
    /// The recipient's address.
    case address
    /// The recipient's name; empty if it is unknown.
    case recipient
    /// The greeting, such as `Hello Ada,`.
    case greeting
    case family
    case inviter
    /// The new Parent Admin.
    case admin
    /// The new guardian.
    case guardian
    /// The person who asks to join.
    case requester
    /// The side of the family, such as `as a player`.
    case side
    /// The sign-in method that was removed, such as `codes by e-mail`.
    case identity
    /// The provider of a sign-in that was added, such as `Google`.
    case provider
    /// The last day on which an invitation is valid.
    case until
    case code
    case link
    /// The link that opens the app.
    case appLink = "app_link"
    /// The link to a page on which further invitations are refused.
    case refusal = "refusal_link"
}
