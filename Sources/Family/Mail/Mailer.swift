package import Jobs
import Domain
import Glibc
package import Postgres
import Repositories
import Threads
package import UseCases

/// Sends the messages that jobs ask for, if there still is something to send.
package final class Mailer: Sendable {
    /// What messages have in common.
    package struct Settings: Sendable {
        package var from: Mailbox
        package var replyTo: Mailbox?
        /// The base of links, without a slash at its end.
        package var publicURL: String

        package init(from: Mailbox, replyTo: Mailbox?, publicURL: String) {
            self.from = from
            self.replyTo = replyTo
            self.publicURL = publicURL
        }
    }

    /// What became of a message, for metrics.
    package enum Outcome: String, Sendable, CaseIterable {
        case sent, skipped, suppressed, retried, refused
        case relayUnusable = "relay_unusable"
        case failed
    }

    /// Seconds for which the answer holds that there is something to send.
    private static let freshSeconds = 1.0

    private let pool: Pool
    private let transport: any MailTransport
    private let keys: InvitationKeys
    private let settings: Settings
    private let observe: @Sendable (Outcome) -> Void

    /// - Parameters:
    ///   - pool: As the role hearth_worker.
    ///   - keys: The same as the API's: a link is computed again, not stored.
    package init(
        _ pool: Pool, _ transport: any MailTransport, _ keys: InvitationKeys,
        _ settings: Settings, observe: @escaping @Sendable (Outcome) -> Void = { _ in }
    ) {
        self.pool = pool
        self.transport = transport
        self.keys = keys
        self.settings = settings
        self.observe = observe
    }

    /// The kinds of jobs that this does.
    package var kinds: [JobKind] {
        MailJob.kinds.map { name in
            JobKind(name) { job, context in self.run(job, context) }
        }
    }

    private func run(_ job: Job, _ context: JobContext) -> JobOutcome {
        guard let mail = MailJob(kind: job.kind, payload: job.payload.utf8) else {
            observe(.failed)
            return .dead("the payload can't be read")
        }
        let outcome = attempt(mail, context)
        guard case .retry(let reason) = outcome else { return outcome }
        return again(mail, job, reason)
    }

    /// Tries it again for as long as that makes sense, not so many times: a mail server may be away
    /// for days, and what nobody needs any more ends by the job's own `not_after`.
    private func again(_ mail: MailJob, _ job: Job, _ reason: String) -> JobOutcome {
        if job.attempt + 1 >= MailJob.countedAttempts {
            let isLate = Int64(time(nil)) - mail.date > MailJob.patienceSeconds
            // Without the inviter told, it isn't given up yet.
            if isLate, (try? note(mail, "failed")) != nil {
                observe(.failed)
                return .dead(reason)
            }
            observe(.retried)
            return .postpone(reason)
        }
        observe(.retried)
        return .retry(reason)
    }

    private func attempt(_ mail: MailJob, _ context: JobContext) -> JobOutcome {
        do {
            let fresh = Deadline.after(seconds: Self.freshSeconds)
            switch try look(for: mail) {
            case .due(let address, let content):
                return try send(mail, to: address, content, context, fresh: fresh)
            case .nothing(let outcome): return outcome
            }
        } catch {
            return later(error)
        }
    }

    /// What there is to send, or how the job ends without.
    private func look(for mail: MailJob) throws -> Finding {
        switch try letter(for: mail) {
        case .due(let address, let content): return .due(address: address, content)
        case .gone:
            observe(.skipped)
            return .nothing(.cancelled)
        case .unsendable(let reason):
            try note(mail, "failed")
            observe(.failed)
            return .nothing(.dead(reason))
        case .suppressed:
            try note(mail, "failed")
            observe(.suppressed)
            return .nothing(.cancelled)
        }
    }

    private func later(_ error: any Error) -> JobOutcome {
        let reason = (error as? PostgresError)?.description ?? "the link can't be computed"
        return .retry(reason)
    }

    /// What keeps a message back that is about to be handed over; nil when nothing does.
    ///
    /// A server may have thought long: what the message is about is looked up once more then.
    private func hindrance(
        _ mail: MailJob, _ context: JobContext, fresh: Deadline
    ) -> JobOutcome? {
        guard context.isHeld else { return .handBack }
        guard fresh.hasPassed else { return nil }
        do {
            if case .nothing(let outcome) = try look(for: mail) { return outcome }
        } catch {
            return later(error)
        }
        // Looking may have taken long as well.
        return context.isHeld ? nil : .handBack
    }

    private func send(
        _ mail: MailJob, to address: String, _ content: MailContent, _ context: JobContext,
        fresh: Deadline
    ) throws -> JobOutcome {
        guard let mailbox = Mailbox(address) else {
            try refuse(mail, address, "no address that mail can go to")
            return .dead("no address that mail can go to")
        }
        let message = MailMessage(
            from: settings.from, replyTo: settings.replyTo, to: mailbox,
            id: mail.messageID + "@" + settings.from.domain, date: mail.date, content: content)
        var obstacle: JobOutcome?
        let result = transport.send(message) {
            obstacle = hindrance(mail, context, fresh: fresh)
            return obstacle == nil
        }
        switch result {
        case .accepted:
            observe(.sent)
            // The message is out: that must not be undone by trouble with telling so.
            try? note(mail, "sent")
            return .done
        case .tryLater(let reason): return .retry(reason)
        case .refused(let reason):
            try refuse(mail, address, reason)
            return .dead(reason)
        case .unsupported(let reason):
            try note(mail, "failed")
            observe(.failed)
            return .dead(reason)
        case .relayUnusable(let reason):
            observe(.relayUnusable)
            return .pauseQueue(reason)
        case .abandoned:
            return obstacle ?? .handBack
        }
    }

    private func refuse(_ mail: MailJob, _ address: String, _ reason: String) throws {
        observe(.refused)
        try pool.withConnection { connection in
            _ = try connection.run(Mails.suppress, address, reason)
        }
        try note(mail, "failed")
    }

    /// Tells the inviter what became of an invitation's e-mail.
    private func note(_ mail: MailJob, _ status: String) throws {
        guard case .invitation(let id, let generation) = mail.subject else { return }
        try pool.withConnection { connection in
            _ = try connection.run(Mails.noteDelivery, id, generation, status)
        }
    }
}

extension Mailer {
    private enum Finding {
        case due(address: String, MailContent)
        case nothing(JobOutcome)
    }

    private enum Letter {
        case gone
        case suppressed
        case unsendable(String)
        case due(address: String, MailContent)

        init(_ state: MailState, _ address: String, _ content: @autoclosure () -> MailContent) {
            switch state {
            case .gone: self = .gone
            case .suppressed: self = .suppressed
            case .due: self = .due(address: address, content())
            }
        }
    }

    private func letter(for mail: MailJob) throws -> Letter {
        switch mail.subject {
        case .invitation(let id, let generation):
            return try invitation(id, generation)
        case .adminChanged(let family, let recipient, let admin):
            let found = try change("admin_changed", family, recipient, admin)
            return Letter(
                found.state, found.email,
                MailTemplates.adminChanged(
                    recipient: found.recipientName, family: found.familyName,
                    admin: found.otherName))
        case .memberRemoved(let family, let recipient):
            let found = try change("member_removed", family, recipient, nil)
            return Letter(
                found.state, found.email,
                MailTemplates.memberRemoved(
                    recipient: found.recipientName, family: found.familyName))
        case .guardianReplaced(let family, let recipient, let guardian):
            let found = try change("guardian_replaced", family, recipient, guardian)
            return Letter(
                found.state, found.email,
                MailTemplates.guardianReplaced(
                    recipient: found.recipientName, family: found.familyName,
                    guardian: found.otherName))
        }
    }

    private func change(
        _ reason: String, _ family: FamilyID, _ recipient: UserID, _ other: UserID?
    ) throws -> ChangeMail {
        try pool.withConnection { connection in
            var batch = Batch()
            let place = batch.add(Mails.ofChange, reason, family, recipient, other)
            return try connection.send(batch).row(place)
        }
    }

    private func invitation(_ id: InvitationID, _ generation: Int32) throws -> Letter {
        let found = try pool.withConnection { connection in
            var batch = Batch()
            let place = batch.add(Mails.ofInvitation, id, generation)
            return try connection.send(batch).row(place)
        }
        if found.state != .due { return Letter(found.state, "", .empty) }
        // The key that the link was made with may have been turned over meanwhile.
        let token = try keys.token(
            of: id, generation: generation, havingHash: found.tokenHash.bytes)
        guard let token else { return .unsendable("the link's key is none of those at hand") }
        return .due(
            address: found.email,
            MailTemplates.invitation(
                family: found.familyName, inviter: found.inviterName, role: found.role,
                link: settings.publicURL + "/join?token=" + token.text,
                expiresAt: found.expiresAt))
    }
}

extension MailContent {
    fileprivate static let empty = MailContent(subject: "", text: "", html: "")
}
