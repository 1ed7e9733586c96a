import Basics
import Domain
import Policy
import Repositories
import UseCases

extension ConsoleOperation {
    /// Operations on a webhook.
    static let ofWebhooks: [ConsoleOperation] = [
        ConsoleOperation(
            name: "test", label: "Send a test", action: .testWebhook,
            explanation: "Sends an event webhook.test, once, even while the webhook is paused.",
            done: "The test is on its way; the attempts show its outcome.", isDirect: true,
            run: { work in
                _ = try work.session.testWebhook(try work.endpoint().id)
                return nil
            }),
        ConsoleOperation(
            name: "replay-failed", label: "Send discarded events again", action: .replayWebhook,
            explanation: "Sends all discarded events again, in order. Each keeps its webhook-id.",
            done: "The events are due again.",
            counted: { "Due again: \(ConsoleParts.count($0, "event"))." },
            isOffered: { $0.endpoint.map { $0.failed > 0 } ?? false },
            run: { work in
                try work.replay(.failed, to: try work.endpoint().id)
            }),
        ConsoleOperation(
            name: "replay", label: "Send events again", action: .replayWebhook,
            explanation: "Sends all events of the last hours again, delivered or not, in order. "
                + "Each keeps its webhook-id, by which the receiver knows repeated ones.",
            done: "The events are due again.",
            counted: { "Due again: \(ConsoleParts.count($0, "event"))." },
            fields: { _ in
                [Field(name: "hours", label: "Of the last hours", kind: .number(1...168))]
            },
            run: { work in
                let hours = try work.required("hours", "Hours", "a whole number from 1 to 168") {
                    Int64($0).flatMap { (1...168).contains($0) ? $0 : nil }
                }
                let since = (work.visit.services.now() - hours * 3_600) * 1_000_000
                return try work.replay(
                    .since(Timestamp(microseconds: since)), to: try work.endpoint().id)
            }),
        ConsoleOperation(
            name: "pause-webhook", label: "Pause", action: .pauseWebhook,
            explanation: "Nothing is sent to this webhook. Its events are kept for seven days.",
            done: "The webhook is paused.", isDangerous: true,
            isOffered: { $0.endpoint.map { $0.pausedAt == nil } ?? false },
            run: { work in
                _ = try work.session.pauseWebhook(try work.endpoint().id)
                return nil
            }),
        ConsoleOperation(
            name: "resume-webhook", label: "Resume", action: .resumeWebhook,
            explanation: "The kept events are sent, in order.", done: "The webhook is resumed.",
            isDirect: true, isOffered: { $0.endpoint.map { $0.pausedAt != nil } ?? false },
            run: { work in
                _ = try work.session.resumeWebhook(try work.endpoint().id)
                return nil
            }),
        ConsoleOperation(
            name: "rotate", label: "New secret", action: .rotateWebhook,
            explanation: "Shows the new secret once. Requests are also signed with the present one "
                + "for as long as you say.",
            done: "The webhook has a new secret.",
            fields: { _ in
                [
                    Field(
                        name: "hours", label: "Hours with both secrets", kind: .number(0...168),
                        value: "24")
                ]
            },
            run: { _ in nil },
            reveal: { work in
                let hours = try work.required("hours", "Hours", "a whole number from 0 to 168") {
                    Int($0).flatMap { (0...168).contains($0) ? $0 : nil }
                }
                guard let keys = work.visit.services.webhookKeys else {
                    throw ConsoleMistake(sentence: "This console lacks HEARTH_SECRET_KEY.")
                }
                let secret = try work.session.rotateWebhook(
                    try work.endpoint().id, overlapHours: hours, keys)
                return """
                    <p class="done" role="status">The webhook has a new secret. Give it to the \
                    receiver; it is not shown again.</p>
                    <pre tabindex="0">\(secret.text)</pre>
                    """
            }),
        ConsoleOperation(
            name: "remove-webhook", label: "Remove", action: .removeWebhook,
            explanation: "Removes the webhook with its pending events. This can't be undone.",
            done: "The webhook is removed.", isDangerous: true, next: "/webhooks",
            run: { work in
                try work.session.removeWebhook(try work.endpoint().id)
                return nil
            }),
    ]

    /// Operations on one event of a webhook.
    static let ofWebhookEvents: [ConsoleOperation] = [
        ConsoleOperation(
            name: "replay-event", label: "Send again", action: .replayWebhook,
            explanation: "Sends this event again, with the same webhook-id.",
            done: "The event is due again.", isDirect: true,
            isOffered: {
                guard case .webhookEvent(let endpoint, let delivery) = $0 else { return false }
                return delivery.isRepeatable(to: endpoint)
            },
            run: { work in
                guard case .webhookEvent(let endpoint, let delivery) = work.subject else {
                    return nil
                }
                return try work.replay(.event(delivery.event), to: endpoint.id)
            })
    ]

    /// Operations on e-mail.
    static let ofMail: [ConsoleOperation] = [
        ConsoleOperation(
            name: "suppress", label: "Stop e-mail to an address", action: .suppressAddress,
            explanation: "Nothing is sent to this address until an admin allows it again.",
            done: "No e-mail goes to this address.", doneNamed: { "No e-mail goes to \($0)." },
            fields: { _ in [Field(name: "email", label: "Address", kind: .email)] },
            run: { work in
                try work.session.suppress(try work.requiredAddress("email", "Address"))
                return nil
            }),
        ConsoleOperation(
            name: "unsuppress", label: "Allow e-mail to an address", action: .unsuppressAddress,
            explanation: "Also allows invitations again if the owner has refused them. Ask the "
                + "owner first.",
            done: "E-mail goes to this address again.",
            doneNamed: { "E-mail goes to \($0) again." },
            fields: { _ in [Field(name: "email", label: "Address", kind: .email)] },
            run: { work in
                try work.session.unsuppress(try work.requiredAddress("email", "Address"))
                return nil
            }),
    ]

    /// Operations on an address of the list.
    static let ofAddresses: [ConsoleOperation] = [
        ConsoleOperation(
            name: "allow", label: "Allow again", action: .unsuppressAddress,
            explanation: "E-mail goes to this address again.",
            done: "E-mail goes to this address again.",
            doneNamed: { "E-mail goes to \($0) again." }, isDirect: true,
            run: { work in
                try work.session.unsuppress(try work.requiredAddress("email", "Address"))
                return nil
            })
    ]

    /// Examinations of the database.
    static let ofDoctor: [ConsoleOperation] = [
        ConsoleOperation(
            name: "examine", label: "Examine now", action: .runDoctor,
            explanation: "Examines everything; nothing is changed.",
            done: "The examination has begun.", isDirect: true,
            isOffered: { $0.isDoctorIdle },
            run: { work in
                try work.startDoctor(repairs: false)
                return nil
            }),
        ConsoleOperation(
            name: "fix", label: "Examine and repair", action: .repairByDoctor,
            explanation: "Repairs guardians, slots, codes, overdue invitations and codes, "
                + "timestamps in the future, missing monthly partitions of the audit log, missing "
                + "A-labels of e-mail domains, and issuers. The audit log records each repair. "
                + "What it can't repair stays, with its remedy.",
            done: "The examination has begun.", isDangerous: true,
            isOffered: { $0.isDoctorIdle },
            run: { work in
                try work.startDoctor(repairs: true)
                return nil
            }),
    ]

    /// Operations on the issuers that the database trusts.
    static let ofIssuers: [ConsoleOperation] = [
        ConsoleOperation(
            name: "apply", label: "Apply the settings", action: .applyIssuers,
            explanation: "Makes the database trust the issuers of this console's settings, in "
                + "place of those that it trusts now. Direct clients of others are refused.",
            done: "The issuers are applied.", isDangerous: true,
            run: { work in
                let keys = try ConsoleReader(on: work.session.connection).signingKeys()
                let system = work.visit.services.system
                guard let wanted = try system.configuredIssuers(!keys.isEmpty) else {
                    throw ConsoleMistake(sentence: "This console's settings name no issuers.")
                }
                let apply = ApplyIssuers(work.session.connection, as: work.session.identity)
                _ = try OperatorSession.translatingRefusals {
                    try apply(wanted.issuers, replacing: wanted.origins)
                }
                return nil
            })
    ]
}

extension ConsoleSubject {
    fileprivate var endpoint: ConsoleEndpoint? {
        if case .webhook(let endpoint) = self { endpoint } else { nil }
    }

    fileprivate var isDoctorIdle: Bool {
        if case .doctor(let isRunning) = self { !isRunning } else { false }
    }
}

extension ConsoleOperation.Work {
    fileprivate func endpoint() throws -> ConsoleEndpoint {
        guard case .webhook(let endpoint) = subject else {
            throw ConsoleAbsence(sentence: "There is no such webhook.")
        }
        return endpoint
    }

    /// Sends events again, and returns their number.
    fileprivate func replay(
        _ replay: OperatorSession.Replay, to endpoint: WebhookID
    ) throws -> Int {
        let count = try session.replayWebhook(endpoint, replay)
        guard count > 0 else {
            throw ConsoleConflict(
                sentence: "There is no such event that can be sent again: they wait already, or "
                    + "the webhook no longer wants them.")
        }
        return count
    }

    fileprivate func startDoctor(repairs: Bool) throws {
        guard visit.services.doctor.start(as: session.identity, repairs: repairs) else {
            throw ConsoleMistake(sentence: "An examination is running already.")
        }
    }
}
