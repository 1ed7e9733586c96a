import Jobs
import Postgres
import UseCases

/// The scheduled jobs: expiry every minute, purging every hour, an examination every day.
struct UpkeepJobs {
    static let queue = ExpireAndPurge.queue
    private static let (expire, purge) = ("upkeep.expire", "upkeep.purge")
    private static let examine = "upkeep.examine"
    /// The kinds of all jobs of this queue.
    static let kindNames = [expire, purge, examine]

    static let schedules = [
        Schedule(name: "expire", queue: queue, kind: expire, .every(seconds: 60)),
        Schedule(name: "purge", queue: queue, kind: purge, .every(seconds: 3600)),
        // The time is before the working day in Europe, and at night in America.
        Schedule(name: "examine", queue: queue, kind: examine, .daily(at: "07:30", zone: "UTC")),
    ]

    private let work: ExpireAndPurge
    private let examination: ExamineDatabase
    private let meters: WorkerMeters

    init(_ work: ExpireAndPurge, _ examination: ExamineDatabase, _ meters: WorkerMeters) {
        self.work = work
        self.examination = examination
        self.meters = meters
    }

    var kinds: [JobKind] {
        let (work, examination, meters) = (work, examination, meters)
        return [
            JobKind(Self.expire, recordsStart: false) { _, context in
                Self.outcome {
                    try work.expire(
                        shouldStop: { Self.shouldStop(context) },
                        report: { meters.removed($0, $1) })
                }
            },
            JobKind(Self.purge, recordsStart: false) { _, context in
                Self.outcome {
                    try work.purge(
                        shouldStop: { Self.shouldStop(context) },
                        report: { meters.removed($0, $1) })
                }
            },
            JobKind(Self.examine, recordsStart: false) { _, context in
                Self.outcome {
                    let findings = try examination { Self.shouldStop(context) }
                    if let findings { meters.examined(findings) }
                    return findings != nil
                }
            },
        ]
    }

    /// Whether to stop, because the process shuts down or the lease is lost. After a lost lease
    /// another worker continues the job, and two at once would slow down requests.
    private static func shouldStop(_ context: JobContext) -> Bool {
        context.shouldStop || !context.isHeld
    }

    /// Releases the job if it did not finish. The next run continues where this one stopped.
    private static func outcome(_ work: () throws -> Bool) -> JobOutcome {
        do {
            return try work() ? .done : .release
        } catch {
            return .retry(String(reflecting: error))
        }
    }
}
