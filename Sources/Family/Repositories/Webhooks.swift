package import Domain
package import Postgres

/// What the worker does about a delivery.
package enum WebhookState: String, Sendable, CaseIterable {
    /// It is to be sent now.
    case send
    /// It is settled, or its endpoint is removed.
    case gone
    /// The endpoint is paused; the event is kept.
    case paused
    /// An earlier event of the family is pending, or the endpoint fails and is not due to be tried.
    case wait
}

/// How an attempt ended.
package enum WebhookOutcome: String, Sendable, CaseIterable {
    /// The endpoint has answered 2xx.
    case delivered
    /// Any other answer, or none.
    case failed
    /// The endpoint wants nothing more.
    case gone
}

/// What becomes of the job of an attempt.
package enum WebhookVerdict: String, Sendable, CaseIterable {
    /// The event is delivered, or there is nothing to send.
    case done
    /// The event is delivered, and others have become due by it.
    case next
    /// The first attempt has failed; it is tried again.
    case failed
    /// Another attempt has failed; it is tried again.
    case retry
    /// A test has failed, which is made only once.
    case testFailed = "test_failed"
    /// It was tried for too long; the next event of the family follows.
    case givenUp = "given_up"
    /// The endpoint is paused by this; the event is kept.
    case paused
}

extension WebhookState: PostgresWord {}
extension WebhookOutcome: PostgresWord {}
extension WebhookVerdict: PostgresWord {}

/// An event that is to be sent to an endpoint. Everything but the state has a meaning only where
/// that is `send`.
package struct WebhookDelivery: RowDecodable, Sendable {
    package let state: WebhookState
    package let url: String
    package let event: WebhookEventID
    /// Such as `member.joined`.
    package let eventType: String
    package let occurredAt: Timestamp
    /// A JSON object.
    package let data: PostgresJSON
    /// Which secret signs: each rotation has the next number.
    package let generation: Int32
    /// The expected digest of that secret.
    package let secretHash: PostgresBytes
    /// Empty unless the secret before still signs.
    package let previousSecretHash: PostgresBytes

    package static let row = RowDecoder(Self.init)
}

/// What the upkeep of webhooks did.
package struct WebhookUpkeep: RowDecodable, Sendable {
    /// Deliveries that had lost their job.
    package let enqueued: Int32
    /// Events that were deleted.
    package let purged: Int32

    package static let row = RowDecoder(Self.init)
}

/// Figures of webhooks for monitoring.
package struct WebhookStatistics: RowDecodable, Sendable {
    /// Endpoints that are not paused and whose last attempt did not fail.
    package let working: Int
    /// Endpoints that are not paused and whose last attempt failed.
    package let failing: Int
    /// Endpoints that get nothing for now, whatever their last attempt did.
    package let paused: Int
    /// Deliveries that are still to be made.
    package let pending: Int

    package static let row = RowDecoder(Self.init)
}

/// The worker's statements for webhooks.
package enum Webhooks {
    /// Endpoint, number of the event.
    package static let begin = Statement<WebhookDelivery, WebhookID, Int64>(
        """
        SELECT state, url, event_id, event_type, occurred_at, data, secret_generation,
            secret_hash, previous_secret_hash
        FROM app.begin_webhook_delivery($1, $2)
        """)

    /// Endpoint, number of the event, outcome, status of the answer, what went wrong.
    package static let settle = Statement<
        Scalar<WebhookVerdict>, WebhookID, Int64, WebhookOutcome, Int16?, String?
    >("SELECT app.settle_webhook_delivery($1, $2, $3, $4, $5)")

    /// How old events get, how many are deleted at most.
    package static let keep = Statement<WebhookUpkeep, String, Int32>(
        "SELECT enqueued, purged FROM app.maintain_webhooks($1::text::interval, $2)")

    /// How endpoints and deliveries stand, in one row.
    package static let statistics = Statement<WebhookStatistics>(
        "SELECT working, failing, paused, pending FROM app.webhook_stats()")
}
