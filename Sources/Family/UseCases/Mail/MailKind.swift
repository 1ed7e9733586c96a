/// The e-mails that Hearth sends: their names in files of an operator's own texts, and below, one
/// row each, what they say.
///
/// Their own texts are in `Mail/Templates`. When one that was enqueued is no longer sent is decided
/// in `sql/functions/mail.sql`.
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
    case sessionReused = "session_reused"
    case passwordChanged = "password_changed"
    case passwordSet = "password_set"
    case passkeyAdded = "passkey_added"
    case passkeySynced = "passkey_synced"
    case signInLinked = "sign_in_linked"
    case identityAdded = "identity_added"
    case identityRemoved = "identity_removed"
    case signIn = "sign_in"
    case signUp = "sign_up"
    case accountExists = "account_exists"
    case reset

    /// The table of all e-mails.
    private var row: Row {
        switch self {
        // To a person who is invited, or to a child who is to have an account.
        case .invitation:
            Row(.invitation, needs: [.link], [.family, .inviter, .side, .until, .refusal])
        case .graduation: Row(.invitation, needs: [.link], [.family, .inviter, .until])

        // To each adult, when the seat of the Parent Admin is claimed or handed over.
        case .adminChanged: Row(.change(about: .admin))
        // To the person who was removed.
        case .memberRemoved: Row(.change(about: nil))
        // To everybody who may approve that a person joins; to that person, however it ends.
        case .joinRequested: Row(.change(about: .requester))
        case .requestApproved, .requestRejected, .waitingEnded, .requestInOtherRole:
            Row(.change(about: nil))
        // To the former guardian; to a further guardian; to a person who is none any more.
        case .guardianReplaced: Row(.change(about: .guardian))
        case .guardianNamed, .guardianRemoved: Row(.change(about: .child))
        // To the other guardians, when one invites the child to have an account, and when it has.
        case .graduationStarted, .graduated: Row(.change(about: .child))

        // To the owner of an account.
        case .consentCode, .deletionCode: Row(.account, isAwaited: true, needs: [.code])
        case .accountErased: Row(.erasure)
        case .sessionReused, .passwordChanged, .passwordSet, .passkeyAdded, .passkeySynced,
            .signInLinked, .identityAdded:
            Row(.account)
        case .identityRemoved: Row(.account, [.identity])

        // To an address with which somebody signs in, signs up or resets a password.
        case .signIn: Row(.ticket, isAwaited: true, needs: [.code], [.link])
        case .signUp: Row(.ticket, isAwaited: true, needs: [.code])
        case .accountExists: Row(.ticket, isAwaited: true, needs: [.link])
        case .reset: Row(.ticket, isAwaited: true, needs: [.link], [.appLink])
        }
    }

    /// What the job of an e-mail names.
    enum Payload: Equatable {
        case invitation
        /// A family and a recipient in it; also another person, whom the text may name by this
        /// value.
        case change(about: OtherPerson?)
        case account
        case erasure
        case ticket

        /// Who an e-mail about a change is about, besides its recipient.
        enum OtherPerson {
            case admin, guardian, requester
            /// Read by the database, and never named in the text.
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

    /// The kind of the job that sends it. What is sent for a ticket is decided when it is sent, and
    /// an invitation is a child's if it invites one to have an account.
    var jobKind: String {
        switch row.payload {
        case .ticket: "mail.ticket"
        case .invitation: "mail.invitation"
        case .change, .account, .erasure: "mail." + rawValue
        }
    }

    /// Whether its recipient waits for it, so that it is also sent to an address that is held off.
    package var isAwaited: Bool { row.isAwaited }

    /// What its text has to contain, because it would be of no use without.
    package var needed: [MailValue] { row.needed }

    /// What else its text may contain.
    package var allowed: [MailValue] {
        let always: [MailValue] = [.app, .address]
        return switch row.payload {
        case .invitation, .erasure: always + row.further
        case .change:
            always + [.greeting, .recipient, .family] + (otherPerson.map { [$0] } ?? [])
        case .account, .ticket: always + [.greeting, .recipient] + row.further
        }
    }

    /// The value by which its text names another person than the recipient; nil where it names
    /// none.
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

/// What stands in the text of an e-mail for something of its own, as `{{family}}`.
package enum MailValue: String, Sendable, CaseIterable {
    /// What people call the app.
    case app
    /// The recipient's address.
    case address
    /// The recipient's name; empty where none is known.
    case recipient
    /// `Hello Ada,`
    case greeting
    case family
    case inviter
    /// The new Parent Admin.
    case admin
    /// The new guardian.
    case guardian
    /// Who asks to join.
    case requester
    /// `as a player`
    case side
    /// The way to sign in that was removed: `codes by e-mail`
    case identity
    /// The last day of an invitation.
    case until
    case code
    case link
    /// The link that opens the app.
    case appLink = "app_link"
    /// Where further invitations are refused.
    case refusal = "refusal_link"
}
