import Crypto

/// A ledger entry: an applied migration, and when it was applied.
package struct LedgerEntry: Sendable, Equatable {
    /// How a migration came to be in the ledger.
    package enum Kind: String, Sendable {
        /// It ran in one transaction, this line of the ledger included.
        case transaction
        /// It ran statement by statement.
        case statements
        /// It was declared as applied, without running.
        case baseline
    }

    /// Its version.
    package let version: MigrationVersion
    /// Its name, without version and ending.
    package let name: String
    /// SHA-256 of the text, in hexadecimal digits.
    package let checksum: String
    /// How it came to be here.
    package let kind: Kind
    /// When it was applied: ISO 8601, UTC.
    package let appliedAt: String
    /// The role that had logged in.
    package let appliedBy: String
    /// How long its statements took.
    package let durationMilliseconds: Double

    /// Whether it stands for files that never were in the folder: a baseline before all of them.
    var isWithoutFile: Bool {
        kind == .baseline && name == Baseline.nameWithoutFile
            && checksum == SHA256Digest(of: "").hex
    }

    /// The file's name, as it was.
    package var fileName: String { "\(version)_\(name).sql" }
}
