package import Domain
package import Postgres

/// An address that gets no e-mail, or none with invitations.
package struct HeldOffAddress: RowDecodable, Sendable {
    package let email: String
    /// What it gets no more.
    package let state: State
    /// When e-mail to it was stopped.
    package let since: Timestamp
    /// When it gets e-mail again by itself; nil for never.
    package let until: Timestamp?
    /// Why a mail server, an operator or the address's owner wants it so.
    package let reason: String
    /// Of invitations: the only family that is meant.
    package let family: FamilyID?

    /// What an address gets no more.
    package enum State: String, Sendable, CaseIterable, PostgresWord {
        /// Nothing at all: it is dead, or an operator wants it so.
        case suppressed
        /// No invitations and no notices: servers have rejected messages to it lately.
        case heldOff = "held_off"
        /// No invitations: its owner wants it so.
        case noInvitations = "no_invitations"
    }

    package static let row = RowDecoder(Self.init)
}

/// Statements about addresses that want no invitations by e-mail.
package enum RefusedInvitations {
    /// The hash of an invitation's token: the family's name; no row for no such invitation.
    package static let family = Statement<Scalar<String>, PostgresBytes>(
        "SELECT family_name FROM app.refusable_invitation($1)")

    /// Hash, whether those of all families are meant: whether there is such an invitation.
    package static let refuse = Statement<Scalar<Bool>, PostgresBytes, Bool>(
        "SELECT app.refuse_invitations($1, $2)")
}
