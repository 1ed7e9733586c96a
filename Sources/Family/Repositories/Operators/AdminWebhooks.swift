package import Domain
package import Postgres

/// An endpoint as operators see it.
package struct AdminWebhook: RowDecodable, Sendable {
    package let id: WebhookID
    package let url: String
    package let description: String
    /// Types of events, separated by spaces; empty for all.
    package let eventTypes: String
    /// Number of the signing secret, incremented by each rotation.
    package let generation: Int32
    /// Digest of that secret, which identifies the key from which it was derived.
    package let secretHash: PostgresBytes
    /// Time until which requests are also signed with the previous secret.
    package let previousUntil: Timestamp?
    package let createdAt: Timestamp
    /// Time at which the endpoint was paused; nil unless it is paused.
    package let pausedAt: Timestamp?
    /// Reason for the pause, in a sentence; nil unless it is paused.
    package let pauseReason: String?
    /// Time of the first of the latest failures; nil if the last attempt did not fail.
    package let failingSince: Timestamp?
    /// Number of pending deliveries.
    package let pending: Int
    /// Number of failed deliveries that are no longer retried.
    package let failed: Int
    /// Time at which the endpoint last accepted an event; nil if no stored event was delivered.
    package let lastDeliveredAt: Timestamp?
    /// Last error of a pending or failed delivery.
    package let lastError: String?

    package static let row = RowDecoder(Self.init)

    /// State of the endpoint: `paused`, `failing` or `working`.
    package var state: String {
        pausedAt != nil ? "paused" : failingSince != nil ? "failing" : "working"
    }
}

/// Status of one delivery.
package struct AdminDelivery: RowDecodable, Sendable {
    /// State of the delivery: `pending`, `delivered` or `failed`.
    package let state: String
    /// The HTTP status of the last attempt; nil without a response.
    package let status: Int16?
    /// Error of the last attempt; nil unless it failed.
    package let error: String?

    package static let row = RowDecoder(Self.init)
}

/// An attempt at an endpoint.
package struct WebhookAttempt: RowDecodable, Sendable {
    package let id: Int64
    package let at: Timestamp
    /// Type of the event; nil if the event is deleted.
    package let eventType: String?
    /// The event's id; nil if the event is deleted.
    package let event: WebhookEventID?
    /// `delivered`, `failed` or `gone`.
    package let outcome: String
    /// The status of the response; nil without a response.
    package let status: Int16?
    /// Duration of the request; nil if none was sent.
    package let milliseconds: Int32?
    /// Media type of the response.
    package let contentType: String?
    /// Reason why the attempt failed.
    package let error: String?

    package static let row = RowDecoder(Self.init)
}

/// Statements that read and change webhooks for operators. `OperatorSessions.begin` goes before
/// changes.
package enum AdminWebhooks {
    /// Returns the attempts at an endpoint, the newest first. Parameters: endpoint, id of the
    /// attempt before which to begin (null: from the newest), maximum number.
    package static let attempts = Statement<WebhookAttempt, WebhookID, Int64?, Int32>(
        """
        SELECT a.id, a.at, n.event_type, n.id, a.outcome, a.status, a.duration_ms,
            a.content_type, a.error
        FROM app.webhook_attempts AS a
        LEFT JOIN app.webhook_events AS n ON n.number = a.event_number
        WHERE a.endpoint_id = $1 AND ($2::bigint IS NULL OR a.id < $2)
        ORDER BY a.id DESC LIMIT $3
        """)

    private static let selectAll = """
        SELECT e.id, e.url, e.description, array_to_string(e.event_types, ' '),
            e.secret_generation, e.secret_hash,
            CASE WHEN e.previous_until > now() THEN e.previous_until END, e.created_at,
            e.paused_at, e.pause_reason, e.failing_since,
            (SELECT count(*) FROM app.webhook_deliveries AS d
             WHERE d.endpoint_id = e.id AND d.state = 'pending'),
            (SELECT count(*) FROM app.webhook_deliveries AS d
             JOIN app.webhook_events AS n ON n.number = d.event_number
             WHERE d.endpoint_id = e.id AND d.state = 'failed'
                AND n.event_type <> 'webhook.test'),
            (SELECT max(d.settled_at) FROM app.webhook_deliveries AS d
             WHERE d.endpoint_id = e.id AND d.state = 'delivered'),
            (SELECT d.last_error FROM app.webhook_deliveries AS d
             JOIN app.webhook_events AS n ON n.number = d.event_number
             WHERE d.endpoint_id = e.id AND d.state <> 'delivered' AND d.last_error IS NOT NULL
                AND n.event_type <> 'webhook.test'
             ORDER BY d.event_number DESC LIMIT 1)
        FROM app.webhook_endpoints AS e
        """

    /// Returns all endpoints, oldest first.
    package static let list = Statement<AdminWebhook>("\(selectAll) ORDER BY e.created_at, e.id")

    /// Returns an endpoint; no row if there is none.
    package static let one = Statement<AdminWebhook, WebhookID>("\(selectAll) WHERE e.id = $1")

    /// Adds an endpoint. Parameters: id, URL, description, types of events (none: all), SHA-256 of
    /// the secret.
    package static let add = Statement<
        NoRow, WebhookID, String, String, [String], PostgresBytes
    >("SELECT FROM app.operator_add_webhook($1, $2, $3, $4, $5)")

    /// Rotates the secret. Parameters: endpoint, the new number, SHA-256 of the new secret, period
    /// for which requests are also signed with the previous secret.
    package static let rotate = Statement<NoRow, WebhookID, Int32, PostgresBytes, String>(
        "SELECT FROM app.operator_rotate_webhook($1, $2, $3, $4::text::interval)")

    /// Removes an endpoint and its pending deliveries.
    package static let remove = Statement<NoRow, WebhookID>(
        "SELECT FROM app.operator_remove_webhook($1)")

    /// Pauses an endpoint; its events are stored. Returns false if it was paused already.
    package static let pause = Statement<Scalar<Bool>, WebhookID>(
        "SELECT app.operator_pause_webhook($1)")

    /// Ends a pause: the stored events are sent in order. Returns the number of families or events
    /// whose delivery starts at once.
    package static let resume = Statement<Scalar<Int32>, WebhookID>(
        "SELECT app.operator_resume_webhook($1)")

    /// Sends events again. Parameters: endpoint, whether to send all events that failed, number of
    /// a single event, time from which to begin.
    package static let replay = Statement<
        Scalar<Int32>, WebhookID, Bool, WebhookEventID?, Timestamp?
    >("SELECT app.operator_replay_webhook($1, $2, $3, $4)")

    /// Creates a test event and returns its number.
    package static let test = Statement<Scalar<Int64>, WebhookID>(
        "SELECT app.operator_test_webhook($1)")

    /// Returns the status of a delivery. Parameters: endpoint, number of the event.
    package static let delivery = Statement<AdminDelivery, WebhookID, Int64>(
        """
        SELECT state, last_status, last_error FROM app.webhook_deliveries
        WHERE endpoint_id = $1 AND event_number = $2
        """)
}
