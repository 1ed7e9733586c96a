import Crypto
import Repositories
import UseCases

extension Finding {
    /// Returns the faults of a webhook.
    ///
    /// - Parameter keys: The keys of HEARTH_SECRET_KEY; nil if it is not set.
    static func all(of webhook: AdminWebhook, _ keys: WebhookKeys?) throws -> [Finding] {
        var findings: [Finding] = []
        if let reason = webhook.pauseReason {
            findings.append(
                Finding(
                    kind: "webhook_paused",
                    message: "webhook \(webhook.id) is paused and gets no events: \(reason)",
                    remedy: "hearth-admin webhook test \(webhook.id), then webhook resume or "
                        + "webhook remove"))
        } else if let since = webhook.failingSince {
            findings.append(
                Finding(
                    kind: "webhook_failing",
                    message: "webhook \(webhook.id) has failed since \(since): "
                        + (webhook.lastError ?? "?"),
                    remedy: "fix its receiver; after three days the webhook is paused"))
        }
        if webhook.failed > 0 {
            findings.append(
                Finding(
                    kind: "webhook_events_given_up",
                    message: "\(webhook.failed) events of webhook \(webhook.id) were discarded",
                    remedy: "hearth-admin webhook replay \(webhook.id) --failed"))
        }
        if let keys,
            try keys.secret(
                of: webhook.id, generation: webhook.generation,
                havingHash: webhook.secretHash.bytes) == nil
        {
            findings.append(
                Finding(
                    kind: "webhook_secret_unknown",
                    message: "no key of HEARTH_SECRET_KEY matches the secret of webhook "
                        + "\(webhook.id), so its events can't be signed",
                    remedy: "add the old key to HEARTH_SECRET_KEY, or hearth-admin webhook rotate "
                        + "\(webhook.id)"))
        }
        return findings
    }
}
