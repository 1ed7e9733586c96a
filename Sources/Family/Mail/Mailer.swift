package import Jobs
import Domain
import Glibc
package import Postgres
import Repositories
import Threads
package import UseCases

/// Sends the messages that jobs ask for, if there still is something to send.
package final class Mailer: Sendable {
    /// Seconds for which the check that there is something to send stays valid.
    private static let freshSeconds = 1.0

    private let pool: Pool
    private let transport: any MailTransport
    private let keys: InvitationKeys
    private let signInKeys: SignInKeys
    private let settings: Settings
    private let observe: @Sendable (Delivery) -> Void

    /// - Parameters:
    ///   - pool: As the role hearth_worker.
    ///   - keys: The same as the API's: a link is computed again, not stored.
    ///   - signInKeys: The same of mailed codes.
    ///   - observe: Told how each delivery ended, as far as that is known by then.
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

    /// The kinds of jobs that this does.
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
        var letter: Letter?
        do {
            let fresh = Deadline.after(seconds: Self.freshSeconds)
            let found = try self.letter(for: mail)
            letter = found
            let delivery = try send(found, of: mail, context, fresh: fresh)
            return try settle(delivery, mail, job, letter)
        } catch {
            return ended(by: error, mail, job, letter)
        }
    }

    /// How a job goes on that was stopped by an error, be it that there is nothing to deliver.
    private func ended(
        by error: any Error, _ mail: MailJob, _ job: Job, _ letter: Letter?
    ) -> JobOutcome {
        do {
            return try settle(Self.delivery(error), mail, job, letter)
        } catch {
            return again(mail, job, Self.reason(error))
        }
    }

    private static func delivery(_ error: any Error) -> Delivery {
        error as? Delivery ?? .tryLater(reason(error))
    }

    private static func reason(_ error: any Error) -> String {
        (error as? PostgresError)?.description ?? "the link can't be computed"
    }

    /// Writes down how a delivery ended, and says how its job goes on.
    private func settle(
        _ delivery: Delivery, _ mail: MailJob, _ job: Job, _ letter: Letter?
    ) throws -> JobOutcome {
        switch delivery {
        case .accepted:
            observe(delivery)
            // The message is out: that must not be undone by trouble with telling so.
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
        case .undeliverable(let reason):
            try note(mail, "failed")
            observe(delivery)
            return .dead(reason)
        case .relayUnusable(let reason):
            observe(delivery)
            return .pauseQueue(reason)
        case .suppressed:
            try note(mail, "failed")
            observe(delivery)
            return .cancelled
        case .gone:
            observe(delivery)
            return .cancelled
        case .abandoned: return .handBack
        }
    }

    /// Retries for a time rather than a number of attempts: a mail server may be away for days, and
    /// a message that is no longer needed ends by the job's own `not_after`.
    private func again(_ mail: MailJob, _ job: Job, _ reason: String) -> JobOutcome {
        guard job.attempt + 1 >= MailJob.countedAttempts else {
            observe(.tryLater(reason))
            return .retry(reason)
        }
        let isLate = Int64(time(nil)) - mail.date > MailJob.patienceSeconds
        // It is not given up until the inviter's list shows the failure.
        if isLate, (try? note(mail, "failed")) != nil {
            observe(.undeliverable(reason))
            return .dead(reason)
        }
        observe(.tryLater(reason))
        return .postpone(reason)
    }

    /// The reason not to hand over a message after all; nil if there is none.
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
        // Looking may have taken long as well.
        return context.isHeld ? nil : .abandoned
    }

    private func send(
        _ letter: Letter, of mail: MailJob, _ context: JobContext, fresh: Deadline
    ) throws(Delivery) -> Delivery {
        guard let mailbox = Mailbox(letter.address) else {
            throw .refused("no address that mail can be sent to")
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

    /// Records the outcome of an invitation's e-mail for the inviter, and forgets the address that
    /// an erased account had.
    private func note(_ mail: MailJob, _ status: String) throws {
        switch mail.subject {
        case .invitation(let id, let generation):
            try pool.withConnection { connection in
                _ = try connection.run(Mails.noteDelivery, id, generation, status)
            }
        case .accountErased(let erasure):
            try pool.withConnection { connection in
                _ = try connection.run(Mails.forgetErasureAddress, erasure)
            }
        default: return
        }
    }
}

extension Mailer {
    /// What is to be sent, and to whom.
    private struct Letter {
        let address: String
        let content: MailContent

        /// - Throws: Why there is nothing to send.
        init(
            _ state: MailState, _ address: String, _ content: @autoclosure () throws -> MailContent
        ) throws {
            switch state {
            case .gone: throw Delivery.gone
            case .suppressed: throw Delivery.suppressed
            case .due:
                self.address = address
                self.content = try content()
            }
        }
    }

    /// What a job is to send.
    ///
    /// - Throws: A ``Delivery`` where there is nothing to send; what the database throws.
    private func letter(for mail: MailJob) throws -> Letter {
        switch mail.subject {
        case .invitation(let id, let generation):
            return try invitation(id, generation)
        case .adminChanged(let family, let recipient, let admin):
            let found = try change("admin_changed", family, recipient, admin)
            return try Letter(
                found.state, found.email,
                MailTemplates.adminChanged(
                    recipient: found.recipientName, family: found.familyName,
                    admin: found.otherName))
        case .memberRemoved(let family, let recipient):
            let found = try change("member_removed", family, recipient, nil)
            return try Letter(
                found.state, found.email,
                MailTemplates.memberRemoved(
                    recipient: found.recipientName, family: found.familyName))
        case .waitingEnded(let family, let recipient):
            let found = try change("waiting_ended", family, recipient, nil)
            return try Letter(
                found.state, found.email,
                MailTemplates.waitingEnded(
                    recipient: found.recipientName, family: found.familyName))
        case .guardianReplaced(let family, let recipient, let guardian):
            let found = try change("guardian_replaced", family, recipient, guardian)
            return try Letter(
                found.state, found.email,
                MailTemplates.guardianReplaced(
                    recipient: found.recipientName, family: found.familyName,
                    guardian: found.otherName))
        case .guardianNamed(let family, let recipient, let child):
            let found = try change("guardian_named", family, recipient, child)
            return try Letter(
                found.state, found.email,
                MailTemplates.guardianNamed(
                    recipient: found.recipientName, family: found.familyName))
        case .guardianRemoved(let family, let recipient, let child):
            let found = try change("guardian_removed", family, recipient, child)
            return try Letter(
                found.state, found.email,
                MailTemplates.guardianRemoved(
                    recipient: found.recipientName, family: found.familyName))
        case .graduationStarted(let family, let recipient, let child):
            let found = try change("graduation_started", family, recipient, child)
            return try Letter(
                found.state, found.email,
                MailTemplates.graduationStarted(
                    recipient: found.recipientName, family: found.familyName))
        case .graduated(let family, let recipient, let child):
            let found = try change("graduated", family, recipient, child)
            return try Letter(
                found.state, found.email,
                MailTemplates.graduated(
                    recipient: found.recipientName, family: found.familyName))
        case .consentCode(let use):
            return try account(Mails.ofAccount, use.guardian) { found in
                MailTemplates.consentCode(
                    recipient: found.recipientName,
                    code: try keys.consentCodes.code(
                        for: use, at: found.email, secondsSince1970: mail.date))
            }
        case .deletionCode(let recipient):
            let code = { (found: AccountMail) in
                try self.keys.deletionCodes.code(
                    of: recipient, at: found.email, secondsSince1970: mail.date)
            }
            return try account(Mails.ofAccount, recipient) {
                MailTemplates.deletionCode(recipient: $0.recipientName, code: try code($0))
            }
        case .accountErased(let erasure):
            return try account(Mails.ofErasure, erasure) { _ in MailTemplates.accountErased() }
        case .sessionReused(let recipient):
            return try account(Mails.ofAccount, recipient) {
                MailTemplates.sessionReused(recipient: $0.recipientName)
            }
        case .passwordChanged(let recipient):
            return try account(Mails.ofAccount, recipient) {
                MailTemplates.passwordChanged(recipient: $0.recipientName)
            }
        case .passkeyAdded(let recipient):
            return try account(Mails.ofAccount, recipient) {
                MailTemplates.passkeyAdded(recipient: $0.recipientName)
            }
        case .ticket(let id): return try ticket(id)
        }
    }

    /// A message to an account's owner.
    private func account<Entity>(
        _ statement: Statement<AccountMail, ID<Entity>>, _ id: ID<Entity>,
        _ content: (AccountMail) throws -> MailContent
    ) throws -> Letter {
        let found = try pool.withConnection { connection in
            var batch = Batch()
            let place = batch.add(statement, id)
            return try connection.send(batch).row(place)
        }
        return try Letter(found.state, found.email, content(found))
    }

    private func ticket(_ id: TicketID) throws -> Letter {
        let found = try pool.withConnection { connection in
            var batch = Batch()
            let place = batch.add(Mails.ofTicket, id)
            return try connection.send(batch).row(place)
        }
        return try Letter(found.state, found.email, content(found, id))
    }

    private func content(_ found: TicketMail, _ id: TicketID) throws -> MailContent {
        guard let secrets = try signInKeys.secrets(of: id, havingLinkHash: found.linkHash.bytes)
        else { throw Delivery.undeliverable("no key of HEARTH_SECRET_KEY fits the link") }
        let mail = SignInMails(appName: settings.appName, recipient: found.recipientName)
        let signIn = settings.publicURL + "/sign-in?token=" + secrets.linkToken
        switch (found.purpose, found.hasAccount) {
        case ("reset", _):
            let path = "reset-password?token=" + secrets.linkToken
            return mail.reset(
                link: settings.publicURL + "/" + path,
                appLink: settings.appScheme.map { $0 + "://" + path })
        // Whoever asked chose a password: the code is for nobody whose account this is not.
        case ("sign_up", true): return mail.accountExists(link: signIn)
        case ("sign_up", false): return mail.signUp(code: secrets.code)
        default: return mail.signIn(code: secrets.code, link: signIn)
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
        return try Letter(found.state, found.email, content(found, id, generation))
    }

    private func content(
        _ found: InvitationMail, _ id: InvitationID, _ generation: Int32
    ) throws -> MailContent {
        // The key of the link may have been rotated in the meantime.
        let token = try keys.token(
            of: id, generation: generation, havingHash: found.tokenHash.bytes)
        guard let token else {
            throw Delivery.undeliverable("no key of HEARTH_SECRET_KEY fits the link")
        }
        let link = settings.publicURL + "/join?token=" + token.text
        if found.kind == .graduation {
            return MailTemplates.graduation(
                family: found.familyName, inviter: found.inviterName, link: link,
                expiresAt: found.expiresAt)
        }
        return MailTemplates.invitation(
            family: found.familyName, inviter: found.inviterName, role: found.role, link: link,
            refusal: settings.publicURL + "/refuse-invitations?token=" + token.text,
            expiresAt: found.expiresAt)
    }
}
