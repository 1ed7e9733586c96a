import Crypto
import Domain
import Identity
import UseCases

/// Another issuer's token that is sent in a body, with what came with it.
struct ForeignSignIn {
    /// The person.
    let caller: Caller
    /// The context of a request that this person makes.
    var context: RequestContext { RequestContext(caller) }
    private let token: VerifiedToken
    private let issuer: Issuer?

    /// - Parameters:
    ///   - nonce: What the client asked for the token with; its hash must be the token's claim.
    ///   - fullName: What the person's device knows. It counts where the token has no name, and
    ///     where the account has none yet.
    /// - Throws: 401 for a token that is not a good one, or is Hearth's own; 400 where the nonce is
    ///   missing.
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
            else { throw Self.refused("The token was not asked for with this nonce.") }
        } else if issuer?.requiresNonce == true {
            throw Refusal(.missingField, .field("nonce"))
        }
        caller = Caller(token, actingAs: nil).named(fullName)
    }

    /// Exchanges the authorization code that came with the token, where the issuer's entry has the
    /// team's key; nil where it has none.
    ///
    /// - Throws: 401 for a code that is not valid or is another person's; 503 where the provider
    ///   does not answer.
    func grant(for code: String, _ services: Services) throws -> ProviderTokenGrant? {
        guard let team = issuer?.team else { return nil }
        switch try team.trade(code: code, client: token.audience, now: services.seconds) {
        case .granted(let refreshToken?, let idToken?):
            let other = try Authentication.foreign(
                idToken, services.verifier, now: services.seconds)
            guard other.issuer == token.issuer, other.subject == token.subject else {
                throw Self.refused("The authorization code is another person's.")
            }
            return ProviderTokenGrant(client: token.audience, refreshToken: refreshToken)
        case .granted, .refused:
            throw Self.refused("The authorization code is not valid, or no longer.")
        case .unknown(let reason):
            services.log.warning(
                "the identity provider did not exchange an authorization code",
                [.error(Unanswered(reason))])
            throw Problem.unavailable
        }
    }

    private static func refused(_ message: String) -> Problem {
        Problem(
            .invalidToken, message + " Sign in again.",
            headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
    }
}

/// Why nothing is known from a provider.
struct Unanswered: Error, CustomDebugStringConvertible {
    let debugDescription: String

    init(_ reason: String) { debugDescription = reason }
}

extension Services {
    /// Seconds since 1970.
    var seconds: Int64 { Int64(clock.now() / 1_000) }

    /// Asks the provider whether it still lets the app sign somebody in.
    func isGranted(_ issuer: String, _ client: String, _ refreshToken: String) throws -> Bool? {
        guard let team = verifier.issuers.first(where: { $0.name == issuer })?.team else {
            return nil
        }
        switch try team.check(refreshToken: refreshToken, client: client, now: seconds) {
        case .granted: return true
        case .refused: return false
        case .unknown(let reason):
            log.warning(
                "the identity provider did not say whether a token is still valid",
                [.error(Unanswered(reason))])
            return nil
        }
    }
}
