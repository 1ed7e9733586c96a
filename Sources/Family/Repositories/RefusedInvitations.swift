package import Domain
package import Postgres

/// An address that gets no e-mail, or no invitations by e-mail.
package struct HeldOffAddress: RowDecodable, Sendable {
    package let email: String
    /// The e-mails that are not sent to the address.
    package let state: State
    /// Time at which e-mail to the address was stopped.
    package let since: Timestamp
    /// Time at which e-mail to the address resumes automatically; nil for never.
    package let until: Timestamp?
    /// Reason of the mail server, the operator or the address's owner.
    package let reason: String
    /// The only family whose invitations are refused; nil for all, and for other states.
    package let family: FamilyID?

    /// The e-mails that are not sent to an address.
    package enum State: String, Sendable, CaseIterable, PostgresWord {
        /// All e-mail: the address is dead, or an operator has stopped it.
        case suppressed
        /// Invitations and notices: servers have rejected messages to the address recently.
        case heldOff = "held_off"
        /// Invitations: the address's owner has refused them.
        case noInvitations = "no_invitations"
    }

    package static let row = RowDecoder(Self.init)
}

/// Statements about addresses that want no invitations by e-mail.
package enum RefusedInvitations {
    /// Returns the name of an invitation's family; no row if there is no such invitation.
    /// Parameter: hash of the invitation's token.
    package static let family = Statement<Scalar<String>, PostgresBytes>(
        "SELECT family_name FROM app.refusable_invitation($1)")

    /// Refuses invitations; returns false if there is no such invitation. Parameters: hash of its
    /// token, whether to refuse those of all families.
    package static let refuse = Statement<Scalar<Bool>, PostgresBytes, Bool>(
        "SELECT app.refuse_invitations($1, $2)")
}
