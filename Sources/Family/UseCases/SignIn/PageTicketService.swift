import Crypto
package import Domain
import Policy
import Postgres
package import Repositories

/// The use cases of page tickets: an app opens one of Hearth's pages in a browser as the person who
/// is signed in to the app.
///
/// A ticket is 32 random bytes, of which the database stores the hash. It works once, for a minute,
/// and opens one page.
package struct PageTicketService: Sendable {
    /// Validity of a ticket, in seconds.
    package static let lifetimeSeconds = 60
    private static let ticketBytes = 32

    private let database: Database
    private let keys: SignInKeys

    package init(_ database: Database, _ keys: SignInKeys) {
        self.database = database
        self.keys = keys
    }

    /// The page that a ticket opens.
    package struct Target: Sendable, Equatable {
        package let path: ReturnPath
        /// Address to which the pages lead back; nil if there is none.
        package let back: ReturnAddress?

        package init(_ path: ReturnPath, back: ReturnAddress?) {
            self.path = path
            self.back = back
        }
    }

    /// Creates a ticket for the session of the caller's token.
    ///
    /// - Throws: ``Refusal``: `sessionRequired` for a token of another issuer, `tooManyAttempts`,
    ///   `accountRequired`, `notWhileActing`.
    package func create(_ target: Target, by context: RequestContext) throws -> String {
        try context.caller.facts.require(.accountManage)
        guard context.caller.session != nil else { throw Refusal(.sessionRequired) }
        let ticket = Base64URL.text(try .random(count: Self.ticketBytes))
        let hash = SHA256Digest(of: ticket)
        let text = [target.path.text, target.back?.text].compactMap { $0 }.joined(separator: "\n")
        let sealed = try keys.pageTickets[0].seal(Array(text.utf8), for: hash.bytes)
        let limit = try database.request(by: context, writes: true) { batch in
            let key = batch.add(
                PageTickets.create, PostgresBytes(hash.bytes), PostgresBytes(sealed))
            return { results, _ in try results.first(key) }
        }
        if let limit { throw limit.refusal }
        return ticket
    }

    /// Returns the account that a ticket signs in; nil if it can't be used any more. Does not use
    /// the ticket.
    package func account(of ticket: String) throws -> TicketAccount? {
        try database.query(PageTickets.account, PostgresBytes(SHA256Digest(of: ticket).bytes))
            .first
    }

    /// Uses a ticket: starts a session for the browser that ends when the app's session does.
    /// Returns nil if the ticket can't be used any more.
    ///
    /// - Parameters:
    ///   - device: Name of the browser.
    ///   - replaced: The browser's present session, which this call ends if the same app opened it.
    ///   - scheme: The app's current scheme.
    package func use(
        _ ticket: String, device: Label?, replacing replaced: SessionID?, scheme: String?
    ) throws -> (signedIn: SignedIn, target: Target)? {
        let hash = SHA256Digest(of: ticket).bytes
        let session = SessionID.random()
        let token = try RefreshToken(of: session, keys)
        return try database.withConnection { connection in
            var batch = Batch()
            let opening = batch.add(
                PageTickets.use, PostgresBytes(hash), session, device?.text,
                PostgresBytes(token.hash.bytes), replaced)
            let profile = ProfileService.read(isActing: false, in: &batch)
            let results = try connection.send(batch, writes: true)
            guard let opened = try results.first(opening) else { return nil }
            let begun = opened.session
            let signedIn = SignedIn(
                session: session, user: begun.user, method: opened.method,
                startedAt: begun.startedAt, refreshToken: token.text,
                refreshSeconds: begun.lastsSeconds,
                profile: try profile(results, Subject(signedIn: begun.user)), isNew: false)
            return (signedIn, try target(in: opened.target.bytes, hash, scheme: scheme))
        }
    }

    /// Decrypts a target. A ticket opens the family page if none of the current keys fits.
    private func target(
        in sealed: [UInt8], _ hash: [UInt8], scheme: String?
    ) throws(CryptoError) -> Target {
        for key in keys.pageTickets {
            guard let bytes = try key.open(sealed, for: hash) else { continue }
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            guard let path = lines.first.flatMap({ ReturnPath(String($0)) }) else { break }
            let back = lines.dropFirst().first.map { String($0) }
            return Target(path, back: ReturnAddress(back, scheme: scheme))
        }
        return Target(.family, back: nil)
    }
}
