package import Postgres

/// The files of `sql/functions` that this release was built with.
package enum RepeatableFiles {
    /// The names of the files.
    package static let names = entries.map { String($0[1]) }

    /// SHA-256 of each file, in the same order, in hexadecimal digits.
    package static let checksums = entries.map { String($0[0]) }

    private static let entries = list.split(separator: "\n").map { $0.split(separator: " ") }

    /// Returns the files, given by names and checksums, that `hearth-migrate` has never applied.
    ///
    /// A file is not missing if a newer version has replaced it: the database is not outdated.
    package static let missing = Statement<Scalar<String>, [String], [String]>(
        """
        SELECT needed.name FROM unnest($1, $2) AS needed (name, checksum)
        WHERE NOT EXISTS (
            SELECT FROM app.applied_repeatable_files() AS applied
            WHERE applied.name = needed.name AND applied.checksum = needed.checksum)
        ORDER BY needed.name
        """)
}
