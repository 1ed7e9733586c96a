package import Domain
package import Postgres

/// The worker's next step for a delivery.
package enum WebhookState: String, Sendable, CaseIterable {
    /// Send the event now.
    case send
    /// The delivery is finished, or its endpoint is removed.
    case finished = "gone"
    /// The endpoint is paused; the event is stored.
    case paused
    /// An earlier event of the family is pending, or the endpoint fails and is not due for a retry.
    case wait
}

/// Outcome of an attempt.
package enum WebhookOutcome: String, Sendable, CaseIterable {
    /// The endpoint has responded with 2xx.
    case delivered
    /// Any other response, or none.
    case failed
    /// The endpoint wants no more events.
    case endpointGone = "gone"
}

/// Outcome for the job of an attempt.
package enum WebhookVerdict: String, Sendable, CaseIterable {
    /// The event is delivered, or there is nothing to send.
    case done
    /// The event is delivered, and others have become due.
    case next
    /// The first attempt has failed and is retried.
    case failed
    /// Another attempt has failed and is retried.
    case retry
    /// A test has failed, which is not retried.
    case testFailed = "test_failed"
    /// The event is no longer retried; the next event of the family follows.
    case discarded = "given_up"
    /// The attempt has paused the endpoint; the event is stored.
    case paused
}

extension WebhookState: PostgresWord {}
extension WebhookOutcome: PostgresWord {}
extension WebhookVerdict: PostgresWord {}

/// An event to send to an endpoint. All other fields are meaningful only if the state is `send`.
package struct WebhookDelivery: RowDecodable, Sendable {
    package let state: WebhookState
    package let url: String
    package let event: WebhookEventID
    /// Type of the event, such as `member.joined`.
    package let eventType: String
    package let occurredAt: Timestamp
    /// Data of the event, as a JSON object.
    package let data: PostgresJSON
    /// Number of the signing secret, incremented by each rotation.
    package let generation: Int32
    /// The expected digest of that secret.
    package let secretHash: PostgresBytes
    /// Digest of the previous secret; empty unless requests are also signed with it.
    package let previousSecretHash: PostgresBytes

    package static let row = RowDecoder(Self.init)
}

/// Result of the upkeep of webhooks.
package struct WebhookUpkeep: RowDecodable, Sendable {
    /// Deliveries that had lost their job and got a new one.
    package let enqueued: Int32
    /// Number of deleted events.
    package let purged: Int32

    package static let row = RowDecoder(Self.init)
}

/// Statistics of webhooks for monitoring.
package struct WebhookStatistics: RowDecodable, Sendable {
    /// Endpoints that are not paused and whose last attempt did not fail.
    package let working: Int
    /// Endpoints that are not paused and whose last attempt failed.
    package let failing: Int
    /// Paused endpoints, whatever the outcome of their last attempt.
    package let paused: Int
    /// Pending deliveries.
    package let pending: Int

    package static let row = RowDecoder(Self.init)
}

/// Statements of the worker for webhooks.
package enum Webhooks {
    /// Begins a delivery. Parameters: endpoint, number of the event.
    package static let beginDelivery = Statement<WebhookDelivery, WebhookID, Int64>(
        """
        SELECT state, url, event_id, event_type, occurred_at, data, secret_generation,
            secret_hash, previous_secret_hash
        FROM app.begin_webhook_delivery($1, $2)
        """)

    /// Records the outcome of an attempt. Parameters: endpoint, number of the event, outcome,
    /// status of the response, error, milliseconds, media type of the response.
    package static let finishDelivery = Statement<
        Scalar<WebhookVerdict>, WebhookID, Int64, WebhookOutcome, Int16?, String?, Int32?, String?
    >("SELECT app.finish_webhook_delivery($1, $2, $3, $4, $5, $6, $7)")

    /// Repairs lost deliveries and deletes old events. Parameters: maximum age of events, maximum
    /// number to delete.
    package static let maintain = Statement<WebhookUpkeep, String, Int32>(
        "SELECT enqueued, purged FROM app.maintain_webhooks($1::text::interval, $2)")

    /// Returns the statistics of endpoints and deliveries, in one row.
    package static let statistics = Statement<WebhookStatistics>(
        "SELECT working, failing, paused, pending FROM app.webhook_stats()")
}
