import Crypto
package import Domain
import Policy
import Postgres
package import Repositories

/// The use cases of invitees.
package struct ReceivedInvitationService: Sendable {
    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// Lists the pending invitations to the caller's verified address from all families: the newest
    /// first, at most a hundred.
    package func list(by context: RequestContext) throws -> [ReceivedInvitation] {
        // A caller who could accept an invitation may see it.
        try context.caller.facts.with(isAddressee: true, isLink: false).require(.invitationAccept)
        return try database.request(by: context) { batch in
            let invitations = batch.add(ReceivedInvitations.mine)
            return { results, _ in try results.rows(invitations) }
        }
    }

    /// A pending invitation, with what matters to this caller.
    @dynamicMemberLookup
    package struct Preview: Sendable {
        package let invitation: ReceivedInvitation
        /// The invited address; masked unless the caller has proved it; empty for a link.
        package let email: String
        /// Whether the caller may accept the invitation: it is a link, or was sent to an address
        /// that the caller has proved.
        package let isForCaller: Bool
        /// Whether the caller is already in the family.
        package let isOfOwnFamily: Bool

        package subscript<Value>(
            dynamicMember property: KeyPath<ReceivedInvitation, Value>
        ) -> Value { invitation[keyPath: property] }
    }

    /// Shows the holder of an invitation's token what the invitation is for. Changes nothing.
    ///
    /// - Parameters:
    ///   - context: Nil if the person isn't signed in.
    ///   - token: The token as in the link.
    ///   - client: The client whose lookups are counted; nil if the caller has proved that this
    ///     lookup repeats a counted one.
    /// - Throws: ``Refusal``: `invitationNotFound`, `invitationAnswered`, `invitationExpired`;
    ///   `tooManyAttempts` after 60 in five minutes from one address.
    package func preview(
        by context: RequestContext?, token: String, from client: ClientAddress?
    ) throws -> Preview {
        try context?.caller.facts.require(.invitationPreview)
        let hash =
            if let client {
                try countedHash(of: token, by: context, from: client)
            } else {
                try Self.hash(of: token)
            }
        guard let context else {
            let row = try database.query(ReceivedInvitations.ofToken, hash)
            guard let row = row.first else { throw Refusal(.invitationNotFound) }
            return try Self.preview(row)
        }
        return try database.request(by: context) { batch in
            let row = batch.add(ReceivedInvitations.ofToken, hash)
            return { results, _ in try Self.preview(try results.row(row)) }
        }
    }

    private static func preview(_ row: InvitationOfToken) throws(Refusal) -> Preview {
        try row.requireOpen()
        guard row.state == .pending else { throw Refusal(.invitationAnswered) }
        guard let invitation = row.invitation else { throw Refusal(.invitationNotFound) }
        let email = row.email ?? ""
        return Preview(
            invitation: invitation, email: email, isForCaller: email.isEmpty || row.isToCaller,
            isOfOwnFamily: row.isOfOwnFamily)
    }

    /// Returns the preview of an invitation that ``list(by:)`` has returned to the caller.
    package static func preview(of listed: ReceivedInvitation) -> Preview {
        Preview(invitation: listed, email: "", isForCaller: true, isOfOwnFamily: false)
    }

    /// Accepts an invitation: the caller becomes a member of the family.
    ///
    /// A repetition by the same account gets the same result. A caller who is already a member does
    /// not use up a link.
    ///
    /// A caller in no family joins on the invitation's side. A player who lives alone in another
    /// family leaves that one. By accepting a graduation, the caller takes over the child's
    /// membership.
    ///
    /// - Throws: ``Refusal``, in this order: `invitationNotFound`, `invitationExpired`,
    ///   `invitationAnswered`, `notTheAddressee`; `removedFromFamily` if another member removed the
    ///   caller after the link was made; then `roleMismatch`, `playerHasFamily` or
    ///   `notTheGraduate`, `familyFull`, `tooManyFamilies`. Before all of these, `tooManyAttempts`
    ///   after 60 lookups of tokens in five minutes from one address.
    package func accept(
        by context: RequestContext, _ invitation: InvitationReference, from client: ClientAddress
    ) throws -> Acceptance {
        let accepted = try answer(
            .invitationAccept, invitation, by: context, from: client, ReceivedInvitations.accept)
        guard let accepted else { throw Refusal(.invitationNotFound) }
        switch accepted.outcome {
        case .joined, .alreadyMember, .alreadyAccepted: break
        case .playerHasFamily:
            throw Refusal(
                .playerHasFamily, .family(accepted.ownFamily, name: accepted.ownFamilyName))
        case .roleMismatch: throw Refusal(.roleMismatch, .invited(accepted.invitedRole))
        }
        // E-mails go to people who were waiting for approval to join the family that the caller has
        // left, and to the guardians of the child whose membership the caller has taken over.
        if accepted.outcome == .joined { database.notifyWorkers(of: MailJob.queue, for: context) }
        return accepted
    }

    /// Returns what accepting an invitation would do to the caller now. Changes nothing.
    ///
    /// - Returns: Nil unless the invitation is pending.
    /// - Throws: ``Refusal``: `invitationNotFound` for a text that can't be a token.
    package func prospect(
        by context: RequestContext, of invitation: InvitationReference
    ) throws -> EntryProspect? {
        try context.caller.facts.require(.invitationPreview)
        var (hash, id): (PostgresBytes?, InvitationID?) = (nil, nil)
        switch invitation {
        case .token(let text): hash = try Self.hash(of: text)
        case .id(let named): id = named
        }
        return try database.request(by: context) { batch in
            let prospect = batch.add(ReceivedInvitations.prospect, hash, id)
            return { answers, _ in try answers.first(prospect) }
        }
    }

    /// Declines an invitation.
    ///
    /// - Throws: Like ``accept(by:_:from:)``.
    package func decline(
        by context: RequestContext, _ invitation: InvitationReference, from client: ClientAddress
    ) throws {
        _ = try answer(
            .invitationDecline, invitation, by: context, from: client, ReceivedInvitations.decline)
    }

    /// Returns the name of the family whose invitations can be refused with a token. Changes
    /// nothing.
    ///
    /// - Throws: ``Refusal``: `invitationNotFound`; `tooManyAttempts`.
    package func refusableFamily(token: String, from client: ClientAddress) throws -> String {
        let hash = try countedHash(of: token, by: nil, from: client)
        guard let family = try database.query(RefusedInvitations.family, hash).first else {
            throw Refusal(.invitationNotFound)
        }
        return family.value
    }

    /// Stops e-mails with invitations to a recipient who wants no more.
    ///
    /// - Parameter ofAll: Whether the invitations of all families are refused.
    /// - Throws: Like ``refusableFamily(token:from:)``.
    package func refuse(
        token: String, ofAll: Bool, from client: ClientAddress
    ) throws {
        let hash = try countedHash(of: token, by: nil, from: client)
        let isFound = try database.withConnection { connection in
            var batch = Batch()
            let key = batch.add(RefusedInvitations.refuse, hash, ofAll)
            return try connection.send(batch, writes: true).first(key)?.value
        }
        guard isFound == true else { throw Refusal(.invitationNotFound) }
    }

    /// Returns the hash of an invitation's token, after counting the lookup.
    ///
    /// - Parameter context: Nil if the person isn't signed in.
    /// - Throws: ``Refusal``: `invitationNotFound` for a text that can't be a token, which is not
    ///   counted; `tooManyAttempts`.
    private func countedHash(
        of text: String, by context: RequestContext?, from client: ClientAddress
    ) throws -> PostgresBytes {
        let hash = try Self.hash(of: text)
        if let context, context.transaction != nil {
            try database.countAttempt(by: context) {
                $0.add(RateLimits.reserveInvitationLookup, client.address)
            }
        } else {
            // The statement needs no caller.
            let limit = try database.query(RateLimits.reserveInvitationLookup, client.address).first
            if let limit { throw limit.refusal }
        }
        return hash
    }

    /// - Throws: ``Refusal``: `invitationNotFound` for a text that can't be a token.
    private static func hash(of text: String) throws(Refusal) -> PostgresBytes {
        guard let token = InvitationToken(text) else { throw Refusal(.invitationNotFound) }
        return PostgresBytes(token.hash.bytes)
    }

    /// Accepts or declines an invitation: decides whether the caller may do so, then runs
    /// `statement`; one transaction of two round trips.
    ///
    /// Reasons are checked in this order: absent, expired, accepted or declined, for another
    /// address.
    private func answer<Row>(
        _ action: Action, _ invitation: InvitationReference, by context: RequestContext,
        from client: ClientAddress, _ statement: Statement<Row, PostgresBytes?, InvitationID?>
    ) throws -> Row? {
        var (hash, id): (PostgresBytes?, InvitationID?) = (nil, nil)
        switch invitation {
        case .token(let text): hash = try countedHash(of: text, by: context, from: client)
        case .id(let named): id = named
        }
        return try database.transaction(
            by: context,
            reading: { batch in
                let facts = Self.facts(ofHash: hash, orID: id, in: &batch)
                return { results, _ in try facts(results) }
            }
        ) { facts, transaction in
            // The facts are nil if the invitation is absent, accepted or declined. Only the
            // database knows who accepted or declined it, and raises the refusal.
            if let facts { try context.caller.facts.union(facts).require(action) }
            var batch = Batch()
            let row = batch.add(statement, hash, id)
            return try transaction.sendAndCommit(batch).rows(row).first
        }
    }

    /// Reads the facts about a pending invitation's recipient; nil if it isn't pending.
    private static func facts(
        ofHash hash: PostgresBytes?, orID id: InvitationID?, in batch: inout Batch
    ) -> (BatchResults) throws -> Facts? {
        if let hash {
            let row = batch.add(ReceivedInvitations.ofToken, hash)
            return { results in
                let row = try results.row(row)
                try row.requireOpen()
                guard row.state == .pending else { return nil }
                return Facts().with(
                    isAddressee: row.isToCaller, isLink: row.email?.isEmpty ?? false)
            }
        }
        guard let id else { return { _ in nil } }
        let isMine = batch.add(ReceivedInvitations.isMine, id)
        return { results in
            try results.row(isMine).value
                ? Facts().with(isAddressee: true, isLink: false) : nil
        }
    }
}

extension InvitationOfToken {
    /// Requires that the invitation is pending or accepted; only the database knows whether the
    /// caller accepted it.
    fileprivate func requireOpen() throws(Refusal) {
        switch state {
        case .absent: throw Refusal(.invitationNotFound)
        case .expired: throw Refusal(.invitationExpired)
        case .declined: throw Refusal(.invitationAnswered, .declined)
        case .pending, .accepted: return
        }
    }
}

/// The way in which a recipient names an invitation.
package enum InvitationReference: Sendable {
    /// The token, as in the link.
    case token(String)
    /// The id, which only the account that the invitation is addressed to may use.
    case id(InvitationID)
}
