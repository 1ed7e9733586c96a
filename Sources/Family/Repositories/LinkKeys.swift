package import Domain
package import Postgres

/// A link by which a process checks that it has the secret key.
package struct LinkToCheck: RowDecodable, Sendable {
    package let invitation: InvitationID
    package let generation: Int32

    package static let row = RowDecoder(Self.init)
}

/// The statements about whether links are made with the keys of this process.
package enum LinkKeys {
    /// The newest link; no row if there is none.
    package static let newest = Statement<LinkToCheck>(
        "SELECT invitation_id, generation FROM app.newest_link()")

    /// Invitation, generation, hashes that the link may have.
    package static let isKnown = Statement<Scalar<Bool>, InvitationID, Int32, [PostgresBytes]>(
        "SELECT app.is_link_known($1, $2, $3)")
}
