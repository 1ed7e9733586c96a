import Domain
import Postgres
import Repositories
import UseCases

extension Mailer {
    /// Recipient and content of a message.
    struct Letter {
        let address: String
        /// Whether mail to the address is on hold, so that messages to it are sent one at a time.
        let isHeldOff: Bool
        let content: MailContent
    }

    /// Returns the message that a job sends.
    ///
    /// - Throws: A ``Delivery`` if there is nothing to send; errors of the database.
    func letter(for mail: MailJob) throws -> Letter {
        switch mail.subject {
        case .invitation(let id, let generation):
            return try invitation(id, generation)
        case .adminChanged(let family, let recipient, let admin):
            return try change(.adminChanged, family, recipient, admin, whoIs: .admin)
        case .memberRemoved(let family, let recipient):
            return try change(.memberRemoved, family, recipient, nil)
        case .joinRequested(let family, let recipient, let requester):
            return try change(.joinRequested, family, recipient, requester, whoIs: .requester)
        case .requestApproved(let family, let recipient):
            return try change(.requestApproved, family, recipient, nil)
        case .requestRejected(let family, let recipient):
            return try change(.requestRejected, family, recipient, nil)
        case .waitingEnded(let family, let recipient):
            return try change(.waitingEnded, family, recipient, nil)
        case .requestInOtherRole(let family, let recipient):
            return try change(.requestInOtherRole, family, recipient, nil)
        case .guardianReplaced(let family, let recipient, let guardian):
            return try change(.guardianReplaced, family, recipient, guardian, whoIs: .guardian)
        case .guardianNamed(let family, let recipient, let child):
            return try change(.guardianNamed, family, recipient, child)
        case .guardianRemoved(let family, let recipient, let child):
            return try change(.guardianRemoved, family, recipient, child)
        case .graduationStarted(let family, let recipient, let child):
            return try change(.graduationStarted, family, recipient, child)
        case .graduated(let family, let recipient, let child):
            return try change(.graduated, family, recipient, child)
        case .consentCode(let use):
            return try account(.consentCode, Mails.ofAccount, use.guardian, isAskedFor: true) {
                try keys.consentCodes.code(
                    for: use, at: $0.email, secondsSince1970: mail.date)
            }
        case .deletionCode(let recipient):
            return try account(.deletionCode, Mails.ofAccount, recipient, isAskedFor: true) {
                try keys.deletionCodes.code(
                    of: recipient, at: $0.email, secondsSince1970: mail.date)
            }
        case .accountErased(let erasure):
            return try account(.accountErased, Mails.ofErasure, erasure)
        case .sessionReused(let recipient):
            return try account(.sessionReused, Mails.ofAccount, recipient)
        case .passwordChanged(let recipient):
            return try account(.passwordChanged, Mails.ofAccount, recipient)
        case .passwordSet(let recipient):
            return try account(.passwordSet, Mails.ofAccount, recipient)
        case .passkeyAdded(let recipient):
            return try account(.passkeyAdded, Mails.ofAccount, recipient)
        case .signInLinked(let recipient):
            return try account(.signInLinked, Mails.ofAccount, recipient)
        case .passkeySynced(let recipient):
            return try account(.passkeySynced, Mails.ofAccount, recipient)
        case .identityAdded(let recipient):
            return try account(.identityAdded, Mails.ofAccount, recipient)
        case .identityRemoved(let recipient, let kind):
            return try account(.identityRemoved, Mails.ofAccount, recipient, identity: kind)
        case .ticket(let id): return try ticket(id)
        }
    }

    /// - Parameter isAskedFor: Whether the recipient waits for the message, so that it is sent even
    ///   if mail to the address is on hold.
    /// - Throws: The ``Delivery`` if nothing must be sent.
    private func letter(
        _ state: MailState, _ address: String, _ locale: String?, isAskedFor: Bool = false,
        _ content: () throws -> (name: MailName, facts: MailFacts)
    ) throws -> Letter {
        switch state {
        case .gone: throw Delivery.gone
        case .suppressed: throw Delivery.suppressed
        case .heldOff where !isAskedFor: throw Delivery.heldOff
        case .heldOff, .due: break
        }
        let made = try content()
        var facts = made.facts
        facts.texts[.app] = settings.appName
        facts.texts[.address] = address
        return Letter(
            address: address, isHeldOff: state == .heldOff,
            content: settings.texts.content(
                of: made.name, facts, in: locale.flatMap { LanguageTag($0) }))
    }

    private func row<Row: RowDecodable & Sendable>(
        _ add: (inout Batch) -> Batch.Place<Row>
    ) throws -> Row {
        try pool.withConnection { connection in
            var batch = Batch()
            let place = add(&batch)
            return try connection.send(batch).row(place)
        }
    }

    /// Returns a message to an account's owner.
    ///
    /// - Parameters:
    ///   - isAskedFor: Whether the recipient waits for the message.
    ///   - code: Returns the code of the message; nil for a notice.
    private func account<Entity>(
        _ name: MailName, _ statement: Statement<AccountMail, ID<Entity>>, _ id: ID<Entity>,
        identity: IdentityKind? = nil, isAskedFor: Bool = false,
        code: (AccountMail) throws -> String? = { _ in nil }
    ) throws -> Letter {
        let found = try row { $0.add(statement, id) }
        return try letter(found.state, found.email, found.locale, isAskedFor: isAskedFor) {
            var facts = MailFacts([.recipient: found.recipientName])
            facts.texts[.code] = try code(found)
            facts.identity = identity
            return (name, facts)
        }
    }

    /// - Parameter value: The value that names the other person in the text.
    private func change(
        _ name: MailName, _ family: FamilyID, _ recipient: UserID, _ other: UserID?,
        whoIs value: MailValue? = nil
    ) throws -> Letter {
        let found = try row { $0.add(Mails.ofChange, name.rawValue, family, recipient, other) }
        return try letter(found.state, found.email, found.locale) {
            var facts = MailFacts([.recipient: found.recipientName, .family: found.familyName])
            if let value { facts.texts[value] = found.otherName }
            return (name, facts)
        }
    }

    // MARK: With links

    private func ticket(_ id: TicketID) throws -> Letter {
        let found = try row { $0.add(Mails.ofTicket, id) }
        return try letter(found.state, found.email, found.locale, isAskedFor: true) {
            try content(found, id)
        }
    }

    private func content(
        _ found: TicketMail, _ id: TicketID
    ) throws -> (name: MailName, facts: MailFacts) {
        guard let secrets = try signInKeys.secrets(of: id, havingLinkHash: found.linkHash.bytes)
        else { throw LinkKeyMissing() }
        let path = try found.returnPath.flatMap { sealed in
            try signInKeys.returnPath(in: sealed.bytes, of: id)
        }
        let onwards = path.map { "&return=" + $0.asParameter } ?? ""
        let signIn = settings.publicURL + "/sign-in?token=" + secrets.linkToken + onwards
        var facts = MailFacts([.recipient: found.recipientName, .code: secrets.code])
        switch (found.purpose, found.hasAccount) {
        case ("reset", _):
            let page = "reset-password?token=" + secrets.linkToken
            facts.texts[.code] = nil
            facts.texts[.link] = settings.publicURL + "/" + page + onwards
            facts.texts[.appLink] = settings.appScheme.map { $0 + "://" + page }
            return (.reset, facts)
        case ("sign_up", true):
            // Whoever signs up has chosen a password, and must not get a code for another person's
            // account.
            facts.texts[.code] = nil
            facts.texts[.link] = signIn
            return (.accountExists, facts)
        case ("sign_up", false): return (.signUp, facts)
        default:
            facts.texts[.link] = signIn
            return (.signIn, facts)
        }
    }

    private func invitation(_ id: InvitationID, _ generation: Int32) throws -> Letter {
        let found = try row { $0.add(Mails.ofInvitation, id, generation) }
        return try letter(found.state, found.email, found.locale) {
            try content(found, id, generation)
        }
    }

    private func content(
        _ found: InvitationMail, _ id: InvitationID, _ generation: Int32
    ) throws -> (name: MailName, facts: MailFacts) {
        // The key of the link may have been rotated in the meantime.
        let token = try keys.token(
            of: id, generation: generation, havingHash: found.tokenHash.bytes)
        guard let token else {
            throw LinkKeyMissing()
        }
        var facts = MailFacts(
            [
                .family: found.familyName, .inviter: found.inviterName,
                .link: settings.publicURL + "/join?token=" + token.text,
            ], until: found.expiresAt, side: MemberRole(rawValue: found.role))
        if found.kind == .graduation { return (.graduation, facts) }
        facts.texts[.refusal] = settings.publicURL + "/refuse-invitations?token=" + token.text
        return (.invitation, facts)
    }
}
