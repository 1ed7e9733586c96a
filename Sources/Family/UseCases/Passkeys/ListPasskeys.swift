import Domain
import Policy
import Postgres
package import Repositories

/// The passkeys of the caller's account.
package enum ListPasskeys {
    /// The list, the oldest first.
    package static func reading(by caller: Caller) throws -> Read<[ListedPasskey]> {
        try caller.facts.require(.accountManage)
        return Read(by: caller) { batch in
            let place = batch.add(Passkeys.mine)
            return { answers, _ in try answers.rows(place) }
        }
    }
}
