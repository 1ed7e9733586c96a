import Postgres

/// The ledger in the database: the applied migrations in the table `ledger` of its schema, and the
/// progress of a no-transaction file in the table `journal`.
struct Ledger {
    let schema: String
    private let session: Session
    private var connection: Connection { session.connection }

    init(_ session: Session) {
        schema = session.configuration.ledgerSchema
        self.session = session
    }

    var table: String { schema.quotedIdentifier + ".ledger" }
    var journalTable: String { schema.quotedIdentifier + ".journal" }

    /// Whether the ledger, or another table of its schema, exists.
    func exists(table: String = "ledger") throws(MigrationError) -> Bool {
        try attempt { () throws(PostgresError) in
            try connection.query(
                """
                SELECT EXISTS (
                    SELECT FROM pg_catalog.pg_class AS c
                      JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                     WHERE n.nspname = \(schema) AND c.relname = \(table))
                """
            ).scalar(Bool.self)
        }
    }

    /// Creates the ledger if it does not exist. The caller holds the runner's lock.
    func create() throws(MigrationError) {
        let hasLedger = try exists()
        let hasRepeatable = try RepeatableLedger(session).exists()
        if hasLedger && hasRepeatable { return }
        try attempt { () throws(PostgresError) in
            let hasSchema = try connection.query(
                "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = \(schema))"
            ).scalar(Bool.self)
            let schemaScript =
                hasSchema ? "" : "CREATE SCHEMA \(schema.quotedIdentifier);"
            try session.run(
                schemaScript + (hasLedger ? "" : tablesScript)
                    + RepeatableLedger.tablesScript(schema: schema.quotedIdentifier))
        }
    }

    /// Reads the applied migrations, ordered by version. The ledger must exist.
    func entries() throws(MigrationError) -> [LedgerEntry] {
        do {
            return try connection.query(
                """
                SELECT version, name, checksum, kind,
                       to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                       applied_by, duration_ms
                  FROM \(unsafe: table)
                 ORDER BY version
                """
            ).map { (row) throws(PostgresError) in try LedgerEntry(row: &row) }
        } catch {
            throw notALedger(error)
        }
    }

    /// Reads the texts of some migrations as they were applied.
    func sources(
        of versions: [MigrationVersion]
    ) throws(MigrationError) -> [MigrationVersion: String] {
        if versions.isEmpty { return [:] }
        let pairs = try attempt { () throws(PostgresError) in
            try connection.query(
                """
                SELECT version, source FROM \(unsafe: table)
                 WHERE version = ANY (\(versions.map(\.number)))
                """
            ).map { (row) throws(PostgresError) in
                (MigrationVersion(try row.read()), try row.read(String.self))
            }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// Returns the statement that records a migration. Its values are literals, so that it can be
    /// sent in one message with the migration itself.
    ///
    /// It uses only PostgreSQL's own operators and functions, whatever search path the migration
    /// leaves behind. `duration` is an SQL expression of milliseconds.
    func insertScript(
        _ file: MigrationFile, kind: LedgerEntry.Kind, duration: String
    ) -> String {
        insertScript(
            version: file.version, name: file.name, checksum: file.checksum.hex,
            source: file.text.string, kind: kind, duration: duration)
    }

    func insertScript(
        version: MigrationVersion, name: String, checksum: String, source: String,
        kind: LedgerEntry.Kind, duration: String
    ) -> String {
        """
        INSERT INTO \(table) (version, name, checksum, source, kind, duration_ms) VALUES (\
        \(version.number), \(SQL.quoted(literal: name)), '\(checksum)', \
        \(SQL.quoted(literal: source)), '\(kind.rawValue)', \(duration));
        """
    }

    /// SQL expression for the milliseconds since the transaction began.
    static let transactionMilliseconds = """
        pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() \
        OPERATOR(pg_catalog.-) pg_catalog.transaction_timestamp()) OPERATOR(pg_catalog.*) 1000
        """

    /// Runs `body` and reports its failure as a failure of the ledger.
    func attempt<Value>(
        _ body: () throws(PostgresError) -> Value
    ) throws(MigrationError) -> Value {
        do {
            return try body()
        } catch {
            throw .database(error, "the ledger in schema \(schema)")
        }
    }

    private func notALedger(_ error: PostgresError) -> MigrationError {
        guard error.sqlState == "42703" else {
            return .database(error, "the ledger in schema \(schema)")
        }
        return MigrationError(
            .database, "\(table) is not a ledger of hearth-migrate",
            details: [error.message, "Set `ledgerSchema` in \(FolderConfiguration.fileName)."],
            underlying: error)
    }

    private var tablesScript: String {
        """
        CREATE TABLE \(table) (
            version     bigint CONSTRAINT ledger_pkey PRIMARY KEY,
            name        text NOT NULL,
            checksum    text NOT NULL CONSTRAINT ledger_checksum
                CHECK (checksum ~ '^[0-9a-f]{64}$'),
            source      text NOT NULL,
            kind        text NOT NULL CONSTRAINT ledger_kind
                CHECK (kind IN ('transaction', 'statements', 'baseline')),
            applied_at  timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
            applied_by  text NOT NULL DEFAULT session_user,
            duration_ms double precision NOT NULL
        );
        CREATE TABLE \(journalTable) (
            version     bigint NOT NULL,
            place       integer NOT NULL,
            checksum    text NOT NULL,
            statement   text NOT NULL,
            state       text NOT NULL CONSTRAINT journal_state CHECK (state IN ('started', 'done')),
            found       text NOT NULL,
            attempts    integer NOT NULL,
            started_at  timestamptz NOT NULL,
            finished_at timestamptz,
            CONSTRAINT journal_pkey PRIMARY KEY (version, place)
        );
        COMMENT ON TABLE \(table) IS
            'The migrations that hearth-migrate has applied; only hearth-migrate writes to it.';
        COMMENT ON COLUMN \(table).checksum IS 'SHA-256 of source, in hexadecimal digits.';
        COMMENT ON COLUMN \(table).source IS
            'The text that was run: line ends LF, no byte order mark.';
        COMMENT ON TABLE \(journalTable) IS
            'Progress of no-transaction files; empty if none of them is unfinished.';
        COMMENT ON COLUMN \(journalTable).place IS
            'Position of the statement from 1, not counting those that only set up the session.';
        COMMENT ON COLUMN \(journalTable).checksum IS
            'SHA-256 of the statement without comments and layout.';
        COMMENT ON COLUMN \(journalTable).found IS
            'The object before the statement ran, to see whether an interrupted one took effect.';
        """
    }
}

extension LedgerEntry {
    fileprivate init(row: inout RowReader) throws(PostgresError) {
        version = MigrationVersion(try row.read())
        name = try row.read()
        checksum = try row.read()
        let word = try row.read(String.self)
        guard let kind = Kind(rawValue: word) else {
            throw PostgresError(.decoding, "the ledger has an entry of the unknown kind \(word)")
        }
        self.kind = kind
        appliedAt = try row.read()
        appliedBy = try row.read()
        durationMilliseconds = try row.read()
    }
}
