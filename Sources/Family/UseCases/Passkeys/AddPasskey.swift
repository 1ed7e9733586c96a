package import Domain
import Jobs
package import JSON
import Policy
import Postgres
package import Repositories
package import WebAuthn

/// Adds a passkey that an authenticator has just made to the caller's account.
package struct AddPasskey: Sendable {
    private let database: Database
    private let keys: SignInKeys
    private let party: RelyingParty

    package init(_ database: Database, _ keys: SignInKeys, _ party: RelyingParty) {
        self.database = database
        self.keys = keys
        self.party = party
    }

    /// - Parameter credential: The JSON of the credential, as the browser gives it.
    /// - Returns: All passkeys of the account.
    /// - Throws: ``Refusal``: `passkeyInvalid`, `challengeExpired`, `passkeyExists`,
    ///   `tooManyPasskeys`, `signInAgain`, `accountRequired`.
    package func callAsFunction(
        _ credential: JSONField, label: Label?, by context: RequestContext, now: Int64
    ) throws -> [ListedPasskey] {
        try context.caller.facts.require(.accountManage)
        let answer: RegistrationAnswer
        do {
            answer = try RegistrationAnswer(credential)
        } catch {
            throw error.refusal
        }
        let account = try database.request(by: context) { batch in
            let account = batch.add(Passkeys.account, context.caller.tokenIssuedAt)
            return { answers, _ in try answers.first(account) }
        }
        guard let account else { throw Refusal(.accountRequired) }
        guard
            let challenge = try PasskeyChallenge(
                answered: answer.clientData.challenge, .register, for: account.id, now: now, keys)
        else { throw Refusal(.challengeExpired) }
        let made: NewCredential
        do {
            made = try party.newCredential(answer, to: challenge.bytes)
        } catch {
            throw error.refusal
        }
        let passkeys = try database.request(by: context, writes: true) { batch in
            batch.add(
                Passkeys.add, context.caller.tokenIssuedAt, PostgresBytes(made.id),
                PostgresBytes(made.key.encoded), Int64(made.counter), label?.text,
                made.model.reduce(0) { $0 << 8 | UInt128($1) }, made.transports,
                made.isBackupEligible, made.isBackedUp, PostgresBytes(challenge.hash.bytes),
                challenge.expires, MailJob.payload(of: { .account(.passkeyAdded, recipient: $0) }))
            let place = batch.add(Passkeys.mine)
            return { answers, _ in try answers.rows(place) }
        }
        database.wake(MailJob.queue, for: context)
        return passkeys
    }
}
