package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns all operators.
    package func operators() throws -> [AdminOperator] { try rows(AdminOperators.all) }

    /// Returns the processes of the API and workers of the last week, the last seen first.
    package func processes() throws -> [AdminProcess] { try rows(Processes.all) }

    /// Returns the role of an account; nil if it is no operator.
    package func operatorRole(of account: UserID) throws -> OperatorRole? {
        try rows(AdminOperators.role, account).first?.value
    }

    /// Finds the account that is to become an operator.
    ///
    /// - Throws: ``OperatorRefusal`` if there is none, with the way to create it.
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
    /// - Throws: ``OperatorRefusal`` if the account has another role.
    package func addOperator(_ account: UserID, _ role: OperatorRole) throws -> Bool {
        if let present = try operatorRole(of: account), present != role {
            throw OperatorRefusal(
                .operatorExists, "This account is an operator already, with the role \(present).",
                details: ["'hearth-admin operator role' changes the role."])
        }
        return try change(AdminOperators.setRole, account, role)
    }

    /// Gives an operator another role.
    ///
    /// - Returns: False if it has this role already.
    package func setOperatorRole(_ account: UserID, _ role: OperatorRole) throws -> Bool {
        if try operatorRole(of: account) == nil { throw Self.noOperator }
        return try change(AdminOperators.setRole, account, role)
    }

    /// Takes the role of an operator away.
    package func removeOperator(_ account: UserID) throws {
        if try !change(AdminOperators.remove, account) { throw Self.noOperator }
    }

    private static var noOperator: OperatorRefusal {
        OperatorRefusal(
            .operatorNotFound, "This account is no operator.",
            details: ["'hearth-admin operator list' lists operators."])
    }
}
