/// An event of a run, for its observer.
package enum RunEvent: Sendable, Equatable {
    /// The database can't be reached; it is tried again for so many seconds at most.
    case waitingForDatabase(reason: String, seconds: Double)
    /// Another runner has the lock; this one waits for so many seconds at most.
    case waitingForLock(holder: String, seconds: Double)
    /// A file begins; `place` counts from 1.
    case begins(file: String, place: Int, count: Int)
    /// A statement of a no-transaction file begins; `place` counts from 1.
    case statement(file: String, line: Int, place: Int, count: Int)
    /// A statement of a no-transaction file was found to be done, or half done, by an earlier run.
    case resumed(file: String, line: Int, finding: String)
    /// A file is applied.
    case applied(file: String, milliseconds: Double)
    /// A file or statement didn't get its locks and is tried again.
    case retries(file: String, attempt: Int, of: Int, pauseSeconds: Double, blockers: [String])
    /// A statement has been running for a while.
    case stillRunning(label: String, seconds: Double, progress: String?, blockers: [String])
    /// Something to know that is no error.
    case warning(String)
    /// A message of the server.
    case notice(file: String, severity: String, message: String)
}
