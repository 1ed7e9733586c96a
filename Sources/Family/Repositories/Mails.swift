package import Domain
package import Postgres

/// Whether an e-mail must still be sent.
package enum MailState: String, Sendable, CaseIterable {
    /// The e-mail must be sent.
    case due
    /// The reason for the e-mail no longer exists.
    case obsolete = "gone"
    /// Servers have rejected messages to the address recently: only e-mails that its owner asks for
    /// are sent.
    case heldOff = "held_off"
    /// The address gets no e-mail.
    case suppressed
}

extension MailState: PostgresWord {}

/// The data for an invitation's e-mail.
package struct InvitationMail: RowDecodable, Sendable {
    /// Send the e-mail only if this is `due`.
    package let state: MailState
    /// The invited address; empty if there is nothing to send.
    package let email: String
    package let familyName: String
    /// The inviter's name; empty if there is none.
    package let inviterName: String
    /// The raw value of a ``MemberRole``; empty if there is nothing to send.
    package let role: String
    package let expiresAt: Timestamp
    /// The expected digest of the link's token.
    package let tokenHash: PostgresBytes
    /// The kind of the invitation; nil if there is nothing to send.
    package let kind: InvitationKind?
    /// Language of the recipient's account, or else of the inviter's; nil if neither is known.
    package let locale: String?

    package static let row = RowDecoder(Self.init)
}

/// The data for an e-mail about a change in a family.
package struct ChangeMail: RowDecodable, Sendable {
    /// Send the e-mail only if this is `due`.
    package let state: MailState
    /// The recipient's verified address; empty if there is nothing to send.
    package let email: String
    /// The recipient's name; empty if there is none.
    package let recipientName: String
    package let familyName: String
    /// Name of the new Parent Admin or guardian.
    package let otherName: String
    /// The recipient's language; nil if it is unknown.
    package let locale: String?

    package static let row = RowDecoder(Self.init)
}

/// The data for an e-mail to an account's owner about the account.
package struct AccountMail: RowDecodable, Sendable {
    /// Send the e-mail only if this is `due`.
    package let state: MailState
    /// The account's address; empty if there is nothing to send.
    package let email: String
    /// The recipient's name; empty if there is none or the recipient is erased.
    package let recipientName: String
    /// The recipient's language; nil if it is unknown.
    package let locale: String?

    package static let row = RowDecoder(Self.init)
}

/// The data for an e-mail with a code and a link.
package struct EmailTokenMail: RowDecodable, Sendable {
    /// Send the e-mail only if this is `due`.
    package let state: MailState
    /// The address that the code is for; empty if there is nothing to send.
    package let email: String
    /// The recipient's name; empty if there is none, as for an address without an account.
    package let recipientName: String
    /// Purpose of the code: `sign_in`, `sign_up`, `reset`, `change` or `change_by_link`; empty if
    /// there is nothing to send.
    package let purpose: String
    /// Whether the address is a sign-in of an account.
    package let hasAccount: Bool
    /// The expected digest of the link's token.
    package let linkHash: PostgresBytes
    /// Language of the account, or else of the page on which the code was requested; nil if
    /// unknown.
    package let locale: String?
    /// Path that the link opens after signing in, encrypted; nil if there is none.
    package let returnPath: PostgresBytes?

    package static let row = RowDecoder(Self.init)
}

/// Statements of the mailer.
package enum Mails {
    /// Returns an invitation's e-mail. Parameters: invitation, number of its link.
    package static let ofInvitation = Statement<InvitationMail, InvitationID, Int32>(
        """
        SELECT state, email, family_name, inviter_name, role, expires_at, token_hash,
            app.kind_of_invitation($1), app.locale_of_invitation($1)
        FROM app.mail_of_invitation($1, $2)
        """)

    /// Records the outcome of an invitation's e-mail. Parameters: invitation, number of its link,
    /// `sent` or `failed`.
    package static let recordDelivery = Statement<NoRow, InvitationID, Int32, String>(
        "SELECT FROM app.record_delivery($1, $2, $3)")

    /// Returns an e-mail about a change. Parameters: reason, family, recipient, the other person.
    package static let ofChange = Statement<ChangeMail, String, FamilyID, UserID, UserID?>(
        """
        SELECT state, email, recipient_name, family_name, other_name, app.locale_of_account($3)
        FROM app.mail_of_change($1, $2, $3, $4)
        """)

    /// Returns an e-mail to an account about the account itself. Always one row: `gone` for an
    /// account that is erased or blocked, or has no verified address.
    package static let ofAccount = Statement<AccountMail, UserID>(
        """
        SELECT state, email, recipient_name, app.locale_of_account($1)
        FROM app.mail_of_account($1)
        """)

    /// Returns the e-mail that says that an account is blocked; `gone` if the account is not
    /// blocked.
    package static let ofBlock = Statement<AccountMail, UserID>(
        """
        SELECT state, email, recipient_name, app.locale_of_account($1)
        FROM app.mail_of_block($1)
        """)

    /// Returns the confirmation to the address of an erased account; `gone` once the address is
    /// deleted.
    package static let ofErasure = Statement<AccountMail, ErasureID>(
        """
        SELECT state, email, recipient_name, app.locale_of_erasure($1)
        FROM app.mail_of_erasure($1)
        """)

    /// Deletes the address of an erased account, which is no longer needed.
    package static let deleteErasureAddress = Statement<NoRow, ErasureID>(
        "SELECT FROM app.delete_erasure_address($1)")

    /// Returns the notice to the current address of an account whose address an e-mail token
    /// changes; `gone` if it had none.
    package static let ofAddressChange = Statement<AccountMail, EmailTokenID>(
        "SELECT state, email, recipient_name, locale FROM app.mail_of_address_change($1)")

    /// Returns the e-mail of an e-mail token; `gone` once the token is used or expired, and for a
    /// password reset if no account has the address.
    package static let ofEmailToken = Statement<EmailTokenMail, EmailTokenID>(
        """
        SELECT state, email, recipient_name, purpose, has_account, link_hash,
            app.locale_of_email_token($1), app.return_path_of_email_token($1)
        FROM app.mail_of_email_token($1)
        """)

    /// Stops all e-mail to an address. Parameters: address, reason.
    package static let suppress = Statement<NoRow, String, String>(
        "SELECT FROM app.suppress_address($1, $2)")

    /// Records a permanent rejection that does not mean that the address is dead. Parameters:
    /// address, reason. Returns whether mail to the address is on hold now.
    package static let recordVerdict = Statement<Scalar<Bool>, String, String>(
        "SELECT app.record_mail_rejection($1, $2)")

    /// Reserves the next attempt to send to an address on hold, for an e-mail that the address's
    /// owner asked for. Returns the seconds to wait; 0 if it may be sent now.
    package static let reserveTry = Statement<Scalar<Int32>, String>(
        "SELECT app.reserve_mail_try($1)")
}
