public import Foundation

/// The account of this device: signs a person in and out, stores the session, and supplies the
/// token of each request.
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
/// **Refreshing.** An access token lives for a few minutes. It is refreshed before it expires, and
/// when Hearth refuses it: once, however many requests wait for it. If the response is lost, the
/// refresh is sent again and gets the same response.
///
/// **End of the session.** A session ends when `signOut()` is called, when the person ends it from
/// another device, or if it is not used for long. After that requests throw
/// `HearthError.signedOut`, and `states` emits the change.
public actor Account: Credentials {
    /// The sign-in state of this device.
    public enum State: Sendable, Hashable {
        /// Nobody is signed in.
        case signedOut
        /// The person with this id is signed in.
        case signedIn(UserID)
    }

    let hearth: Hearth
    private let storage: any SessionStorage
    private let device: String?
    private let provider: (@Sendable () async throws -> ProviderToken?)?
    private let now: @Sendable () -> Date
    /// Session as loaded from the storage; the outer optional is nil until it is loaded.
    private var cached: Session??
    private var refreshing: Task<Session, any Error>?
    private let watchers = Watchers<State>()

    /// - Parameters:
    ///   - url: Address of Hearth.
    ///   - storage: Storage for the session on this device.
    ///   - device: Name of this device in the person's list of sessions, at most 80 characters.
    ///   - provider: Returns the token of an identity provider at which the person is signed in, or
    ///     nil. Whenever there is no session, the token begins one.
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

    /// Current session; nil while nobody is signed in.
    public var session: Session? {
        get throws {
            if let cached { return cached }
            let stored = try accessStorage { try storage.load() }.flatMap(Session.init)
            cached = .some(stored)
            return stored
        }
    }

    /// Emits the sign-in state now and after each change.
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

    /// Requests a six-digit code, which is mailed to the address, whether or not it has an account.
    ///
    /// - Returns: The ticket that belongs to the code. Keep it until the person has typed the code.
    public func requestCode(email: String) async throws -> SignInTicket {
        try await ticket("/api/auth/email", ["email": .string(email)])
    }

    /// Begins a session with a mailed code. The first sign-in creates the account.
    ///
    /// A code can be tried five times. If no response arrives, request a new code.
    @discardableResult
    public func signIn(_ ticket: SignInTicket, code: String) async throws -> SignedIn {
        try await begin(
            "/api/auth/email/verify",
            ["ticket": .string(ticket.ticket), "code": .string(code.filter { !$0.isWhitespace })])
    }

    /// Begins a session with the token of a mailed link (`HearthLink.signIn`).
    @discardableResult
    public func signIn(linkToken: String) async throws -> SignedIn {
        try await begin("/api/auth/email/verify", ["linkToken": .string(linkToken)])
    }

    /// Begins a session with a password.
    @discardableResult
    public func signIn(email: String, password: String) async throws -> SignedIn {
        try await begin(
            "/api/auth/sign-in", ["email": .string(email), "password": .string(password)])
    }

    /// Requests an account with a password. A code is mailed, and `signIn(_:code:)` creates the
    /// account.
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

    /// Requests a mailed link with which the password can be changed.
    public func requestPasswordReset(email: String) async throws {
        try await hearth.done(Self.call("/api/auth/password/forgot", ["email": .string(email)]))
    }

    /// Changes the password with the token of a mailed link (`HearthLink.resetPassword`). Ends all
    /// sessions of the person.
    public func resetPassword(token: String, to password: String) async throws {
        try await hearth.done(
            Self.call(
                "/api/auth/password/reset",
                ["token": .string(token), "password": .string(password)]))
    }

    /// Ends the session: at once on this device, and at Hearth if it can be reached.
    ///
    /// - Throws: The error that kept Hearth from ending the session, although this device is signed
    ///   out; `HearthError.storage` if the stored session can't be deleted.
    public func signOut() async throws {
        let ended = try session
        refreshing?.cancel()
        refreshing = nil
        try store(nil)
        guard let ended else { return }
        var call = Self.call(
            "/api/auth/sign-out", ["refresh_token": .string(ended.refreshToken)])
        call.isRepeatable = true
        do {
            try await hearth.done(call)
        } catch let error as HearthError where error.nextStep == .signIn {
            // The session had already ended.
        }
    }

    static func call(_ path: String, _ body: [String: JSONValue?]) -> Call {
        var call = Call.post(path, .body(body))
        call.isAnonymous = true
        call.isOwn = true
        // After a lost response, retrying could use up a second attempt at the code or password.
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
        try store(signedIn.session)
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

    /// Accesses the storage, whose errors become `HearthError.storage`.
    private func accessStorage<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as HearthError {
            throw error
        } catch {
            throw HearthError.storage(reason: "\(error)")
        }
    }

    /// Stores a session, or removes it if nil, and emits a change of the state.
    private func store(_ session: Session?) throws {
        let before = state
        cached = .some(session)
        try accessStorage {
            if let session { try storage.save(session.data) } else { try storage.remove() }
        }
        if state != before { watchers.send(state) }
    }

    // MARK: Tokens

    /// Returns the token for the next request, refreshed if the current one is about to expire.
    public func accessToken() async throws -> String? {
        guard let session = try session else {
            guard let provider, let token = try await HearthError.wrappingSignIn(provider) else {
                throw HearthError.signedOut
            }
            // Another request may have begun a session in the meantime.
            if let session = try self.session { return session.accessToken }
            return try await signIn(with: token).session.accessToken
        }
        if session.accessEndsAt.timeIntervalSince(now()) > Self.earlySeconds {
            return session.accessToken
        }
        do {
            return try await refresh(session).accessToken
        } catch HearthError.unreachable where session.accessEndsAt > now() {
            // The current token is still valid for a moment.
            return session.accessToken
        }
    }

    /// Returns a token other than the one that Hearth refused.
    public func replacement(for refused: String) async throws -> String? {
        guard let session = try session else { return nil }
        if session.accessToken != refused { return session.accessToken }
        return try await refresh(session).accessToken
    }

    /// Seconds before a token's expiry at which the token is refreshed.
    private static let earlySeconds = 60.0

    /// Refreshes a session. Concurrent callers share one refresh.
    private func refresh(_ session: Session) async throws -> Session {
        if let refreshing { return try await refreshing.value }
        let task = Task { try await self.askForRefresh(session) }
        refreshing = task
        defer { if refreshing == task { refreshing = nil } }
        return try await task.value
    }

    private func askForRefresh(_ session: Session) async throws -> Session {
        // An extension of the app may have refreshed the session already.
        let loaded = try accessStorage { try storage.load() }
        if let stored = loaded.flatMap(Session.init), stored != session,
            stored.accessEndsAt > now().addingTimeInterval(Self.earlySeconds)
        {
            cached = .some(stored)
            return stored
        }
        var call = Self.call(
            "/api/auth/refresh", ["refresh_token": .string(session.refreshToken)])
        // Hearth repeats its response to a refresh token until the next token is used.
        call.isRepeatable = true
        do {
            let answer = try await hearth.json(call)
            let next = try read(answer, userID: session.userID).session
            // If the person signed out meanwhile, the new session is discarded.
            guard try self.session == session else { throw HearthError.signedOut }
            try store(next)
            return next
        } catch let error as HearthError where error.nextStep == .signIn {
            if try self.session == session { try store(nil) }
            throw HearthError.signedOut
        }
    }
}

/// The result of signing in at an identity provider.
public struct ProviderToken: Sendable, Hashable {
    /// The provider's token; for Apple, the identity token.
    public var token: String
    /// Nonce whose SHA-256 the request to the provider carried.
    public var nonce: String?
    /// Apple's code that lets Hearth revoke the connection with Apple when the account is erased.
    public var authorizationCode: String?
    /// Full name, which Apple gives only the first time.
    public var fullName: String?

    /// Creates a token with the values that came with it.
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

/// A pending sign-in that waits for the mailed code. An app can store it while the person reads the
/// e-mail in another app.
public struct SignInTicket: Sendable, Hashable, Codable {
    /// Secret that complements the code: neither is of use without the other.
    public let ticket: String
    /// Time at which the code expires, by this device's clock.
    public let endsAt: Date

    /// Creates a value, for previews and tests.
    public init(ticket: String, endsAt: Date) {
        self.ticket = ticket
        self.endsAt = endsAt
    }
}

/// The result of a sign-in.
public struct SignedIn: Sendable, Hashable {
    /// Session that began.
    public let session: Session
    /// Profile of the person; nil if Hearth doesn't send it.
    public let profile: Profile?
    /// Whether the sign-in created the account.
    public let isNew: Bool
}
