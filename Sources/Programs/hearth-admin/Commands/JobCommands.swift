import Domain
import JSON
import Repositories
import CommandLine
import Configuration
import UseCases

/// `hearth-admin job`: background jobs.
enum JobCommands {
    static let command = Command(
        "job", "Background jobs: e-mail, webhooks, expiry, purging.",
        subcommands: [
            list, show, JobLife.attempts, retry, JobLife.errors, JobLife.retryAll, cancel, stats,
            JobLife.queues, QueueCommands.pause, QueueCommands.resume, JobLife.schedules,
            QueueCommands.run, JobLife.workers,
        ])

    static let queue = Parameter<String?>.option(
        "queue", "QUEUE", .text, "Only jobs of this queue, such as mail.")
    static let kind = Parameter<String?>.option(
        "kind", "KIND", .text, "Only jobs of this kind, such as mail.invitation.")
    private static let state = Parameter<String?>.option(
        "state", "STATE", .word(["ready", "running", "dead"]), "Only jobs in this state.")
    private static let before = Parameter<Int64?>.option(
        "cursor", "CURSOR", .jobID, "Continue after the previous page: the cursor that it printed.")
    static let id = Parameter<Int64>.argument("JOB", .jobID, "The job's number.")

    private static let list = Command(
        "list", "Lists waiting, running and dead jobs, newest first.",
        discussion: ["Finished jobs are not listed."],
        parameters: [queue, state, kind, Options.limit, before]
    ) { values in
        let page = try values.session().jobs(
            queue: values[queue], state: values[state], kind: values[kind],
            before: values[before], limit: values[Options.limit])
        let cursor = page.hasMore ? page.jobs.last?.id.description : nil
        values.output.rows(
            "jobs", page.jobs,
            [
                .number("ID"), .fixed("STATE"), .fixed("KIND"), .number("ATTEMPT"),
                .fixed("RUNS AT"), .text("LAST ERROR"),
            ],
            row: {
                [
                    $0.id.description, $0.state, $0.kind, "\($0.attempt)/\($0.maximumAttempts)",
                    $0.runAt.description, $0.lastError ?? "",
                ]
            },
            json: { $0.write(to: &$1) }
        ) { $0.member("nextCursor", cursor) }
        if let cursor, !values[Options.json] {
            Terminal.standardError.write("There are more: --cursor \(cursor)\n")
        }
        return ExitCode.success
    }

    private static let show = Command(
        "show",
        "Shows a job. Finished jobs are shown until they are purged from the history.",
        parameters: [id]
    ) { values in
        let session = try values.session()
        let job: AdminJob
        do {
            job = try session.job(values[id])
        } catch let refusal as OperatorRefusal {
            guard let finished = try session.finishedJob(values[id]) else { throw refusal }
            JobLife.show(finished, values)
            return ExitCode.success
        }
        values.output.record([
            ("id", job.id.description), ("state", job.state), ("queue", job.queue),
            ("kind", job.kind), ("family", job.family?.description),
            ("attempts", "\(job.attempt) of \(job.maximumAttempts)"),
            ("crashes", job.crashes > 0 ? job.crashes.description : nil),
            ("enqueued", job.enqueuedAt?.description),
            ("runs at", job.runAt.description), ("not after", job.notAfter?.description),
            ("died", job.diedAt?.description), ("last error", job.lastError),
            ("payload", String(decoding: job.payload.utf8, as: UTF8.self)),
        ]) { json in
            json.object("job") { job.write(to: &$0) }
        }
        return ExitCode.success
    }

    private static let retry = Command(
        "retry", "Runs a dead or waiting job now.", parameters: [id]
    ) { values in
        let pause = try values.session().retryJob(values[id])
        let queue = pause.map {
            ", but its queue has been paused since \($0.since): \($0.reason); "
                + ($0.isProbed
                    ? "every 30 seconds one job is tried, and the queue resumes when one succeeds"
                    : "'hearth-admin job resume' ends the pause")
        }
        values.output.done("job \(values[id]) is due now\(queue ?? "")") {
            $0.member("id", Int(values[id]))
            $0.member("pausedSince", pause?.since.description)
            $0.member("pauseReason", pause?.reason)
        }
        return ExitCode.success
    }

    private static let cancel = Command(
        "cancel", "Deletes a job in any state.", parameters: [id, Options.yes]
    ) { values in
        let session = try values.session()
        let job = try session.job(values[id])
        try values.confirm("Cancel job \(job.id), \(job.kind)?")
        try session.cancelJob(job.id)
        values.output.done("job \(job.id) is cancelled") { $0.member("id", Int(job.id)) }
        return ExitCode.success
    }

    private static let stats = Command(
        "stats", "Shows the number of jobs, the oldest waiting job and the pause of each queue."
    ) { values in
        values.output.rows(
            "queues", try values.session().queueStatistics(),
            [
                .fixed("QUEUE"), .number("READY"), .number("RUNNING"), .number("DEAD"),
                .number("OLDEST (S)"), .fixed("PAUSED SINCE"), .text("REASON"),
            ],
            row: {
                [
                    $0.queue, "\($0.ready)", "\($0.running)", "\($0.dead)",
                    $0.oldestReadySeconds.map { "\(Int($0))" } ?? "",
                    $0.pause?.since.description ?? "", $0.pause?.reason ?? "",
                ]
            },
            json: { statistics, json in
                json.member("queue", statistics.queue)
                json.member("ready", statistics.ready)
                json.member("running", statistics.running)
                json.member("dead", statistics.dead)
                json.member("oldestReadySeconds", statistics.oldestReadySeconds)
                json.member("pausedSince", statistics.pause?.since.description)
                json.member("pauseReason", statistics.pause?.reason)
            })
        return ExitCode.success
    }
}

extension Expectation where Value == Int64 {
    /// The number of a job.
    fileprivate static let jobID = Expectation("the number of a job") { word in
        Int64(word).flatMap { $0 > 0 ? $0 : nil }
    }
}

extension AdminJob {
    fileprivate func write(to json: inout JSONWriter) {
        json.member("id", Int(id))
        json.member("state", state)
        json.member("queue", queue)
        json.member("kind", kind)
        json.member("familyId", family?.description)
        json.member("attempt", Int(attempt))
        json.member("maxAttempts", Int(maximumAttempts))
        json.member("crashes", Int(crashes))
        json.member("enqueuedAt", enqueuedAt?.description)
        json.member("runAt", runAt.description)
        json.member("notAfter", notAfter?.description)
        json.member("diedAt", diedAt?.description)
        json.member("lastError", lastError)
        json.member("payload", raw: payload.utf8)
    }
}
