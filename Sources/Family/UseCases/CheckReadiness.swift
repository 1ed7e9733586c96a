package import Postgres
import Repositories
import Synchronization
import Basics

/// Checks whether the database responds and has the schema that this program was made for.
///
/// The first call checks every statement of the repositories against the schema, the applied
/// functions against the files that this program was built with, and whether statements stay
/// prepared. If the database is too busy for that, later calls continue the check. After that,
/// calls only check whether the database responds, whether its files fit the running server, and
/// whether the newest link was made with a key of this process.
package final class CheckReadiness: Sendable {
    /// Whether requests can be served, or the obstacle.
    package enum State: Sendable {
        case ready
        /// The database did not respond in time.
        case databaseAway
        /// A statement does not fit, or a file of functions that this program was built with was
        /// never applied: the migrations that belong to it have not run.
        case schemaBehind
        /// The database has an encoding other than UTF8.
        case encodingUnfit
        /// PostgreSQL's files were replaced while it ran: new sessions can't run functions.
        case restartNeeded
        /// A pooler in front of the database runs each transaction in another session of the
        /// server, and so loses prepared statements.
        case poolerUnfit
        /// The newest link was made with a key that this process lacks.
        case secretKeyDiffers

        /// The reason in the log.
        package var reason: StaticString {
            switch self {
            case .ready: "ready"
            case .databaseAway: "database_away"
            case .schemaBehind: "schema_behind"
            case .encodingUnfit: "database_encoding"
            case .restartNeeded: "database_restart_needed"
            case .poolerUnfit: "pooler_unfit"
            case .secretKeyDiffers: "secret_key_differs"
            }
        }
    }

    private static let ping = Statement<Scalar<Int32>>("SELECT 1")

    private let pool: Pool
    private let keys: InvitationKeys?
    private let files: ServerFilesProbe
    private let checksStatements: Bool
    private let progress = Mutex(Progress())

    /// Results of the first check, which later calls don't repeat.
    private struct Progress {
        var statements = 0
        var isComplete = false
    }

    package convenience init(_ database: Database, _ keys: InvitationKeys) {
        self.init(database.pool, keys)
    }

    /// - Parameters:
    ///   - keys: The keys with which this process makes links; nil if it makes none.
    ///   - checksStatements: Whether the connections' role runs the request path, so that its
    ///     statements are checked.
    package init(_ pool: Pool, _ keys: InvitationKeys?, checksStatements: Bool = true) {
        self.pool = pool
        self.checksStatements = checksStatements
        self.keys = keys
        files = ServerFilesProbe(pool.connectionSettings)
    }

    /// Checks the state. Waits at most two seconds and the time of one connection attempt; once
    /// every ten seconds, two seconds and one attempt more.
    package func check() -> State {
        let deadline = Deadline.after(seconds: 2)
        do {
            let state = try pool.withConnection(deadline: .after(seconds: 1)) { connection in
                if connection.foreignEncoding != nil { return State.encodingUnfit }
                if !progress.withLock({ $0.isComplete }) {
                    let done = progress.withLock { $0.statements }
                    let fits =
                        try !checksStatements
                        || Self.fits(connection, deadline, after: done) { count in
                            progress.withLock { $0.statements = count }
                        }
                    guard fits, try Self.hasFunctions(connection, deadline) else {
                        return State.schemaBehind
                    }
                    if try connection.losesPreparedStatements(deadline) { return .poolerUnfit }
                    progress.withLock { $0.isComplete = true }
                }
                try connection.run(Self.ping, deadline: deadline)
                let fits = try keys?.haveMadeNewestLink(on: connection, deadline: deadline)
                return fits == false ? .secretKeyDiffers : .ready
            }
            // Not while the connection is leased: the probe opens one of its own.
            return state == .ready && files.needsRestart() ? .restartNeeded : state
        } catch let error as PostgresError where error.needsServerRestart {
            return .restartNeeded
        } catch let error as PostgresError where error.isCausedBySharedSessions {
            return .poolerUnfit
        } catch {
            // The reason is irrelevant to a load balancer; failed requests log theirs.
            return .databaseAway
        }
    }

    /// Whether the files of functions that this program was built with are applied, or were applied
    /// before newer ones replaced them.
    private static func hasFunctions(
        _ connection: Connection, _ deadline: Deadline
    ) throws(PostgresError) -> Bool {
        try connection.run(
            RepeatableFiles.missing, RepeatableFiles.names, RepeatableFiles.checksums,
            deadline: deadline
        ).isEmpty
    }

    /// Whether every statement of the request path fits the schema.
    ///
    /// - Parameters:
    ///   - done: Number of statements that are known to fit.
    ///   - onProgress: Called after each statement with the number of those that are known to fit.
    static func fits(
        _ connection: Connection, _ deadline: Deadline, after done: Int = 0,
        onProgress: (Int) -> Void = { _ in }
    ) throws -> Bool {
        let statements = Catalogue.statements + Catalogue.sharedStatements
        for (index, statement) in statements.enumerated().dropFirst(done) {
            do {
                let described = try connection.describe(
                    statement.text, parameterTypes: statement.parameterTypes,
                    deadline: deadline)
                let expected = statement.expectedColumns
                guard described.parameters == statement.parameterTypes,
                    described.columns.count == expected.count,
                    zip(described.columns, expected).allSatisfy({
                        $1.types.contains($0.type)
                    })
                else { return false }
            } catch {
                if error.meansOtherSchema { return false }
                throw error
            }
            onProgress(index + 1)
        }
        return true
    }
}

extension PostgresError {
    /// Whether the statement names an object that does not exist, has another form or is denied to
    /// this role: class 42 of SQLSTATE, and a missing schema.
    fileprivate var meansOtherSchema: Bool {
        !needsServerRestart && (sqlState?.conditionClass == "42" || sqlState == "3F000")
    }
}
