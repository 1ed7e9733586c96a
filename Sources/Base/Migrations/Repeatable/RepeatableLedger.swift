import Postgres

/// Ledger of repeatable files: every application in the table `repeatable`, and the objects they
/// created in the table `repeatable_object`.
struct RepeatableLedger {
    /// The latest application of a file.
    struct Entry: Sendable {
        let name: String
        let checksum: String
        let appliedAt: String
        let appliedBy: String
        let durationMilliseconds: Double
    }

    private let ledger: Ledger
    private let session: Session

    init(_ session: Session) {
        self.session = session
        ledger = Ledger(session)
    }

    var table: String { ledger.schema.quotedIdentifier + ".repeatable" }
    var objectTable: String { ledger.schema.quotedIdentifier + ".repeatable_object" }

    /// Whether the tables exist.
    func exists() throws(MigrationError) -> Bool {
        try ledger.exists(table: "repeatable_object")
    }

    /// Reads the latest application of each file.
    func entries() throws(MigrationError) -> [Entry] {
        try ledger.attempt { () throws(PostgresError) in
            try session.connection.query(
                """
                SELECT DISTINCT ON (name) name, checksum,
                       to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                       applied_by, duration_ms
                  FROM \(unsafe: table) ORDER BY name, id DESC
                """
            ).map { (row) throws(PostgresError) in
                Entry(
                    name: try row.read(), checksum: try row.read(), appliedAt: try row.read(),
                    appliedBy: try row.read(), durationMilliseconds: try row.read())
            }
        }
    }

    /// Reads the files' objects as recorded and as they are now.
    func objects() throws(MigrationError) -> [RepeatableObject] {
        try ledger.attempt { () throws(PostgresError) in
            try session.run("BEGIN READ ONLY; \(RepeatableCatalogue.canonicalSettings)")
            do throws(PostgresError) {
                let objects = try RepeatableCatalogue(session).recorded()
                try session.run("COMMIT")
                return objects
            } catch {
                session.rollBack()
                throw error
            }
        }
    }

    /// Returns SQL that records the application of a file.
    func insertScript(_ file: RepeatableFile, milliseconds: Double) -> String {
        """
        INSERT INTO \(table) (name, checksum, source, duration_ms) VALUES (\
        \(SQL.quoted(literal: file.name)), '\(file.checksum.hex)', \
        \(SQL.quoted(literal: file.text.string)), \(milliseconds));
        """
    }

    /// Returns SQL that records an object under the file that created it, even if the object was
    /// recorded under another file before.
    func insertScript(
        _ kind: CreatedObject.Kind, _ identity: String, file: String, definition: String
    ) -> String {
        """
        INSERT INTO \(objectTable) (kind, identity, file, definition, server_version) VALUES (\
        '\(kind.rawValue)', \(SQL.quoted(literal: identity)), \(SQL.quoted(literal: file)), \
        \(SQL.quoted(literal: definition)), \(session.connection.serverVersion)) \
        ON CONFLICT (kind, identity) DO UPDATE SET file = excluded.file, \
        definition = excluded.definition, server_version = excluded.server_version;
        """
    }

    /// Returns SQL that marks the objects of these files as being in no file.
    func abandonScript(_ files: [String]) -> String {
        if files.isEmpty { return "" }
        let names = files.map { SQL.quoted(literal: $0) }.joined(separator: ", ")
        return "UPDATE \(objectTable) SET file = NULL WHERE file IN (\(names));"
    }

    static func tablesScript(schema: String) -> String {
        let (table, objects) = (schema + ".repeatable", schema + ".repeatable_object")
        return """
            CREATE TABLE \(table) (
                id          bigint GENERATED ALWAYS AS IDENTITY
                    CONSTRAINT repeatable_pkey PRIMARY KEY,
                name        text NOT NULL,
                checksum    text NOT NULL CONSTRAINT repeatable_checksum
                    CHECK (checksum ~ '^[0-9a-f]{64}$'),
                source      text NOT NULL,
                applied_at  timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
                applied_by  text NOT NULL DEFAULT session_user,
                duration_ms double precision NOT NULL
            );
            CREATE INDEX repeatable_name_id ON \(table) (name, id);
            CREATE TABLE \(objects) (
                kind           text NOT NULL CONSTRAINT repeatable_object_kind
                    CHECK (kind IN ('function', 'view', 'trigger')),
                identity       text NOT NULL,
                file           text,
                definition     text,
                server_version integer NOT NULL,
                CONSTRAINT repeatable_object_pkey PRIMARY KEY (kind, identity)
            );
            COMMENT ON TABLE \(table) IS
                'Every application of a repeatable file by hearth-migrate; the latest one of a '
                'name is in effect.';
            COMMENT ON COLUMN \(table).checksum IS 'SHA-256 of source, in hexadecimal digits.';
            COMMENT ON TABLE \(objects) IS
                'The objects that repeatable files created, as PostgreSQL described them then.';
            COMMENT ON COLUMN \(objects).file IS
                'The file that creates the object; null if no file does any more.';
            COMMENT ON COLUMN \(objects).definition IS
                'Null: a numbered file has changed or dropped the object; apply its file again.';
            """
    }
}
