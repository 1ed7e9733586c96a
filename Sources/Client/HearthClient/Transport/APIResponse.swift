public import Foundation

/// A response of Hearth's, below the typed calls.
public struct APIResponse: Sendable, Hashable {
    /// The HTTP status.
    public var status: Int
    /// By their names in lower case.
    public var headers: [String: String]
    /// Empty for none.
    public var body: Data

    /// A response.
    ///
    /// - Parameter headers: In any letter case.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { $1 }
        self.body = body
    }

    /// What `Retry-After` says, if it says a number of seconds.
    var retryAfterSeconds: Double? {
        headers["retry-after"].flatMap { Double($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
