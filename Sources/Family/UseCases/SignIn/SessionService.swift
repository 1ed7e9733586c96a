package import Domain
import Policy
import Postgres
package import Repositories

/// The use cases of an account's sessions.
package struct SessionService: Sendable {
    private let database: Database
    private let consents: ConsentService

    package init(_ database: Database, _ consents: ConsentService) {
        self.database = database
        self.consents = consents
    }

    /// A session, and whether it is the one of the request's token.
    package struct Entry: Sendable {
        package let session: ListedSession
        package let isCurrent: Bool
    }

    /// Lists the sessions of the caller's account that have not ended, the last used first.
    package static func list(by context: RequestContext) throws -> Read<[Entry]> {
        try context.caller.facts.require(.accountManage)
        return Read(by: context) { batch in
            let sessions = batch.add(Sessions.mine)
            return { results, _ in
                try results.rows(sessions).map {
                    Entry(session: $0, isCurrent: $0.id == context.caller.session?.id)
                }
            }
        }
    }

    /// Ends a session, which may be the caller's current one.
    ///
    /// - Throws: ``Refusal``: `sessionNotFound`, `accountRequired`.
    package func end(_ session: SessionID, by context: RequestContext) throws {
        try context.caller.facts.require(.accountManage)
        try database.request(by: context, writes: true) { batch in
            batch.add(Sessions.end, session)
            return { _, _ in }
        }
    }

    /// Ends all sessions except the one of the caller's token.
    package func endOthers(by context: RequestContext) throws {
        try context.caller.facts.require(.accountManage)
        try database.request(by: context, writes: true) { batch in
            batch.add(Sessions.endOthers, context.caller.session?.id)
            return { _, _ in }
        }
    }

    /// Extends a browser's session that is in use: pages refresh no tokens.
    ///
    /// - Returns: Seconds that it lasts from now on; nil if it was extended recently.
    /// - Throws: ``Refusal``: `sessionEnded`.
    package func extend(by context: RequestContext) throws -> Int? {
        try context.caller.facts.require(.accountManage)
        return try database.request(by: context, writes: true) { batch in
            let key = batch.add(Sessions.extend)
            return { results, _ in try results.first(key).map { Int($0.value) } }
        }
    }

    /// Stores the family that the pages of the caller's session show if an address names none.
    package func show(_ family: FamilyID, by context: RequestContext) throws {
        try context.caller.facts.require(.accountManage)
        try database.request(by: context, writes: true) { batch in
            batch.add(Sessions.showFamily, family)
            return { _, _ in }
        }
    }

    /// Hides the present conflicts about roles from the pages of the caller's session.
    package func hideRoleConflicts(by context: RequestContext) throws {
        try context.caller.facts.require(.accountManage)
        try database.request(by: context, writes: true) { batch in
            batch.add(RoleChanges.hideConflicts)
            return { _, _ in }
        }
    }

    /// The contents of a token for a service.
    package struct Delegation: Sendable {
        /// The child that the service acts for.
        package let member: UserID
        /// The account that asks for the token.
        package let guardian: UserID
        /// The guardian's session; Hearth refuses the token once it has ended.
        package let session: SessionID
        /// Method by which the guardian signed in.
        package let method: SignInMethod
        /// Start of the session.
        package let signedInAt: Timestamp
    }

    /// Returns the contents of a token with which another service can act for a child, at the
    /// guardian's request.
    ///
    /// - Throws: ``Refusal``: `sessionRequired` for a token of another issuer; `actingRefused` for
    ///   a child whose guardian the caller is not; `consentRequired` for one who lacks a required
    ///   consent.
    package func delegate(for member: UserID, by context: RequestContext) throws -> Delegation {
        try context.caller.facts.require(.accountManage)
        guard let session = context.caller.session else { throw Refusal(.sessionRequired) }
        let (own, guardian) = try database.request(by: context) { batch in
            let sessions = batch.add(Sessions.mine)
            return { results, subject in
                (try results.rows(sessions).first { $0.id == session.id }, subject.user)
            }
        }
        guard let own, let guardian else { throw Refusal(.sessionEnded) }
        var acting = context
        acting.caller.actingAs = member
        try consents.requireConsents(by: acting)
        return Delegation(
            member: member, guardian: guardian, session: session.id, method: own.method,
            signedInAt: own.startedAt)
    }
}
