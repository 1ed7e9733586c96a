import Jobs
import Postgres

// The code of First-Queue.md in Jobs.docc, compiled. QueueArticleTests expects each block of the
// article here, line by line, ignoring indentation.

/// Stand-ins for the program of the article.
struct DocumentedQueue {
    let greeted: @Sendable (PostgresJSON) -> Bool
    let log: @Sendable (WorkerEvent) -> Void

    func enqueue(_ connection: Connection) throws -> Int64? {
        var job = NewJob(
            queue: "work", kind: "greet",
            payload: PostgresJSON(utf8: Array(#"{"person": 7}"#.utf8)))
        job.uniqueKey = "greet-7"
        job.maxAttempts = 5
        var batch = Batch()
        let key = batch.enqueue(job)
        let id = try connection.send(batch, writes: true).row(key).value
        return id
    }

    func notify(_ pool: Pool) -> JobNotifier {
        let notifier = JobNotifier(pool)
        notifier.notifyWorkers("work")
        return notifier
    }

    func handler() -> JobKind {
        let greeted = greeted
        let greet = JobKind("greet") { job, context in
            guard context.isHeld else { return .release }
            return greeted(job.payload) ? .done : .retry("the mail server did not answer")
        }
        return greet
    }

    func start(_ settings: ConnectionSettings) throws -> Worker {
        let log = log
        let greet = handler()
        let worker = try Worker(
            settings, queues: [QueueConfiguration(name: "work", kinds: [greet], threads: 2)],
            schedules: [
                Schedule(
                    name: "greetings", queue: "work", kind: "greet",
                    .daily(at: "07:30", zone: "Europe/Berlin"))
            ],
            label: "example", observe: { event in log(event) })
        return worker
    }

    func stop(_ worker: Worker) -> Bool {
        let isDrained = worker.stop(deadlineSeconds: 25)
        return isDrained
    }
}
