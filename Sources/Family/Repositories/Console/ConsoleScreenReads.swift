package import Domain
package import Postgres

/// A webhook endpoint as the console shows it.
package struct ConsoleEndpoint: RowDecodable, Sendable {
    package let id: WebhookID
    /// The address; for a viewer, only its origin.
    package let url: String
    package let description: String
    /// Types of events, separated by spaces; empty for all.
    package let eventTypes: String
    package let createdAt: Timestamp
    /// Time until which requests are also signed with the previous secret.
    package let previousUntil: Timestamp?
    package let pausedAt: Timestamp?
    package let pauseReason: String?
    package let failingSince: Timestamp?
    /// Numbers of pending and failed deliveries, counted up to a limit.
    package let pending, failed: Int
    package let lastDeliveredAt: Timestamp?

    package static let row = RowDecoder(Self.init)

    /// State of the endpoint: `paused`, `failing` or `working`.
    package var state: String {
        pausedAt != nil ? "paused" : failingSince != nil ? "failing" : "working"
    }
}

/// An event of an endpoint as the console shows it.
package struct ConsoleDelivery: RowDecodable, Sendable {
    package let endpoint: WebhookID
    /// Number of the event, in the order of all events.
    package let number: Int64
    package let event: WebhookEventID
    package let eventType: String
    package let family: FamilyID?
    package let occurredAt: Timestamp
    /// `pending`, `delivered` or `failed`.
    package let state: String
    package let attempts: Int32
    package let lastStatus: Int16?
    package let lastError: String?

    package static let row = RowDecoder(Self.init)

    /// Whether the event can be sent again: it is not pending, is no test, and the endpoint still
    /// wants events of its type.
    package func isRepeatable(to endpoint: ConsoleEndpoint) -> Bool {
        state != "pending" && eventType != "webhook.test"
            && (endpoint.eventTypes.isEmpty
                || endpoint.eventTypes.split(separator: " ").contains { $0 == eventType })
    }
}

/// Number of e-mails of a kind with an outcome.
package struct MailOutcome: RowDecodable, Sendable {
    /// Kind of the job, such as `mail.invitation`.
    package let kind: String
    /// `done`, `expired`, `cancelled` or `dead`.
    package let outcome: String
    package let count: Int
    package let lastAt: Timestamp

    package static let row = RowDecoder(Self.init)
}

/// An address that gets no e-mail, or only some, with its position in the list.
package struct ConsoleHeldOff: RowDecodable, Sendable {
    package let address: HeldOffAddress
    /// Number of the row among those of the same time, from 1.
    package let number: Int64

    package static let row = RowDecoder(Self.init)
}

extension ConsoleReads {
    private static let endpoint = """
        w.id, w.url, w.description, w.event_types, w.created_at, w.previous_until, w.paused_at,
        w.pause_reason, w.failing_since, w.pending, w.failed, w.last_delivered_at
        """
    private static let delivery = """
        d.endpoint_id, d.event_number, d.event_id, d.event_type, d.family_unit_id, d.occurred_at,
        d.state, d.attempts, d.last_status, d.last_error
        """

    /// Returns the webhook endpoints, the oldest first. Parameter: maximum number.
    package static let endpoints = Statement<ConsoleEndpoint, Int32>(
        "SELECT \(endpoint) FROM app.console_endpoints AS w ORDER BY w.created_at, w.id LIMIT $1")
    /// Returns one endpoint.
    package static let oneEndpoint = Statement<ConsoleEndpoint, WebhookID>(
        "SELECT \(endpoint) FROM app.console_endpoints AS w WHERE w.id = $1")
    /// Returns the events of an endpoint, the newest first. Parameters: endpoint, number of the
    /// event before which to begin (null: from the newest), maximum number.
    package static let deliveries = deliveries(in: nil)
    /// Returns the failed events of an endpoint, like ``deliveries``.
    package static let failedDeliveries = deliveries(in: "failed")
    /// Returns the pending events of an endpoint, like ``deliveries``.
    package static let pendingDeliveries = deliveries(in: "pending")

    /// Returns one event of an endpoint.
    package static let oneDelivery = Statement<ConsoleDelivery, WebhookID, WebhookEventID>(
        """
        SELECT \(delivery) FROM app.console_deliveries AS d
        WHERE d.endpoint_id = $1 AND d.event_id = $2
        """)

    /// Returns a separate statement for each state, whose plan uses the index of the state.
    private static func deliveries(
        in state: String?
    ) -> Statement<ConsoleDelivery, WebhookID, Int64?, Int32> {
        let condition = state.map { " AND d.state = '\($0)'" } ?? ""
        return Statement(
            """
            SELECT \(delivery) FROM app.console_deliveries AS d
            WHERE d.endpoint_id = $1\(condition)
                AND d.event_number < coalesce($2::bigint, 9223372036854775807)
            ORDER BY d.event_number DESC LIMIT $3
            """)
    }

    /// Returns the last attempts at an endpoint, the newest first. Parameters: endpoint, id of the
    /// attempt before which to begin (null: from the newest), maximum number.
    package static let webhookAttempts = Statement<WebhookAttempt, WebhookID, Int64?, Int32>(
        """
        SELECT a.id, a.at, a.event_type, a.event_id, a.outcome, a.status, a.duration_ms,
            a.content_type, a.error
        FROM app.console_webhook_attempts AS a
        WHERE a.endpoint_id = $1 AND a.id < coalesce($2::bigint, 9223372036854775807)
        ORDER BY a.id DESC LIMIT $3
        """)

    /// Returns the id of the last attempt at any endpoint; 0 if there is none.
    package static let lastWebhookAttempt = Statement<Scalar<Int64>>(
        "SELECT coalesce(max(a.id), 0) FROM app.console_webhook_attempts AS a")

    /// Returns the numbers of e-mails by kind and outcome since a time.
    package static let mailOutcomes = Statement<MailOutcome, Timestamp>(
        """
        SELECT h.kind, h.outcome, count(*), max(h.finished_at)
            FROM jobs.history AS h WHERE h.finished_at >= $1 AND h.queue = 'mail' GROUP BY 1, 2
        UNION ALL
        SELECT j.kind, 'dead', count(*), max(j.died_at) FROM app.console_jobs AS j
            WHERE j.queue = 'mail' AND j.state = 'dead' GROUP BY 1
        ORDER BY 1, 2
        """)
    /// Returns addresses that get no e-mail, or only some, the newest first. Parameters: time and
    /// number of the row after which to begin (null: from the newest), maximum number.
    package static let heldOff = Statement<ConsoleHeldOff, Timestamp?, Int64?, Int32>(
        """
        SELECT h.email, h.state, h.since, h.until, h.reason, h.family_unit_id, h.number
        FROM app.console_held_off_page($1, $2, $3) AS h
        """)

    /// Returns the issuers that the database trusts, by name. Parameter: maximum number.
    package static let issuers = Statement<FoundIssuer, Int32>(
        """
        SELECT i.issuer, i.kind, i.is_primary, i.emails_confirmed, i.audiences, i.token_use,
            i.links_verified_addresses
        FROM app.console_issuers AS i ORDER BY i.issuer LIMIT $1
        """)
}
