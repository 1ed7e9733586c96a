import Domain
import HTTPServer
import Identity
import UseCases

/// Who makes a request: the verified token, and for whom it is made.
enum Authentication {
    private static let missing = Problem(
        .notSignedIn, "Sign in to do this: a bearer token is missing.",
        headers: [("WWW-Authenticate", "Bearer")])

    /// The caller of a request; nil when it carries no token and needs none.
    ///
    /// - Parameter isPatient: Whether to wait for keys that a token names and nobody knows yet.
    /// - Throws: 401 for a token that is missing, and for one that is not a good one, on every
    ///   route; 400 for headers that can't be read in one way only.
    static func caller(
        of request: Request, on access: Endpoint.Access, _ verifier: TokenVerifier, now: Int64,
        isPatient: Bool = true
    ) throws(Problem) -> Caller? {
        guard let token = try bearerToken(request) else {
            if access == .signedIn { throw missing }
            _ = try actingAs(request)
            return nil
        }
        let verified: VerifiedToken
        do {
            verified = try verifier.verify(token, now: now, isPatient: isPatient)
        } catch .unavailable {
            throw .internalFault
        } catch .keysMissing {
            throw .unavailable
        } catch {
            throw Problem(
                .invalidToken, "\(error) Sign in again.",
                headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
        }
        return Caller(verified, actingAs: try actingAs(request))
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

    /// What follows the scheme. By bytes: a token is long, and telling its characters apart takes
    /// time.
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
