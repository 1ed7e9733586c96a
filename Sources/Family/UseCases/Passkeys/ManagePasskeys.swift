package import Domain
import Policy
import Postgres
package import Repositories

/// The passkeys of the caller's account: listed, taken away.
package struct ManagePasskeys: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The list, the oldest first.
    package static func reading(by caller: Caller) throws -> Read<[ListedPasskey]> {
        try caller.facts.require(.accountManage)
        return Read(by: caller) { batch in
            let place = batch.add(Passkeys.mine)
            return { answers, _ in try answers.rows(place) }
        }
    }

    /// Takes one away.
    ///
    /// - Throws: ``Refusal``: `passkeyNotFound`; `lastIdentity`.
    package func remove(_ passkey: PasskeyID, by caller: Caller) throws {
        try caller.facts.require(.accountManage)
        try database.request(by: caller, writes: true) { batch in
            batch.add(Passkeys.remove, passkey)
            return { _, _ in }
        }
    }
}
