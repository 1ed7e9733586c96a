import CommandLine
import Configuration
import Domain
import JSON
import Repositories
import UseCases

/// `hearth-admin job attempts`, `errors`, `retry-all`, `queues`, `schedules` and `workers`: the
/// life of jobs, and what runs them.
enum JobLife {
    static let attempts = Command(
        "attempts", "Lists the failed attempts of a job, the newest first.",
        discussion: ["At most 40 are stored per job. Attempt 0 means that the worker vanished."],
        parameters: [JobCommands.id, Options.limit]
    ) { values in
        let list = try values.session().attempts(
            ofJob: values[JobCommands.id], limit: values[Options.limit])
        values.output.rows(
            "attempts", list,
            [
                .number("ATTEMPT"), .fixed("FAILED AT"), .number("MS"), .number("WORKER"),
                .text("ERROR"),
            ],
            row: {
                [
                    "\($0.attempt)", $0.failedAt.description, $0.milliseconds.map { "\($0)" } ?? "",
                    $0.worker.map { "\($0)" } ?? "", $0.error,
                ]
            },
            json: { attempt, json in
                json.member("attempt", Int(attempt.attempt))
                json.member("failedAt", attempt.failedAt.description)
                json.member("milliseconds", attempt.milliseconds.map(Int.init))
                json.member("worker", attempt.worker.map(Int.init))
                json.member("error", attempt.error)
            })
        return ExitCode.success
    }

    static let errors = Command(
        "errors", "Counts the dead jobs by queue, kind and error.", parameters: [Options.limit]
    ) { values in
        values.output.rows(
            "errors", try values.session().deadJobGroups(limit: values[Options.limit]),
            [
                .number("JOBS"), .fixed("KIND"), .fixed("FIRST"), .fixed("LAST"), .text("ERROR"),
            ],
            row: {
                [
                    "\($0.count)", $0.kind, $0.firstAt.description, $0.lastAt.description, $0.error,
                ]
            },
            json: { group, json in
                json.member("queue", group.queue)
                json.member("kind", group.kind)
                json.member("count", group.count)
                json.member("firstAt", group.firstAt.description)
                json.member("lastAt", group.lastAt.description)
                json.member("error", group.error)
            })
        return ExitCode.success
    }

    private static let error = Parameter<String>.requiredOption(
        "error", "TEXT", .text, "A part of the jobs' last error, as 'job errors' shows it.")

    static let retryAll = Command(
        "retry-all", "Retries all dead jobs whose last error contains TEXT.",
        discussion: [
            "A job stays dead if another job with the same unique key is waiting or running."
        ],
        parameters: [error, JobCommands.queue, JobCommands.kind, Options.yes],
        examples: [
            Example(
                "hearth-admin job retry-all --queue mail --error 'connection refused'",
                "retries the e-mails that failed for this reason")
        ]
    ) { values in
        let session = try values.session()
        try values.confirm("Retry all dead jobs whose error contains '\(values[error])'?")
        let (retried, skipped) = try session.retryJobs(
            withError: values[error], queue: values[JobCommands.queue],
            kind: values[JobCommands.kind])
        let rest = skipped > 0 ? "; \(skipped) stay dead, because a newer one is live" : ""
        values.output.done("\(retried) jobs are due now\(rest)") {
            $0.member("retried", retried)
            $0.member("skipped", skipped)
        }
        return ExitCode.success
    }

    static let queues = Command(
        "queues",
        "Shows the queues: jobs, oldest waiting job, pause, next probe, and whether none succeeds."
    ) { values in
        values.output.rows(
            "queues", try values.session().queues(),
            [
                .fixed("QUEUE"), .number("READY"), .number("RUNNING"), .number("DEAD"),
                .number("OLDEST (S)"), .fixed("PAUSED SINCE"), .fixed("NEXT PROBE"),
                .fixed("FAILING"), .text("REASON"),
            ],
            row: {
                [
                    $0.name, "\($0.ready)", "\($0.running)", "\($0.dead)",
                    $0.oldestReadySeconds.map { "\(Int($0))" } ?? "",
                    $0.pausedSince?.description ?? "",
                    $0.isPausedByOperator ? "none" : $0.probeAt?.description ?? "",
                    $0.failure == nil ? "" : "yes", $0.reason ?? $0.failure ?? "",
                ]
            },
            json: { queue, json in
                json.member("queue", queue.name)
                json.member("ready", queue.ready)
                json.member("running", queue.running)
                json.member("dead", queue.dead)
                json.member("oldestReadySeconds", queue.oldestReadySeconds)
                json.member("pausedSince", queue.pausedSince?.description)
                json.member("probeAt", queue.probeAt?.description)
                json.member("reason", queue.reason)
                json.member("failure", queue.failure)
            })
        return ExitCode.success
    }

    static let schedules = Command("schedules", "Lists the schedules that enqueue jobs.") {
        values in
        values.output.rows(
            "schedules", try values.session().schedules(),
            [
                .fixed("NAME"), .fixed("KIND"), .fixed("RULE"), .fixed("NEXT"), .fixed("LAST"),
            ],
            row: {
                [
                    $0.name, $0.kind, $0.rule, $0.nextAt.description, $0.lastAt?.description ?? "-",
                ]
            },
            json: { schedule, json in
                json.member("name", schedule.name)
                json.member("queue", schedule.queue)
                json.member("kind", schedule.kind)
                json.member("rule", schedule.rule)
                json.member("nextAt", schedule.nextAt.description)
                json.member("lastAt", schedule.lastAt?.description)
            })
        return ExitCode.success
    }

    static let workers = Command(
        "workers", "Lists the worker processes that hold a lease."
    ) { values in
        values.output.rows(
            "workers", try values.session().workers(),
            [
                .number("ID"), .text("NAME"), .fixed("STARTED"), .fixed("RENEWED"),
                .number("THREADS"), .number("JOBS"), .fixed("LEASE"),
            ],
            row: {
                [
                    "\($0.id)", $0.label, $0.startedAt.description, $0.renewedAt.description,
                    $0.threads.map { "\($0)" } ?? "-", "\($0.held)",
                    $0.isAlive ? "valid" : "expired",
                ]
            },
            json: { worker, json in
                json.member("id", Int(worker.id))
                json.member("label", worker.label)
                json.member("startedAt", worker.startedAt.description)
                json.member("renewedAt", worker.renewedAt.description)
                json.member("isAlive", worker.isAlive)
                json.member("threads", worker.threads.map { Int($0) })
                json.member("jobs", worker.held)
            })
        return ExitCode.success
    }

    /// Prints a job of the history.
    static func show(_ job: FinishedJob, _ values: Values) {
        values.output.record([
            ("id", job.id.description), ("state", job.outcome), ("queue", job.queue),
            ("kind", job.kind), ("family", job.family?.description),
            ("failures", "\(job.attempt)"), ("enqueued", job.enqueuedAt?.description),
            ("begun", job.begunAt?.description), ("finished", job.finishedAt.description),
            ("milliseconds", job.milliseconds.map { "\($0)" }),
            ("worker", job.worker.map { "\($0)" }),
        ]) { json in
            json.object("job") {
                $0.member("id", Int(job.id))
                $0.member("state", job.outcome)
                $0.member("queue", job.queue)
                $0.member("kind", job.kind)
                $0.member("familyId", job.family?.description)
                $0.member("attempt", Int(job.attempt))
                $0.member("enqueuedAt", job.enqueuedAt?.description)
                $0.member("begunAt", job.begunAt?.description)
                $0.member("finishedAt", job.finishedAt.description)
                $0.member("milliseconds", job.milliseconds.map(Int.init))
                $0.member("worker", job.worker.map(Int.init))
            }
        }
    }
}
