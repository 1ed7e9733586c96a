public import Foundation

/// Hearth, as an app calls it.
///
/// ```swift
/// let hearth = Hearth(URL(string: "https://family.example.com")!, credentials: provider)
/// let family = try await hearth.createFamily(named: "The Terns")
/// let members = try await hearth.members(of: family.id)
/// ```
///
/// All calls throw `HearthError`, or `CancellationError` if their task was cancelled.
///
/// **Repeating.** A request that got no answer, or 503, is sent again by itself (`RetryPolicy`).
/// Every change carries an idempotency key, so one that was done already is not done twice: its
/// answer is sent again.
///
/// **Acting for a child.** `acting(through:)` gives a Hearth whose calls are made as the profile
/// that a `ProfileSession` says.
///
/// A value: copies share the connection and what was read before.
public struct Hearth: Sendable {
    let transport: any Transport
    let credentials: any Credentials
    let policy: RetryPolicy
    let cache: ResponseCache
    var profiles: ProfileSession?
    /// Tests wait for nothing.
    var pause: @Sendable (_ seconds: Double) async throws -> Void = { seconds in
        try await Task.sleep(nanoseconds: UInt64(seconds * 1_000_000_000))
    }

    /// A Hearth that is reached over HTTP.
    public init(_ url: URL, credentials: any Credentials, policy: RetryPolicy = RetryPolicy()) {
        self.init(HTTPTransport(url), credentials: credentials, policy: policy)
    }

    /// A Hearth that is reached by any transport, such as an `InMemoryHearth`.
    public init(
        _ transport: any Transport, credentials: any Credentials,
        policy: RetryPolicy = RetryPolicy()
    ) {
        self.transport = transport
        self.credentials = credentials
        self.policy = policy
        cache = ResponseCache()
    }

    /// The same, whose calls are made as the active profile of `session` at the moment of each
    /// call.
    public func acting(through session: ProfileSession) -> Hearth {
        var hearth = self
        hearth.profiles = session
        return hearth
    }

    /// Forgets what was read before. To be called when the person signs out.
    public func forgetResponses() async { await cache.removeAll() }
}
