import Postgres
import Basics

/// Bounds from which claims on a queue start: after the jobs that this process has already taken.
///
/// While an old transaction is open, the index keeps entries of finished jobs. A claim from the
/// start walks over all of them, which takes a second for five million. Jobs that become visible
/// only after the bounds have passed them are found by a claim from the start. The pause after such
/// a claim is a thousand times the claim's duration, at most fifteen seconds.
struct ClaimBounds {
    /// Pause after a claim from the start: a multiple of the claim's own duration, and the maximum
    /// in seconds.
    private static let sweepPause = (times: 1000.0, seconds: 15.0)

    private var at = [PostgresTimestamp](repeating: start, count: 4)
    private var id = [Int64](repeating: 0, count: 4)
    private var nextSweep = Deadline.after(seconds: 0)
    private var isSweeping = false

    private static let start = PostgresTimestamp(microsecondsSince2000: .min)
    private static let starts = [PostgresTimestamp](repeating: start, count: 4)
    private static let zeros = [Int64](repeating: 0, count: 4)

    /// Returns the position at which the next claim starts, for each priority.
    mutating func next() -> (at: [PostgresTimestamp], id: [Int64]) {
        isSweeping = nextSweep.hasPassed
        return isSweeping ? (Self.starts, Self.zeros) : (at, id)
    }

    /// Moves the bounds past the claimed jobs.
    mutating func advance(past jobs: [Job], afterSeconds seconds: Double) {
        if isSweeping {
            let pause = min(seconds * Self.sweepPause.times, Self.sweepPause.seconds)
            nextSweep = .after(seconds: pause)
        }
        for job in jobs {
            let priority = Int(job.priority)
            guard at.indices.contains(priority) else { continue }
            let (time, bound) = (
                job.runAt.microsecondsSince2000, at[priority].microsecondsSince2000
            )
            if (time, job.id) > (bound, id[priority]) {
                at[priority] = job.runAt
                id[priority] = job.id
            }
        }
    }

    /// Starts from the beginning again, because other workers' jobs have been reclaimed.
    mutating func reset() { self = ClaimBounds() }
}
