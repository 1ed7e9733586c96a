import CommandLine
import Configuration
import Domain
import Telemetry
import UseCases

/// `hearth-admin webhook replay`: sends events again.
enum WebhookReplay {
    private static let failed = Parameter<Bool>.flag(
        "failed", "The events that were discarded.")
    private static let event = Parameter<WebhookEventID?>.option(
        "event", "EVENT", .webhookEvent, "One event, by its 'webhook-id'.")
    private static let hours = Parameter<Int?>.option(
        "last-hours", "HOURS", .optionalHours, "All events of the last HOURS hours.")

    static let command = Command(
        "replay", "Sends events to a webhook again, in order.",
        discussion: [
            "An event keeps its 'webhook-id'. Events from before the webhook was added can also be "
                + "sent, if they were recorded for another webhook."
        ],
        parameters: [WebhookCommands.webhook, failed, event, hours]
    ) { values in
        let replays: [OperatorSession.Replay] = [
            values[failed] ? .failed : nil, values[event].map { .event($0) },
            values[hours].map { .since(Timestamp.now(minusHours: $0)) },
        ].compactMap { $0 }
        guard replays.count == 1, let replay = replays.first else {
            throw UsageError("pass one of --failed, --event EVENT and --last-hours HOURS")
        }
        let count = try values.session().replayWebhook(values[WebhookCommands.webhook], replay)
        values.output.done(count == 1 ? "1 event is due again" : "\(count) events are due again") {
            $0.member("id", values[WebhookCommands.webhook].description)
            $0.member("events", count)
        }
        return ExitCode.success
    }
}

extension Expectation where Value == WebhookEventID {
    /// The id of an event, as receivers see it.
    fileprivate static let webhookEvent = Expectation("the id of an event, 'evt_...'") { word in
        WebhookEventID(word.hasPrefix("evt_") ? String(word.dropFirst(4)) : word)
    }
}

extension Expectation where Value == Int {
    /// Number of hours before now.
    fileprivate static let optionalHours = Expectation.integer(1...8760)
}

extension Timestamp {
    /// Returns the time `hours` before now.
    fileprivate static func now(minusHours hours: Int) -> Timestamp {
        Timestamp(microseconds: Int64(WallClock.system.now() - hours * 3_600_000) * 1000)
    }
}
