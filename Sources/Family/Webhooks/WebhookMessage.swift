import Domain
import JSON
import Repositories
import UseCases

/// An event as it is sent: the same bytes with each attempt, except for the signature's time.
struct WebhookMessage {
    /// The event's id. It is the same for every attempt and endpoint, so that receivers recognise
    /// repetitions.
    let id: String
    let body: [UInt8]

    /// - Parameter number: The event's sequence number, which grows within a family.
    init(_ delivery: WebhookDelivery, number: Int64) {
        id = "evt_\(delivery.event)"
        var json = JSONWriter()
        json.object {
            $0.member("type", delivery.eventType)
            $0.member("timestamp", delivery.occurredAt.description)
            $0.member("sequence", Int(number))
            $0.member("data", raw: delivery.data.utf8)
        }
        body = json.bytes
    }

    /// Returns the headers of an attempt, as Standard Webhooks defines them.
    func headers(
        signedBy secrets: [WebhookSecret], at seconds: Int64
    ) throws -> [(name: String, value: String)] {
        let signatures = try secrets.map {
            try $0.signature(id: id, timestamp: seconds, body: body)
        }
        return [
            ("Content-Type", "application/json"), ("webhook-id", id),
            ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}
