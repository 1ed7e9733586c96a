import Synchronization

/// Which of several hosts answered last, shared by all copies of one connection's settings.
///
/// A host that hangs costs the connect timeout each time it is asked. So the next session asks the
/// one first that the last session was with. Only where a server has to prove that it takes writes
/// (`target_session_attrs`): otherwise the first in the list is the one that is meant.
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

    /// Notes with whom a session was opened.
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
