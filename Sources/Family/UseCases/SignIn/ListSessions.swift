import Policy
import Postgres
package import Repositories

/// The sessions of the caller's account that have not ended, the one used last first.
package struct ListSessions: Sendable {
    /// A session, and whether the request came with one of its tokens.
    package struct Entry: Sendable {
        package let session: ListedSession
        package let isCurrent: Bool
    }

    /// The use case as a read, which can be batched with others.
    package static func reading(by context: RequestContext) throws -> Read<[Entry]> {
        try context.caller.facts.require(.accountManage)
        return Read(by: context) { batch in
            let sessions = batch.add(Sessions.mine)
            return { answers, _ in
                try answers.rows(sessions).map {
                    Entry(session: $0, isCurrent: $0.id == context.caller.session?.id)
                }
            }
        }
    }
}
