package import Domain
import Synchronization

/// Data about a request that are collected for its log line.
package final class RequestTrace: Sendable {
    private struct Known {
        var user: UserID?
        var family: FamilyID?
    }

    private let known = Mutex(Known())

    package init() {}

    /// The account that makes the request; nil when it was not resolved.
    package var user: UserID? { known.withLock { $0.user } }
    /// The family that it is about, once the caller was found to be in it.
    package var family: FamilyID? { known.withLock { $0.family } }

    /// Notes who makes the request.
    package func note(user: UserID) { known.withLock { $0.user = user } }
    /// Notes the family that it is about.
    package func note(family: FamilyID) { known.withLock { $0.family = family } }
}
