package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Erases all that tells who a user was, in one transaction; the trail keeps its id.
    ///
    /// - Parameter heirs: Members who take over the children that it guards, one for each family
    ///   where there are any.
    /// - Throws: ``OperatorRefusal`` where such a child would be left without a guardian.
    package func erase(_ user: UserID, heirs: [MemberID]) throws -> Erased {
        try run(writes: true) { batch in
            let erased = batch.add(Erasures.erase, user, heirs.map(\.rawValue))
            return { try $0.row(erased) }
        }
    }
}
