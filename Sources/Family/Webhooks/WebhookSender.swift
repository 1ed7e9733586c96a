import Basics
package import Fetching
import Glibc
package import Jobs
package import Postgres
import Repositories
package import UseCases

/// Sends events to the endpoints that operators have registered.
package final class WebhookSender: Sendable {
    /// The outcome of an attempt, by its label in metrics.
    package enum Attempt: String, Sendable, CaseIterable {
        case delivered
        /// The attempt failed and is retried later.
        case failed
        case discarded = "given_up"
        /// The endpoint is paused until an operator resumes it.
        case paused
    }

    /// Maximum number of failures that count as attempts of a job; by then the delay between
    /// retries has reached an hour. The database discards a delivery for its age, not for its
    /// number of attempts.
    private static let countedAttempts: Int16 = 19
    /// Maximum number of events that one upkeep run deletes.
    private static let purgeBatch: Int32 = 10_000

    private let pool: Pool
    private let client: OutboundClient
    private let keys: WebhookKeys
    private let linkKeys: InvitationKeys
    private let keptDays: Int
    private let observe: @Sendable (Attempt) -> Void

    /// - Parameters:
    ///   - pool: Connects as the role hearth_worker.
    ///   - keys: The same keys that `hearth-admin` has: secrets are derived again, not stored.
    ///   - linkKeys: Keys used to detect whether this process has the wrong keys.
    ///   - keptDays: Number of days that events are kept.
    ///   - observe: Called with the outcome of each attempt.
    package init(
        _ pool: Pool, _ client: OutboundClient, _ keys: WebhookKeys,
        linkKeys: InvitationKeys, keptDays: Int,
        observe: @escaping @Sendable (Attempt) -> Void = { _ in }
    ) {
        self.pool = pool
        self.client = client
        self.keys = keys
        self.linkKeys = linkKeys
        self.keptDays = keptDays
        self.observe = observe
    }

    /// The kinds of jobs that the sender handles.
    package var kinds: [JobKind] {
        [
            JobKind(WebhookJob.delivery) { job, context in self.run(job, context) },
            JobKind(WebhookJob.upkeep, recordsStart: false) { _, _ in self.maintain() },
        ]
    }

    /// The schedule of the upkeep job.
    package static let schedules = [
        Schedule(
            name: "webhooks", queue: WebhookJob.queue, kind: WebhookJob.upkeep,
            .every(seconds: 60))
    ]

    private func run(_ job: Job, _ context: JobContext) -> JobOutcome {
        guard let delivery = WebhookJob(payload: job.payload.utf8) else {
            return .dead("the payload can't be read")
        }
        do {
            let row = try begin(delivery)
            switch row.state {
            case .finished, .paused: return .cancelled
            // The database has put the job back into the queue.
            case .wait: return .release
            case .send: break
            }
            let secrets = try secrets(of: row, delivery)
            if secrets.isEmpty, try hasWrongKeys() { return .pauseProcess(Self.noKey) }
            guard context.isHeld else { return .release }
            let attempt = send(row, delivery, signedBy: secrets)
            let verdict = try finish(delivery, attempt)
            return end(
                job, verdict, isDelivered: attempt.outcome == .delivered, attempt.reason ?? "")
        } catch {
            return Self.later(job, (error as? PostgresError)?.description ?? "\(error)")
        }
    }

    private func begin(_ job: WebhookJob) throws -> WebhookDelivery {
        try pool.withConnection { connection in
            var batch = Batch()
            let resultKey = batch.add(Webhooks.beginDelivery, job.endpoint, job.event)
            return try connection.send(batch, writes: true).row(resultKey)
        }
    }

    private static let noKey = "no key of HEARTH_SECRET_KEY fits the secret"

    /// Whether another process has the keys that this one lacks. If not, the endpoint's key was
    /// removed, and the endpoint needs a new secret.
    private func hasWrongKeys() throws -> Bool {
        try pool.withConnection { try linkKeys.haveMadeNewestLink(on: $0) } == false
    }

    /// The result of one attempt, as the database stores it.
    private struct Result {
        var outcome = WebhookOutcome.failed
        /// The status of the response; nil if there was none.
        var status: Int16?
        /// Reason why the attempt failed.
        var reason: String?
        /// Duration of the request; nil if none was sent.
        var milliseconds: Int32?
        /// Media type of the response.
        var contentType: String?
    }

    /// Makes one attempt, with no transaction open meanwhile.
    private func send(
        _ delivery: WebhookDelivery, _ job: WebhookJob, signedBy secrets: [WebhookSecret]
    ) -> Result {
        guard let address = FetchAddress(delivery.url) else {
            return Result(reason: "the address can't be read")
        }
        let message = WebhookMessage(delivery, number: job.event)
        guard !secrets.isEmpty else { return Result(reason: Self.noKey) }
        let sent = MonotonicClock.nanoseconds()
        var result = Result()
        do {
            let headers = try message.headers(signedBy: secrets, at: Int64(time(nil)))
            let response = try client.send(
                "POST", to: address, headers: headers, body: message.body)
            result.contentType =
                response.headers.first { $0.name.lowercased() == "content-type" }?.value
            result.status = Int16(clamping: response.status)
            switch response.status {
            case 200...299: result.outcome = .delivered
            case 410:
                result.outcome = .endpointGone
                result.reason = "answered 410"
            default: result.reason = "answered \(response.status)"
            }
        } catch {
            result.reason = "\(error)"
        }
        result.milliseconds = Int32(
            clamping: (MonotonicClock.nanoseconds() - sent) / 1_000_000)
        return result
    }

    /// Returns the secrets to sign with, the current one first; empty if the current one can't be
    /// derived.
    private func secrets(of delivery: WebhookDelivery, _ job: WebhookJob) throws -> [WebhookSecret]
    {
        let current = try keys.secret(
            of: job.endpoint, generation: delivery.generation,
            havingHash: delivery.secretHash.bytes)
        guard let current else { return [] }
        let previous = try keys.secret(
            of: job.endpoint, generation: delivery.generation - 1,
            havingHash: delivery.previousSecretHash.bytes)
        return [current] + (previous.map { [$0] } ?? [])
    }

    private func finish(_ job: WebhookJob, _ attempt: Result) throws -> WebhookVerdict {
        try pool.withConnection { connection in
            var batch = Batch()
            let resultKey = batch.add(
                Webhooks.finishDelivery, job.endpoint, job.event, attempt.outcome,
                attempt.status, attempt.reason, attempt.milliseconds, attempt.contentType)
            return try connection.send(batch, writes: true).row(resultKey).value
        }
    }

    private func end(
        _ job: Job, _ verdict: WebhookVerdict, isDelivered: Bool, _ reason: String
    ) -> JobOutcome {
        switch verdict {
        case .done, .next:
            if isDelivered { observe(.delivered) }
            return verdict == .next ? .doneWithMore : .done
        case .failed, .retry:
            observe(.failed)
            return Self.later(job, reason, isLogged: verdict == .failed)
        case .testFailed:
            observe(.failed)
            return .cancelled
        case .discarded:
            observe(.discarded)
            return .cancelled
        case .paused:
            observe(.paused)
            return .cancelled
        }
    }

    /// Retries the job later, without counting an attempt once ``countedAttempts`` is reached.
    private static func later(
        _ job: Job, _ reason: String, isLogged: Bool = true
    ) -> JobOutcome {
        job.attempt < countedAttempts - 1
            ? .retry(reason, isLogged: isLogged) : .postpone(reason, isLogged: isLogged)
    }

    private func maintain() -> JobOutcome {
        do {
            _ = try pool.withConnection { connection in
                try connection.run(Webhooks.maintain, "\(keptDays) days", Self.purgeBatch)
            }
            return .done
        } catch {
            return .retry(String(reflecting: error))
        }
    }
}
