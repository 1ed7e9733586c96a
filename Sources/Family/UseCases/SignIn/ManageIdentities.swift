package import Domain
import Policy
import Postgres
package import Repositories

/// The ways into the caller's account: listed, added, taken away.
package struct ManageIdentities: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// The list, the oldest first.
    package static func reading(by caller: Caller) throws -> Read<[ListedIdentity]> {
        try caller.facts.require(.accountManage)
        return Read(by: caller) { batch in
            let place = batch.add(Identities.mine)
            return { answers, _ in try answers.rows(place) }
        }
    }

    /// Adds the sign-in of another token, whose holder the caller is too.
    ///
    /// - Parameter other: Of a verified token of another issuer.
    /// - Returns: All ways in.
    /// - Throws: ``Refusal``: `identityInUse` where it leads to an account that is in use.
    package func add(_ other: Caller, by caller: Caller) throws -> [ListedIdentity] {
        try caller.facts.require(.accountManage)
        if other.isAnonymous { throw Refusal(.accountRequired) }
        return try database.request(by: caller, writes: true) { batch in
            batch.add(
                Identities.adopt, other.issuer, other.subject,
                other.email?.text, other.isEmailVerified, other.tokenIssuedAt)
            let place = batch.add(Identities.mine)
            return { answers, _ in try answers.rows(place) }
        }
    }

    /// Takes a way in away.
    ///
    /// - Throws: ``Refusal``: `identityNotFound`; `lastIdentity`.
    package func remove(_ identity: IdentityID, by caller: Caller) throws {
        try caller.facts.require(.accountManage)
        try database.request(by: caller, writes: true) { batch in
            batch.add(Identities.remove, identity)
            return { _, _ in }
        }
    }
}
