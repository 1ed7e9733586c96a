package import Domain
import Postgres
import Repositories

/// Opens a session for the caller of another issuer's token.
package struct ExchangeToken: Sendable {
    private let database: Database
    private let keys: SignInKeys

    package init(_ database: Database, _ keys: SignInKeys) {
        self.database = database
        self.keys = keys
    }

    /// - Parameters:
    ///   - context: Of a verified token that is not Hearth's own.
    ///   - device: What the client calls the device.
    ///   - grant: What the provider gave for the sign-in; it is kept.
    /// - Throws: ``Refusal``: `accountRequired` for a token that is nobody's.
    package func callAsFunction(
        by context: RequestContext, device: Label?, grant: ProviderTokenGrant? = nil,
        language: LanguageTag? = nil
    ) throws -> SignedIn {
        try context.caller.facts.require(.accountManage)
        let session = SessionID.random()
        let token = try RefreshToken(of: session, keys)
        let sealed = try grant.map { try keys.seal($0, of: context.caller.issuer) }
        var isFirst = false
        let signedIn = try database.leased { connection in
            try Database.asKnown(context, on: connection) { isCompared -> SignedIn? in
                var batch = Batch()
                let identity = Database.begin(context, isCompared, &batch)
                let begun = batch.add(
                    Sessions.exchange, session, context.caller.issuer, device?.text,
                    PostgresBytes(token.hash.bytes), context.caller.tokenIssuedAt)
                if let grant, let sealed {
                    batch.add(
                        ProviderTokens.keep, context.caller.issuer,
                        context.caller.subject, grant.client, sealed)
                }
                if let language { batch.add(Locales.take, language.text) }
                let began = batch.add(Identities.beganWithSignIn)
                let profile = ReadProfile.reading(isActing: false, in: &batch)
                let answers = try connection.send(batch, writes: true)
                let found = try answers.row(identity)
                if Database.isNews(found, context, isCompared) {
                    isFirst = found.outcome == .unknown
                    return nil
                }
                let subject = try Subject(found, context)
                let row = try answers.row(begun)
                return SignedIn(
                    session: session, user: row.user, method: .exchange,
                    startedAt: row.startedAt, refreshToken: token.text,
                    refreshSeconds: row.lastsSeconds, profile: try profile(answers, subject),
                    isNew: try isFirst && answers.row(began).value)
            }
        }
        return signedIn
    }
}
