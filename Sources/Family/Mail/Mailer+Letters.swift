import Domain
import Postgres
import Repositories
import UseCases

extension Mailer {
    /// Recipient and content of a message.
    struct AddressedMessage {
        let address: String
        /// Whether mail to the address is on hold, so that messages to it are sent one at a time.
        let isHeldOff: Bool
        let content: MailContent
    }

    /// Returns the message that a job sends.
    ///
    /// - Throws: A ``Delivery`` if there is nothing to send; errors of the database.
    func letter(for mail: MailJob) throws -> AddressedMessage {
        switch mail.topic {
        case .invitation(let id, let generation):
            return try invitation(id, generation)
        case .change(let kind, let family, let recipient, let other):
            return try change(kind, family, recipient, other)
        case .account(.deletionCode, let recipient):
            return try account(.deletionCode, Mails.ofAccount, recipient) {
                $0.texts[.code] = try keys.deletionCodes.code(
                    for: recipient, at: $1, secondsSince1970: mail.date)
            }
        case .consentCode(let use):
            return try account(.consentCode, Mails.ofAccount, use.guardian) {
                $0.texts[.code] = try keys.consentCodes.code(
                    for: use, at: $1, secondsSince1970: mail.date)
            }
        case .account(.accountBlocked, let recipient):
            return try account(.accountBlocked, Mails.ofBlock, recipient)
        case .account(let kind, let recipient):
            return try account(kind, Mails.ofAccount, recipient)
        case .signInAdded(let kind, let recipient, let issuer):
            return try account(kind, Mails.ofAccount, recipient) { facts, _ in
                facts.texts[.provider] = issuer.map { ProviderName.of(issuer: $0) } ?? ""
                if kind == .signInLinked { facts.texts[.link] = settings.publicURL + "/account" }
            }
        case .identityRemoved(let recipient, let identity):
            return try account(.identityRemoved, Mails.ofAccount, recipient) { facts, _ in
                facts.identity = identity
            }
        case .accountErased(let erasure):
            return try account(.accountErased, Mails.ofErasure, erasure)
        case .emailToken(let id): return try emailToken(id)
        case .addressChanging(let id):
            return try account(.addressChanging, Mails.ofAddressChange, id)
        }
    }

    /// - Parameter isAwaited: Whether the recipient waits for the message, so that it is sent even
    ///   if mail to the address is on hold.
    /// - Throws: The ``Delivery`` if nothing must be sent.
    private func letter(
        _ state: MailState, _ address: String, _ locale: String?, isAwaited: Bool = false,
        _ content: () throws -> (kind: MailKind, facts: MailFacts)
    ) throws -> AddressedMessage {
        switch state {
        case .obsolete: throw Delivery.gone
        case .suppressed: throw Delivery.suppressed
        case .heldOff where !isAwaited: throw Delivery.heldOff
        case .heldOff, .due: break
        }
        let made = try content()
        var facts = made.facts
        facts.texts[.app] = settings.appName
        facts.texts[.address] = address
        return AddressedMessage(
            address: address, isHeldOff: state == .heldOff,
            content: settings.texts.content(
                of: made.kind, facts, in: locale.flatMap { LanguageTag($0) },
                accent: settings.accent))
    }

    private func row<Row: RowDecodable & Sendable>(
        _ add: (inout Batch) -> Batch.ResultKey<Row>
    ) throws -> Row {
        try pool.withConnection { connection in
            var batch = Batch()
            let place = add(&batch)
            return try connection.send(batch).row(place)
        }
    }

    /// Returns a message to an account's owner.
    ///
    /// - Parameter add: Adds the text's values other than the recipient's, given the address.
    private func account<Entity>(
        _ kind: MailKind, _ statement: Statement<AccountMail, ID<Entity>>, _ id: ID<Entity>,
        adding add: (inout MailFacts, _ address: String) throws -> Void = { _, _ in }
    ) throws -> AddressedMessage {
        let mail = try row { $0.add(statement, id) }
        return try letter(mail.state, mail.email, mail.locale, isAwaited: kind.isAwaited) {
            var facts = MailFacts([.recipient: mail.recipientName])
            try add(&facts, mail.email)
            return (kind, facts)
        }
    }

    /// Returns a message about a change in a family.
    private func change(
        _ kind: MailKind, _ family: FamilyID, _ recipient: UserID, _ other: UserID?
    ) throws -> AddressedMessage {
        let mail = try row { $0.add(Mails.ofChange, kind.rawValue, family, recipient, other) }
        return try letter(mail.state, mail.email, mail.locale) {
            var facts = MailFacts([.recipient: mail.recipientName, .family: mail.familyName])
            if let value = kind.otherPerson { facts.texts[value] = mail.otherName }
            if let path = kind.pagePath(in: family) {
                facts.texts[.link] = settings.publicURL + path
            }
            facts.isAboutRecipient = other == recipient
            return (kind, facts)
        }
    }

    // MARK: With links

    private func emailToken(_ id: EmailTokenID) throws -> AddressedMessage {
        let mail = try row { $0.add(Mails.ofEmailToken, id) }
        return try letter(mail.state, mail.email, mail.locale, isAwaited: true) {
            try content(mail, id)
        }
    }

    private func content(
        _ mail: EmailTokenMail, _ id: EmailTokenID
    ) throws -> (kind: MailKind, facts: MailFacts) {
        guard let secrets = try signInKeys.secrets(of: id, havingLinkHash: mail.linkHash.bytes)
        else { throw LinkKeyMissing() }
        let path = try mail.returnPath.flatMap { sealed in
            try signInKeys.returnPath(in: sealed.bytes, of: id)
        }
        let onwards = path.map { "&return=" + $0.asParameter } ?? ""
        let signIn = settings.publicURL + "/sign-in?token=" + secrets.linkToken + onwards
        var facts = MailFacts([.recipient: mail.recipientName, .code: secrets.code])
        switch (mail.purpose, mail.hasAccount) {
        case ("reset", _):
            let page = "reset-password?token=" + secrets.linkToken
            facts.texts[.code] = nil
            facts.texts[.link] = settings.publicURL + "/" + page + onwards
            facts.texts[.appLink] = settings.appScheme.map { $0 + "://" + page }
            return (.reset, facts)
        case ("sign_up", true):
            // A person who signs up has chosen a password, and must not get a code for another
            // person's account.
            facts.texts[.code] = nil
            facts.texts[.link] = signIn
            return (.accountExists, facts)
        case ("sign_up", false): return (.signUp, facts)
        case ("change", _): return (.newAddress, facts)
        case ("console", _): return (.consoleCode, facts)
        case ("change_by_link", _):
            facts.texts[.code] = nil
            facts.texts[.link] = signIn
            return (.addressByOperator, facts)
        default:
            facts.texts[.link] = signIn
            return (.signIn, facts)
        }
    }

    private func invitation(_ id: InvitationID, _ generation: Int32) throws -> AddressedMessage {
        let mail = try row { $0.add(Mails.ofInvitation, id, generation) }
        return try letter(mail.state, mail.email, mail.locale) {
            try content(mail, id, generation)
        }
    }

    private func content(
        _ mail: InvitationMail, _ id: InvitationID, _ generation: Int32
    ) throws -> (kind: MailKind, facts: MailFacts) {
        // The key of the link may have been rotated in the meantime.
        let token = try keys.token(
            of: id, generation: generation, havingHash: mail.tokenHash.bytes)
        guard let token else {
            throw LinkKeyMissing()
        }
        var facts = MailFacts(
            [
                .family: mail.familyName, .inviter: mail.inviterName,
                .link: settings.publicURL + "/join?token=" + token.text,
            ], until: mail.expiresAt, side: MemberRole(rawValue: mail.role))
        if mail.kind == .graduation { return (.graduation, facts) }
        facts.texts[.refusal] = settings.publicURL + "/refuse-invitations?token=" + token.text
        return (.invitation, facts)
    }
}

extension MailKind {
    /// Returns the path of the page to which the link of an e-mail about a change in a family
    /// leads; nil if the e-mail has no link.
    ///
    /// `/family` without an id shows the family that the recipient is in, or the ways into one.
    func pagePath(in family: FamilyID) -> String? {
        switch self {
        case .adminChanged, .joinRequested, .requestApproved, .guardianNamed:
            "/family?id=\(family)"
        case .requestRejected, .waitingEnded, .requestInOtherRole: "/family"
        default: nil
        }
    }
}
