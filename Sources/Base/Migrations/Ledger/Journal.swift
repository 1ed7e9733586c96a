import Crypto
import Postgres

/// Progress of no-transaction files that are not finished.
struct Journal {
    /// A statement that was begun.
    struct Entry: Sendable, Equatable {
        /// Position from 1, not counting statements that only set up the session.
        let number: Int
        let checksum: String
        let statement: String
        let isDone: Bool
        /// The state before the statement ran, for recovery.
        let found: String
        let attempts: Int
    }

    private let ledger: Ledger
    private let session: Session
    /// The file whose statements the journal records; nil if it is only read.
    private let file: String?

    init(_ session: Session, of file: String? = nil) {
        self.session = session
        self.file = file
        ledger = Ledger(session)
    }

    /// Returns the checksum that shows whether a statement has changed since it ran.
    static func checksum(of statement: SQLStatement) -> String {
        SHA256Digest(of: statement.canonical).hex
    }

    /// Reads all entries by version, in order. The ledger must exist.
    func entries() throws(MigrationError) -> [MigrationVersion: [Entry]] {
        let rows = try ledger.attempt { () throws(PostgresError) in
            try session.connection.query(
                """
                SELECT version, place, checksum, statement, state = 'done', found, attempts
                  FROM \(unsafe: ledger.journalTable)
                 ORDER BY version, place
                """
            ).map { (row) throws(PostgresError) in
                (MigrationVersion(try row.read()), try Entry(row: &row))
            }
        }
        return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
    }

    /// Records and commits that a statement is about to run outside a transaction.
    func begin(
        _ version: MigrationVersion, _ number: Int, _ statement: SQLStatement, found: String
    ) throws(MigrationError) {
        let script = """
            BEGIN; \(session.localRoleScript)
            \(upsert(version, number, statement, state: "started", found: found))
            COMMIT;
            """
        try run(script)
    }

    /// Records and commits that a statement outside a transaction is done.
    func finish(_ version: MigrationVersion, _ number: Int) throws(MigrationError) {
        try run(
            """
            BEGIN; \(session.localRoleScript) \(session.outdatingScript)
            UPDATE \(ledger.journalTable)
               SET state = 'done', finished_at = pg_catalog.clock_timestamp()
             WHERE version OPERATOR(pg_catalog.=) \(version.number)
               AND place OPERATOR(pg_catalog.=) \(number);
            COMMIT;
            """)
    }

    /// Deletes the entry of a statement that was begun and did not take effect.
    func delete(_ version: MigrationVersion, _ number: Int) throws(MigrationError) {
        try run(
            """
            BEGIN; \(session.localRoleScript)
            DELETE FROM \(ledger.journalTable)
             WHERE version OPERATOR(pg_catalog.=) \(version.number)
               AND place OPERATOR(pg_catalog.=) \(number);
            COMMIT;
            """)
    }

    /// Returns SQL that records a statement as done in the transaction in which it runs.
    func doneScript(_ version: MigrationVersion, _ number: Int, _ statement: SQLStatement) -> String
    {
        upsert(version, number, statement, state: "done", found: "")
    }

    /// Records the file in the ledger and clears its journal, in one transaction. The duration is
    /// that of its statements, without pauses between runs.
    func close(_ file: MigrationFile) throws(MigrationError) {
        let duration = """
            (SELECT coalesce(pg_catalog.sum(pg_catalog.date_part('epoch', \
            finished_at OPERATOR(pg_catalog.-) started_at)), 0) OPERATOR(pg_catalog.*) 1000 \
            FROM \(ledger.journalTable) \
            WHERE version OPERATOR(pg_catalog.=) \(file.version.number))
            """
        try run(
            """
            BEGIN; \(session.localRoleScript)
            \(ledger.insertScript(file, kind: .statements, duration: duration))
            DELETE FROM \(ledger.journalTable)
             WHERE version OPERATOR(pg_catalog.=) \(file.version.number);
            COMMIT;
            """)
    }

    private func upsert(
        _ version: MigrationVersion, _ number: Int, _ statement: SQLStatement, state: String,
        found: String
    ) -> String {
        let finished = state == "done" ? "pg_catalog.clock_timestamp()" : "NULL"
        return """
            INSERT INTO \(ledger.journalTable) AS j
                (version, place, checksum, statement, state, found, attempts, started_at,
                 finished_at)
            VALUES (\(version.number), \(number), '\(Journal.checksum(of: statement))', \
            \(SQL.quoted(literal: statement.text)), '\(state)', \(SQL.quoted(literal: found)), 1, \
            pg_catalog.transaction_timestamp(), \(finished))
            ON CONFLICT (version, place) DO UPDATE
               SET checksum = excluded.checksum, statement = excluded.statement,
                   state = excluded.state, found = excluded.found,
                   attempts = j.attempts OPERATOR(pg_catalog.+) 1,
                   started_at = excluded.started_at, finished_at = excluded.finished_at;
            """
    }

    private func run(_ script: String) throws(MigrationError) {
        do {
            try session.run(script)
        } catch {
            throw .entry(of: file ?? "", in: ledger.schema, error)
        }
    }
}

extension Journal.Entry {
    fileprivate init(row: inout RowReader) throws(PostgresError) {
        number = Int(try row.read(Int32.self))
        checksum = try row.read()
        statement = try row.read()
        isDone = try row.read()
        found = try row.read()
        attempts = Int(try row.read(Int32.self))
    }
}
