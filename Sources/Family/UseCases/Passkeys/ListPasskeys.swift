import Domain
import Policy
import Postgres
package import Repositories

/// The passkeys of the caller's account.
package enum ListPasskeys {
    /// The list, the oldest first.
    package static func reading(by context: RequestContext) throws -> Read<[ListedPasskey]> {
        try context.caller.facts.require(.accountManage)
        return Read(by: context) { batch in
            let place = batch.add(Passkeys.mine)
            return { answers, _ in try answers.rows(place) }
        }
    }
}
