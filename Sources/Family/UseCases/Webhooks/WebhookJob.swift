package import Domain
import JSON

/// The job of a delivery: one event for one endpoint.
package struct WebhookJob: Sendable, Equatable {
    /// The queue of webhooks.
    package static let queue = "webhooks"
    /// The kind of a delivery's job.
    package static let delivery = "webhook.deliver"
    /// The kind of the job that repairs lost deliveries and deletes old events.
    package static let upkeep = "webhook.keep"
    /// The kinds of all jobs of this queue.
    package static let kinds = [delivery, upkeep]

    package let endpoint: WebhookID
    /// Number of the event.
    package let event: Int64

    /// Reads a job's payload; nil if it does not describe a delivery.
    package init?(payload: [UInt8]) {
        guard let value = try? JSONValue(parsing: payload) else { return nil }
        do throws(JSONError) {
            let field = JSONField(value)
            guard let endpoint = WebhookID(try field["endpoint"].string()) else { return nil }
            self.endpoint = endpoint
            event = try field["event"].integer()
        } catch {
            return nil
        }
    }
}
