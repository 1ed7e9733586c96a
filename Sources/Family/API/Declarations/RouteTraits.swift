import Domain
import UseCases

// The columns of the route table.

/// The callers that a route serves, and the listening addresses that serve it.
enum RouteAccess: Sendable {
    /// Any caller. A token that is sent must still be valid.
    case anyone
    /// Signed-in callers.
    case user
    /// Servers of apps, with an API key.
    case server
    /// Any caller, but only at the operators' address if there is one.
    case operators
    /// Any caller, at both addresses.
    case anywhere
}

/// An additional property of a route in the route table.
enum RouteTrait: Sendable {
    /// Accepts an `Idempotency-Key`. Not for responses with a secret, nor for requests that are
    /// idempotent by themselves.
    case key
    /// A read that shares a round trip to the database with other reads. The operation
    /// (`Operation.read`) implies this; the route table repeats it for its readers.
    case batched
    /// Declares the limits against which the use case counts attempts (`reserve_...` in
    /// `sql/functions`). The trait counts nothing itself.
    case limits([RouteLimit])

    /// Declares the limits against which the use case counts attempts.
    static func rate(_ limits: RouteLimit...) -> RouteTrait { .limits(limits) }
}

/// A rate limit of routes. ``AttemptLimit`` and ``Allowance`` define the quotas.
enum RouteLimit: Sendable, CaseIterable {
    /// Family codes that are tried or looked up.
    case codes
    /// Invitations that are looked up by their links.
    case links
    /// E-mails with codes and links.
    case mails
    /// Guesses at mailed codes.
    case mailedCodes
    case passwords
    case passkeys
    /// Codes that confirm the deletion of an account.
    case deletions
    /// Codes that prove a consent: the e-mails with them, and guesses at them.
    case consents
    /// Exports of an account's own data.
    case exports
    /// Page tickets.
    case tickets
    /// Invitations that an account creates.
    case invites
    /// E-mails that are sent again for one invitation.
    case resends
    /// Requests of an API key. Every route for servers counts them.
    case keyUses

    /// The attempt limits that enforce this limit; empty if only the database counts the attempts.
    var attempts: [AttemptLimit] {
        switch self {
        case .codes: [.codesByAccount, .codesByAddress, .codesByNetwork, .distinctCodes]
        case .links: [.invitationsByAddress]
        case .mails:
            [.mailedCodesByAddressAndNetwork, .mailedCodesByAddress, .mailedCodesByNetwork]
        case .mailedCodes: [.codeGuesses]
        case .passwords: [.passwordsByAccount, .passwordsByAddress, .passwordsByNetwork]
        case .passkeys: [.passkeysByAddress, .passkeysByNetwork]
        case .deletions: [.deletions, .codeGuesses]
        case .consents: RouteLimit.mails.attempts + [.consents, .codeGuesses]
        case .exports: [.exports]
        case .tickets: [.pageTickets]
        case .invites, .resends, .keyUses: []
        }
    }

    /// The refusal of a request that exceeds the limit.
    var refusal: RefusalCode {
        switch self {
        case .invites: .tooManyInvitations
        case .resends: .invitationJustSent
        case .keyUses: .keyLimitReached
        default: .tooManyAttempts
        }
    }
}

extension Endpoint {
    /// Returns true if the refusal concerns no limit, or a limit that the route table declares. A
    /// page's form counts against the limits of the operation that it runs; the table does not list
    /// these for the page.
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
