import Basics
import Domain
import HTTPServer
import Repositories
import UseCases

/// Background jobs: states, dead ones by error, queues, schedules, workers, and each job.
enum JobScreens {
    static let routes: [ConsoleRoute] = [
        .page("/jobs", overview), .page("/jobs/list", list), .page("/jobs/:number", show),
    ]

    private static let attemptLimit = 100

    private static func overview(_ visit: ConsoleVisit) throws -> Response {
        let snapshot = try visit.services.board.snapshot()
        let jobs = snapshot.jobs
        let parts = ConsoleParts(visit)
        let states = jobs.states.map { state in
            (
                name: word(for: state.state).capitalizedWord,
                value: ConsoleParts.link(
                    "/jobs/list?state=\(word(for: state.state))", "\(state.count)")
            )
        }
        return visit.reply(
            "Jobs",
            """
            <h1>Jobs</h1>
            \(parts.done())\(ConsoleParts.facts(states))
            <h2>Dead jobs by error</h2>
            \(ConsoleParts.cut(
                jobs.deadGroups.count, at: ConsoleBoard.groupLimit, "most frequent"))\
            \(deadGroups(jobs.deadGroups, parts))
            <h2>Queues</h2>
            \(queues(jobs.queues, parts))
            <h2>Schedules</h2>
            \(schedules(jobs.schedules, parts))
            <h2>Workers</h2>
            \(workers(jobs.workers, snapshot.troubles.processes))
            """, section: .jobs, follows: .jobs)
    }

    private static func deadGroups(_ groups: [DeadJobGroup], _ parts: ConsoleParts) -> HTML {
        ConsoleParts.table(
            "Dead jobs by error", ["Jobs", "Kind", "Error", "First (UTC)", "Last", ""],
            groups.map { group in
                let path = URLText.address(
                    "/jobs/list",
                    [("state", "dead"), ("kind", group.kind), ("error", group.error)])
                return [
                    ConsoleParts.link(path, "\(group.count)"), ConsoleParts.code(group.kind),
                    HTML("\(group.error)"), ConsoleParts.time(group.firstAt),
                    ConsoleParts.time(group.lastAt),
                    parts.operations(
                        .deadJobs(queue: group.queue, kind: group.kind, error: group.error)),
                ]
            }, empty: "No job is dead.")
    }

    private static func queues(_ queues: [AdminQueue], _ parts: ConsoleParts) -> HTML {
        ConsoleParts.table(
            "Queues", ["Queue", "Waiting", "Running", "Dead", "Oldest", "State", ""],
            queues.map { queue in
                let path = "/jobs/list?queue=\(URLText.encoded(queue.name))"
                return [
                    ConsoleParts.link(path, queue.name), HTML("\("\(queue.ready)")"),
                    HTML("\("\(queue.running)")"), HTML("\("\(queue.dead)")"),
                    HTML("\(queue.oldestReadySeconds.map { "\(Int($0)) s" } ?? "")"),
                    state(of: queue),
                    parts.operations(.queue(queue)),
                ]
            }, empty: "There is no queue: no worker has run yet.")
    }

    private static func state(of queue: AdminQueue) -> HTML {
        guard queue.pausedSince != nil else {
            guard let failure = queue.failure else { return ConsoleParts.badge("works", "good") }
            return "\(ConsoleParts.badge("fails", "bad")): \(failure)"
        }
        let end: HTML =
            queue.isPausedByOperator
            ? "until an operator resumes it"
            : """
            until a job succeeds (the next one is tried at \(ConsoleParts.time(queue.probeAt)))
            """
        return """
            \(ConsoleParts.badge("paused", "bad")) since \
            \(ConsoleParts.time(queue.pausedSince)), \(end): \(queue.reason ?? "")
            """
    }

    private static func schedules(_ schedules: [AdminSchedule], _ parts: ConsoleParts) -> HTML {
        ConsoleParts.table(
            "Schedules", ["Schedule", "Kind", "Rule", "Last (UTC)", "Next", ""],
            schedules.map { schedule in
                [
                    HTML("\(schedule.name)"), ConsoleParts.code(schedule.kind),
                    HTML("\(schedule.rule)"), ConsoleParts.time(schedule.lastAt),
                    ConsoleParts.time(schedule.nextAt), parts.operations(.schedule(schedule)),
                ]
            }, empty: "There is no schedule: no worker has run yet.")
    }

    private static func workers(_ workers: [AdminWorker], _ processes: [AdminProcess]) -> HTML {
        // A worker's label is the name under which its process reports.
        let versions = Dictionary(
            processes.filter { $0.program == "hearth-worker" }.map { ($0.host, $0.version) },
            uniquingKeysWith: { latest, _ in latest })
        return ConsoleParts.table(
            "Workers",
            [
                "Worker", "Process", "Version", "Threads", "Since (UTC)", "Lease renewed", "Lease",
                "Jobs",
            ],
            workers.map { worker in
                [
                    HTML("\("\(worker.id)")"), HTML("\(worker.label)"),
                    HTML("\(versions[worker.label] ?? "")"),
                    HTML("\(worker.threads.map { "\($0)" } ?? "")"),
                    ConsoleParts.time(worker.startedAt), ConsoleParts.time(worker.renewedAt),
                    worker.isAlive
                        ? ConsoleParts.badge("valid", "good")
                        : ConsoleParts.badge("expired", "bad"),
                    HTML("\("\(worker.held)")"),
                ]
            }, empty: "No worker runs.")
    }

    /// Returns the console's word for a state of jobs.
    private static func word(for state: String) -> String { state == "ready" ? "waiting" : state }

    private static func badge(_ state: String) -> HTML {
        ConsoleParts.badge(word(for: state), state == "dead" ? "bad" : "")
    }

    private static let stateFilter = ListFilter(
        "state", "State", example: "waiting", suggestions: ["waiting", "running", "dead"])

    /// Returns the state in the filter, as the database names it; nil if there is none.
    private static func chosenState(_ visit: ConsoleVisit) throws -> String? {
        guard let text = visit.parameter(stateFilter.name)?.trimmed else { return nil }
        switch text.lowercased() {
        case "waiting", "ready": return "ready"
        case "running": return "running"
        case "dead": return "dead"
        default:
            throw ConsoleMistake(
                sentence: "\(stateFilter.label): expected waiting, running or dead, found "
                    + "'\(text)'.")
        }
    }

    private static func list(_ visit: ConsoleVisit) throws -> Response {
        var filter = ConsoleReader.JobFilter()
        filter.queue = visit.parameter("queue")
        filter.kind = visit.parameter("kind")
        filter.error = visit.parameter("error")
        let family = ListFilter("family", "Family (id)")
        let filters = [
            ListFilter("queue", "Queue", example: "mail"), stateFilter,
            ListFilter("kind", "Kind", example: "mail.invitation"), ListFilter("error", "Error"),
            family,
        ]
        do {
            filter.state = try chosenState(visit)
            filter.family = try AuditScreen.id(family, visit, Family.self)
        } catch let mistake as ConsoleMistake {
            return AuditScreen.unreadable("Jobs", "/jobs/list", filters, mistake, visit, .jobs)
        }
        let before = try visit.pageNumber()
        let page = try visit.read { reader in
            try reader.jobs(filter, before: before, limit: ConsoleVisit.rowsPerPage)
        }
        let pager = ConsoleParts(visit).pager(
            "/jobs/list", filters.map { ($0.name, visit.parameter($0.name)) },
            next: page.hasMore ? page.jobs.last.map { "\($0.id)" } : nil)
        return visit.reply(
            "Jobs",
            """
            <h1>Jobs: the newest first</h1>
            \(AuditScreen.form("/jobs/list", filters, visit))
            \(table(page.jobs))\(pager)
            """, section: .jobs)
    }

    private static func link(to family: FamilyID?) -> HTML {
        family.map { ConsoleParts.link("/families/\($0)", "the family") } ?? ""
    }

    static func table(_ jobs: [AdminJob]) -> HTML {
        ConsoleParts.table(
            "Jobs", ["Job", "State", "Kind", "Queue", "Attempts", "Enqueued (UTC)", "Error"],
            jobs.map { job in
                [
                    ConsoleParts.link("/jobs/\(job.id)", "\(job.id)"),
                    badge(job.state),
                    ConsoleParts.code(job.kind), HTML("\(job.queue)"),
                    HTML("\("\(job.attempt) of \(job.maximumAttempts)")"),
                    ConsoleParts.time(job.enqueuedAt), HTML("\(job.lastError ?? "")"),
                ]
            }, empty: "There is no such job.")
    }

    private static func show(_ visit: ConsoleVisit) throws -> Response {
        guard let number = visit.parameters["number"].flatMap({ Int64($0) }),
            let found = try visit.read({ try $0.job(number, attempts: attemptLimit) })
        else { throw ConsoleAbsence(sentence: "There is no job with this number.") }
        let parts = ConsoleParts(visit)
        let (facts, actions, attempts): (HTML, HTML, [JobAttempt])
        switch found {
        case .live(let job, let failures):
            let payload = String(decoding: job.payload.utf8, as: UTF8.self)
            facts = ConsoleParts.facts([
                ("State", badge(job.state)),
                ("Kind", ConsoleParts.code(job.kind)), ("Queue", HTML("\(job.queue)")),
                ("Family", link(to: job.family)),
                ("Attempts", HTML("\("\(job.attempt) of \(job.maximumAttempts)")")),
                ("Crashes", HTML("\(job.crashes == 0 ? "" : "\(job.crashes)")")),
                ("Enqueued", ConsoleParts.time(job.enqueuedAt)),
                ("Next run", ConsoleParts.time(job.diedAt == nil ? job.runAt : nil)),
                ("Not after", ConsoleParts.time(job.notAfter)),
                ("Discarded", ConsoleParts.time(job.diedAt)),
                ("Last error", HTML("\(job.lastError ?? "")")),
                ("Payload", payload == "{}" ? "" : ConsoleParts.code(payload)),
            ])
            actions = parts.operations(.job(job))
            attempts = failures
        case .finished(let job, let failures):
            facts = ConsoleParts.facts([
                ("State", HTML("\(job.outcome)")), ("Kind", ConsoleParts.code(job.kind)),
                ("Queue", HTML("\(job.queue)")),
                ("Family", link(to: job.family)),
                ("Enqueued", ConsoleParts.time(job.enqueuedAt)),
                ("Began", ConsoleParts.time(job.begunAt)),
                ("Finished", ConsoleParts.time(job.finishedAt)),
                ("Took", HTML("\(job.milliseconds.map { "\($0) ms" } ?? "")")),
                ("Worker", HTML("\(job.worker.map { "\($0)" } ?? "")")),
            ])
            (actions, attempts) = ("", failures)
        }
        return visit.reply(
            "Job \(number)",
            """
            <h1>Job \("\(number)")</h1>
            \(parts.done())\(facts)
            \(actions)
            <h2>Failed attempts</h2>
            \(ConsoleParts.table(
                "Failed attempts", ["Attempt", "Failed (UTC)", "Took", "Worker", "Error"],
                attempts.map { attempt in
                    [
                        HTML("\(attempt.attempt == 0 ? "vanished" : "\(attempt.attempt)")"),
                        ConsoleParts.time(attempt.failedAt),
                        HTML("\(attempt.milliseconds.map { "\($0) ms" } ?? "")"),
                        HTML("\(attempt.worker.map { "\($0)" } ?? "")"), HTML("\(attempt.error)"),
                    ]
                }, empty: "No attempt has failed."))
            """, section: .jobs)
    }
}

extension String {
    /// The word with its first letter in upper case.
    var capitalizedWord: String { prefix(1).uppercased() + dropFirst() }
}
