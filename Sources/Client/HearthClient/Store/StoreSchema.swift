/// The tables of a store's file.
enum StoreSchema {
    /// Raised with each change of the tables. A file of another version is emptied, and
    /// filled again by the next sync. A release that raises it carries over what is queued.
    static let version: Int64 = 1

    static let script = """
        CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE things (
            kind TEXT NOT NULL, family TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL,
            value BLOB NOT NULL, generation INTEGER NOT NULL,
            PRIMARY KEY (kind, family, id)
        ) WITHOUT ROWID;
        CREATE TABLE queue (
            number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
            mutation BLOB NOT NULL, acting_as TEXT, changed_at TEXT NOT NULL, base_version INTEGER
        );
        CREATE TABLE conflicts (
            number INTEGER PRIMARY KEY AUTOINCREMENT, cause TEXT NOT NULL UNIQUE,
            value BLOB NOT NULL
        );
        """

    /// Makes the tables in a file that is new or of another version.
    static func prepare(_ file: SQLiteConnection) throws {
        // A reader and a writer do not wait for each other, and what was queued survives also a
        // device whose battery dies.
        try file.execute(script: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        let found = try file.run("PRAGMA user_version").first?.first?.integer ?? 0
        if found == version { return }
        try file.transaction {
            for table in ["facts", "things", "queue", "conflicts"] {
                try file.execute(script: "DROP TABLE IF EXISTS \(table)")
            }
            try file.execute(script: script)
            try file.execute(script: "PRAGMA user_version = \(version)")
        }
    }
}
