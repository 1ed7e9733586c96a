package import Domain
import Repositories

/// Begins an account with a password: a code is mailed, and the account comes with the code.
///
/// If there is an account already, the e-mail tells its owner so; the response does not show it.
package struct SignUp: Sendable {
    private let database: Database
    private let keys: SignInKeys
    private let passwords: PasswordKeeper

    package init(_ database: Database, _ keys: SignInKeys, _ passwords: PasswordKeeper) {
        self.database = database
        self.keys = keys
        self.passwords = passwords
    }

    /// - Throws: ``Refusal``: `passwordTooWeak`, `tooManyAttempts`; `PasswordsBusy`.
    package func callAsFunction(
        _ email: EmailAddress, password: String, fullName: PersonName?, role: MemberRole?,
        from client: ClientAddress, _ origin: TicketOrigin = .init()
    ) throws -> OpenedTicket {
        let password = try NewPassword(
            password, ownWords: [email.text, fullName?.text ?? ""])
        let hash = try passwords.hash(password)
        return try OpenTicket(database: database, keys: keys)(
            .signUp(passwordHash: hash, fullName: fullName?.text, role: role), for: email,
            from: client, origin)
    }
}
