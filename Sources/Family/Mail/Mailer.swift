package import Jobs
import Domain
import Glibc
package import Postgres
import Repositories
import Basics
package import UseCases

/// Sends the messages of jobs, unless their reason no longer exists.
package final class Mailer: Sendable {
    /// Seconds for which the check of a message's reason stays valid.
    private static let freshSeconds = 1.0

    let pool: Pool
    private let transport: any MailTransport
    let keys: InvitationKeys
    let signInKeys: SignInKeys
    let settings: Settings
    private let observe: @Sendable (Delivery) -> Void

    /// - Parameters:
    ///   - pool: Connections as the role hearth_worker.
    ///   - keys: The keys of the API: a link is computed again, not stored.
    ///   - signInKeys: The API's keys for mailed codes.
    ///   - observe: Called with the outcome of each attempt to deliver.
    package init(
        _ pool: Pool, _ transport: any MailTransport, _ keys: InvitationKeys,
        _ signInKeys: SignInKeys, _ settings: Settings,
        observe: @escaping @Sendable (Delivery) -> Void = { _ in }
    ) {
        self.pool = pool
        self.transport = transport
        self.keys = keys
        self.signInKeys = signInKeys
        self.settings = settings
        self.observe = observe
    }

    /// The kinds of jobs that the mailer runs.
    package var kinds: [JobKind] {
        MailJob.kinds.map { name in
            JobKind(name) { job, context in self.run(job, context) }
        }
    }

    private func run(_ job: Job, _ context: JobContext) -> JobOutcome {
        guard let mail = MailJob(kind: job.kind, payload: job.payload.utf8) else {
            observe(.undeliverable(""))
            return .dead("the payload can't be read")
        }
        var letter: AddressedMessage?
        do {
            let fresh = Deadline.after(seconds: Self.freshSeconds)
            let message = try self.letter(for: mail)
            letter = message
            if message.isHeldOff {
                let seconds = try reserveTry(message.address)
                if seconds > 0 { return .snooze(seconds: seconds) }
            }
            let delivery = try send(message, of: mail, context, fresh: fresh)
            return try settle(delivery, mail, job, letter)
        } catch {
            return ended(by: error, mail, job, letter)
        }
    }

    /// Returns the outcome of a job that an error has stopped. A ``Delivery`` can be the error;
    /// after any other error the job is retried later.
    private func ended(
        by error: any Error, _ mail: MailJob, _ job: Job, _ letter: AddressedMessage?
    ) -> JobOutcome {
        do {
            if error is LinkKeyMissing { return try withoutKey(error, mail, job) }
            return try settle(Self.delivery(error), mail, job, letter)
        } catch {
            return again(mail, job, Self.reason(error))
        }
    }

    /// Handles a link whose key is missing. If the keys match the newest link, this link's key was
    /// removed. If not, this process has the wrong keys, and another may have the right ones.
    private func withoutKey(
        _ error: any Error, _ mail: MailJob, _ job: Job
    ) throws -> JobOutcome {
        let fits = try pool.withConnection { try keys.haveMadeNewestLink(on: $0) }
        switch fits {
        case true?: return try settle(.undeliverable("\(error)"), mail, job, nil)
        case false?: return .pauseProcess("\(error)")
        case nil: return again(mail, job, "\(error)")
        }
    }

    private static func delivery(_ error: any Error) -> Delivery {
        error as? Delivery ?? .tryLater(reason(error))
    }

    private static func reason(_ error: any Error) -> String {
        (error as? PostgresError)?.description ?? "the link can't be computed"
    }

    /// Records the outcome of a delivery and returns that of its job.
    private func settle(
        _ delivery: Delivery, _ mail: MailJob, _ job: Job, _ letter: AddressedMessage?
    ) throws -> JobOutcome {
        switch delivery {
        case .accepted:
            observe(delivery)
            // The message is sent: a failure to record that must not repeat it.
            try? note(mail, "sent")
            return .done
        case .tryLater(let reason): return again(mail, job, reason)
        case .refused(let reason):
            observe(delivery)
            if let letter {
                try pool.withConnection { connection in
                    _ = try connection.run(Mails.suppress, letter.address, reason)
                }
            }
            try note(mail, "failed")
            return .dead(reason)
        case .rejected(let reason):
            observe(delivery)
            if let letter {
                try pool.withConnection { connection in
                    _ = try connection.run(Mails.recordVerdict, letter.address, reason)
                }
            }
            try note(mail, "failed")
            return .dead(reason)
        case .undeliverable(let reason):
            try note(mail, "failed")
            observe(delivery)
            return .dead(reason)
        case .relayUnusable(let reason):
            observe(delivery)
            return .pauseQueue(reason)
        case .suppressed, .heldOff:
            try note(mail, "failed")
            observe(delivery)
            return .cancelled
        case .gone:
            observe(delivery)
            return .cancelled
        case .abandoned: return .release
        }
    }

    /// Reserves the next message to an address that is on hold. Returns the seconds until it may be
    /// sent; 0 if it may be sent now.
    private func reserveTry(_ address: String) throws -> Int {
        try pool.withConnection { connection in
            Int(try connection.run(Mails.reserveTry, address).first?.value ?? 0)
        }
    }

    /// Retries for a period rather than a number of attempts: a mail server may be down for days,
    /// and a message that is no longer needed ends by the job's own `not_after`.
    private func again(_ mail: MailJob, _ job: Job, _ reason: String) -> JobOutcome {
        guard job.attempt + 1 >= MailJob.countedAttempts else {
            observe(.tryLater(reason))
            return .retry(reason)
        }
        let isLate = Int64(time(nil)) - mail.date > MailJob.retrySeconds
        // The job is discarded only once the inviter's list shows the failure.
        if isLate, (try? note(mail, "failed")) != nil {
            observe(.undeliverable(reason))
            return .dead(reason)
        }
        observe(.tryLater(reason))
        return .postpone(reason)
    }

    /// Returns the reason not to send a message after all; nil if there is none.
    ///
    /// If the server took long to ask for the message, the reason for sending it is checked again.
    private func hindrance(
        _ mail: MailJob, _ context: JobContext, fresh: Deadline
    ) -> Delivery? {
        guard context.isHeld else { return .abandoned }
        guard fresh.hasPassed else { return nil }
        do {
            _ = try letter(for: mail)
        } catch {
            return Self.delivery(error)
        }
        // The check may have taken long as well.
        return context.isHeld ? nil : .abandoned
    }

    private func send(
        _ letter: AddressedMessage, of mail: MailJob, _ context: JobContext, fresh: Deadline
    ) throws(Delivery) -> Delivery {
        guard let mailbox = Mailbox(letter.address) else {
            throw .refused("not an address that mail can be sent to")
        }
        let message = MailMessage(
            from: settings.from, replyTo: settings.replyTo, to: mailbox,
            id: mail.messageID + "@" + settings.from.domain, date: mail.date,
            content: letter.content)
        var obstacle: Delivery?
        let delivery = transport.send(message) {
            obstacle = hindrance(mail, context, fresh: fresh)
            return obstacle == nil
        }
        return delivery == .abandoned ? obstacle ?? .abandoned : delivery
    }

    /// Records the outcome of an invitation's e-mail for the inviter, and deletes the address that
    /// an erased account had.
    private func note(_ mail: MailJob, _ status: String) throws {
        switch mail.topic {
        case .invitation(let id, let generation):
            try pool.withConnection { connection in
                _ = try connection.run(Mails.recordDelivery, id, generation, status)
            }
        case .accountErased(let erasure):
            try pool.withConnection { connection in
                _ = try connection.run(Mails.deleteErasureAddress, erasure)
            }
        default: return
        }
    }
}
