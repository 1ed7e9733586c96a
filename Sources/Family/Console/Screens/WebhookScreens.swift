import Basics
import Domain
import HTTPServer
import Repositories
import UseCases

/// Webhooks: the endpoints, and each with its events and attempts.
enum WebhookScreens {
    static let routes: [ConsoleRoute] = [
        .page("/webhooks", list), .page("/webhooks/:id", show),
        .page("/webhooks/:id/attempts", allAttempts),
    ]

    private static let attemptLimit = 30
    /// The number at which the database stops counting deliveries (app.max_counted_deliveries).
    private static let countLimit = 10_000

    private static func list(_ visit: ConsoleVisit) throws -> Response {
        let endpoints = try visit.read { try $0.endpoints() }
        let hint = ConsoleParts.first(ConsoleReader.endpointLimit, of: endpoints.count)
        return visit.reply(
            "Webhooks",
            """
            <h1>Webhooks</h1>
            \(ConsoleParts(visit).done())\(hint)\(ConsoleParts.table(
                "Webhooks",
                ["Address", "For", "State", "Pending", "Discarded", "Last delivered (UTC)"],
                endpoints.map { endpoint in
                    [
                        ConsoleParts.link("/webhooks/\(endpoint.id)", endpoint.url),
                        HTML("\(endpoint.description)"), state(endpoint),
                        count(endpoint.pending), count(endpoint.failed),
                        ConsoleParts.time(endpoint.lastDeliveredAt),
                    ]
                },
                empty: "There is no webhook. hearth-admin webhook add makes one, and shows the "
                    + "secret that signs its requests."))
            """, section: .webhooks)
    }

    private static func state(_ endpoint: ConsoleEndpoint) -> HTML {
        ConsoleParts.badge(endpoint.state, endpoint.state == "working" ? "good" : "bad")
    }

    private static func count(_ number: Int) -> HTML {
        HTML("\(number < countLimit ? "\(number)" : "\(countLimit) or more")")
    }

    private static func show(_ visit: ConsoleVisit) throws -> Response {
        let id = try visit.id(Webhook.self)
        let filter = visit.parameter("state")
        guard filter == nil || filter == "failed" || filter == "pending" else {
            throw ConsoleMistake(sentence: "state: expected failed or pending.")
        }
        let before = try visit.pageNumber()
        let found = try visit.read { reader in
            try reader.endpoint(id).map { endpoint in
                (
                    endpoint,
                    try reader.deliveries(
                        to: id, in: filter, before: before, limit: ConsoleVisit.rowsPerPage),
                    try reader.attempts(at: id, limit: attemptLimit).attempts
                )
            }
        }
        guard let (endpoint, page, attempts) = found else {
            throw ConsoleAbsence(sentence: "There is no webhook with this id.")
        }
        let parts = ConsoleParts(visit)
        let path = "/webhooks/\(id)"
        let next = page.hasMore ? page.events.last.map { "\($0.number)" } : nil
        return visit.reply(
            endpoint.url,
            """
            <h1>\(endpoint.url)</h1>
            \(parts.done())\(facts(endpoint))
            \(parts.operations(.webhook(endpoint)))
            <h2>Last attempts</h2>
            \(ConsoleParts.cut(attempts.count, at: attemptLimit, all: "\(path)/attempts"))\
            \(table(attempts))
            <h2>Events</h2>
            <p><a href="\(path)">All</a>, <a href="\(path)?state=pending">pending</a>, \
            <a href="\(path)?state=failed">discarded</a></p>
            \(events(page.events, endpoint, parts))\
            \(parts.pager(path, [("state", filter)], next: next))
            """, section: .webhooks, follows: .webhooks)
    }

    /// All attempts that are kept of a webhook, page by page.
    private static func allAttempts(_ visit: ConsoleVisit) throws -> Response {
        let id = try visit.id(Webhook.self)
        let before = try visit.pageNumber()
        let found = try visit.read { reader in
            try reader.endpoint(id).map {
                (
                    $0,
                    try reader.attempts(at: id, before: before, limit: ConsoleVisit.rowsPerPage)
                )
            }
        }
        guard let (endpoint, page) = found else {
            throw ConsoleAbsence(sentence: "There is no webhook with this id.")
        }
        let next = page.hasMore ? page.attempts.last.map { "\($0.id)" } : nil
        let pager = ConsoleParts(visit).pager("/webhooks/\(id)/attempts", [], next: next)
        return visit.reply(
            "Attempts",
            """
            <h1>Attempts: \(ConsoleParts.link("/webhooks/\(id)", endpoint.url))</h1>
            \(table(page.attempts))\(pager)
            """, section: .webhooks)
    }

    private static func facts(_ endpoint: ConsoleEndpoint) -> HTML {
        ConsoleParts.facts([
            ("Id", ConsoleParts.code(endpoint.id.description)), ("State", state(endpoint)),
            ("For", HTML("\(endpoint.description)")),
            (
                "Events",
                HTML("\(endpoint.eventTypes.isEmpty ? "all types" : endpoint.eventTypes)")
            ),
            ("Pending", count(endpoint.pending)), ("Discarded", count(endpoint.failed)),
            ("Failing since", ConsoleParts.time(endpoint.failingSince)),
            ("Paused", ConsoleParts.time(endpoint.pausedAt)),
            ("Reason", HTML("\(endpoint.pauseReason ?? "")")),
            ("Previous secret until", ConsoleParts.time(endpoint.previousUntil)),
            ("Last delivered", ConsoleParts.time(endpoint.lastDeliveredAt)),
            ("Added", ConsoleParts.time(endpoint.createdAt)),
        ])
    }

    private static func table(_ attempts: [WebhookAttempt]) -> HTML {
        ConsoleParts.table(
            "Last attempts",
            ["Time (UTC)", "Event", "Outcome", "Status", "Took", "Content type", "Error"],
            attempts.map { attempt in
                let isGood = attempt.outcome == "delivered"
                return [
                    ConsoleParts.time(attempt.at),
                    ConsoleParts.code(attempt.eventType ?? "a deleted event"),
                    ConsoleParts.badge(attempt.outcome, isGood ? "good" : "bad"),
                    HTML("\(attempt.status.map { "\($0)" } ?? "")"),
                    HTML("\(attempt.milliseconds.map { "\($0) ms" } ?? "")"),
                    HTML("\(attempt.contentType ?? "")"), HTML("\(attempt.error ?? "")"),
                ]
            }, empty: "Nothing has been sent to this webhook lately.")
    }

    private static func events(
        _ events: [ConsoleDelivery], _ endpoint: ConsoleEndpoint, _ parts: ConsoleParts
    ) -> HTML {
        ConsoleParts.table(
            "Events",
            ["Event", "Occurred (UTC)", "Family", "State", "Attempts", "Status", "Error", ""],
            events.map { event in
                let style = ["delivered": "good", "failed": "bad"][event.state] ?? ""
                return [
                    ConsoleParts.code(event.eventType), ConsoleParts.time(event.occurredAt),
                    event.family.map { ConsoleParts.link("/families/\($0)", "the family") } ?? "",
                    ConsoleParts.badge(event.state == "failed" ? "discarded" : event.state, style),
                    HTML("\("\(event.attempts)")"),
                    HTML("\(event.lastStatus.map { "\($0)" } ?? "")"),
                    HTML("\(event.lastError ?? "")"),
                    parts.operations(.webhookEvent(endpoint, event)),
                ]
            }, empty: "There is no such event of the last seven days.")
    }
}
