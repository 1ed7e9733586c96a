import Policy
import Postgres
import Repositories

/// Lets a browser's session last longer, because it is used: pages refresh no tokens.
package struct ProlongSession: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// How many seconds it lasts from now on; nil if it was prolonged lately.
    ///
    /// - Throws: ``Refusal``: `sessionEnded`.
    package func callAsFunction(by context: RequestContext) throws -> Int? {
        try context.caller.facts.require(.accountManage)
        return try database.request(by: context, writes: true) { batch in
            let place = batch.add(Sessions.prolong)
            return { answers, _ in try answers.first(place).map { Int($0.value) } }
        }
    }
}
