import Postgres

/// The tables and indexes of a database, each with the file that stores it. If the file changes,
/// the table was rewritten.
struct TableStates {
    struct State {
        let name: String
        let file: Int64
        let isTable: Bool
    }

    /// States by object id.
    let states: [Int64: State]

    init(_ connection: Connection) throws(PostgresError) {
        let rows = try connection.query(
            """
            SELECT c.oid::int8, n.nspname || '.' || c.relname,
                   coalesce(pg_catalog.pg_relation_filenode(c.oid), 0)::int8,
                   c.relkind IN ('r', 'm')
              FROM pg_catalog.pg_class AS c
              JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
             WHERE c.relkind IN ('r', 'm', 'p', 'i', 'v')
               AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
            """
        ).map { (row) throws(PostgresError) in
            (
                try row.read(Int64.self),
                State(name: try row.read(), file: try row.read(), isTable: try row.read())
            )
        }
        states = Dictionary(rows) { first, _ in first }
    }

    /// Returns the tables that existed before and have been rewritten since.
    func rewritten(since before: TableStates) -> [String] {
        before.states.compactMap { id, state in
            guard state.isTable, let now = states[id], now.file != state.file else { return nil }
            return state.name
        }.sorted()
    }
}

/// A lock that a statement took and held until the end of its transaction.
package struct AcquiredLock: Sendable, Hashable {
    /// The table, view or index, with its schema.
    package let object: String
    /// PostgreSQL's name of the lock mode, such as `AccessExclusiveLock`.
    package let mode: String

    /// Description of what other sessions can't do while the lock is held.
    package var consequence: String {
        switch mode {
        case "AccessExclusiveLock": "nobody can read or write"
        case "ExclusiveLock": "nobody can write"
        case "ShareRowExclusiveLock", "ShareLock": "nobody can write"
        default: "no other schema change"
        }
    }

    /// Lock modes that block others, from the weakest to the strongest.
    private static let modes = [
        "ShareUpdateExclusiveLock", "ShareLock", "ShareRowExclusiveLock", "ExclusiveLock",
        "AccessExclusiveLock",
    ]

    /// Returns the strongest blocking lock that this session holds on each object that existed
    /// before.
    static func held(
        by connection: Connection, on before: TableStates
    ) throws(PostgresError) -> Set<AcquiredLock> {
        let rows = try connection.query(
            """
            SELECT relation::int8, mode FROM pg_catalog.pg_locks
             WHERE pid = pg_catalog.pg_backend_pid() AND locktype = 'relation' AND granted
               AND database = (SELECT oid FROM pg_catalog.pg_database
                                WHERE datname = current_database())
               AND mode = ANY (\(modes))
            """
        ).map { (row) throws(PostgresError) in
            (try row.read(Int64.self), try row.read(String.self))
        }
        var strongest: [String: Int] = [:]
        for (id, mode) in rows {
            guard let name = before.states[id]?.name, let rank = modes.firstIndex(of: mode) else {
                continue
            }
            strongest[name] = max(strongest[name] ?? 0, rank)
        }
        return Set(strongest.map { AcquiredLock(object: $0, mode: modes[$1]) })
    }
}
