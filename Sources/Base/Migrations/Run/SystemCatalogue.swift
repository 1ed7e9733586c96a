import Postgres

/// Finds out from the server's catalogues whether a statement outside a transaction took effect,
/// and removes the remains of an unfinished one.
///
/// The state *before* the statement first ran is recorded in the journal, so that existing objects
/// are never mistaken for its result, nor dropped.
struct SystemCatalogue {
    /// The outcome of a statement that was begun.
    enum Outcome: Equatable {
        case tookEffect
        case mustRun(cleared: String?)

        var words: String {
            switch self {
            case .tookEffect: "had been completed"
            case .mustRun(nil): "had not been completed, runs again"
            case .mustRun(let cleared?): "had been interrupted: dropped \(cleared), runs again"
            }
        }
    }

    let session: Session
    var connection: Connection { session.connection }

    init(_ session: Session) {
        self.session = session
    }

    // MARK: - Before

    /// Returns the existing object on which the statement acts, for the journal.
    func existingObject(_ recovery: Execution.Recovery) throws(MigrationError) -> String {
        do {
            switch recovery {
            case .createIndex(let index):
                return try self.index(index).map { "index \($0.oid)" } ?? "nothing"
            case .dropIndex(let name): return try oid(of: name).map { "index \($0)" } ?? "nothing"
            case .reindex: return try leftovers().map { String($0.oid) }.joined(separator: " ")
            case .detachPartition(let table, let partition):
                return try attachment(of: partition, to: table) == nil ? "nothing" : "partition"
            case .create(let kind, let name), .drop(let kind, let name):
                return try exists(kind, name) ? kind.rawValue : "nothing"
            case .again: return ""
            }
        } catch {
            throw .database(error, "the catalogue can't be read")
        }
    }

    // MARK: - After an interruption

    /// Finds out whether the statement took effect; if not, drops its half-made objects.
    func cleanUp(
        _ recovery: Execution.Recovery, found: String
    ) throws(PostgresError) -> Outcome {
        switch recovery {
        case .createIndex(let creation):
            guard let index = try index(creation), "index \(index.oid)" != found else {
                return .mustRun(cleared: nil)
            }
            if index.isValid { return .tookEffect }
            try dropIndex(index.name)
            return .mustRun(cleared: "the invalid index \(index.name)")
        case .dropIndex(let name):
            guard found != "nothing" else { return .mustRun(cleared: nil) }
            return try oid(of: name) == nil ? .tookEffect : .mustRun(cleared: nil)
        case .reindex:
            let known = Set(found.split(separator: " ").compactMap { Int64($0) })
            let new = try leftovers().filter { !known.contains($0.oid) }
            for index in new { try dropIndex(index.name) }
            let names = new.map(\.name.description).joined(separator: ", ")
            return .mustRun(cleared: new.isEmpty ? nil : "the invalid \(names)")
        case .detachPartition(let table, let partition):
            switch try attachment(of: partition, to: table) {
            case nil: return found == "nothing" ? .mustRun(cleared: nil) : .tookEffect
            case .pending:
                try session.run(
                    "ALTER TABLE \(table.quoted) DETACH PARTITION \(partition.quoted) FINALIZE")
                return .tookEffect
            case .whole: return .mustRun(cleared: nil)
            }
        case .create(let kind, let name):
            let isThere = try exists(kind, name)
            return found == "nothing" && isThere ? .tookEffect : .mustRun(cleared: nil)
        case .drop(let kind, let name):
            let isThere = try exists(kind, name)
            return found != "nothing" && !isThere ? .tookEffect : .mustRun(cleared: nil)
        case .again: return .mustRun(cleared: nil)
        }
    }

    /// Returns a problem with the statement's result that was not reported as an error: IF NOT
    /// EXISTS accepts an existing index that is invalid.
    func defect(_ recovery: Execution.Recovery) throws(MigrationError) -> String? {
        guard case .createIndex(let creation) = recovery else { return nil }
        do {
            guard let index = try index(creation), !index.isValid else { return nil }
            return "the index \(index.name) exists but is invalid, and this run did not create it; "
                + "drop it first"
        } catch {
            throw .database(error, "the catalogue can't be read")
        }
    }

    // MARK: - Waiting

    /// Runs a statement with the right lock timeout: one that runs CONCURRENTLY may wait longer,
    /// because it doesn't block others. A lock timeout that the file itself has set is kept.
    func run(
        _ statement: SQLStatement, _ recovery: Execution.Recovery
    ) throws(PostgresError) {
        guard recovery.isConcurrent else { return try session.run(statement.text) }
        try withLongLockTimeout { () throws(PostgresError) in try session.run(statement.text) }
    }

    private func withLongLockTimeout(_ body: () throws(PostgresError) -> Void) throws(PostgresError)
    {
        let previous = session.limits.lockTimeoutMilliseconds
        let current = try connection.query(
            "SELECT setting FROM pg_catalog.pg_settings WHERE name = 'lock_timeout'"
        ).scalar(String.self)
        guard current == String(previous) else { return try body() }
        try session.run("SET lock_timeout = \(session.limits.concurrentLockTimeoutMilliseconds)")
        defer { restoreLockTimeout(previous) }
        try body()
    }

    /// Restores the lock timeout. A session that can't do this is broken and reports it at its next
    /// use.
    private func restoreLockTimeout(_ milliseconds: Int) {
        try? session.run("SET lock_timeout = \(milliseconds)")
    }

    private func dropIndex(_ name: QualifiedName) throws(PostgresError) {
        try withLongLockTimeout { () throws(PostgresError) in
            try session.run("DROP INDEX CONCURRENTLY IF EXISTS \(name.quoted)")
        }
    }
}

extension Execution.Recovery {
    /// Whether the statement waits without blocking others.
    var isConcurrent: Bool {
        switch self {
        case .createIndex, .dropIndex, .detachPartition: true
        case .reindex(let isConcurrent): isConcurrent
        case .create, .drop, .again: false
        }
    }
}
