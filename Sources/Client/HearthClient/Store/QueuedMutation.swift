public import Foundation

/// A change that waits to be sent.
public struct QueuedMutation: Sendable, Hashable, Identifiable {
    /// Its place in the order in which changes were made.
    public let id: Int64
    /// What is to be done.
    public let mutation: Mutation
    /// When it was made, by this device's clock.
    public let changedAt: Date
    /// The child on whose behalf it was made.
    public let actingAs: MemberID?
    /// Makes repeating harmless.
    let key: String
    /// The family's version that the person saw.
    let baseVersion: Int64?

    /// The headers with which it is sent.
    var headers: [String: String] {
        var headers = [
            "Idempotency-Key": key, "X-Changed-At": Timestamp.text(changedAt),
            "Content-Type": "application/json",
        ]
        if let actingAs { headers["X-Acting-As-Member"] = actingAs.rawValue }
        if let baseVersion { headers["X-Base-Version"] = String(baseVersion) }
        return headers
    }

    var request: APIRequest {
        APIRequest(
            mutation.method, mutation.path, query: mutation.query, headers: headers,
            body: mutation.body?.data)
    }
}
