import Policy
import Postgres
import Repositories

/// Gives out everything that is stored about the caller and the children whose guardian it is.
package struct ExportAccount: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// One JSON document.
    ///
    /// - Throws: ``Refusal``: `tooManyAttempts` after three in a day.
    package func callAsFunction(by context: RequestContext) throws -> [UInt8] {
        try context.caller.facts.require(.userExport)
        try database.count(by: context) { $0.add(Accounts.reserveExport) }
        return try database.transaction(by: context, reading: { _ in { _, _ in } }) {
            _, transaction in
            var batch = Batch()
            let document = batch.add(Accounts.export)
            return try transaction.sendAndCommit(batch).row(document).value.utf8
        }
    }
}
