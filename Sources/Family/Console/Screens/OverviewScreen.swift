import Basics
import Domain
import HTTPServer
import Repositories
import Telemetry
import UseCases

/// The first page: current problems, running processes, and plots of activity.
enum OverviewScreen {
    static let routes: [ConsoleRoute] = [.page("/", show)]

    private static func show(_ visit: ConsoleVisit) throws -> Response {
        let period: PlotCache.Period = visit.parameter("period") == "week" ? .week : .day
        let now = visit.services.now()
        let snapshot = try visit.services.board.snapshot()
        let points = visit.services.plots.points(period, now: now) { read(period, now, visit) }
        let refused = refusalCount(points ?? [])
        var lines = sentences(snapshot.troubles, snapshot.jobs)
        if points == nil {
            lines.append(
                """
                The plots, and the number of e-mails that mail servers refused, can't be read: \
                the log of hearth-console has the reason. The next attempt is in a minute.
                """)
        }
        if refused > 0 {
            lines.append(
                """
                Mail servers have refused \(ConsoleParts.count(refused, "e-mail")) in the last \
                \(period.rawValue): see <a href="/mail">Mail</a>.
                """)
        }
        let list = lines.reduce(into: HTML("")) { $0 = "\($0)<li>\($1)</li>\n" }
        let wrong: HTML =
            lines.isEmpty
            ? "<p>No problems found.</p>\n"
            : "<ul class=\"troubles\">\n\(list)</ul>\n"
        return visit.reply(
            "Overview",
            """
            <h1>Overview</h1>
            \(wrong)\(processes(snapshot.troubles.processes))
            \(plots(period, points, now))
            """, section: .overview, follows: .overview)
    }

    /// Reads the points of a period; nil if that fails, which must not hide the problems.
    private static func read(
        _ period: PlotCache.Period, _ now: Int64, _ visit: ConsoleVisit
    ) -> [ConsolePoint]? {
        do {
            return try visit.read { reader in
                try reader.points(
                    since: Timestamp(microseconds: period.start(now) * 1_000_000),
                    step: period.step)
            }
        } catch {
            visit.services.log.error("the console could not read the plots", [.error(error)])
            return nil
        }
    }

    /// Returns the current problems as sentences, most urgent first.
    private static func sentences(
        _ troubles: ConsoleReader.Troubles, _ jobs: ConsoleReader.JobOverview
    ) -> [HTML] {
        var lines: [HTML] = []
        lines += jobs.queues.compactMap(\.pause)
        // A webhook that fails has a line of its own.
        lines += jobs.queues.filter { $0.name != WebhookJob.queue }.compactMap(\.failureSentence)
        for queue in jobs.queues where queue.pausedSince == nil {
            guard let waited = queue.oldestReadySeconds, waited > 900 else { continue }
            let path = URLText.address("/jobs/list", [("queue", queue.name)])
            lines.append(
                """
                The oldest job of the queue <a href="\(path)">\(queue.name)</a> has waited \
                for \("\(Int(waited / 60))") minutes.
                """)
        }
        for group in jobs.deadGroups.prefix(ConsoleBoard.troubleLimit) {
            let path = URLText.address(
                "/jobs/list", [("state", "dead"), ("kind", group.kind), ("error", group.error)])
            lines.append(
                """
                <a href="\(path)">\(ConsoleParts.count(group.count, "dead job"))</a> of the kind \
                \(ConsoleParts.code(group.kind)): \(group.error)
                """)
        }
        if jobs.deadGroups.count > ConsoleBoard.troubleLimit {
            lines.append("<a href=\"/jobs\">Jobs</a> has further errors of dead jobs.")
        }
        for webhook in troubles.webhooks {
            let state = webhook.pausedAt == nil ? "has been failing" : "has been paused"
            lines.append(
                """
                The webhook at \(webhook.host) \(state) since \
                \(ConsoleParts.time(webhook.pausedAt ?? webhook.failingSince)).
                """)
        }
        if troubles.webhooks.count == ConsoleBoard.troubleLimit {
            lines.append("<a href=\"/webhooks\">Webhooks</a> shows whether further ones fail.")
        }
        if troubles.readers > 0, troubles.standbys == 0 {
            lines.append(
                """
                No standby serves reads: the primary serves them all. See \
                <a href="/system">System</a>.
                """)
        } else if troubles.apart > 0 {
            lines.append(
                """
                Processes that can't reach every standby: \("\(troubles.apart)"). See \
                <a href="/system">System</a>.
                """)
        }
        for finding in troubles.findings where finding.findings > 0 {
            lines.append(
                """
                Doctor found \(ConsoleParts.count(Int(finding.findings), "fault")) in the area \
                \(ConsoleParts.code(finding.area)): see <a href="/doctor">Doctor</a>.
                """)
        }
        if troubles.processes.count >= Processes.listed {
            lines.append(
                """
                \("\(Processes.listed)") processes or more have reported in the last seven days: \
                a program may be restarted again and again. The plots and \
                <a href="/system">System</a> show those that were seen last.
                """)
        }
        let workers = troubles.processes.filter { $0.program == "hearth-worker" }
        if !workers.isEmpty, workers.allSatisfy({ $0.silentSeconds > silenceSeconds }) {
            lines.append("No worker has reported for five minutes, so no job is run.")
        }
        return lines
    }

    /// Outcomes of e-mails that a mail server refuses for good: the address, or the message.
    private static let refusalSeries = [
        #"hearth_mails_total{outcome="refused"}"#, #"hearth_mails_total{outcome="rejected"}"#,
    ]

    /// Returns the number of e-mails that mail servers have refused.
    private static func refusalCount(_ points: [ConsolePoint]) -> Int {
        let refused = points.filter { refusalSeries.contains($0.series) }
        return Int(refused.reduce(0.0) { $0 + $1.value })
    }

    /// Seconds without a report after which a process is considered stopped.
    static let silenceSeconds = 300.0

    private static func processes(_ processes: [AdminProcess]) -> HTML {
        let running = processes.filter { $0.silentSeconds <= silenceSeconds }
        let rows = running.map { process in
            [
                HTML("\(process.program)"), HTML("\(process.version)"),
                ConsoleParts.longCode(process.revision), HTML("\(process.host)"),
                ConsoleParts.time(process.since),
            ]
        }
        let versions = Set(running.map(\.version)).count > 1
        let warning: HTML =
            versions ? "<p class=\"alert\">Programs of several versions are running.</p>\n" : ""
        return """
            <h2>Running programs</h2>
            \(warning)\(ConsoleParts.table(
                "Programs", ["Program", "Version", "Revision", "Process", "Since (UTC)"], rows,
                empty: "No program has reported in the last five minutes."))
            """
    }

    private static let titles: [(series: String, title: String)] = [
        ("sign-in email", "Sign-ins by code"), ("sign-in password", "Sign-ins by password"),
        ("sign-in passkey", "Sign-ins by passkey"),
        ("sign-in exchange", "Sign-ins by provider"), ("sign-in failed", "Failed sign-ins"),
        ("people", "New people"), ("families", "New families"),
        ("invitations made", "Invitations"), ("invitations accepted", "Accepted invitations"),
        ("invitations failed", "Invitations that no e-mail reached"),
        ("hearth_http_requests_total", "Requests"),
        (#"hearth_http_responses_total{class="5xx"}"#, "Failed requests (5xx)"),
        (#"hearth_http_responses_total{class="4xx"}"#, "Rejected requests (4xx)"),
        ("hearth_policy_refusals_total", "Requests refused by the policy"),
        ("hearth_jobs_ended_total", "Jobs ended"), ("hearth_mails_total", "E-mails"),
        (#"hearth_mails_total{outcome="refused"}"#, "E-mails to dead addresses"),
        (#"hearth_mails_total{outcome="rejected"}"#, "Rejected e-mails"),
    ]

    private static func plots(
        _ period: PlotCache.Period, _ found: [ConsolePoint]?, _ now: Int64
    ) -> HTML {
        let other: HTML =
            period == .day
            ? "<a href=\"/?period=week\">Show 7 days</a>" : "<a href=\"/\">Show 24 hours</a>"
        let heading: HTML = """
            <h2>The last \(period.rawValue)</h2>
            <p>\(other)</p>
            """
        guard let found else {
            return """
                \(heading)
                <p class="alert">The plots could not be read.</p>
                """
        }
        let points = PlotPoints(
            start: period.start(now), stepSeconds: period.stepSeconds, steps: period.steps,
            points: found)
        let levels: [(title: String, values: [Double])] = [
            ("Half of the requests answered within, in ms", points.latencyMilliseconds(0.5)),
            ("99 % of the requests answered within, in ms", points.latencyMilliseconds(0.99)),
            ("Longest wait of a due job, in seconds", points.values(of: "queue wait")),
        ]
        let plots =
            titles.map { ($0.title, points.values(of: $0.series), false) }
            + levels.map { ($0.title, $0.values, true) }
        let figures = plots.reduce(into: HTML("")) { html, one in
            let (title, values, isLevel) = one
            let plot = Plot(
                title: title, values: values, start: points.start,
                stepSeconds: points.stepSeconds, isLevel: isLevel)
            html = "\(html)\(plot.html)"
        }
        return """
            \(heading)
            <div class="plots">
            \(figures)</div>
            """
    }
}

extension AdminQueue {
    /// The sentence about the queue's pause, with a link to the page that ends it; nil unless the
    /// queue is paused.
    var pause: HTML? {
        guard let pausedSince else { return nil }
        return """
            The queue <a href="/jobs">\(name)</a> has been paused since \
            \(ConsoleParts.time(pausedSince)), with \(ConsoleParts.count(ready, "job")) \
            waiting: \(reason ?? "")
            """
    }

    /// The sentence about a queue in which no job succeeds; nil for another queue.
    var failureSentence: HTML? {
        guard let failure else { return nil }
        let path = URLText.address("/jobs/list", [("queue", name), ("state", "waiting")])
        return """
            No job of the queue <a href="\(path)">\(name)</a> succeeds. \
            The last error: \(failure)
            """
    }

    /// The sentence about the queue's pause or failure; nil if it works.
    var trouble: HTML? { pause ?? failureSentence }
}
