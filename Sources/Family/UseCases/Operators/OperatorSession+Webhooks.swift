package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns attempts at an endpoint, the newest first.
    ///
    /// - Parameter before: Id of the last attempt on the previous page.
    package func attempts(
        at webhook: WebhookID, before: Int64?, limit: Int
    ) throws -> (attempts: [WebhookAttempt], hasMore: Bool) {
        let rows = try rows(AdminWebhooks.attempts, webhook, before, Int32(limit + 1))
        return (Array(rows.prefix(limit)), rows.count > limit)
    }

    /// Returns all endpoints, the oldest first.
    package func webhooks() throws -> [AdminWebhook] { try rows(AdminWebhooks.list) }

    /// Returns an endpoint.
    package func webhook(_ id: WebhookID) throws -> AdminWebhook {
        guard let webhook = try rows(AdminWebhooks.one, id).first else {
            throw afterReplication(OperatorRefusal(.webhookNotFound, "There is no such webhook."))
        }
        return webhook
    }

    /// Adds an endpoint that gets events from now on, and returns its secret.
    ///
    /// - Parameter types: The types of events; empty means all.
    package func addWebhook(
        _ url: String, description: String, types: [WebhookEventType], _ keys: WebhookKeys
    ) throws -> (id: WebhookID, secret: WebhookSecret) {
        let id = WebhookID.random()
        let secret = try keys.secret(of: id, generation: 1)
        try change(
            AdminWebhooks.add, id, url, description, types.map(\.rawValue),
            PostgresBytes(secret.hash))
        return (id, secret)
    }

    /// Rotates an endpoint's secret, and returns the new one.
    ///
    /// - Parameter hours: Hours during which the previous secret signs as well.
    package func rotateWebhook(
        _ id: WebhookID, overlapHours hours: Int, _ keys: WebhookKeys
    ) throws -> WebhookSecret {
        let generation = try webhook(id).generation + 1
        let secret = try keys.secret(of: id, generation: generation)
        try change(
            AdminWebhooks.rotate, id, generation, PostgresBytes(secret.hash), "\(hours) hours")
        return secret
    }

    /// Removes an endpoint with its pending deliveries.
    package func removeWebhook(_ id: WebhookID) throws { try change(AdminWebhooks.remove, id) }

    /// Pauses an endpoint. Returns false if it was paused already.
    package func pauseWebhook(_ id: WebhookID) throws -> Bool {
        try change(AdminWebhooks.pause, id)
    }

    /// Resumes a paused endpoint. Returns the number of events that can be sent at once.
    package func resumeWebhook(_ id: WebhookID) throws -> Int {
        try notifyingWorkers { batch in batch.add(AdminWebhooks.resume, id) }
    }

    /// The events to send again.
    package enum Replay: Sendable {
        /// All events that are no longer retried.
        case failed
        case event(WebhookEventID)
        /// All events recorded since this time, delivered or not.
        case since(Timestamp)
    }

    /// Sends events to an endpoint again. Returns their number.
    package func replayWebhook(_ id: WebhookID, _ replay: Replay) throws -> Int {
        try notifyingWorkers { batch in
            switch replay {
            case .failed: batch.add(AdminWebhooks.replay, id, true, nil, nil)
            case .event(let event): batch.add(AdminWebhooks.replay, id, false, event, nil)
            case .since(let start): batch.add(AdminWebhooks.replay, id, false, nil, start)
            }
        }
    }

    /// Enqueues a test of an endpoint. Returns the number of its event.
    package func testWebhook(_ id: WebhookID) throws -> Int64 {
        try run(writes: true) { batch in
            let key = batch.add(AdminWebhooks.test, id)
            batch.notifyWorkers(WebhookJob.queue)
            return { try $0.row(key).value }
        }
    }

    /// Returns the state of a delivery; nil if its endpoint was removed.
    package func webhookDelivery(_ id: WebhookID, event: Int64) throws -> AdminDelivery? {
        try rows(AdminWebhooks.delivery, id, event).first
    }

    private func notifyingWorkers(
        _ add: (inout Batch) -> Batch.ResultKey<Scalar<Int32>>
    ) throws -> Int {
        try run(writes: true) { batch in
            let key = add(&batch)
            batch.notifyWorkers(WebhookJob.queue)
            return { Int(try $0.row(key).value) }
        }
    }
}
