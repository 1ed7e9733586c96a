package import Domain
import Postgres
import Repositories

/// Signs in by address and password.
///
/// The attempt is counted before the password is looked at, in a transaction of its own, and taken
/// back if it was right. For an address that nobody signs in with, a password is compared too, so
/// that the time shows nothing. If too many passwords are being compared, nothing is asked
/// of the database: in a flood most are refused, and that has to cost little.
package struct SignInByPassword: Sendable {
    private let database: Database
    private let keys: SignInKeys
    private let passwords: PasswordKeeper

    package init(_ database: Database, _ keys: SignInKeys, _ passwords: PasswordKeeper) {
        self.database = database
        self.keys = keys
        self.passwords = passwords
    }

    /// - Throws: ``Refusal``: `invalidCredentials`, `tooManyAttempts`; ``PasswordsBusy``.
    package func callAsFunction(
        _ email: EmailAddress, password: String, device: Label?, from client: ClientAddress,
        language: LanguageTag? = nil
    ) throws -> SignedIn {
        let turn = try passwords.turn()
        let limit = try database.query(
            StoredPasswords.reserve, email.mailbox, client.address, client.network
        ).first
        if let limit { throw limit.refusal }
        let stored = try database.query(StoredPasswords.ofAddress, email.mailbox).first
        let isValid: Bool
        do {
            isValid = try passwords.isValid(stored?.hash, for: password, in: turn)
        } catch let busy as PasswordsBusy {
            // It took too long: nothing was compared, so nothing was guessed.
            _ = try database.query(
                StoredPasswords.release, email.mailbox, client.address, client.network)
            throw busy
        }
        guard isValid, let stored else { throw Refusal(.invalidCredentials) }
        let session = SessionID.random()
        let token = try RefreshToken(of: session, keys)
        let renewed = passwords.renewed(stored.hash, of: password)
        return try database.leased { connection in
            var batch = Batch()
            let place = batch.add(
                StoredPasswords.signIn, stored.user, stored.hash, renewed, email.mailbox,
                client.address, client.network, session, device?.text,
                PostgresBytes(token.hash.bytes))
            if let language { batch.add(Locales.take, language.text) }
            let profile = ReadProfile.reading(isActing: false, in: &batch)
            let answers = try connection.send(batch, writes: true)
            guard let row = try answers.first(place) else { throw Refusal(.invalidCredentials) }
            return SignedIn(
                row, session, .password, token,
                profile: try profile(answers, Subject(signedIn: row.user)), isNew: false)
        }
    }
}
