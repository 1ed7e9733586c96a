import Crypto
import Domain
import Policy
import Postgres
package import Repositories

/// Asks an authenticator: makes the challenge, and what a browser needs besides.
package struct MakePasskeyOptions: Sendable {
    /// What a new passkey is for.
    package struct Registration: Sendable {
        /// What the authenticator has to sign.
        package let challenge: PasskeyChallenge
        package let account: PasskeyAccount
        /// Those that the account has: an authenticator makes no second one.
        package let known: [ListedPasskey]
    }

    private let database: Database
    private let keys: SignInKeys

    package init(_ database: Database, _ keys: SignInKeys) {
        self.database = database
        self.keys = keys
    }

    /// For signing in with any passkey.
    ///
    /// - Parameter now: Seconds since 1970.
    package func assertion(now: Int64) throws -> PasskeyChallenge {
        try PasskeyChallenge(.assert, for: nil, now: now, keys)
    }

    /// For adding one to the caller's account.
    ///
    /// - Throws: ``Refusal``: `accountRequired`, `signInAgain`.
    package func registration(by context: RequestContext, now: Int64) throws -> Registration {
        try context.caller.facts.require(.accountManage)
        let (account, known) = try database.request(by: context) { batch in
            let account = batch.add(Passkeys.account, context.caller.tokenIssuedAt)
            let known = batch.add(Passkeys.mine)
            return { answers, _ in (try answers.first(account), try answers.rows(known)) }
        }
        guard let account else { throw Refusal(.accountRequired) }
        guard account.isFresh else { throw Refusal(.signInAgain) }
        return Registration(
            challenge: try PasskeyChallenge(.register, for: account.id, now: now, keys),
            account: account, known: known)
    }
}
