package import Domain
package import Postgres

/// An endpoint as operators see it.
package struct OperatedWebhook: RowDecodable, Sendable {
    package let id: WebhookID
    package let url: String
    package let description: String
    /// Separated by spaces; empty: all.
    package let eventTypes: String
    /// Which secret signs: each rotation has the next number.
    package let generation: Int32
    /// The digest of that secret, by which the key that it was derived from is found.
    package let secretHash: PostgresBytes
    /// Until when the secret before signs as well.
    package let previousUntil: Timestamp?
    package let createdAt: Timestamp
    /// Nil unless it is paused.
    package let pausedAt: Timestamp?
    /// Why it is paused, in a sentence; nil unless it is.
    package let pauseReason: String?
    /// When the first of the latest failures was; nil if the last attempt did not fail.
    package let failingSince: Timestamp?
    /// Deliveries that are still to be made.
    package let pending: Int
    /// Deliveries that were given up.
    package let failed: Int
    /// When it last took an event; nil if none that is still kept was delivered.
    package let lastDeliveredAt: Timestamp?
    /// What the last attempt of a pending or given up delivery failed with.
    package let lastError: String?

    package static let row = RowDecoder(Self.init)

    /// `paused`, `failing` or `working`.
    package var state: String {
        pausedAt != nil ? "paused" : failingSince != nil ? "failing" : "working"
    }
}

/// What became of one delivery.
package struct OperatedDelivery: RowDecodable, Sendable {
    /// `pending`, `delivered` or `failed`.
    package let state: String
    /// The HTTP status of the last attempt; nil without an answer.
    package let status: Int16?
    /// What the last attempt failed with; nil unless it failed.
    package let error: String?

    package static let row = RowDecoder(Self.init)
}

/// Webhooks, as operators read and change them. `OperatorSessions.begin` goes before changes.
package enum OperatedWebhooks {
    private static let all = """
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

    /// All endpoints, the oldest first.
    package static let list = Statement<OperatedWebhook>("\(all) ORDER BY e.created_at, e.id")

    /// The endpoint of an id; no row for none.
    package static let one = Statement<OperatedWebhook, WebhookID>("\(all) WHERE e.id = $1")

    /// Endpoint, address, description, types of events (none: all), SHA-256 of the secret.
    package static let add = Statement<
        NoRow, WebhookID, String, String, [String], PostgresBytes
    >("SELECT FROM app.operator_add_webhook($1, $2, $3, $4, $5)")

    /// Endpoint, the new generation, SHA-256 of its secret, how long the one before signs as well.
    package static let rotate = Statement<NoRow, WebhookID, Int32, PostgresBytes, String>(
        "SELECT FROM app.operator_rotate_webhook($1, $2, $3, $4::text::interval)")

    /// Removes an endpoint, and what it was still to be told.
    package static let remove = Statement<NoRow, WebhookID>(
        "SELECT FROM app.operator_remove_webhook($1)")

    /// Sends an endpoint nothing for now; its events are kept. False if it was paused already.
    package static let pause = Statement<Scalar<Bool>, WebhookID>(
        "SELECT app.operator_pause_webhook($1)")

    /// Ends a pause: what was kept is sent, in order. How many families or events begin at once.
    package static let resume = Statement<Scalar<Int32>, WebhookID>(
        "SELECT app.operator_resume_webhook($1)")

    /// Endpoint, whether those given up, one event, since when.
    package static let replay = Statement<
        Scalar<Int32>, WebhookID, Bool, WebhookEventID?, Timestamp?
    >("SELECT app.operator_replay_webhook($1, $2, $3, $4)")

    /// Answers the number of the test's event.
    package static let test = Statement<Scalar<Int64>, WebhookID>(
        "SELECT app.operator_test_webhook($1)")

    /// Endpoint, number of the event.
    package static let delivery = Statement<OperatedDelivery, WebhookID, Int64>(
        """
        SELECT state, last_status, last_error FROM app.webhook_deliveries
        WHERE endpoint_id = $1 AND event_number = $2
        """)
}
