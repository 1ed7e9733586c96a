import UseCases

// Limits that were reached: how much of what in which window, and when they open again
// (draft-ietf-httpapi-ratelimit-headers).

extension Problem {
    /// Names of the limits on invitations and repeatable requests, beside those of ``AttemptLimit``.
    static let invitationsLimit = "invitations"
    static let resendLimit = "resend"
    static let keysLimit = "idempotency-keys"

    /// What a limit on attempts is to a client.
    static func limited(by limit: AttemptLimit, _ retryAfterSeconds: Int) -> Problem {
        limited(
            .tooManyAttempts, limit.name, limit.allowance, retryAfterSeconds,
            limit.allowance.windowSeconds > 300
                ? "Too many attempts. Please wait an hour."
                : "Too many attempts. Please wait 5 minutes.")
    }

    static func limited(
        _ code: ProblemCode, _ name: String, _ allowance: Allowance, _ retryAfterSeconds: Int,
        _ message: String
    ) -> Problem {
        Problem(
            code, message,
            headers: [
                ("Retry-After", "\(retryAfterSeconds)"),
                (
                    "RateLimit-Policy",
                    "\"\(name)\";q=\(allowance.quota);w=\(allowance.windowSeconds)"
                ),
                ("RateLimit", "\"\(name)\";r=0;t=\(retryAfterSeconds)"),
            ])
    }
}
