public import Foundation

/// The person who is signed in on this device: signs in and out, keeps the session, and gives each
/// request its token.
///
/// ```swift
/// let account = Account(url, storage: KeychainStorage(service: "com.example.app"))
/// let hearth = Hearth(url, credentials: account)
///
/// let ticket = try await account.requestCode(email: "ada@example.com")
/// try await account.signIn(ticket, code: "123456")
/// let profile = try await hearth.profile()
/// ```
///
/// **Refreshing.** An access token lives for some minutes. It is replaced before it ends, and when
/// Hearth refuses it: once, however many requests wait for it. If the answer to that is lost, the
/// same is asked again and answered again.
///
/// **The end.** A session ends by `signOut()`, from another device, or if it is not used for long.
/// Requests throw `HearthError.signedOut` from then on, and `states` shows it.
public actor Account: Credentials {
    /// Whether somebody is signed in.
    public enum State: Sendable, Hashable {
        /// Nobody.
        case signedOut
        /// This person.
        case signedIn(UserID)
    }

    let hearth: Hearth
    private let storage: any SessionStorage
    private let device: String?
    private let provider: (@Sendable () async throws -> ProviderToken?)?
    private let now: @Sendable () -> Date
    /// Nil until the storage was asked.
    private var known: Session??
    private var refreshing: Task<Session, any Error>?
    private let watchers = Watchers<State>()

    /// - Parameters:
    ///   - url: Where Hearth is.
    ///   - storage: Keeps the session on this device.
    ///   - device: What the person's list of sessions calls this device, at most 80 characters.
    ///   - provider: Gives the token of an identity provider at which the person is signed in, or
    ///     nil. Whenever there is no session one is begun with it.
    public init(
        _ url: URL, storage: any SessionStorage, device: String? = nil,
        provider: (@Sendable () async throws -> ProviderToken?)? = nil
    ) {
        self.init(
            Hearth(url, credentials: BearerToken.none), storage: storage, device: device,
            provider: provider, now: { Date() })
    }

    init(
        _ hearth: Hearth, storage: any SessionStorage, device: String? = nil,
        provider: (@Sendable () async throws -> ProviderToken?)? = nil,
        now: @escaping @Sendable () -> Date
    ) {
        self.hearth = hearth
        self.storage = storage
        self.device = device
        self.provider = provider
        self.now = now
    }

    /// The session; nil while nobody is signed in.
    public var session: Session? {
        get throws {
            if let known { return known }
            let kept = try storage.load().flatMap(Session.init)
            known = .some(kept)
            return kept
        }
    }

    /// Whether somebody is signed in, now and whenever that changes.
    public var states: AsyncStream<State> {
        watchers.stream(.bufferingNewest(8), first: [state])
    }

    private var state: State {
        guard let session = try? session else { return .signedOut }
        return .signedIn(session.userID)
    }

    // MARK: Signing in

    /// Begins a session with the token of an identity provider.
    @discardableResult
    public func signIn(with token: ProviderToken) async throws -> SignedIn {
        try await begin(
            "/api/auth/exchange",
            [
                "token": .string(token.token), "nonce": token.nonce.map { .string($0) },
                "authorizationCode": token.authorizationCode.map { .string($0) },
                "fullName": token.fullName.map { .string($0) },
            ])
    }

    /// Has a code of six digits mailed to an address, whoever's it is.
    ///
    /// - Returns: What the code belongs to: keep it until the person has typed the code.
    public func requestCode(email: String) async throws -> SignInTicket {
        try await ticket("/api/auth/email", ["email": .string(email)])
    }

    /// Begins a session by a mailed code. The first time this makes the account.
    ///
    /// A code can be tried five times. If no answer came, ask for another one.
    @discardableResult
    public func signIn(_ ticket: SignInTicket, code: String) async throws -> SignedIn {
        try await begin(
            "/api/auth/email/verify",
            ["ticket": .string(ticket.ticket), "code": .string(code.filter { !$0.isWhitespace })])
    }

    /// Begins a session by a password.
    @discardableResult
    public func signIn(email: String, password: String) async throws -> SignedIn {
        try await begin(
            "/api/auth/sign-in", ["email": .string(email), "password": .string(password)])
    }

    /// Asks for an account with a password. A code is mailed; `signIn(_:code:)` then makes it.
    public func signUp(
        email: String, password: String, fullName: String, role: MemberRole
    ) async throws -> SignInTicket {
        try await ticket(
            "/api/auth/sign-up",
            [
                "email": .string(email), "password": .string(password),
                "fullName": .string(fullName), "role": .string(role.rawValue),
            ])
    }

    /// Has a link mailed by which the password can be changed.
    public func requestPasswordReset(email: String) async throws {
        try await hearth.done(Self.call("/api/auth/password/forgot", ["email": .string(email)]))
    }

    /// Changes the password by the token of a mailed link (`HearthLink.resetPassword`). Every
    /// session of the person ends.
    public func resetPassword(token: String, to password: String) async throws {
        try await hearth.done(
            Self.call(
                "/api/auth/password/reset",
                ["token": .string(token), "password": .string(password)]))
    }

    /// Ends the session, here at once and at Hearth if it can be reached.
    ///
    /// - Throws: What kept Hearth from ending it too; here nobody is signed in any more.
    public func signOut() async throws {
        let ended = try session
        refreshing?.cancel()
        refreshing = nil
        try keep(nil)
        guard let ended else { return }
        var call = Self.call(
            "/api/auth/sign-out", ["refresh_token": .string(ended.refreshToken)])
        call.isRepeatable = true
        do {
            try await hearth.done(call)
        } catch let error as HearthError where error.nextStep == .signIn {
            // It had ended already.
        }
    }

    static func call(_ path: String, _ body: [String: JSONValue?]) -> Call {
        var call = Call.post(path, .body(body))
        call.isAnonymous = true
        call.isOwn = true
        // A code or password must not be tried twice because an answer was lost.
        call.isRepeatable = false
        return call
    }

    private func ticket(_ path: String, _ body: [String: JSONValue?]) async throws -> SignInTicket {
        let answer = try await hearth.json(Self.call(path, body))
        guard let ticket = answer["ticket"]?.stringValue else {
            throw HearthError.unexpectedAnswer(status: 202, detail: "no ticket")
        }
        return SignInTicket(
            ticket: ticket,
            endsAt: now().addingTimeInterval(Double(answer["expiresIn"]?.intValue ?? 600)))
    }

    func begin(_ path: String, _ body: [String: JSONValue?]) async throws -> SignedIn {
        var body = body
        body["device"] = device.map { .string($0) }
        let answer = try await hearth.json(Self.call(path, body))
        let signedIn = try read(answer, userID: nil)
        try keep(signedIn.session)
        return signedIn
    }

    private func read(_ answer: JSONValue, userID: UserID?) throws -> SignedIn {
        do {
            let fields = try Fields(answer)
            return SignedIn(
                session: try Session(fields, userID: userID, now: now()),
                profile: try? Profile(Fields(answer["user"] ?? .null)),
                isNew: fields.flag("isNew"))
        } catch {
            throw HearthError.unexpectedAnswer(status: 200, detail: "\(error)")
        }
    }

    /// Keeps a session, or that nobody is signed in.
    private func keep(_ session: Session?) throws {
        let before = state
        known = .some(session)
        if let session { try storage.save(session.data) } else { try storage.remove() }
        if state != before { watchers.send(state) }
    }

    // MARK: Tokens

    /// The token for the next request; a new one shortly before the last one ends.
    public func accessToken() async throws -> String? {
        guard let session = try session else {
            guard let token = try await provider?() else { throw HearthError.signedOut }
            // Others may have begun one in the meantime.
            if let session = try self.session { return session.accessToken }
            return try await signIn(with: token).session.accessToken
        }
        if session.accessEndsAt.timeIntervalSince(now()) > Self.earlySeconds {
            return session.accessToken
        }
        do {
            return try await refresh(session).accessToken
        } catch HearthError.unreachable where session.accessEndsAt > now() {
            // It still holds for a moment.
            return session.accessToken
        }
    }

    /// Another token than the one that Hearth refused.
    public func replacement(for refused: String) async throws -> String? {
        guard let session = try session else { return nil }
        if session.accessToken != refused { return session.accessToken }
        return try await refresh(session).accessToken
    }

    /// How long before its end a token is replaced.
    private static let earlySeconds = 60.0

    /// A new session in place of one; once for all who ask meanwhile.
    private func refresh(_ session: Session) async throws -> Session {
        if let refreshing { return try await refreshing.value }
        let task = Task { try await self.askForRefresh(session) }
        refreshing = task
        defer { if refreshing == task { refreshing = nil } }
        return try await task.value
    }

    private func askForRefresh(_ session: Session) async throws -> Session {
        // An extension of the app may have done it.
        if let kept = try storage.load().flatMap(Session.init), kept != session,
            kept.accessEndsAt > now().addingTimeInterval(Self.earlySeconds)
        {
            known = .some(kept)
            return kept
        }
        var call = Self.call(
            "/api/auth/refresh", ["refresh_token": .string(session.refreshToken)])
        // The same token gives the same answer until the next one is used.
        call.isRepeatable = true
        do {
            let answer = try await hearth.json(call)
            let next = try read(answer, userID: session.userID).session
            // Signed out while it was asked for: that counts.
            guard try self.session == session else { throw HearthError.signedOut }
            try keep(next)
            return next
        } catch let error as HearthError where error.nextStep == .signIn {
            if try self.session == session { try keep(nil) }
            throw HearthError.signedOut
        }
    }
}

/// What an identity provider gave when the person signed in there.
public struct ProviderToken: Sendable, Hashable {
    /// The provider's token; for Apple the identity token.
    public var token: String
    /// The value whose SHA-256 the request to the provider carried.
    public var nonce: String?
    /// Apple's: lets Hearth end the connection with Apple when the account is erased.
    public var authorizationCode: String?
    /// The name, which Apple gives the first time only.
    public var fullName: String?

    /// A token, with what came with it.
    public init(
        _ token: String, nonce: String? = nil, authorizationCode: String? = nil,
        fullName: String? = nil
    ) {
        self.token = token
        self.nonce = nonce
        self.authorizationCode = authorizationCode
        self.fullName = fullName
    }
}

/// Waits for the code that was mailed.
public struct SignInTicket: Sendable, Hashable {
    /// Belongs to the code: neither is of use without the other.
    public let ticket: String
    /// When the code ends, by this device's clock.
    public let endsAt: Date
}

/// Somebody who has just signed in.
public struct SignedIn: Sendable, Hashable {
    /// The session that began.
    public let session: Session
    /// The person; nil where Hearth doesn't say.
    public let profile: Profile?
    /// Whether the account was made by this.
    public let isNew: Bool
}
