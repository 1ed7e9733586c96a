import Repositories

/// A limit on attempts that could be used to guess or to flood.
package enum AttemptLimit: String, Sendable, CaseIterable {
    // Raw values are the buckets' names up to their second colon.
    /// Wrong family codes: by account, by client address, by network.
    case codesByAccount = "code:account"
    case codesByAddress = "code:address"
    case codesByNetwork = "code:network"
    /// The distinct codes that an account may look up.
    case distinctCodes = "code:distinct"
    /// Lookups of invitations by their links: by client address.
    case invitationsByAddress = "invitation:address"
    /// E-mails with codes and links, to one address at the request of one network.
    case mailedCodesByAddressAndNetwork = "mailed-code:place"
    /// E-mails with codes and links: to one address in total; to all addresses at the request of
    /// one network.
    case mailedCodesByAddress = "mailed-code:address"
    case mailedCodesByNetwork = "mailed-code:network"
    /// Wrong passwords: by the account tried, by client address, by network.
    case passwordsByAccount = "password:account"
    case passwordsByAddress = "password:address"
    case passwordsByNetwork = "password:network"
    /// Wrong passkey responses: by client address, by network.
    case passkeysByAddress = "passkey:address"
    case passkeysByNetwork = "passkey:network"
    /// Wrong guesses at all mailed codes of an account in total.
    case codeGuesses = "code-guess:account"
    /// Attempts at the code that confirms an erasure.
    case deletions = "deletion:account"
    /// Attempts at a code that proves a consent.
    case consents = "consent:account"
    /// Exports of an account's own data.
    case exports = "export:account"
    /// Page tickets that an account requests.
    case pageTickets = "page-ticket:account"

    /// Finds the limit that was reached; nil for a bucket of another kind.
    init?(_ reached: LimitReached) {
        self.init(rawValue: reached.bucket.split(separator: ":").prefix(2).joined(separator: ":"))
    }

    /// The allowance of one window.
    package var allowance: Allowance {
        switch self {
        case .codesByAccount: Allowance(quota: 5, windowSeconds: 300)
        case .codesByAddress: Allowance(quota: 20, windowSeconds: 300)
        case .codesByNetwork: Allowance(quota: 100, windowSeconds: 300)
        case .distinctCodes: Allowance(quota: 10, windowSeconds: 3_600)
        case .invitationsByAddress: Allowance(quota: 60, windowSeconds: 300)
        case .mailedCodesByAddressAndNetwork: Allowance(quota: 5, windowSeconds: 3_600)
        case .mailedCodesByAddress: Allowance(quota: 20, windowSeconds: 3_600)
        case .mailedCodesByNetwork: Allowance(quota: 60, windowSeconds: 3_600)
        case .passwordsByAccount: Allowance(quota: 10, windowSeconds: 900)
        case .passwordsByAddress: Allowance(quota: 30, windowSeconds: 900)
        case .passwordsByNetwork: Allowance(quota: 300, windowSeconds: 900)
        case .passkeysByAddress: Allowance(quota: 30, windowSeconds: 900)
        case .passkeysByNetwork: Allowance(quota: 300, windowSeconds: 900)
        case .codeGuesses: Allowance(quota: 25, windowSeconds: 86_400)
        case .deletions: Allowance(quota: 5, windowSeconds: 600)
        case .consents: Allowance(quota: 5, windowSeconds: 600)
        case .exports: Allowance(quota: 3, windowSeconds: 86_400)
        case .pageTickets: Allowance(quota: 60, windowSeconds: 900)
        }
    }

    /// Name of the limit, such as `code-account`.
    package var name: String { rawValue.split(separator: ":").joined(separator: "-") }
}

extension LimitReached {
    /// The refusal to return. An unknown bucket is treated as the strictest limit.
    var refusal: Refusal {
        let limit = AttemptLimit(self) ?? .codesByAccount
        return Refusal(
            .tooManyAttempts,
            .limit(limit.name, limit.allowance, retryAfterSeconds: retryAfterSeconds))
    }
}

/// A quota for a window of time.
///
/// The database enforces it (`sql/functions/limits.sql`). These values are for messages to callers;
/// a test compares them with the database.
package struct Allowance: Equatable, Sendable {
    /// Maximum number of attempts in one window.
    package let quota: Int
    package let windowSeconds: Int

    package init(quota: Int, windowSeconds: Int) {
        self.quota = quota
        self.windowSeconds = windowSeconds
    }

    /// Invitations that an account may create.
    package static let invitations = Allowance(quota: 10, windowSeconds: 3_600)

    /// E-mails with one invitation.
    package static let resends = Allowance(quota: 1, windowSeconds: 60)

    /// Idempotency keys of an account.
    package static let idempotencyKeys = Allowance(quota: 1_000, windowSeconds: 86_400)
}
