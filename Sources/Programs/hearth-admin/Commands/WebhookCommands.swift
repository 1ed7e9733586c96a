import CommandLine
import Configuration
import Domain
import FamilySettings
import Fetching
import Repositories
import UseCases

/// `hearth-admin webhook`: the endpoints that receive events.
enum WebhookCommands {
    static let command = Command(
        "webhook", "Webhooks: services that are notified of events in families.",
        subcommands: [
            add, list, attempts, WebhookTest.command, rotate, pause, resume, WebhookReplay.command,
            remove,
        ])

    static let webhook = Parameter<WebhookID>.argument(
        "WEBHOOK", .webhook, "The webhook's id, as shown by 'hearth-admin webhook list'.")

    private static let url = Parameter<String>.argument(
        "URL", .webhookURL, "Where events are sent: an https address.")
    private static let types = Parameter<[WebhookEventType]>.repeatedOption(
        "event", "TYPE", .eventType, "Only events of this type. Default: all.")
    private static let description = Parameter<String>.option(
        "description", "TEXT", .shortText, default: "", "The purpose of the webhook.")

    private static let add = Command(
        "add", "Adds a webhook and prints the secret that signs its requests.",
        discussion: [
            "The worker sends events by https to public addresses only, and to this machine itself "
                + "only with HEARTH_WEBHOOK_LOOPBACK=on. This command checks an IP address in the "
                + "URL, according to its own HEARTH_WEBHOOK_LOOPBACK; the worker checks a host "
                + "name whenever it sends an event. Needs HEARTH_SECRET_KEY."
        ],
        parameters: [url, types, description]
    ) { values in
        try requireAllowed(values)
        let keys = try keys(values)
        let (id, secret) = try values.session().addWebhook(
            values[url], description: values[description], types: values[types], keys)
        printSecret(id, secret, values, note: "give it to the receiver; it is not shown again")
        return ExitCode.success
    }

    private static let list = Command(
        "list", "Lists webhooks with state, pending and failed events."
    ) { values in
        values.output.rows(
            "webhooks", try values.session().webhooks(),
            [
                .fixed("ID"), .text("URL"), .fixed("STATE"), .number("PENDING"),
                .number("DISCARDED"), .fixed("LAST DELIVERED"), .text("LAST ERROR"),
            ],
            row: {
                [
                    $0.id.description, $0.url, $0.state, "\($0.pending)", "\($0.failed)",
                    $0.lastDeliveredAt?.description ?? "", $0.lastError ?? "",
                ]
            },
            json: { webhook, json in
                json.member("id", webhook.id.description)
                json.member("url", webhook.url)
                json.member("description", webhook.description)
                json.array("eventTypes") {
                    for type in webhook.eventTypes.split(separator: " ") {
                        $0.element(String(type))
                    }
                }
                json.member("state", webhook.state)
                json.member("pauseReason", webhook.pauseReason)
                json.member("failingSince", webhook.failingSince?.description)
                json.member("pending", webhook.pending)
                json.member("givenUp", webhook.failed)
                json.member("lastDeliveredAt", webhook.lastDeliveredAt?.description)
                json.member("lastError", webhook.lastError)
                json.member("createdAt", webhook.createdAt.description)
                json.member("previousSecretUntil", webhook.previousUntil?.description)
            })
        return ExitCode.success
    }

    private static let before = Parameter<Int64?>.option(
        "cursor", "CURSOR", .attemptID,
        "Continue after the previous page: the cursor that it printed.")

    private static let attempts = Command(
        "attempts", "Lists the delivery attempts to a webhook, the newest first.",
        discussion: [
            "The newest thousand delivery attempts of each webhook are stored, for a week."
        ],
        parameters: [webhook, Options.limit, before]
    ) { values in
        let session = try values.session()
        let endpoint = try session.webhook(values[webhook])
        let page = try session.attempts(
            at: endpoint.id, before: values[before], limit: values[Options.limit])
        let cursor = page.hasMore ? page.attempts.last?.id.description : nil
        values.output.rows(
            "attempts", page.attempts,
            [
                .fixed("AT"), .fixed("OUTCOME"), .number("STATUS"), .number("MS"),
                .fixed("EVENT"), .text("CONTENT TYPE"), .text("ERROR"),
            ],
            row: {
                [
                    $0.at.description, $0.outcome, $0.status.map { "\($0)" } ?? "-",
                    $0.milliseconds.map { "\($0)" } ?? "", $0.eventType ?? "-",
                    $0.contentType ?? "", $0.error ?? "",
                ]
            },
            json: { attempt, json in
                json.member("at", attempt.at.description)
                json.member("outcome", attempt.outcome)
                json.member("status", attempt.status.map(Int.init))
                json.member("milliseconds", attempt.milliseconds.map(Int.init))
                json.member("eventId", attempt.event?.description)
                json.member("eventType", attempt.eventType)
                json.member("contentType", attempt.contentType)
                json.member("error", attempt.error)
            }
        ) { $0.member("nextCursor", cursor) }
        if let cursor, !values[Options.json] {
            Terminal.standardError.write("There are more: --cursor \(cursor)\n")
        }
        return ExitCode.success
    }

    private static let overlap = Parameter<Int>.option(
        "overlap-hours", "HOURS", .integer(0...168), default: 24,
        "Hours for which requests are also signed with the previous secret.")

    private static let rotate = Command(
        "rotate", "Gives a webhook a new secret and prints it.",
        discussion: [
            "Requests are signed with both secrets for a day, or as long as --overlap-hours says."
        ],
        parameters: [webhook, overlap, Options.yes]
    ) { values in
        let keys = try keys(values)
        let session = try values.session()
        let endpoint = try session.webhook(values[webhook])
        try values.confirm("Give the webhook to \(endpoint.url) a new secret?")
        let secret = try session.rotateWebhook(endpoint.id, overlapHours: values[overlap], keys)
        printSecret(
            endpoint.id, secret, values, note: "give it to the receiver; it is not shown again")
        return ExitCode.success
    }

    private static let pause = Command(
        "pause", "Stops sending events to a webhook. Its events are kept.", parameters: [webhook]
    ) { values in
        let isNew = try values.session().pauseWebhook(values[webhook])
        values.output.done(isNew ? "paused" : "already paused") {
            $0.member("id", values[webhook].description)
            $0.member("state", "paused")
        }
        return ExitCode.success
    }

    private static let resume = Command(
        "resume", "Resumes a paused webhook: the kept events are sent, in order.",
        parameters: [webhook]
    ) { values in
        _ = try values.session().resumeWebhook(values[webhook])
        values.output.done("resumed") {
            $0.member("id", values[webhook].description)
            $0.member("state", "working")
        }
        return ExitCode.success
    }

    private static let remove = Command(
        "remove", "Removes a webhook and its pending events.",
        parameters: [webhook, Options.yes]
    ) { values in
        let session = try values.session()
        let endpoint = try session.webhook(values[webhook])
        try values.confirm("Remove the webhook to \(endpoint.url)?")
        try session.removeWebhook(endpoint.id)
        values.output.done("removed") { $0.member("id", endpoint.id.description) }
        return ExitCode.success
    }

    /// Refuses an IP address or a name of this machine to which the worker would not send.
    private static func requireAllowed(_ values: Values) throws {
        guard let address = FetchAddress(values[url]), let scope = address.literalScope else {
            return
        }
        let setting = HearthSettings.webhookLoopback
        let isLoopbackAllowed = try values.settings([setting])[setting]
        let reach: OutboundClient.Reach = isLoopbackAllowed ? .internetAndLoopback : .internet
        if reach.allows(scope, isPlain: address.isPlain) { return }
        let name = setting.declaration.name
        throw UsageError(
            scope == .loopback
                ? "URL: \(address.host) is this machine itself, to which events are sent only with "
                    + "\(name)=on; here it is off. The worker needs this setting too"
                : "URL: events are sent to public addresses only, which \(address.host) is not")
    }

    private static func keys(_ values: Values) throws -> WebhookKeys {
        let settings = try values.settings([HearthSettings.secretKeys])
        let secrets = settings[HearthSettings.secretKeys].map { Array($0.reveal().utf8) }
        guard let keys = try WebhookKeys(secrets) else {
            throw SettingsError(["HEARTH_SECRET_KEY: expected keys of at least 32 bytes each"])
        }
        return keys
    }

    private static func printSecret(
        _ id: WebhookID, _ secret: WebhookSecret, _ values: Values, note: String
    ) {
        values.output.record([
            ("webhook", id.description), ("secret", secret.text), ("note", note),
        ]) {
            $0.member("id", id.description)
            $0.member("secret", secret.text)
        }
    }
}

extension Expectation where Value == Int64 {
    /// The cursor of a list of attempts.
    fileprivate static let attemptID = Expectation("a cursor that the previous page printed") {
        Int64($0).flatMap { $0 > 0 ? $0 : nil }
    }
}

extension Expectation where Value == WebhookID {
    /// The id of a webhook.
    fileprivate static let webhook = Expectation("the id of a webhook") { WebhookID($0) }
}

extension Expectation where Value == String {
    /// The URL of an endpoint that can receive events.
    fileprivate static let webhookURL = Expectation(
        "an https address without user, password and fragment, such as 'https://example.org/hook'"
    ) { word in
        guard word.utf8.count <= 2000, !word.contains("#"), let address = FetchAddress(word) else {
            return nil
        }
        return address.text
    }
    /// A text on one line.
    fileprivate static let shortText = Expectation("up to 200 characters on one line") { word in
        let isLine = word.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return isLine && word.unicodeScalars.count <= 200 ? word : nil
    }
}

extension Expectation where Value == WebhookEventType {
    /// A type of event.
    fileprivate static let eventType = Expectation(
        "one of " + WebhookEventType.allCases.map(\.rawValue).joined(separator: ", ")
    ) { WebhookEventType(rawValue: $0) }
}
