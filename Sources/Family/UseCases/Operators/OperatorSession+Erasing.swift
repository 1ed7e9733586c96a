package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Erases a user's personal data in one transaction. The audit log keeps the id.
    ///
    /// - Parameter successors: The new guardians of the user's children, one for each family with
    ///   such children.
    /// - Throws: ``OperatorRefusal`` if such a child would be left without a guardian.
    package func erase(_ user: UserID, successors: [MemberID]) throws -> ErasureResult {
        try run(writes: true) { batch in
            let erased = batch.add(Erasures.eraseUser, user, successors.map(\.rawValue))
            return { try $0.row(erased) }
        }
    }
}
