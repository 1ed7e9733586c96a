public import Foundation

/// Waits for the code that was mailed.
public struct SignInTicket: Sendable, Hashable {
    /// Belongs to the code: neither is of use without the other.
    public let ticket: String
    /// When the code ends, by this device's clock.
    public let endsAt: Date
}
