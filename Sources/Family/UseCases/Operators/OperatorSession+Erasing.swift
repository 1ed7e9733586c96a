import Basics
package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Exports all data that is stored about an account, for its owner, as one JSON document.
    ///
    /// The owner of a blocked account can't export it in another way. The audit entry is committed
    /// before any data are returned.
    ///
    /// - Parameter seconds: Seconds until the read is cancelled; nil for the connection's default.
    package func exportAccount(_ user: UserID, seconds: Double? = nil) throws -> [UInt8] {
        try change(Erasures.beginUserExport, user)
        return try run(deadline: seconds.map { Deadline.after(seconds: $0) }) { batch in
            let document = batch.add(Erasures.exportUser, user)
            return { try $0.row(document).value.utf8 }
        }
    }

    /// Erases a user's personal data in one transaction. The audit log keeps the id.
    ///
    /// - Parameter successors: The new guardians of the user's children, one for each family in
    ///   which a child has no other guardian.
    /// - Throws: ``OperatorRefusal`` if a child would be left without a guardian.
    package func erase(_ user: UserID, successors: [MemberID]) throws -> ErasureResult {
        try run(writes: true) { batch in
            let erased = batch.add(Erasures.eraseUser, user, successors.map(\.rawValue))
            return { try $0.row(erased) }
        }
    }
}
