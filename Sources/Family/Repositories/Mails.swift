package import Domain
package import Postgres

/// Whether there still is something to send.
package enum MailState: String, Sendable, CaseIterable {
    /// It is to be sent.
    case due
    /// The reason for the e-mail no longer exists.
    case gone
    /// Servers have rejected messages to the address lately: only what its owner asks for is sent.
    case heldOff = "held_off"
    /// Nothing is sent to the address.
    case suppressed
}

extension MailState: PostgresWord {}

/// The data for an invitation's e-mail.
package struct InvitationMail: RowDecodable, Sendable {
    /// Unless it is `due`, nothing is to be sent.
    package let state: MailState
    /// The invited address; empty where there is nothing to send.
    package let email: String
    package let familyName: String
    /// Empty when the inviter has none.
    package let inviterName: String
    /// The raw value of a ``MemberRole``; empty where there is nothing to send.
    package let role: String
    package let expiresAt: Timestamp
    /// The expected digest of the link's token.
    package let tokenHash: PostgresBytes
    /// Nil where there is nothing to send.
    package let kind: InvitationKind?
    /// Of the recipient's account, else of the inviter's; nil where none is known.
    package let locale: String?

    package static let row = RowDecoder(Self.init)
}

/// The data for an e-mail about a change in a family.
package struct ChangeMail: RowDecodable, Sendable {
    /// Unless it is `due`, nothing is to be sent.
    package let state: MailState
    /// The recipient's verified address; empty where there is nothing to send.
    package let email: String
    /// Empty when the recipient has none.
    package let recipientName: String
    package let familyName: String
    /// The new Parent Admin or guardian.
    package let otherName: String
    /// The recipient's; nil where none is known.
    package let locale: String?

    package static let row = RowDecoder(Self.init)
}

/// The data for an e-mail to an account's owner about the account.
package struct AccountMail: RowDecodable, Sendable {
    /// Unless it is `due`, nothing is to be sent.
    package let state: MailState
    /// Where to send it; empty where there is nothing to send.
    package let email: String
    /// Empty when the recipient has none or is erased.
    package let recipientName: String
    /// Nil where none is known.
    package let locale: String?

    package static let row = RowDecoder(Self.init)
}

/// The data for an e-mail with a code and a link.
package struct TicketMail: RowDecodable, Sendable {
    /// Unless it is `due`, nothing is to be sent.
    package let state: MailState
    /// The address that the code is for; empty where there is nothing to send.
    package let email: String
    /// Empty for an address without an account, and when the recipient has none.
    package let recipientName: String
    /// `sign_in`, `sign_up` or `reset`; empty where there is nothing to send.
    package let purpose: String
    /// Whether somebody signs in with the address.
    package let hasAccount: Bool
    /// The expected digest of the link's token.
    package let linkHash: PostgresBytes
    /// Of the account, else of the page on which it was asked for; nil where none is known.
    package let locale: String?
    /// Where the link leads after signing in, sealed.
    package let returnPath: PostgresBytes?

    package static let row = RowDecoder(Self.init)
}

/// The mailer's statements.
package enum Mails {
    /// An invitation's: the invitation, and the generation of its link.
    package static let ofInvitation = Statement<InvitationMail, InvitationID, Int32>(
        """
        SELECT state, email, family_name, inviter_name, role, expires_at, token_hash,
            app.kind_of_invitation($1), app.locale_of_invitation($1)
        FROM app.mail_of_invitation($1, $2)
        """)

    /// The outcome of an invitation's e-mail: `sent` or `failed`.
    package static let noteDelivery = Statement<NoRow, InvitationID, Int32, String>(
        "SELECT FROM app.note_delivery($1, $2, $3)")

    /// Reason, family, recipient, the other person.
    package static let ofChange = Statement<ChangeMail, String, FamilyID, UserID, UserID?>(
        """
        SELECT state, email, recipient_name, family_name, other_name, app.locale_of_account($3)
        FROM app.mail_of_change($1, $2, $3, $4)
        """)

    /// An e-mail to an account about itself. Always one row: an account that is erased, or has no
    /// verified address, is `gone`.
    package static let ofAccount = Statement<AccountMail, UserID>(
        """
        SELECT state, email, recipient_name, app.locale_of_account($1)
        FROM app.mail_of_account($1)
        """)

    /// The confirmation to the address that an erased account had; `gone` once that is forgotten.
    package static let ofErasure = Statement<AccountMail, ErasureID>(
        """
        SELECT state, email, recipient_name, app.locale_of_erasure($1)
        FROM app.mail_of_erasure($1)
        """)

    /// The address of an erased account is needed no more.
    package static let forgetErasureAddress = Statement<NoRow, ErasureID>(
        "SELECT FROM app.forget_erasure_address($1)")

    /// A ticket's; `gone` once it is used or over, and for the reset of a password where no account
    /// has the address.
    package static let ofTicket = Statement<TicketMail, TicketID>(
        """
        SELECT state, email, recipient_name, purpose, has_account, link_hash,
            app.locale_of_ticket($1), app.return_path_of_ticket($1)
        FROM app.mail_of_ticket($1)
        """)

    /// Sends an address nothing more: address, reason.
    package static let suppress = Statement<NoRow, String, String>(
        "SELECT FROM app.suppress_address($1, $2)")

    /// Notes a server's permanent verdict that doesn't say that the address is dead: address,
    /// reason. Returns whether the address is held off.
    package static let noteVerdict = Statement<Scalar<Bool>, String, String>(
        "SELECT app.note_mail_verdict($1, $2)")

    /// Takes the turn of a message that the owner of an address asked for while it is held off.
    /// Returns the seconds until the next turn; 0 if it is now.
    package static let reserveTry = Statement<Scalar<Int32>, String>(
        "SELECT app.reserve_mail_try($1)")
}
