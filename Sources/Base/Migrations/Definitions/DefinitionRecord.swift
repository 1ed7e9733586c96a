import Definitions
import Postgres

/// Record of the objects that the migrations created, with their definitions as the database's own
/// server prints them: the table `definitions` in the ledger's schema.
///
/// A run of `up` records its own changes and ignores changes by others that it found at its start.
/// The record therefore contains only what the migrations created. The changes found at the start
/// are kept in the table `recording` until the run has recorded its own, so that an interrupted run
/// never records others' changes as its own.
struct DefinitionRecord {
    private let session: Session
    private let schema: String
    private var connection: Connection { session.connection }
    private var table: String { schema.quotedIdentifier + ".definitions" }
    private var recording: String { schema.quotedIdentifier + ".recording" }

    init(_ session: Session) {
        self.session = session
        schema = session.configuration.ledgerSchema
    }

    /// A recorded definition, and the version of the server that printed it, such as 150018.
    struct Entry: RowDecodable {
        let definition: Definition
        let serverVersion: Int32

        static let row = RowDecoder(Self.init)
    }

    /// Reads the record; nil if nothing was ever recorded.
    func entries() throws(MigrationError) -> [Entry]? {
        try attempt { () throws(PostgresError) in
            guard try hasTables() else { return nil }
            let entries = try connection.query(
                "SELECT kind, name, place, statement, server_version FROM \(unsafe: table)"
            ).decode(as: Entry.self)
            return entries.isEmpty ? nil : entries
        }
    }

    /// Reads the database's definitions in the configured schemas, or in all if none are
    /// configured.
    func current() throws(MigrationError) -> [Definition] {
        try attempt { () throws(PostgresError) in
            let configuration = session.configuration
            var schemas = configuration.tenantSchemas + configuration.privateSchemas
            if schemas.isEmpty {
                schemas = try Definition.schemas(except: [], of: connection)
            }
            return try Definition.all(in: schemas.filter { $0 != schema }, of: connection)
        }
    }

    /// Whether a run began and has not recorded its changes.
    func isUnfinished() throws(MigrationError) -> Bool {
        try attempt { () throws(PostgresError) in
            guard try hasTables() else { return false }
            return try connection.query("SELECT EXISTS (SELECT FROM \(unsafe: recording))")
                .scalar(Bool.self)
        }
    }

    // MARK: - A run

    /// Stores the differences from the record before anything runs, unless an interrupted run has
    /// already stored them. The caller holds the runner's lock.
    func begin() throws(MigrationError) {
        try attempt { () throws(PostgresError) in
            if try !hasTables() { try session.run(tablesScript) }
        }
        if try isUnfinished() { return }
        let recorded = try entries() ?? []
        let differing = recorded.isEmpty ? [] : try differing(recorded)
        _ = try attempt { () throws(PostgresError) in
            try connection.query(
                """
                INSERT INTO \(unsafe: recording) (objects, statements) VALUES (
                    \(differing.map(\.object)), \(differing.map { $0.statement ?? "" }))
                """)
        }
    }

    /// Records the run's changes. The caller holds the runner's lock.
    func finish() throws(MigrationError) {
        let recorded = try entries() ?? []
        let atStart = try differencesAtStart()
        let current = try current()
        // Changes that were found at the start and are still the same were not made by the run.
        let currentStatements = Dictionary(current.map { ($0.object, $0.statement) }) { first, _ in
            first
        }
        let foreign = Set(
            atStart.filter { object, statement in (currentStatements[object] ?? "") == statement }
                .keys)
        let changed = current.filter {
            !foreign.contains($0.object) && !($0.kind == .owner && foreign.contains($0.name))
        }
        let removed = recorded.map(\.definition.object).filter {
            currentStatements[$0] == nil && !foreign.contains($0)
        }
        try write(changed, removing: removed)
    }

    /// Replaces the whole record. The caller holds the runner's lock.
    func replace(with definitions: [Definition]) throws(MigrationError) {
        try attempt { () throws(PostgresError) in
            if try !hasTables() { try session.run(tablesScript) }
        }
        let names = Set(definitions.map(\.object))
        let removed = (try entries() ?? []).map(\.definition.object).filter { !names.contains($0) }
        try write(definitions, removing: removed)
    }

    // MARK: - The tables

    private func differing(
        _ recorded: [Entry]
    ) throws(MigrationError) -> [(object: String, statement: String?)] {
        let expected = Dictionary(
            recorded.map { ($0.definition.object, $0.definition.statement) }
        ) { first, _ in first }
        let current = try current().comparable(with: recorded.map(\.definition))
        let currentStatements = Dictionary(current.map { ($0.object, $0.statement) }) { first, _ in
            first
        }
        return Set(expected.keys).union(currentStatements.keys).sorted()
            .filter { expected[$0] != currentStatements[$0] }.map { ($0, currentStatements[$0]) }
    }

    /// Reads the changes that the run found at its start, as statements by object; empty for
    /// missing objects.
    private func differencesAtStart() throws(MigrationError) -> [String: String] {
        try attempt { () throws(PostgresError) in
            let pairs = try connection.query(
                """
                SELECT o.object, o.statement FROM \(unsafe: recording) AS r,
                    unnest(r.objects, r.statements) AS o (object, statement)
                """
            ).map { (row) throws(PostgresError) in
                (try row.read(String.self), try row.read(String.self))
            }
            return Dictionary(pairs) { first, _ in first }
        }
    }

    private func write(
        _ definitions: [Definition], removing removed: [String]
    ) throws(MigrationError) {
        let version = Int32(session.connection.serverVersion)
        do {
            try connection.transaction { transaction in
                try transaction.query(
                    "DELETE FROM \(unsafe: table) WHERE object = ANY (\(removed))")
                try transaction.query(
                    """
                    INSERT INTO \(unsafe: table) AS d
                        (object, kind, name, place, statement, server_version)
                    SELECT n.object, n.kind, n.name, nullif(n.place, ''), n.statement, \(version)
                      FROM unnest(\(definitions.map(\.object)), \(definitions.map(\.kind.rawValue)),
                            \(definitions.map(\.name)), \(definitions.map { $0.parent ?? "" }),
                            \(definitions.map(\.statement)))
                        AS n (object, kind, name, place, statement)
                    ON CONFLICT ON CONSTRAINT definitions_pkey DO UPDATE
                       SET kind = excluded.kind, name = excluded.name, place = excluded.place,
                           statement = excluded.statement,
                           server_version = excluded.server_version,
                           recorded_at = excluded.recorded_at
                     WHERE (d.statement, d.server_version)
                           <> (excluded.statement, excluded.server_version)
                    """)
                try transaction.query("DELETE FROM \(unsafe: recording)")
            }
        } catch let error as PostgresError {
            throw .database(error, "the record of definitions in schema \(schema)")
        } catch {
            throw MigrationError(.database, "\(error)")
        }
    }

    private func hasTables() throws(PostgresError) -> Bool {
        try connection.query(
            """
            SELECT EXISTS (
                SELECT FROM pg_catalog.pg_class AS c
                  JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                 WHERE n.nspname = \(schema) AND c.relname = 'recording')
            """
        ).scalar(Bool.self)
    }

    private func attempt<Value>(
        _ body: () throws(PostgresError) -> Value
    ) throws(MigrationError) -> Value {
        do {
            return try body()
        } catch {
            throw .database(error, "the record of definitions in schema \(schema)")
        }
    }

    private var tablesScript: String {
        """
        BEGIN;
        CREATE TABLE \(table) (
            object         text CONSTRAINT definitions_pkey PRIMARY KEY,
            kind           text NOT NULL,
            name           text NOT NULL,
            place          text,
            statement      text NOT NULL,
            server_version integer NOT NULL,
            recorded_at    timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
        );
        CREATE TABLE \(recording) (
            began_at   timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
            objects    text[] NOT NULL,
            statements text[] NOT NULL
        );
        COMMENT ON TABLE \(table) IS
            'The objects that the migrations created, as this server prints them.';
        COMMENT ON COLUMN \(table).place IS 'The object''s table or view, or else its schema.';
        COMMENT ON COLUMN \(table).server_version IS
            'Version of the server that printed the definition; others may print it differently.';
        COMMENT ON TABLE \(recording) IS
            'Changes that a run of hearth-migrate found when it began; '
            'empty if no run is unfinished.';
        COMMIT;
        """
    }
}

extension [Definition] {
    /// Returns the definitions without owners if the record is older than the recording of owners.
    /// The next `up` records them.
    func comparable(with recorded: [Definition]) -> [Definition] {
        recorded.contains { $0.kind == .owner } ? self : filter { $0.kind != .owner }
    }
}
