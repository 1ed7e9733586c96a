package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Erases a user's personal data in one transaction. The audit log keeps the id.
    ///
    /// - Parameter heirs: The new guardians of the user's children, one for each family with such
    ///   children.
    /// - Throws: ``OperatorRefusal`` if such a child would be left without a guardian.
    package func erase(_ user: UserID, heirs: [MemberID]) throws -> Erased {
        try run(writes: true) { batch in
            let erased = batch.add(Erasures.erase, user, heirs.map(\.rawValue))
            return { try $0.row(erased) }
        }
    }
}
