import Postgres

/// Another session of the server, described for people.
struct Peer: RowDecodable, CustomStringConvertible {
    private let pid: Int32
    private let user: String?
    private let application: String?
    private let address: String?
    private let since: String?
    private let state: String?
    private let query: String?

    /// Decodes a session. All columns but the first may be null, because the server shows other
    /// users' sessions only to privileged roles.
    static let row = RowDecoder(Self.init)

    var description: String {
        var parts = ["process \(pid)"]
        if let user { parts.append("user \(user)") }
        if let application, !application.isEmpty { parts.append("\"\(application)\"") }
        parts.append(address.map { "from \($0)" } ?? "on a local socket")
        if let since { parts.append("since \(since)") }
        if let state { parts.append(state) }
        let words = query?.split(whereSeparator: \.isWhitespace).joined(separator: " ") ?? ""
        if !words.isEmpty { parts.append("query: \(words)") }
        return parts.joined(separator: ", ")
    }
}
