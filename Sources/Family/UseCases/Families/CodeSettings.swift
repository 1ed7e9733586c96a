import Postgres
import Repositories
import Threads

/// What the operator has settled about family codes, and whether the database knows it.
///
/// The database draws codes, also for direct clients and operators. This instance stores its
/// settings there before it first relies on them.
package final class CodeSettings: Sendable {
    /// How many characters new codes have after their prefix.
    package let length: Int
    /// From how many wrong codes a minute on, above the usual, approval is automatic.
    package let wrongPerMinute: Int
    private let isApplied = Guarded(false)

    package init(length: Int = 6, wrongPerMinute: Int = 60) {
        self.length = length
        self.wrongPerMinute = wrongPerMinute
    }

    /// Stores the settings, unless this instance did so before.
    package func apply(to database: Database) throws {
        if isApplied.withLock({ $0 }) { return }
        _ = try database.query(
            FamilyCodes.applySettings, Int32(length), Int32(wrongPerMinute))
        isApplied.withLock { $0 = true }
    }
}
