/// How much of something a window has.
///
/// The database enforces it (`sql/functions/limits.sql`). These values are for messages to callers;
/// a test compares them with the database.
package struct Allowance: Equatable, Sendable {
    /// How often it may be done in one window.
    package let quota: Int
    package let windowSeconds: Int

    package init(quota: Int, windowSeconds: Int) {
        self.quota = quota
        self.windowSeconds = windowSeconds
    }

    /// Invitations that an account may make.
    package static let invitations = Allowance(quota: 10, windowSeconds: 3_600)

    /// E-mails of one invitation.
    package static let resends = Allowance(quota: 1, windowSeconds: 60)

    /// Idempotency keys of an account.
    package static let idempotencyKeys = Allowance(quota: 1_000, windowSeconds: 86_400)
}
