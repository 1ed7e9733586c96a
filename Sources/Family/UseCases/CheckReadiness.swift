import Postgres
import Repositories
import Synchronization
import Threads

/// Finds out whether the database answers and has the schema that this program was made for.
///
/// The first call checks every statement of the repositories against the schema, and the applied
/// functions against the files that this program was built with. Where the database is too busy for
/// that, later calls go on from there. Then they take one round trip.
package final class CheckReadiness: Sendable {
    /// Whether requests can be served, or what is in the way; the raw value is for `/readyz` and
    /// the log.
    package enum State: String, Sendable {
        case ready
        /// The database did not answer in time.
        case databaseAway = "database_away"
        /// A statement does not fit, or a file of functions that this program was made with was
        /// never applied: the migrations that belong to it have not run.
        case schemaBehind = "schema_behind"
    }

    private static let ping = Statement<Scalar<Int32>>("SELECT 1")

    private let pool: Pool
    private let progress = Mutex(Progress())

    /// What was found right, and is not looked at again.
    private struct Progress {
        var statements = 0
        var isWhole = false
    }

    package init(_ database: Database) { pool = database.pool }

    /// Waits at most two seconds, and for one connection attempt.
    package func check() -> State {
        let deadline = Deadline.after(seconds: 2)
        do {
            return try pool.withConnection(deadline: .after(seconds: 1)) { connection in
                if !progress.withLock({ $0.isWhole }) {
                    let done = progress.withLock { $0.statements }
                    let fits = try Self.fits(connection, deadline, after: done) { count in
                        progress.withLock { $0.statements = count }
                    }
                    guard fits, try Self.hasFunctions(connection, deadline) else {
                        return .schemaBehind
                    }
                    progress.withLock { $0.isWhole = true }
                }
                try connection.run(Self.ping, deadline: deadline)
                return .ready
            }
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
                let expected = try statement.expectedColumns()
                guard described.parameters == statement.parameterTypes,
                    described.columns.count == expected.count,
                    zip(described.columns, expected).allSatisfy({
                        $1.types.contains($0.type)
                    })
                else { return false }
            } catch let error as PostgresError where error.tellsOfAnotherSchema {
                return false
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
        sqlState?.conditionClass == "42" || sqlState == "3F000"
    }
}
