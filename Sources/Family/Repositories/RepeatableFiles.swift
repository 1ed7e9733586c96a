package import Postgres

/// The files of `sql/functions` that this release was made with.
package enum RepeatableFiles {
    /// The names of the files.
    package static let names = entries.map { String($0[1]) }

    /// SHA-256 of each file, in the same order, in hexadecimal digits.
    package static let checksums = entries.map { String($0[0]) }

    private static let entries = list.split(separator: "\n").map { $0.split(separator: " ") }

    /// Which of the files, given by names and checksums, `hearth-migrate` has never applied.
    ///
    /// A file that a newer one has replaced since counts as applied: the database is not behind.
    package static let missing = Statement<Scalar<String>, [String], [String]>(
        """
        SELECT needed.name FROM unnest($1, $2) AS needed (name, checksum)
        WHERE NOT EXISTS (
            SELECT FROM app.applied_repeatable_files() AS applied
            WHERE applied.name = needed.name AND applied.checksum = needed.checksum)
        ORDER BY needed.name
        """)
}
