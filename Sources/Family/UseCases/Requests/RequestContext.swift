package import Domain
import Synchronization

/// What belongs to a request: its caller, and what the stages of the request have found out.
///
/// Made once, when the caller is known, and passed down to everything that the request does. A
/// stage that adds something passes a changed copy on.
package struct RequestContext: Sendable {
    package var caller: Caller
    /// Collects data about the request for its log line; nil if not needed.
    package let trace: RequestTrace?
    /// The language that the request asks for, looked up only where an account may be made.
    package let wantedLanguage: (@Sendable () -> LanguageTag?)?
    /// What the caller has read, for a change that is to be made to nothing else: versions behind
    /// their ids.
    package var expectedVersions: String?
    /// Whether nothing that the request asks for may be changed, because a condition of it does not
    /// hold: what would be refused is refused, and all else ends with ``ConditionFailed``.
    package var changesNothing = false
    /// The transaction of the idempotency key, which all statements of the request belong to; nil
    /// if each use case has its own.
    var transaction: KeyedTransaction?

    package init(
        _ caller: Caller, trace: RequestTrace? = nil,
        wantedLanguage: (@Sendable () -> LanguageTag?)? = nil
    ) {
        self.caller = caller
        self.trace = trace
        self.wantedLanguage = wantedLanguage
    }

    /// Whether a refusal commits what its attempt has written, instead of rolling it back.
    package var isRefusalCommitted: Bool { transaction?.isRefusalCommitted ?? false }

    /// Whether the caller acts as itself, and nothing depends on what it has read before. Then it
    /// may be named together with others, or by the statement that reads something.
    var isOneself: Bool {
        !caller.isAnonymous && caller.actingAs == nil && expectedVersions == nil
            && transaction == nil
    }
}

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
