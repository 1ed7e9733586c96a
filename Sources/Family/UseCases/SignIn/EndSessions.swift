package import Domain
import Policy
import Postgres
import Repositories

/// Ends sessions of the caller's account. Their tokens are refused from the next request on.
package struct EndSessions: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// Ends one session, be it the caller's present one.
    ///
    /// - Throws: ``Refusal``: `sessionNotFound`, `accountRequired`.
    package func one(_ session: SessionID, by context: RequestContext) throws {
        try context.caller.facts.require(.accountManage)
        try database.request(by: context, writes: true) { batch in
            batch.add(Sessions.end, session)
            return { _, _ in }
        }
    }

    /// Ends all sessions but the one whose token the caller sent.
    package func others(by context: RequestContext) throws {
        try context.caller.facts.require(.accountManage)
        try database.request(by: context, writes: true) { batch in
            batch.add(Sessions.endOthers, context.caller.session?.id)
            return { _, _ in }
        }
    }
}
