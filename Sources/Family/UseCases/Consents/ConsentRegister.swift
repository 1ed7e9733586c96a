import Policy
import Repositories
import Threads

/// The purposes of consent, and whether the database has them.
///
/// Policies of the database read the purposes from a table. This instance stores its own there
/// before it first relies on them.
package final class ConsentRegister: Sendable {
    package let purposes: ConsentPurposes
    /// What guardians consent to for children.
    let ofChildren: ConsentPurposes
    /// What accounts consent to for themselves.
    let ofAccounts: ConsentPurposes
    private let isApplied = Guarded(false)

    package init(_ purposes: ConsentPurposes) {
        self.purposes = purposes
        ofChildren = purposes.purposes(forAccounts: false)
        ofAccounts = purposes.purposes(forAccounts: true)
    }

    /// Stores the purposes, unless this instance did so before.
    package func apply(to database: Database) throws {
        if isApplied.withLock({ $0 }) { return }
        _ = try database.query(
            Consents.applyPurposes, purposes.all.map(\.name), purposes.all.map(\.version),
            purposes.all.filter(\.isRequired).map(\.name),
            purposes.all.filter(\.isForAccounts).map(\.name),
            purposes.all.map { $0.refused.map(\.name).joined(separator: " ") })
        isApplied.withLock { $0 = true }
    }
}
