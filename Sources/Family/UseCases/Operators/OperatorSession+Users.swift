package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns people whose name or address contains a text (nil: all), newest first.
    package func users(
        search: String?, _ page: OperatorPageRequest
    ) throws -> OperatorPage<AdminUser> {
        let rows = try rows(
            AdminUsers.page, search, page.start?.at, page.id(User.self), page.count)
        return OperatorPage(rows, limit: page.limit) { PageCursor($0.createdAt, $0.id) }
    }

    /// Finds the person whom an operator names by id or e-mail address.
    ///
    /// - Throws: ``OperatorRefusal`` if none or several match: one address can have signed in
    ///   through several issuers, or sign in to one account and be stored for another.
    package func user(_ word: String) throws -> AdminUser {
        let matches = try rows(
            AdminUsers.ofIDOrEmail, UserID(managed: word), EmailAddress(word)?.mailbox)
        guard let user = matches.first else {
            throw afterReplication(
                OperatorRefusal.notFound(
                    .user, word,
                    expected: "the id or e-mail address of a person who has signed in",
                    details: ["A person who has not signed in yet can be invited."]))
        }
        guard matches.count == 1 else {
            throw OperatorRefusal.ambiguous(
                .user, word,
                matches.map { "\($0.id)  \($0.issuers.joined(separator: ", "))" })
        }
        return user
    }

    /// Returns the counters of the rate limits of an account.
    package func limits(of account: UserID) throws -> [AdminLimit] {
        try rows(AdminLimits.ofUser, account)
    }

    /// Deletes the counters of the rate limits of an account, and returns their number.
    package func clearLimits(of account: UserID) throws -> Int {
        Int(try change(AdminLimits.clear, account))
    }

    /// Blocks an account: its sessions end, and its tokens are refused.
    ///
    /// - Parameter reason: Shown to operators and in the account's export.
    /// - Returns: False if it is blocked already.
    package func block(_ account: UserID, reason: String) throws -> Bool {
        try change(AdminUsers.block, account, reason)
    }

    /// Lifts the block of an account. Returns false if there is none.
    package func unblock(_ account: UserID) throws -> Bool {
        try change(AdminUsers.unblock, account)
    }
}
