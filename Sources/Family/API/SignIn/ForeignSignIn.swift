import Crypto
import Domain
import Identity
import UseCases

/// A token of another issuer that is sent in a body, and the values that came with it.
struct ForeignSignIn {
    /// The token's person as a caller.
    let caller: Caller
    /// The context of a request by this person.
    var context: RequestContext { RequestContext(caller) }
    private let token: VerifiedToken
    private let issuer: Issuer?

    /// - Parameters:
    ///   - nonce: The nonce with which the client requested the token; its hash must be the token's
    ///     claim.
    ///   - fullName: The name that the person's device knows. It is used if neither the token nor
    ///     the account has a name.
    /// - Throws: 401 for a token that is invalid or Hearth's own; 400 if the nonce is missing.
    init(
        _ text: String, nonce: String?, fullName: PersonName? = nil, _ services: Services
    ) throws {
        token = try Authentication.foreign(text, services.verifier, now: services.seconds)
        let name = token.issuer
        issuer = services.verifier.issuers.first { $0.name == name }
        if let nonce {
            let hash = SHA256Digest(of: nonce).hex
            guard let claim = token.nonce,
                constantTimeEqual(Array(claim.utf8), Array(hash.utf8))
            else { throw Self.refused("The token was not requested with this nonce.") }
        } else if issuer?.requiresNonce == true {
            throw Refusal(.missingField, .field("nonce"))
        }
        caller = Caller(token, actingAs: nil).named(fullName)
    }

    /// Exchanges the authorization code that came with the token, if the issuer's entry has the
    /// team's key; returns nil if it has none.
    ///
    /// - Throws: 401 for a code that is invalid or belongs to another person; 503 if the provider
    ///   does not respond.
    func grant(for code: String, _ services: Services) throws -> ProviderTokenGrant? {
        guard let team = issuer?.team else { return nil }
        switch try team.exchange(code: code, client: token.audience, now: services.seconds) {
        case .granted(let refreshToken?, let idToken?):
            let other = try Authentication.foreign(
                idToken, services.verifier, now: services.seconds)
            guard other.issuer == token.issuer, other.subject == token.subject else {
                throw Self.refused("The authorization code belongs to another person.")
            }
            return ProviderTokenGrant(client: token.audience, refreshToken: refreshToken)
        case .granted, .refused:
            throw Self.refused("The authorization code is not valid, or no longer valid.")
        case .unknown(let reason):
            services.log.warning(
                "the identity provider did not exchange an authorization code",
                [.error(ProviderUnavailable(reason))])
            throw Problem.unavailable
        }
    }

    private static func refused(_ message: String) -> Problem {
        Authentication.invalid(message + " Sign in again.")
    }
}

/// Reason why a provider gave no usable response.
struct ProviderUnavailable: Error, CustomDebugStringConvertible {
    let debugDescription: String

    init(_ reason: String) { debugDescription = reason }
}

extension Services {
    /// Current time in seconds since 1970.
    var seconds: Int64 { Int64(clock.now() / 1_000) }

    /// Asks the provider whether the app may still sign the person in.
    func isGranted(_ issuer: String, _ client: String, _ refreshToken: String) throws -> Bool? {
        guard let team = verifier.issuers.first(where: { $0.name == issuer })?.team else {
            return nil
        }
        switch try team.check(refreshToken: refreshToken, client: client, now: seconds) {
        case .granted: return true
        case .refused: return false
        case .unknown(let reason):
            log.warning(
                "the identity provider did not report whether a token is still valid",
                [.error(ProviderUnavailable(reason))])
            return nil
        }
    }
}
