import Synchronization

/// Which of several hosts answered last, shared by all copies of one connection's settings.
///
/// A hanging host costs the connect timeout on each attempt. The next session therefore tries the
/// last session's host first. This applies only with `target_session_attrs`, where a server must
/// accept writes; otherwise the order of the list counts.
final class HostMemory: Sendable {
    private let last = Mutex<Int?>(nil)

    /// The parameters with the host that answered last before the others.
    func arranged(_ parameters: [String: String]) -> [String: String] {
        guard let last = last.withLock({ $0 }) else { return parameters }
        return parameters.merging(
            Self.keywords.compactMap { keyword in
                var values = Self.values(parameters[keyword])
                // A single port is that of all hosts.
                guard values.indices.contains(last), values.count > 1 else { return nil }
                values.insert(values.remove(at: last), at: 0)
                return (keyword, values.joined(separator: ","))
            }
        ) { $1 }
    }

    /// Records the host of a session.
    ///
    /// - Parameter parameters: In the order in which they were given, not arranged.
    func note(host: String, port: String, of parameters: [String: String]) {
        guard ["read-write", "primary"].contains(parameters["target_session_attrs"]) else { return }
        let hosts = Self.values(parameters["host"] ?? parameters["hostaddr"])
        let ports = Self.values(parameters["port"])
        let index = hosts.indices.first {
            hosts[$0] == host && (ports.count != hosts.count || ports[$0] == port)
        }
        last.withLock { $0 = index }
    }

    private static let keywords = ["host", "hostaddr", "port"]

    private static func values(_ list: String?) -> [String] {
        list?.split(separator: ",", omittingEmptySubsequences: false).map { String($0) } ?? []
    }
}
