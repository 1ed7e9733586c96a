import Crypto
package import Domain
import Policy
import Postgres
package import Repositories

/// The use cases of apps' servers, which call with API keys.
package struct ServerService: Sendable {
    private let access: ServerAccess
    private let keys: InvitationKeys

    package init(_ access: ServerAccess, _ keys: InvitationKeys) {
        self.access = access
        self.keys = keys
    }

    /// Maximum number of families or events on a page.
    package static let pageLimit = 100

    /// A page of families or events.
    package struct Page<Item: Sendable>: Sendable {
        package let items: [Item]
        /// The cursor of the next page.
        package let nextCursor: String?
    }

    /// Lists all families in the order of their ids.
    ///
    /// - Throws: ``Refusal``: `invalidField` for a cursor that no page returned.
    package func families(
        by context: ServerContext, cursor: String?
    ) throws -> Page<ServerFamily> {
        let start = try PageCursor.reading(cursor)
        return try access.run(.familyRead, by: context) { batch in
            let rows = batch.add(Servers.families, start?.id(), Int32(Self.pageLimit + 1))
            return { results, _ in
                let families = try results.rows(rows)
                let shown = Array(families.prefix(Self.pageLimit))
                return Page(
                    items: shown,
                    nextCursor: families.count > Self.pageLimit
                        ? shown.last.map { PageCursor(Timestamp(microseconds: 0), $0.id).text }
                        : nil)
            }
        }
    }

    /// Reads a family.
    ///
    /// - Throws: ``Refusal``: `familyNotFound`.
    package func family(by context: ServerContext, _ id: FamilyID) throws -> ServerFamily {
        try access.run(.familyRead, by: context) { batch in
            let row = batch.add(Servers.family, id)
            return { results, _ in
                guard let family = try results.first(row) else { throw Refusal(.familyNotFound) }
                context.trace?.record(family: id)
                return family
            }
        }
    }

    /// Lists the active members of a family in the order in which they joined.
    ///
    /// - Throws: ``Refusal``: `familyNotFound`, even for a family without members.
    package func members(by context: ServerContext, of family: FamilyID) throws -> [ServerMember] {
        try access.run(.memberList, by: context) { batch in
            let rows = batch.add(Servers.members, family)
            return { results, _ in
                let members = try results.rows(rows)
                if members.isEmpty { throw Refusal(.familyNotFound) }
                context.trace?.record(family: family)
                return members
            }
        }
    }

    /// A person and the person's memberships.
    package struct Person: Sendable {
        package let person: ServerPerson
        /// The active memberships; empty for a key that may not read members.
        package let memberships: [ServerMember]
    }

    /// Reads a person.
    ///
    /// - Throws: ``Refusal``: `personNotFound`.
    package func person(by context: ServerContext, _ id: UserID) throws -> Person {
        try access.run(.personRead, by: context) { batch in
            let person = batch.add(Servers.person, id)
            let memberships = batch.add(Servers.memberships, id)
            return { results, _ in
                guard let person = try results.first(person) else {
                    throw Refusal(.personNotFound)
                }
                return Person(person: person, memberships: try results.rows(memberships))
            }
        }
    }

    /// Finds the person who signs in with a subject of an issuer; nil if there is none.
    package func person(
        by context: ServerContext, issuer: String, subject: String
    ) throws -> Person? {
        try access.transaction(.personRead, by: context) { _, transaction in
            let hash = PostgresBytes(Caller.hash(issuer: issuer, subject: subject).bytes)
            guard let id = try transaction.run(Servers.personOfSubject, issuer, hash).first?.value
            else { return nil }
            var batch = Batch()
            let person = batch.add(Servers.person, id)
            let memberships = batch.add(Servers.memberships, id)
            let results = try transaction.sendAndCommit(batch)
            return try results.first(person).map {
                Person(person: $0, memberships: try results.rows(memberships))
            }
        }
    }

    /// Returns the events after a cursor, in an order that is the same for every reader, and in
    /// which a family's events are in the order of its changes.
    ///
    /// - Parameter cursor: The cursor of the page before; nil for the oldest stored events.
    /// - Throws: ``Refusal``: `cursorExpired` if events after the cursor may already have been
    ///   deleted; `invalidField` for a cursor that no page returned.
    package func events(by context: ServerContext, cursor: String?) throws -> Page<ServerEvent> {
        let start = try PageCursor.reading(cursor)
        return try access.run(.eventRead, by: context, writes: true) { batch in
            batch.add(Servers.numberEvents)
            let known = start.map { batch.add(Servers.isEventAt, $0.at.microseconds, $0.id()) }
            let rows = batch.add(
                Servers.events, start?.at.microseconds, Int32(Self.pageLimit))
            return { results, _ in
                if let known, try !results.row(known).value { throw Refusal(.cursorExpired) }
                let events = try results.rows(rows)
                return Page(
                    items: events,
                    nextCursor: events.last.map {
                        PageCursor(Timestamp(microseconds: $0.position), $0.id).text
                    } ?? cursor)
            }
        }
    }

    /// Invites a person into a family in the key's name. The invitation lasts seven days, vouches
    /// for nobody, and gives at most the household role adult. If the address has a pending
    /// invitation of this key, renews that invitation.
    ///
    /// - Throws: ``Refusal``: `familyNotFound`, `roleTooHigh`, `personAlreadyMember`;
    ///   `alreadyInvited` if somebody else has invited the address; `invitationJustSent`;
    ///   `tooManyInvitations`. The attempts refused with `personAlreadyMember` or `alreadyInvited`
    ///   count as invitations too, so that a key can't try any number of addresses.
    package func invite(
        by context: ServerContext, into family: FamilyID,
        _ recipient: InvitationService.Recipient, role: MemberRole, householdRole: HouseholdRole?
    ) throws -> SentInvitation {
        let sent: Result<SentInvitation, Refusal> = try access.transaction(
            .invitationCreate, by: context
        ) { scopes, transaction in
            try decide(.invitationCreate, scopes, inviting: householdRole).require()
            context.trace?.record(family: family)
            var batch = Batch()
            batch.storeLabel(of: recipient.address)
            let row = batch.add(
                Servers.createInvitation, family, recipient.address?.text, role, householdRole,
                recipient.delivery)
            let created = try transaction.send(batch).row(row)
            guard let issued = created.issued else {
                // Thrown after the commit, which counts the attempt.
                let code = created.refusal.flatMap { RefusalCode(rawValue: $0) }
                return .failure(Refusal(code ?? .alreadyInvited))
            }
            let token = try keys.token(of: issued.id, generation: issued.generation)
            var second = Batch()
            second.add(
                Servers.addSecret, issued.id, issued.generation, PostgresBytes(token.hash.bytes))
            _ = try transaction.sendAndCommit(second)
            return .success(
                SentInvitation(
                    id: issued.id, expiresAt: issued.expiresAt, delivery: issued.delivery,
                    isRenewed: issued.isRenewed, token: issued.delivery == .link ? token : nil))
        }
        let invitation = try sent.get()
        if invitation.delivery == .email { access.database.notifier.notifyWorkers(MailJob.queue) }
        return invitation
    }
}
