/// An event of a run, for its observer.
package enum RunEvent: Sendable, Equatable {
    /// The database can't be reached. The runner keeps trying for at most the given seconds.
    case waitingForDatabase(reason: String, seconds: Double)
    /// Another runner has the lock. This one waits for at most the given seconds.
    case waitingForLock(holder: String, seconds: Double)
    /// A file begins; `number` is its number from 1.
    case begins(file: String, number: Int, count: Int)
    /// A statement of a no-transaction file begins; `number` is its number from 1.
    case statement(file: String, line: Int, number: Int, count: Int)
    /// An earlier run had completed, or half completed, a statement of a no-transaction file.
    case resumed(file: String, line: Int, finding: String)
    /// A file was applied.
    case applied(file: String, milliseconds: Double)
    /// A file or statement didn't get its locks and is retried.
    case retries(file: String, attempt: Int, of: Int, pauseSeconds: Double, blockers: [String])
    /// A statement has been running for a while.
    case stillRunning(label: String, seconds: Double, progress: String?, blockers: [String])
    /// A remark that is not an error.
    case warning(String)
    /// A message of the server.
    case notice(file: String, severity: String, message: String)
}
