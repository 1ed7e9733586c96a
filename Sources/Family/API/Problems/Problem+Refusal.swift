import Domain
import UseCases

// Translates refusals into problems: the error table's row, with headers and details added.

extension Problem {
    init(_ code: RefusalCode) { self.init(Refusal(code)) }

    init(_ refusal: Refusal) {
        if refusal.parameter == .signInEnded {
            self = Authentication.ended
            return
        }
        let message = Self.message(of: refusal)
        switch (refusal.code, refusal.parameter) {
        case (_, .limit(let name, let allowance, let retryAfterSeconds)):
            self.init(
                refusal.code, message,
                headers: Self.limitHeaders(name, allowance, retryAfterSeconds))
        case (.idempotencyKeyInUse, _):
            self.init(refusal.code, message, headers: [("Retry-After", "1")])
        case (.retryLater, _):
            self.init(refusal.code, message, headers: [("Retry-After", "10")])
        case (_, .family(let id, let name)):
            self.init(refusal.code, message)
            family = Family(id: id.description, name: name)
        case (_, .blockers(let blockers)):
            self.init(refusal.code, message)
            self.blockers = blockers
        case (let code, _) where code.response.status == 401:
            self.init(code, message, headers: [("WWW-Authenticate", Authentication.challenge)])
        case (_, .attemptsLeft(let count)):
            self.init(refusal.code, message)
            attemptsLeft = count
        case (_, .weakness(let weakness)):
            self.init(refusal.code, message)
            self.weakness = weakness
        default: self.init(refusal.code, message)
        }
        if case .field(let name, _)? = refusal.parameter, !Self.outsideBody.contains(name) {
            let field = Self.wholeBody.contains(name) ? nil : name
            wrongFields = [WrongField(field, message, refusal.code)]
        }
    }

    /// Names that use cases report as fields although they are a header or a query parameter.
    private static let outsideBody: Set = ["Idempotency-Key", "cursor"]
    /// Names that stand for the body as a whole when use cases report a wrong value: its fields are
    /// defined by the client, or exceed a limit only together.
    private static let wholeBody: Set = ["preferences", "attributes", "playerDetails"]

    /// Message of the error table, or a more specific one if the refusal has more details.
    private static func message(of refusal: Refusal) -> String {
        switch (refusal.code, refusal.parameter) {
        case (_, .field(let name, let expected?)): "`\(name)` must be \(expected)."
        case (_, .field(let name, nil)): "`\(name)` is not valid."
        case (.invitationAnswered, .declined): "This invitation was declined."
        case (_, .removal): "You cannot remove yourself from the family"
        case (_, .memberLimit(let limit)): "This family is full (maximum \(limit) members)."
        case (.playerHasFamily, .family(_, let name)):
            "A player can belong to one family only. Leave \"\(name)\" first."
        case (.roleMismatch, .invited(.player)):
            "This invitation is for a player. Your account is a parent's."
        case (.roleMismatch, .invited(.parent)):
            "This invitation is for a parent. Your account is a player's."
        case (.codeMalformed, .mailedCode): "A mailed code has six digits."
        case (.roleMismatch, .waiting(.player)):
            "This person asked to join as a player. The account is a parent's in another family."
        case (.roleMismatch, .waiting(.parent)):
            "This person asked to join as a parent. The account is a player's in another family."
        case (_, .mailedCode): "This code or link is no longer valid. Ask for another one."
        case (_, .weakness(let weakness)): weakness.advice
        case (_, .fault(let fault)): fault
        case (.tooManyAttempts, .limit(_, let allowance, _)) where allowance.windowSeconds > 300:
            "Too many attempts. Please wait \(wait(of: allowance))."
        default: refusal.code.response.message
        }
    }

    private static func wait(of allowance: Allowance) -> String {
        switch allowance.windowSeconds {
        case ...600: "10 minutes"
        case ...900: "15 minutes"
        case ...3_600: "an hour"
        default: "a day"
        }
    }

    /// Headers with the quota, its window and the seconds until it resets
    /// (draft-ietf-httpapi-ratelimit-headers).
    private static func limitHeaders(
        _ name: String, _ allowance: Allowance, _ retryAfterSeconds: Int
    ) -> [(name: String, value: String)] {
        [
            ("Retry-After", "\(retryAfterSeconds)"),
            (
                "RateLimit-Policy",
                "\"\(name)\";q=\(allowance.quota);w=\(allowance.windowSeconds)"
            ),
            ("RateLimit", "\"\(name)\";r=0;t=\(retryAfterSeconds)"),
        ]
    }

    /// Returns the problem for a field of the body that is not as expected.
    static func invalidField(_ name: String, _ expected: String) -> Problem {
        .field(name, "`\(name)` must be \(expected).", .invalidField)
    }

    /// Returns the problem for a header or a query parameter that is not as expected.
    static func invalidParameter(_ name: String, _ expected: String) -> Problem {
        Problem(.invalidField, "`\(name)` must be \(expected).")
    }
}
