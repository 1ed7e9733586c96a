package import Postgres
import Repositories
import Synchronization
import Threads

/// Finds out whether the database answers and has the schema that this program was made for.
///
/// The first call checks every statement of the repositories against the schema, the applied
/// functions against the files that this program was built with, and whether statements stay
/// prepared. Where the database is too busy for that, later calls go on from there. Then they only
/// ask whether the database answers, whether its files fit the running server, and whether the
/// newest link was made with a key of this process.
package final class CheckReadiness: Sendable {
    /// Whether requests can be served, or what is in the way.
    package enum State: Sendable {
        case ready
        /// The database did not answer in time.
        case databaseAway
        /// A statement does not fit, or a file of functions that this program was made with was
        /// never applied: the migrations that belong to it have not run.
        case schemaBehind
        /// The database has another encoding than UTF8.
        case encodingUnfit
        /// PostgreSQL's files were replaced while it ran: new sessions can't run functions.
        case restartNeeded
        /// A pooler in front of the database gives each transaction another session of the server,
        /// and so loses prepared statements.
        case poolerUnfit
        /// The newest link was made with a key that this process does not have.
        case secretKeyDiffers

        /// The word for the log.
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

    /// What was found right, and is not looked at again.
    private struct Progress {
        var statements = 0
        var isWhole = false
    }

    package convenience init(_ database: Database, _ keys: InvitationKeys) {
        self.init(database.pool, keys)
    }

    /// - Parameters:
    ///   - keys: What this process makes links with; nil if it makes none.
    ///   - checksStatements: Whether the connections' role runs the request path, so that its
    ///     statements are checked.
    package init(_ pool: Pool, _ keys: InvitationKeys?, checksStatements: Bool = true) {
        self.pool = pool
        self.checksStatements = checksStatements
        self.keys = keys
        files = ServerFilesProbe(pool.connectionSettings)
    }

    /// Waits at most two seconds, and for one connection attempt; once in ten seconds for another
    /// attempt and two seconds more.
    package func check() -> State {
        let deadline = Deadline.after(seconds: 2)
        do {
            let state = try pool.withConnection(deadline: .after(seconds: 1)) { connection in
                if connection.foreignEncoding != nil { return State.encodingUnfit }
                if !progress.withLock({ $0.isWhole }) {
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
                    progress.withLock { $0.isWhole = true }
                }
                try connection.run(Self.ping, deadline: deadline)
                let fits = try keys?.haveMadeNewestLink(on: connection, deadline: deadline)
                return fits == false ? .secretKeyDiffers : .ready
            }
            // Not while the connection is leased: the probe opens one of its own.
            return state == .ready && files.needsRestart() ? .restartNeeded : state
        } catch let error as PostgresError where error.needsServerRestart {
            return .restartNeeded
        } catch let error as PostgresError where error.isOfSharedSessions {
            return .poolerUnfit
        } catch {
            // Whatever the reason, it is the same to a load balancer; requests log their own.
            return .databaseAway
        }
    }

    /// Whether the files of functions that this program was made with are applied, or were before
    /// newer ones.
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
    ///   - done: How many of them are known to fit.
    ///   - note: Called after each statement with how many are known to fit.
    static func fits(
        _ connection: Connection, _ deadline: Deadline, after done: Int = 0,
        note: (Int) -> Void = { _ in }
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
                if error.tellsOfAnotherSchema { return false }
                throw error
            }
            note(index + 1)
        }
        return true
    }
}

extension PostgresError {
    /// Whether the statement names what is not there, not like that, or not for this role: class 42
    /// of SQLSTATE, and the schema that does not exist.
    fileprivate var tellsOfAnotherSchema: Bool {
        !needsServerRestart && (sqlState?.conditionClass == "42" || sqlState == "3F000")
    }
}
