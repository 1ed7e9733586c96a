import CommandLine
import Configuration
import Basics
import UseCases

/// `hearth-admin webhook test`: sends a test event.
enum WebhookTest {
    /// Seconds that the command waits for a worker to make the attempt.
    private static let waitSeconds = 30.0
    private static let pauseSeconds = 0.25

    static let command = Command(
        "test", "Has the worker send an event 'webhook.test' to a webhook, and prints the outcome.",
        discussion: ["The worker tries once, even while the webhook is paused."],
        parameters: [WebhookCommands.webhook]
    ) { values in
        let session = try values.session()
        let id = values[WebhookCommands.webhook]
        let event = try session.testWebhook(id)
        let deadline = Deadline.after(seconds: waitSeconds)
        while !deadline.hasPassed {
            guard let delivery = try session.webhookDelivery(id, event: event) else {
                throw OperatorRefusal(.webhookNotFound, "The webhook was removed in the meantime.")
            }
            if delivery.state != "pending" {
                let isDelivered = delivery.state == "delivered"
                let what =
                    isDelivered
                    ? "delivered: status \(delivery.status ?? 0)"
                    : "failed: \(delivery.error ?? "?")"
                values.output.done(what) {
                    $0.member("id", id.description)
                    $0.member("delivered", isDelivered)
                    $0.member("status", delivery.status.map(Int.init))
                    $0.member("error", delivery.error)
                }
                return isDelivered ? ExitCode.success : ExitCode.failure
            }
            MonotonicClock.pause(seconds: pauseSeconds)
        }
        throw OperatorRefusal(
            .webhookNotTried, "No worker has sent the test within 30 seconds.",
            details: ["Check that hearth-worker runs."])
    }
}
