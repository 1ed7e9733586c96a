// Written by scripts/update-schema.

extension RepeatableFiles {
    /// SHA-256 and name of each file, as `hearth-migrate checksums` prints them.
    static let list = """
        """
}
