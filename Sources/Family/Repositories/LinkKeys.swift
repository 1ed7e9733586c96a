package import Domain
package import Postgres

/// A link with which a process checks its secret key.
package struct LinkToCheck: RowDecodable, Sendable {
    package let invitation: InvitationID
    package let generation: Int32

    package static let row = RowDecoder(Self.init)
}

/// Statements that check whether the keys of this process match the stored links.
package enum LinkKeys {
    /// Returns the newest link; no row if there is none.
    package static let newest = Statement<LinkToCheck>(
        "SELECT invitation_id, generation FROM app.newest_link()")

    /// Returns whether a link has one of these hashes. Parameters: invitation, number of the link,
    /// hashes.
    package static let isKnown = Statement<Scalar<Bool>, InvitationID, Int32, [PostgresBytes]>(
        "SELECT app.is_link_known($1, $2, $3)")
}
