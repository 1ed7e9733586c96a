import Domain
import HTTPServer
import Identity
import UseCases

/// Finds the caller of a request: the verified token, and the member acted for.
enum Authentication {
    /// What is told to whoever sends no token where one is needed.
    static let missing = Problem(
        .notSignedIn, "Sign in to do this: a bearer token is missing.",
        headers: [("WWW-Authenticate", "Bearer")])

    /// What is told to whoever sends a token that was issued before the account was erased.
    static let ended = Problem(
        .invalidToken, "This account was deleted. Sign in again.",
        headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")])

    /// The token names a key that has to be fetched first.
    struct KeysAwaited: Error {}

    /// The caller of a request; nil when it carries no token.
    ///
    /// - Parameter waitsForKeys: Whether to wait for a key that a token names and that is not known
    ///   yet; if not, this throws ``KeysAwaited``.
    /// - Throws: 401 for a token that is not a good one, on every route; 400 for headers that can't
    ///   be read in one way only.
    static func caller(
        of request: Request, _ verifier: TokenVerifier, now: Int64, waitsForKeys: Bool
    ) throws -> Caller? {
        guard let token = try bearerToken(request) else {
            _ = try actingAs(request)
            return nil
        }
        let verified = try verified(token, verifier, now: now, waitsForKeys: waitsForKeys)
        let member = try actingAs(request)
        if let session = verified.session {
            return try Caller(verified, session, actingAs: member)
        }
        return Caller(verified, actingAs: member)
    }

    /// A token that another issuer gave, which is sent in a body.
    ///
    /// - Throws: 401 for a token that is not a good one, or is Hearth's own.
    static func foreign(
        _ token: String, _ verifier: TokenVerifier, now: Int64
    ) throws -> VerifiedToken {
        let verified = try verified(token, verifier, now: now, waitsForKeys: true)
        guard verified.session == nil else {
            throw Problem(
                .invalidToken, "A token of another issuer is expected here.",
                headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
        }
        return verified
    }

    private static func verified(
        _ token: String, _ verifier: TokenVerifier, now: Int64, waitsForKeys: Bool
    ) throws -> VerifiedToken {
        do {
            return try verifier.verify(token, now: now, isPatient: waitsForKeys)
        } catch .unavailable {
            throw Problem.internalFault
        } catch .keysMissing {
            if waitsForKeys { throw Problem.unavailable } else { throw KeysAwaited() }
        } catch {
            throw Problem(
                .invalidToken, "\(error) Sign in again.",
                headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
        }
    }

    private static func bearerToken(_ request: Request) throws(Problem) -> String? {
        switch request.headers.single("Authorization") {
        case .absent: return nil
        case .repeated:
            throw Problem(.malformedRequest, "More than one Authorization header was sent.")
        case .once(let value):
            guard let token = Self.token(in: value) else {
                throw Problem(
                    .invalidToken, "The Authorization header must be `Bearer TOKEN`.",
                    headers: [("WWW-Authenticate", "Bearer error=\"invalid_request\"")])
            }
            return token
        }
    }

    /// The text after the scheme. Works on bytes, because splitting a long token into characters
    /// takes time.
    private static func token(in value: String) -> String? {
        let bytes = value.utf8
        guard let end = bytes.firstIndex(of: UInt8(ascii: " ")),
            value[..<end].lowercased() == "bearer"
        else { return nil }
        let token = bytes[end...].drop { $0 == UInt8(ascii: " ") }
        guard !token.isEmpty, !token.contains(UInt8(ascii: " ")) else { return nil }
        return String(Substring(token))
    }

    /// `managed_<uuid>`, or a bare UUID, once.
    private static func actingAs(_ request: Request) throws(Problem) -> UserID? {
        switch request.headers.single("X-Acting-As-Member") {
        case .absent: return nil
        case .repeated: break
        case .once(let value):
            let bare =
                value.prefix(8).lowercased() == "managed_" ? String(value.dropFirst(8)) : value
            if let id = UserID(bare) { return id }
        }
        throw Problem(
            .malformedActingAs,
            "X-Acting-As-Member must be one member's id, such as managed_ and a UUID.")
    }
}

extension Caller {
    /// The caller of one of Hearth's own tokens. A delegation acts for its member and nobody else.
    fileprivate init(
        _ token: VerifiedToken, _ session: VerifiedToken.Session, actingAs member: UserID?
    ) throws {
        guard let id = SessionID(session.id), let subject = UserID(token.subject),
            let account = session.actor.map({ UserID($0) }) ?? subject
        else { throw Problem(.invalidToken, "The token lacks a claim that is needed.") }
        guard session.actor == nil || member == nil || member == subject else {
            throw Refusal(.actingRefused)
        }
        self.init(
            Session(id: id, account: account), issuer: token.issuer,
            signedInAt: session.signedInAt,
            actingAs: session.actor == nil ? member : subject,
            isDelegated: session.actor != nil)
        tokenExpiresAt = token.expiresAt
    }

    /// The caller of a verified token.
    ///
    /// An address that Hearth can't store counts as missing. Anonymous users and service keys count
    /// as nobody: they see an empty state of their own.
    init(_ token: VerifiedToken, actingAs: UserID?) {
        let email = token.email.flatMap { EmailAddress($0) }
        self.init(
            issuer: token.issuer,
            subject: token.subject,
            adoptedID: token.isPrimary ? UserID(token.subject) : nil,
            email: email,
            isEmailVerified: email != nil && token.isEmailVerified,
            fullName: token.fullName,
            role: token.role.flatMap { MemberRole(rawValue: $0) },
            isAnonymous: token.bearer != .person,
            tokenIssuedAt: token.issuedAt,
            actingAs: actingAs)
        tokenExpiresAt = token.expiresAt
    }
}
