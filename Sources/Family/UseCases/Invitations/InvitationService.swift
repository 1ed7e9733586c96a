import Crypto
package import Domain
import Jobs
import Policy
import Postgres
package import Repositories

/// The use cases of people who invite others into their family.
package struct InvitationService: Sendable {
    private let database: Database
    private let keys: InvitationKeys

    package init(_ database: Database, _ keys: InvitationKeys) {
        self.database = database
        self.keys = keys
    }

    /// Maximum number of invitations on a page.
    package static let pageLimit = 100

    /// Lists a family's pending invitations, the newest first. Never returns a token.
    ///
    /// - Parameters:
    ///   - family: The family; nil if the caller is a member of exactly one.
    ///   - cursor: The previous page's cursor; nil for the newest.
    /// - Throws: ``Refusal``: `invalidField` for a cursor that no page returned.
    package static func list(
        by context: RequestContext, family: FamilyID?, cursor: String? = nil
    ) throws -> Read<FamilyPage<ListedInvitation>> {
        let start = try PageCursor.reading(cursor)
        return Read(by: context) { batch in
            let families = family.map { batch.add(Families.one, $0) } ?? batch.add(Families.mine)
            // Reading one row more than a page holds shows whether there are more.
            let rows = batch.add(
                Invitations.pending, family, start?.at, start?.id(), Int32(pageLimit + 1))
            return { results, subject in
                let family = try Self.only(
                    try results.rows(families), subject,
                    absence: family == nil ? .familyRequired : .familyNotFound)
                return FamilyPage(try results.rows(rows), of: family.id, limit: pageLimit) {
                    PageCursor($0.createdAt, $0.id)
                }
            }
        }
    }

    /// Returns the single family whose invitations the subject may list.
    private static func only(
        _ families: [ListedFamily], _ subject: Subject, absence: RefusalCode
    ) throws(Refusal) -> ListedFamily {
        guard let family = families.first else {
            try subject.facts(nil).require(.invitationList, orAbsent: absence)
            throw Refusal(absence)
        }
        guard families.count == 1 else { throw Refusal(.familyRequired) }
        try family.facts(of: subject).require(.invitationList)
        return family
    }

    /// The recipient of an invitation.
    package enum Recipient: Sendable, Hashable {
        case email(EmailAddress)
        /// Anybody with the link, which is bound to the first account that accepts.
        case link

        var address: EmailAddress? {
            if case .email(let address) = self { address } else { nil }
        }

        /// Reads the invitations pending for the address.
        func pending(in batch: inout Batch) -> (BatchResults) throws -> [ListedInvitation] {
            guard let address else { return { _ in [] } }
            let key = batch.add(Invitations.pendingFor, address.mailbox)
            return { try $0.rows(key) }
        }

        var delivery: InvitationDelivery { self == .link ? .link : .email }
    }

    /// Invites a person into a family, by e-mail or by a link to be shared.
    ///
    /// Creates an invitation for seven days. If the address has a pending one, and the caller may
    /// resend it, renews that one; its earlier link stops working.
    ///
    /// - Parameters:
    ///   - family: The family; nil if the caller is a member of exactly one.
    ///   - householdRole: The new member's household role; nil for the default of the role.
    /// - Throws: ``Refusal``: `personAlreadyMember`; `alreadyInvited` if the caller may not renew
    ///   the pending invitation; `invitationJustSent` if it was sent less than a minute ago;
    ///   `tooManyInvitations` after ten an hour, refusals not counted.
    package func create(
        by context: RequestContext, family: FamilyID?, to recipient: Recipient, role: MemberRole,
        householdRole: HouseholdRole? = nil
    ) throws -> SentInvitation {
        let sent = try database.transaction(
            by: context, for: .invitationCreate, in: .family(family),
            reading: { recipient.pending(in: &$0) }
        ) { roster, pending, transaction in
            try roster.require(roster.facts.with(inviting: role, as: householdRole))
            try Self.requireRenewal(of: pending, roster)
            var batch = Batch()
            batch.storeLabel(of: recipient.address)
            let issued = batch.add(
                Invitations.create, roster.family, recipient.address?.text, role, householdRole,
                recipient.delivery)
            return try SentInvitation.keepingSecret(
                of: try transaction.send(batch).row(issued), in: roster.family, keys, transaction)
        }
        if sent.delivery == .email { database.notifyWorkers(of: MailJob.queue, for: context) }
        return sent
    }

    /// Throws unless the caller may resend the pending invitations: creating an invitation must not
    /// renew one that the caller may not resend. An invitation whose sender is gone is treated as
    /// the caller's own.
    private static func requireRenewal(
        of pending: [ListedInvitation], _ roster: Roster
    ) throws(Refusal) {
        for invitation in pending where invitation.family == roster.family {
            let isInviter =
                invitation.invitedBy == roster.subject.user
                || invitation.invitedBy.map(roster.isGone) == true
            if decide(.invitationResend, roster.facts.with(isInviter: isInviter)) != .allowed {
                throw Refusal(.alreadyInvited)
            }
        }
    }

    /// Invites a child without an account to have one: the account that accepts takes over the
    /// child's membership.
    ///
    /// Creates the invitation for seven days, or renews the pending one with the values of this
    /// request; its earlier link stops working. The other guardians are notified by e-mail.
    ///
    /// - Parameters:
    ///   - role: The side of the family that the person will be on; with `householdRole` either a
    ///     player who is a kid or a parent who is an adult.
    /// - Throws: ``Refusal``: `memberNotFound`; `invalidField` for roles that don't fit together;
    ///   `personAlreadyMember`; `alreadyInvited` if the address has another invitation of the
    ///   family; `tooManyInvitations`.
    package func startGraduation(
        by context: RequestContext, member: MemberID, to recipient: Recipient,
        role: MemberRole, householdRole: HouseholdRole
    ) throws -> SentInvitation {
        let sent = try database.transaction(
            by: context, for: .managedGraduate, in: .familyOf(member)
        ) { roster, transaction in
            try roster.require(roster.facts(about: try roster.managedMember(member)))
            var batch = Batch()
            batch.storeLabel(of: recipient.address)
            let issued = batch.add(
                Invitations.startGraduation, member, recipient.address?.text, role, householdRole,
                recipient.delivery)
            return try SentInvitation.keepingSecret(
                of: try transaction.send(batch).row(issued), in: roster.family, keys, transaction)
        }
        database.notifyWorkers(of: MailJob.queue, for: context)
        return sent
    }

    /// Resends a pending invitation, with a new link and for seven more days. The earlier link
    /// stops working.
    ///
    /// - Throws: ``Refusal``: `invitationNotFound` if it is absent or not pending;
    ///   `invitationJustSent` within a minute.
    package func resend(
        by context: RequestContext, invitation: InvitationID
    ) throws -> SentInvitation {
        let sent = try handling(invitation, by: context, for: .invitationResend) {
            listed, transaction in
            var batch = Batch()
            let issued = batch.add(Invitations.resend, invitation)
            return try SentInvitation.keepingSecret(
                of: try transaction.send(batch).row(issued), in: listed.family, keys, transaction)
        }
        if sent.delivery == .email { database.notifyWorkers(of: MailJob.queue, for: context) }
        return sent
    }

    /// Revokes a pending invitation. Its link then behaves as if it had never existed.
    ///
    /// - Throws: ``Refusal``: `invitationNotFound` if it is absent or not pending.
    package func revoke(by context: RequestContext, invitation: InvitationID) throws {
        try handling(invitation, by: context, for: .invitationRevoke) { _, transaction in
            var batch = Batch()
            batch.add(Invitations.revoke, invitation)
            _ = try transaction.sendAndCommit(batch)
        }
    }

    /// Computes the token of the current shared link again, because tokens are not stored. Tries
    /// each of the keys. Returns nil for an invitation by e-mail.
    ///
    /// - Throws: ``LinkKeyMissing`` if none of the keys made the link; ``Refusal``:
    ///   `invitationNotFound` if it is absent or not pending; a refusal if the caller may not
    ///   resend it.
    package func recallToken(
        by context: RequestContext, invitation id: InvitationID
    ) throws -> InvitationToken? {
        try handling(id, by: context, for: .invitationResend) { invitation, transaction in
            guard invitation.delivery == .link,
                let generation = try transaction.run(Invitations.generation, id).first?.value
            else { return nil }
            let tokens = try keys.tokens(of: id, generation: generation)
            var batch = Batch()
            let keys = tokens.map {
                batch.add(ReceivedInvitations.ofToken, PostgresBytes($0.hash.bytes))
            }
            let results = try transaction.sendAndCommit(batch)
            for (token, key) in zip(tokens, keys) where try results.row(key).invitation?.id == id {
                return token
            }
            throw LinkKeyMissing()
        }
    }

    /// Runs a transaction about an invitation of the caller's family, if the policy allows
    /// `action`.
    ///
    /// - Throws: ``Refusal``: `invitationNotFound` if it is no longer pending or the caller may not
    ///   see it.
    private func handling<Value>(
        _ id: InvitationID, by context: RequestContext, for action: Action,
        _ body: (ListedInvitation, Transaction) throws -> Value
    ) throws -> Value {
        try database.transaction(
            by: context,
            reading: { batch in
                let roster = FamilyScope.familyInviting(id).roster(for: action, in: &batch)
                let invitation = batch.add(Invitations.one, id)
                return { results, subject in
                    (try roster(results, subject), try results.first(invitation))
                }
            }
        ) { known, transaction in
            let (roster, invitation) = known
            context.trace?.record(family: roster.family)
            guard let invitation, invitation.status == .pending else {
                throw Refusal(.invitationNotFound)
            }
            try roster.require(
                roster.facts(handling: invitation)
                    .with(isInviter: invitation.invitedBy == roster.subject.user))
            return try body(invitation, transaction)
        }
    }
}

extension Roster {
    /// Returns the facts of a request about an invitation; for a graduation with those about the
    /// child.
    func facts(handling invitation: ListedInvitation) -> Facts {
        guard invitation.kind == .graduation else { return facts }
        let child = rows.first { $0.id == invitation.graduate }
        let sent = child.map { facts(sendingInvitationOf: $0, from: invitation.invitedBy) }
        return (sent ?? facts).with(isGraduation: true)
    }
}

/// An invitation that was issued.
package struct SentInvitation: Sendable {
    package let id: InvitationID
    package let expiresAt: Timestamp
    package let delivery: InvitationDelivery
    /// Whether the invitation existed before and has a new link.
    package let isRenewed: Bool
    /// The link's token; nil for an invitation by e-mail, whose token only the addressee may know.
    package let token: InvitationToken?

    /// Ends the transaction that issued an invitation: stores the hash of its token and, for an
    /// invitation by e-mail, enqueues the e-mail.
    ///
    /// - Parameter notifiesWorkers: Whether the transaction itself notifies workers.
    static func keepingSecret(
        of issued: IssuedInvitation, in family: FamilyID, _ keys: InvitationKeys,
        _ transaction: Transaction,
        by addSecret: Statement<NoRow, InvitationID, Int32, PostgresBytes> = Invitations
            .addSecret,
        notifiesWorkers: Bool = false
    ) throws -> SentInvitation {
        let token = try keys.token(of: issued.id, generation: issued.generation)
        var batch = Batch()
        batch.add(addSecret, issued.id, issued.generation, PostgresBytes(token.hash.bytes))
        if issued.delivery == .email {
            let mail = MailJob(.invitation(issued.id, generation: issued.generation))
            batch.enqueue(mail.job(in: family, notAfter: issued.expiresAt))
            if notifiesWorkers { batch.notifyWorkers(MailJob.queue) }
        }
        _ = try transaction.sendAndCommit(batch)
        return SentInvitation(
            id: issued.id, expiresAt: issued.expiresAt, delivery: issued.delivery,
            isRenewed: issued.isRenewed, token: issued.delivery == .link ? token : nil)
    }
}
