package import Domain
import Postgres
import Repositories

/// The operator whom a trusted proxy names in a request.
package struct ProxiedOperator: Sendable, Equatable {
    package let email: EmailAddress
    /// Time at which the operator signed in at the proxy, in seconds since 1970; nil if the proxy
    /// does not state it.
    package let signedInAt: Int64?

    package init(email: EmailAddress, signedInAt: Int64?) {
        self.email = email
        self.signedInAt = signedInAt
    }
}

extension ConsoleSignIn {
    /// Signs in the operator whom a trusted proxy names, and returns the token of the session; nil
    /// if the address is no operator's, or if the account is blocked.
    ///
    /// Every attempt is counted, because a browser that drops the cookie makes one with each
    /// request.
    /// - Throws: ``Refusal``: `tooManyAttempts`.
    package func signIn(
        _ proxied: ProxiedOperator, browser: Label?, from client: ClientAddress
    ) throws -> ConsoleToken? {
        let limit = try rows(ConsoleSessions.reserveAttempt, client.address, client.network).first
        if let limit { throw limit.refusal }
        let token = try ConsoleToken.random()
        let isOpen = try OperatorSession.translatingRefusals {
            try pool.withConnection { connection in
                var batch = Batch()
                batch.storeLabel(of: proxied.email)
                let key = batch.add(
                    ConsoleEntries.enterByProxy, proxied.email.text, proxied.signedInAt,
                    token.hash, Int32(sessionHours), browser?.text)
                return try connection.send(batch).row(key).value
            }
        }
        return isOpen ? token : nil
    }

    /// Updates a session that a proxy opened: ends it if the proxy now names somebody else, and
    /// otherwise stores the time of the sign-in that the proxy states. Leaves other sessions as
    /// they are.
    package func follow(_ proxied: ProxiedOperator, _ token: ConsoleToken) throws {
        _ = try rows(
            ConsoleEntries.followProxy, token.hash, proxied.email.text, proxied.signedInAt)
    }
}
