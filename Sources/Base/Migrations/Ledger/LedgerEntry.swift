import Crypto

/// A ledger entry: an applied migration, and when it was applied.
package struct LedgerEntry: Sendable, Equatable {
    /// The ways in which a migration is recorded in the ledger.
    package enum Kind: String, Sendable {
        /// The file ran in one transaction, which also recorded it.
        case transaction
        /// The file ran statement by statement.
        case statements
        /// The file was declared as applied without running.
        case baseline
    }

    /// The migration's version.
    package let version: MigrationVersion
    /// The migration's name, without version and extension.
    package let name: String
    /// SHA-256 of the text, in hexadecimal digits.
    package let checksum: String
    /// The way in which the migration was recorded.
    package let kind: Kind
    /// Time at which the migration was applied: ISO 8601, UTC.
    package let appliedAt: String
    /// The session's login role when the migration was applied.
    package let appliedBy: String
    /// Duration of the migration's statements.
    package let durationMilliseconds: Double

    /// Whether the entry is a baseline lower than all files. It stands for files that never were in
    /// the folder.
    var isWithoutFile: Bool {
        kind == .baseline && name == Baseline.nameWithoutFile
            && checksum == SHA256Digest(of: "").hex
    }

    /// The name of the file at the time of its application.
    package var fileName: String { "\(version)_\(name).sql" }
}
