package import Domain
import Synchronization

/// The context of a request: its caller, and the results of the request's stages.
///
/// Created once, when the caller is known, and passed down to everything that the request does. A
/// stage that adds something passes on a changed copy.
package struct RequestContext: Sendable {
    package var caller: Caller
    /// Collects data about the request for its log line; nil if not needed.
    package let trace: RequestTrace?
    /// The requested language, looked up only if an account may be created.
    package let wantedLanguage: (@Sendable () -> LanguageTag?)?
    /// Versions that the caller has read, each preceded by its id. The change is made only if these
    /// versions are still current.
    package var expectedVersions: String?
    /// If true, the request must change nothing, because one of its conditions does not hold. A
    /// request that would be refused is still refused; any other request ends with
    /// ``ConditionFailed``.
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

    /// Whether a refusal commits the writes of its attempt, instead of rolling them back.
    package var isRefusalCommitted: Bool { transaction?.isRefusalCommitted ?? false }

    /// Whether the caller acts as itself, without conditions on versions. Then one statement may
    /// name the caller together with others, or identify the caller and read something at once.
    var isBatchable: Bool {
        !caller.isAnonymous && caller.actingAs == nil && expectedVersions == nil
            && transaction == nil
    }
}

/// Data about a request, collected for its log line.
package final class RequestTrace: Sendable {
    private struct LoggedFacts {
        var user: UserID?
        var family: FamilyID?
        var key: APIKeyID?
    }

    private let facts = Mutex(LoggedFacts())

    package init() {}

    /// The account that makes the request; nil if it was not resolved.
    package var user: UserID? { facts.withLock { $0.user } }
    /// The family that the request is about; nil until the caller's access to it is known.
    package var family: FamilyID? { facts.withLock { $0.family } }

    /// The API key that makes the request; nil for a request of a person.
    package var key: APIKeyID? { facts.withLock { $0.key } }

    /// Records the API key that makes the request.
    package func record(key: APIKeyID) { facts.withLock { $0.key = key } }
    /// Records who makes the request.
    package func record(user: UserID) { facts.withLock { $0.user = user } }
    /// Records the family that the request is about.
    package func record(family: FamilyID) { facts.withLock { $0.family = family } }
}
