import Policy
import Repositories
import Basics

/// The purposes of consent, and whether they are stored in the database.
///
/// Policies of the database read the purposes from a table. This instance stores its own there
/// before it first relies on them.
package final class ConsentRegister: Sendable {
    package let purposes: ConsentPurposes
    /// Consents that guardians give for children.
    let ofChildren: ConsentPurposes
    /// Consents that accounts give for themselves.
    let ofAccounts: ConsentPurposes
    private let isApplied = Lock(false)

    package init(_ purposes: ConsentPurposes) {
        self.purposes = purposes
        ofChildren = purposes.purposes(forAccounts: false)
        ofAccounts = purposes.purposes(forAccounts: true)
    }

    /// Stores the purposes unless this instance has done so before.
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
