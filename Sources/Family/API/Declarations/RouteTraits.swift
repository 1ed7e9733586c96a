import Domain
import UseCases

// The columns of the route table.

/// Who may call a route, and at which address of the server.
enum RouteAccess: Sendable {
    /// Anybody. A token that is sent must still be a good one.
    case anyone
    /// Callers who are signed in.
    case user
    /// Anybody, but where operators have an address of their own, only there.
    case operators
    /// Anybody, at both addresses.
    case anywhere
}

/// What else the route table says of a route.
enum RouteTrait: Sendable {
    /// Takes an `Idempotency-Key`. Not where the response has a secret, nor where a repetition has
    /// the same response by itself.
    case key
    /// A read that shares a round trip to the database with other reads.
    case batched
    /// Counts attempts by these limits.
    case limits([RouteLimit])

    /// Counts attempts by these limits.
    static func rate(_ limits: RouteLimit...) -> RouteTrait { .limits(limits) }
}

/// A rate limit of routes. How often is in ``AttemptLimit`` and ``Allowance``.
enum RouteLimit: Sendable, CaseIterable {
    /// Family codes that are tried or looked up.
    case codes
    /// Invitations that are looked up by their links.
    case links
    /// E-mails with codes and links.
    case mails
    /// Guesses at mailed codes.
    case guesses
    case passwords
    case passkeys
    /// Codes that confirm the deletion of an account.
    case deletions
    /// Codes that prove a consent: e-mails with them, and guesses at them.
    case proofs
    /// Copies of an account's own data.
    case exports
    /// Invitations that an account makes.
    case invites
    /// E-mails of one invitation.
    case resends

    /// The limits on attempts behind it; none if the database alone counts.
    var attempts: [AttemptLimit] {
        switch self {
        case .codes: [.codesByAccount, .codesByAddress, .codesByNetwork, .distinctCodes]
        case .links: [.invitationsByAddress]
        case .mails: [.mailedCodesByPlace, .mailedCodesByAddress, .mailedCodesByNetwork]
        case .guesses: [.codeGuesses]
        case .passwords: [.passwordsByAccount, .passwordsByAddress, .passwordsByNetwork]
        case .passkeys: [.passkeysByAddress, .passkeysByNetwork]
        case .deletions: [.deletions, .codeGuesses]
        case .proofs: RouteLimit.mails.attempts + [.consents, .codeGuesses]
        case .exports: [.exports]
        case .invites, .resends: []
        }
    }

    /// The refusal of a request beyond the limit.
    var refusal: RefusalCode {
        switch self {
        case .invites: .tooManyInvitations
        case .resends: .invitationJustSent
        default: .tooManyAttempts
        }
    }
}

extension Endpoint {
    /// Whether the route table declares the limit that a refusal is about, if it is about one.
    /// Forms of pages count by the limits of what they do, which the table does not list.
    func declares(_ refusal: Refusal) -> Bool {
        guard case .limit(let name, _, _)? = refusal.parameter, refusal.code != .tooManyKeys,
            !operation.takesForm, operation.failurePage == nil
        else { return true }
        return limits.contains { limit in
            limit.refusal == refusal.code
                && (limit.attempts.isEmpty || limit.attempts.contains { $0.name == name })
        }
    }
}
