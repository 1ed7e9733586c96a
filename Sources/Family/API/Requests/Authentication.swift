import Domain
import Glibc
import HTTPServer
import Identity
import UseCases

/// Identifies the caller of a request: the verified token, and the member acted for.
enum Authentication {
    /// Problem for a request without a token where one is required.
    static let missing = Problem(
        .notSignedIn, "Sign in to do this: a bearer token is missing.",
        headers: [("WWW-Authenticate", "Bearer")])

    /// Challenge that tells a client to get another token (RFC 6750 section 3).
    static let challenge = "Bearer error=\"invalid_token\""

    /// Returns the problem for a token that is not accepted. Every such problem is made here, with
    /// its challenge.
    static func invalid(
        _ message: String, challenge: String = Authentication.challenge
    ) -> Problem {
        Problem(.invalidToken, message, headers: [("WWW-Authenticate", challenge)])
    }

    /// Problem for a token that was issued before its account was erased.
    static let ended = invalid("This account was deleted. Sign in again.")

    /// Thrown to callers that don't wait: the token names a key that must be fetched first.
    struct KeyFetchNeeded: Error {}

    /// Returns the caller of a request; nil if it carries no token.
    ///
    /// - Parameter waitsForKeys: Whether to wait for a key that a token names and that is not known
    ///   yet; if not, this throws ``KeyFetchNeeded``.
    /// - Throws: 401 for an invalid token, on every route; 400 for ambiguous headers.
    static func caller(
        of request: Request, _ verifier: TokenVerifier, now: Int64, waitsForKeys: Bool
    ) throws -> Caller? {
        guard let header = try bearerHeader(request) else {
            _ = try actingAs(request)
            return nil
        }
        let remembered = try remembered(header, verifier, now: now, waitsForKeys: waitsForKeys)
        let member = try actingAs(request)
        return try remembered.derivedValue { try KnownCaller($0) }.caller(actingAs: member)
    }

    /// Verifies a token of another issuer that is sent in a body.
    ///
    /// - Throws: 401 for a token that is invalid or Hearth's own.
    static func foreign(
        _ token: String, _ verifier: TokenVerifier, now: Int64
    ) throws -> VerifiedToken {
        let verified = try refusing { () throws(TokenRefusal) in
            try verifier.verify(token, now: now)
        }
        guard verified.session == nil else {
            throw invalid("A token of another issuer is expected here.")
        }
        return verified
    }

    /// Returns the cached verification of the token in a header.
    private static func remembered(
        _ header: String, _ verifier: TokenVerifier, now: Int64, waitsForKeys: Bool
    ) throws -> CachedToken {
        var header = header
        // Reads the bytes in place, which avoids a copy of the token.
        return try header.withUTF8 { bytes in
            guard let token = token(in: bytes) else {
                throw invalid(
                    "The Authorization header must be `Bearer TOKEN`.",
                    challenge: "Bearer error=\"invalid_request\"")
            }
            return try refusing { () throws(TokenRefusal) in
                try verifier.verifyCached(token.span, now: now, waitsForKeys: waitsForKeys)
            }
        }
    }

    /// Translates a token's refusal into the problem that the client gets.
    private static func refusing<Value>(
        _ verify: () throws(TokenRefusal) -> Value
    ) throws -> Value {
        do {
            return try verify()
        } catch .unavailable {
            throw Problem.internalFault
        } catch .keysAwaited {
            throw KeyFetchNeeded()
        } catch .keysUnavailable(let seconds) {
            throw Problem.keysUnavailable(retryAfterSeconds: seconds)
        } catch .keysPending(let seconds) {
            throw Problem.keysPending(retryAfterSeconds: seconds)
        } catch {
            throw invalid("\(error) Get a new token, or sign in again.")
        }
    }

    private static func bearerHeader(_ request: Request) throws(Problem) -> String? {
        switch request.headers.single("Authorization") {
        case .absent: return nil
        case .repeated:
            throw Problem(.malformedRequest, "More than one Authorization header was sent.")
        case .once(let value): return value
        }
    }

    /// Returns the token after the scheme `Bearer`, in any letter case.
    private static func token(
        in value: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8>? {
        let space = UInt8(ascii: " ")
        guard value.count > scheme.count, value[scheme.count] == space,
            zip(value, scheme).allSatisfy({ $0 | 0x20 == $1 })
        else { return nil }
        let token = UnsafeBufferPointer(
            rebasing: value[scheme.count...].drop { $0 == space })
        // `memchr` is the fastest search in a long text.
        guard !token.isEmpty, let start = token.baseAddress,
            memchr(start, Int32(space), token.count) == nil
        else {
            return nil
        }
        return token
    }

    private static let scheme = Array("bearer".utf8)

    /// Returns the member of `X-Acting-As-Member`: a single `managed_<uuid>` or UUID.
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

/// The caller of a token: the part that all its requests share, created once.
private final class KnownCaller: Sendable {
    private let caller: Caller

    init(_ token: VerifiedToken) throws {
        caller =
            if let session = token.session {
                try Caller(token, session)
            } else {
                Caller(token, actingAs: nil)
            }
    }

    /// Returns the caller of a request for a member. A delegation acts only for its own member.
    func caller(actingAs member: UserID?) throws -> Caller {
        var caller = caller
        if caller.isDelegated {
            guard member == nil || member == caller.actingAs else { throw Refusal(.actingRefused) }
        } else {
            caller.actingAs = member
        }
        return caller
    }
}

extension Caller {
    /// Creates the caller of one of Hearth's own tokens.
    fileprivate init(_ token: VerifiedToken, _ session: VerifiedToken.Session) throws {
        guard let id = SessionID(session.id), let subject = UserID(token.subject),
            let account = session.actor.map({ UserID($0) }) ?? subject
        else { throw Authentication.invalid("The token lacks a claim that is needed.") }
        self.init(
            Session(id: id, account: account), issuer: token.issuer,
            signedInAt: session.signedInAt, tokenExpiresAt: token.expiresAt,
            actingAs: session.actor == nil ? nil : subject,
            isDelegated: session.actor != nil)
    }

    /// Creates the caller of a verified token.
    ///
    /// An address that Hearth can't store counts as missing. Anonymous users and service keys have
    /// no account: they see no data.
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
            tokenIssuedAt: token.issuedAt, tokenExpiresAt: token.expiresAt, actingAs: actingAs,
            linksAddress: token.linksAddresses)
    }
}
