package import Domain
import Jobs
import Policy
import Postgres
package import Repositories

/// The use cases of the caller's sign-in methods: listing, adding and removing them.
///
/// Each change needs a sign-in within the last ten minutes, and the owner is notified by e-mail.
package struct IdentityService: Sendable {
    private let database: Database
    private let offered: OfferedSignInMethods

    package init(_ database: Database, offering offered: OfferedSignInMethods) {
        self.database = database
        self.offered = offered
    }

    /// Lists the caller's sign-in methods, the oldest first.
    package static func list(by context: RequestContext) throws -> Read<[ListedIdentity]> {
        try context.caller.facts.require(.accountManage)
        return Read(by: context) { batch in
            let key = batch.add(Identities.mine)
            return { results, _ in try results.rows(key) }
        }
    }

    /// Adds the sign-in of another token that the caller also holds.
    ///
    /// - Parameter other: The caller of a verified token of another issuer.
    /// - Returns: All sign-in methods.
    /// - Throws: ``Refusal``: `signInAgain`; `identityInUse` if the sign-in belongs to another
    ///   account that is in use; `identityOfIssuerExists` if the account already has a sign-in with
    ///   a primary issuer, whose subject is the account's id.
    package func add(_ other: Caller, by context: RequestContext) throws -> [ListedIdentity] {
        try context.caller.facts.require(.accountManage)
        if other.isAnonymous { throw Refusal(.accountRequired) }
        let identities = try database.request(by: context, writes: true) { batch in
            batch.add(
                Identities.addSignIn, other.issuer, other.subject,
                other.email?.text, other.isEmailVerified, other.tokenIssuedAt,
                context.caller.tokenIssuedAt,
                MailJob.payload(of: {
                    .signInAdded(.identityAdded, recipient: $0, issuer: other.issuer)
                }),
                other.adoptedID)
            let key = batch.add(Identities.mine)
            return { results, _ in try results.rows(key) }
        }
        database.notifyWorkers(of: MailJob.queue, for: context)
        return identities
    }

    /// Removes a sign-in method. Removing the last address also removes the password.
    ///
    /// - Throws: ``Refusal``: `identityNotFound`; `signInAgain`; `lastIdentity`.
    package func remove(_ identity: IdentityID, by context: RequestContext) throws {
        try remove(by: context) { batch in
            batch.add(
                Identities.remove, identity, context.caller.tokenIssuedAt, offered.kinds,
                offered.issuers, MailJob.payloadOfRemoval)
        }
    }

    /// Removes a passkey.
    ///
    /// - Throws: ``Refusal``: `passkeyNotFound`; `signInAgain`; `lastIdentity`.
    package func remove(_ passkey: PasskeyID, by context: RequestContext) throws {
        try remove(by: context) { batch in
            batch.add(
                Passkeys.remove, passkey, context.caller.tokenIssuedAt, offered.kinds,
                offered.issuers, MailJob.payloadOfRemoval)
        }
    }

    private func remove(by context: RequestContext, _ add: (inout Batch) -> Void) throws {
        try context.caller.facts.require(.accountManage)
        try database.request(by: context, writes: true) { batch in
            add(&batch)
            return { _, _ in }
        }
        database.notifyWorkers(of: MailJob.queue, for: context)
    }
}

/// The sign-in methods that programs offer. An account must keep one of them.
package struct OfferedSignInMethods: Sendable {
    /// Kinds of identities, except ``IdentityKind/issuer``: those are usable if ``issuers`` has
    /// their issuer.
    let kinds: [String]
    let issuers: [String]

    /// - Parameter issuers: The trusted issuers.
    package init(kinds: Set<IdentityKind>, issuers: [String]) {
        self.kinds = kinds.map(\.rawValue).sorted()
        self.issuers = issuers
    }

    /// Whether the identity alone is enough to sign in. A password is not: without e-mail, it can't
    /// be reset.
    package func canSignIn(with identity: ListedIdentity) -> Bool {
        switch identity.kind {
        case .issuer: identity.name.map(issuers.contains) ?? false
        case .email: kinds.contains("email") || kinds.contains("password")
        case .passkey: kinds.contains("passkey")
        case .password: false
        }
    }
}

extension MailJob {
    /// The payload of the e-mail's job. The database adds the account and the kind, which it knows.
    fileprivate static var payloadOfRemoval: PostgresJSON {
        payload(of: { .identityRemoved(recipient: $0, .passkey) })
    }
}
