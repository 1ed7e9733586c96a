package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// All endpoints, the oldest first.
    package func webhooks() throws -> [OperatedWebhook] { try rows(OperatedWebhooks.list) }

    /// One endpoint.
    package func webhook(_ id: WebhookID) throws -> OperatedWebhook {
        guard let webhook = try rows(OperatedWebhooks.one, id).first else {
            throw held(OperatorRefusal(.webhookNotFound, "There is no such webhook."))
        }
        return webhook
    }

    /// Adds an endpoint that is told of events from now on, and answers its secret.
    ///
    /// - Parameter types: The types of events; none: all.
    package func addWebhook(
        _ url: String, description: String, types: [WebhookEventType], _ keys: WebhookKeys
    ) throws -> (id: WebhookID, secret: WebhookSecret) {
        let id = WebhookID.random()
        let secret = try keys.secret(of: id, generation: 1)
        try change(
            OperatedWebhooks.add, id, url, description, types.map(\.rawValue),
            PostgresBytes(secret.hash))
        return (id, secret)
    }

    /// Gives an endpoint its next secret.
    ///
    /// - Parameter hours: For how long the secret before signs as well.
    package func rotateWebhook(
        _ id: WebhookID, overlapHours hours: Int, _ keys: WebhookKeys
    ) throws -> WebhookSecret {
        let generation = try webhook(id).generation + 1
        let secret = try keys.secret(of: id, generation: generation)
        try change(
            OperatedWebhooks.rotate, id, generation, PostgresBytes(secret.hash), "\(hours) hours")
        return secret
    }

    /// Removes an endpoint, and what it was still to be told.
    package func removeWebhook(_ id: WebhookID) throws { try change(OperatedWebhooks.remove, id) }

    /// Sends an endpoint nothing for now. Answers whether that is new.
    package func pauseWebhook(_ id: WebhookID) throws -> Bool {
        try change(OperatedWebhooks.pause, id)
    }

    /// Ends a pause. Answers how many events can be sent at once.
    package func resumeWebhook(_ id: WebhookID) throws -> Int {
        try waking { batch in batch.add(OperatedWebhooks.resume, id) }
    }

    /// Which events are sent again.
    package enum Replay: Sendable {
        /// All that were given up.
        case givenUp
        case event(WebhookEventID)
        /// All that were recorded since, delivered or not.
        case since(Timestamp)
    }

    /// Sends an endpoint events again. Answers how many.
    package func replayWebhook(_ id: WebhookID, _ replay: Replay) throws -> Int {
        try waking { batch in
            switch replay {
            case .givenUp: batch.add(OperatedWebhooks.replay, id, true, nil, nil)
            case .event(let event): batch.add(OperatedWebhooks.replay, id, false, event, nil)
            case .since(let start): batch.add(OperatedWebhooks.replay, id, false, nil, start)
            }
        }
    }

    /// Has the worker send an endpoint a test. Answers the number of its event.
    package func testWebhook(_ id: WebhookID) throws -> Int64 {
        try run(writes: true) { batch in
            let place = batch.add(OperatedWebhooks.test, id)
            batch.wake(WebhookJob.queue)
            return { try $0.row(place).value }
        }
    }

    /// What became of a delivery; nil if its endpoint was removed.
    package func webhookDelivery(_ id: WebhookID, event: Int64) throws -> OperatedDelivery? {
        try rows(OperatedWebhooks.delivery, id, event).first
    }

    private func waking(
        _ add: (inout Batch) -> Batch.Place<Scalar<Int32>>
    ) throws -> Int {
        try run(writes: true) { batch in
            let place = add(&batch)
            batch.wake(WebhookJob.queue)
            return { Int(try $0.row(place).value) }
        }
    }
}
