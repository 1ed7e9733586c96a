package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns all operators.
    package func operators() throws -> [AdminOperator] { try rows(AdminOperators.all) }

    /// Returns the processes of the API and of workers that were seen within the last week, the
    /// last seen first.
    package func processes() throws -> [AdminProcess] { try rows(Processes.all) }

    /// Finds the account that is to become an operator.
    ///
    /// - Throws: ``OperatorRefusal`` if there is none; it says how to create one.
    package func accountForOperator(_ word: String) throws -> AdminUser {
        let found: AdminUser
        do {
            found = try user(word)
        } catch let refusal as OperatorRefusal
            where refusal.reason == OperatorRefusalCode.userNotFound.rawValue
        {
            throw OperatorRefusal(
                .userNotFound, "No account is called '\(word)'.",
                details: [
                    "An operator needs an account. Sign in to Hearth once with this address, on "
                        + "the page /sign-in or in the app, and run this command again."
                ])
        }
        guard found.kind == .account, found.erasedAt == nil else {
            throw OperatorRefusal(
                .userNotFound,
                found.kind == .managed
                    ? "'\(word)' is a child without an account: an operator needs an account."
                    : "The account '\(word)' is erased.")
        }
        return found
    }

    /// Makes an account an operator, unless it is one.
    ///
    /// - Returns: False if it has this role already.
    /// - Throws: ``OperatorRefusal`` if the account has another role, or is blocked.
    package func addOperator(_ account: UserID, _ role: OperatorRole) throws -> Bool {
        try change(AdminOperators.setRole, account, role, true)
    }

    /// Gives an operator another role.
    ///
    /// - Returns: False if it has this role already.
    /// - Throws: ``OperatorRefusal`` if the account is not an operator.
    package func setOperatorRole(_ account: UserID, _ role: OperatorRole) throws -> Bool {
        try change(AdminOperators.setRole, account, role, false)
    }

    /// Stores a one-time link with which an operator signs in to the console, and returns its
    /// token.
    ///
    /// - Throws: ``OperatorRefusal`` if the account is no operator.
    package func makeConsoleLink(for account: UserID, minutes: Int) throws -> ConsoleToken {
        let token = try ConsoleToken.random()
        try change(ConsoleSessions.makeLink, account, token.hash, Int32(minutes))
        return token
    }

    /// Records in the audit log that the operator has looked at a person.
    package func recordView(of person: UserID) throws {
        try change(ConsoleSessions.viewPerson, person)
    }

    /// Records that the operator has started an examination with repairs.
    package func recordRepairs() throws {
        try run(writes: true) { batch in
            batch.add(ConsoleSessions.beginRepairs)
            return { _ in }
        }
    }

    /// Removes an account's operator role; the account stays.
    package func removeOperator(_ account: UserID) throws {
        guard try change(AdminOperators.remove, account) else {
            throw OperatorRefusal(.operatorNotFound, "This account is not an operator.")
        }
    }
}
