import Crypto
import Glibc
import Postgres

/// The database session of a run.
///
/// The runner's lock belongs to this session and ends with it. If a runner is killed, the lock
/// lasts until the server has ended the runner's last statement, so the next runner does not start
/// beside it.
final class Session {
    let connection: Connection
    let configuration: FolderConfiguration
    let limits: RunLimits
    /// Major version of the server: 15 for 15.4.
    let serverMajorVersion: Int
    let database: String
    /// SQL for the end of a numbered file's transaction, before it is recorded in the ledger; empty
    /// if no repeatable file has created anything yet.
    var outdatingScript = ""
    /// Number of statements of the last failed script that were completed before the failure.
    private(set) var completedBeforeFailure = 0

    /// The runner's lock, once it was taken.
    private var lock: RunnerLock?

    /// Connects, checks that the server itself responds and not a pooler, and assumes the owner's
    /// role.
    init(
        _ settings: ConnectionSettings, _ configuration: FolderConfiguration, _ limits: RunLimits,
        purpose: String
    ) throws(MigrationError) {
        var settings = settings
        settings.statementTimeoutSeconds = nil
        settings.commitTimeoutSeconds = limits.commitWaitSeconds
        settings.applicationName = Session.applicationName(purpose)
        do {
            connection = try Connection(settings)
        } catch {
            throw Self.unreachable(error, settings)
        }
        if let encoding = connection.foreignEncoding {
            throw Session.encoding(encoding, settings)
        }
        self.configuration = configuration
        self.limits = limits
        serverMajorVersion = connection.serverVersion / 10_000
        do {
            let rows = try connection.query("SELECT pg_backend_pid(), current_database()::text")
                .map { (row) throws(PostgresError) in
                    (try row.read(Int32.self), try row.read(String.self))
                }
            guard let (pid, name) = rows.first else {
                throw MigrationError(.database, "the server returned no rows")
            }
            database = name
            guard pid == connection.backendProcessID else { throw Session.pooler(settings) }
        } catch let error as PostgresError {
            throw .database(error, "could not open a session with \(settings.summary)")
        } catch let error as MigrationError {
            throw error
        } catch {
            throw MigrationError(.database, "\(error)")
        }
        try prepare()
    }

    /// Creates the error for a session that can't be opened.
    static func unreachable(
        _ error: PostgresError, _ settings: ConnectionSettings
    ) -> MigrationError {
        let failure = MigrationError.database(error, "no connection to \(settings.summary)")
        return MigrationError(
            .unreachable, failure.message, details: failure.details, underlying: failure.underlying)
    }

    /// Creates the error for a database that can't store the files' text.
    private static func encoding(
        _ encoding: String, _ settings: ConnectionSettings
    ) -> MigrationError {
        let name = settings.parameters["dbname"] ?? "NAME"
        return MigrationError(
            .database, "the database \(name) has the encoding \(encoding); it must have UTF8",
            details: [
                "The encoding can't be changed. Create another database, as superuser:",
                "CREATE DATABASE \(name)_utf8 ENCODING 'UTF8' TEMPLATE template0 LC_COLLATE 'C' "
                    + "LC_CTYPE 'C';",
                "and copy the data, if it is needed, with pg_dump and psql.",
            ])
    }

    /// Prepares the session for the next file, whatever state the last file has left.
    func prepare() throws(MigrationError) {
        do {
            try reset()
        } catch {
            throw Session.explained(error, configuration.ownerRole)
        }
    }

    /// Waits until a synchronous standby, if there is one, has everything that is committed, by
    /// this session and by others before it.
    ///
    /// No other commit of the session waits for a standby, because statements have no deadline:
    /// only another session could end the wait.
    ///
    /// - Throws: `unconfirmed` if no standby confirms it within the limits.
    func confirm() throws(MigrationError) {
        connection.confirmsCommits = true
        defer { connection.confirmsCommits = false }
        do {
            try connection.transaction { transaction in
                _ = try transaction.query(
                    """
                    SELECT set_config('synchronous_commit', reset_val, true) FROM pg_settings
                    WHERE name = 'synchronous_commit'
                    """)
            }
        } catch let error as PostgresError {
            throw .database(error, "the commit is not confirmed")
        } catch {
            throw MigrationError(.database, "\(error)")
        }
    }

    /// Resets the session to the state in which every file starts, and waits for the response. The
    /// server reads a message and begins its transaction with the settings in effect when the
    /// message arrives, so no part of a file may be sent before the response.
    func reset() throws(PostgresError) {
        // The script is ASCII only, so it is read correctly in every encoding that a file may have
        // set.
        try run(resetScript)
        if let owner = configuration.ownerRole {
            try run("SET ROLE \(owner.quotedIdentifier)")
        }
        if let problem = settingsProblem { throw PostgresError(.settings, problem) }
        try AdvisoryLocks(connection: connection).release(except: lock)
    }

    /// Makes the session hold the runner's lock until it ends.
    func hold(_ lock: RunnerLock) {
        self.lock = lock
    }

    /// Cleans up after a file, and checks that the runner's lock is still held.
    func cleanUp(after file: String) throws(MigrationError) {
        try prepare()
        try checkLock(after: file)
    }

    /// Throws if a file, or one of its statements, has released the runner's lock.
    func checkLock(after step: String) throws(MigrationError) {
        let isHeld: Bool
        do {
            isHeld = try holdsLock()
        } catch {
            throw .database(error, "the runner's lock after \(step)")
        }
        if isHeld { return }
        throw MigrationError(
            .lockNotAcquired, "\(step) released the lock that keeps other runners away",
            details: [
                "Nothing after it was run, because another runner may work now. A file may release "
                    + "only the locks that it took, each by pg_advisory_unlock()."
            ])
    }

    /// Whether the runner's lock is held, if it was taken.
    func holdsLock() throws(PostgresError) -> Bool {
        guard let lock else { return true }
        return try AdvisoryLocks(connection: connection).contain(lock)
    }

    /// Reason why the server would misread the text; nil if it would not.
    var settingsProblem: String? {
        let expected = [("client_encoding", "UTF8"), ("standard_conforming_strings", "on")]
        for (setting, value) in expected {
            guard let found = connection.reported(setting), found != value else { continue }
            return "\(setting) is \(found) now, so the next statements would be misread"
        }
        return nil
    }

    /// Runs a script that may contain BEGIN and COMMIT. If it fails, no transaction stays open.
    func run(_ script: String) throws(PostgresError) {
        do {
            try connection.execute(script: script, deadline: .never)
        } catch {
            completedBeforeFailure = connection.completedStatements
            rollBack()
            throw error
        }
    }

    /// Ends a transaction that a failed script left open. If that fails too, the connection is
    /// broken and reports it at its next use; the original failure is the one to report.
    func rollBack() {
        guard connection.isInTransaction, !connection.isBroken else { return }
        try? connection.execute(script: "ROLLBACK", deadline: .after(seconds: 10))
    }

    /// SQL with the effect of DISCARD ALL, except that advisory locks (one is the runner's) are
    /// kept, and with the settings for every file.
    private var resetScript: String {
        var script = """
            CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; DEALLOCATE ALL; UNLISTEN *; \
            DISCARD PLANS; DISCARD TEMP; DISCARD SEQUENCES; \
            SET client_encoding = 'UTF8'; SET standard_conforming_strings = on; \
            SET lock_timeout = \(limits.lockTimeoutMilliseconds); \
            SET statement_timeout = \(limits.statementTimeoutMilliseconds); \
            SET idle_in_transaction_session_timeout = 0; \
            SET idle_session_timeout = 0; \
            SET synchronous_commit = local;
            """
        if serverMajorVersion >= 17 { script += " SET transaction_timeout = 0;" }
        return script
    }

    /// SQL that assumes the role that owns the ledger until the end of the transaction.
    var localRoleScript: String {
        let role = configuration.ownerRole?.quotedIdentifier ?? "NONE"
        return "SET LOCAL SESSION AUTHORIZATION DEFAULT; SET LOCAL ROLE \(role);"
    }

    private static func applicationName(_ purpose: String) -> String {
        var host = [CChar](repeating: 0, count: 65)
        gethostname(&host, host.count - 1)
        let name = String(
            decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "hearth-migrate \(purpose) (\(getpid())@\(name))"
    }

    private static func pooler(_ settings: ConnectionSettings) -> MigrationError {
        MigrationError(
            .pooler, "a connection pooler answers at \(settings.summary)",
            details: [
                "Behind it a session may change servers between two statements, so the lock that",
                "keeps two runners apart would not work. Connect to PostgreSQL itself.",
            ])
    }

    private static func explained(_ error: PostgresError, _ owner: String?) -> MigrationError {
        guard let owner, error.sqlState == "22023" || error.sqlState == .insufficientPrivilege
        else { return .database(error, "the session can't be set up") }
        return MigrationError(
            .database, "can't act as \(owner): \(error.message)",
            details: [
                "`hearth-migrate bootstrap`, run once with a superuser's URL, creates the roles."
            ], underlying: error)
    }
}
