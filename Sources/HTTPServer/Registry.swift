/// The connections that are open, and how many each address has.
struct Registry: Sendable {
    private(set) var connections: [UInt64: Connection] = [:]
    private var perAddress: [PeerAddress: Int] = [:]
    private var lastToken = Poller.closed

    /// A token that no other connection has had.
    mutating func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    var count: Int { connections.count }

    func count(from peer: PeerAddress) -> Int { perAddress[peer] ?? 0 }

    mutating func insert(_ connection: Connection) {
        connections[connection.token] = connection
        perAddress[connection.peer, default: 0] += 1
    }

    /// Forgets a connection; false if it is not there.
    mutating func remove(_ connection: Connection) -> Bool {
        guard connections.removeValue(forKey: connection.token) != nil else { return false }
        let rest = count(from: connection.peer) - 1
        perAddress[connection.peer] = rest > 0 ? rest : nil
        return true
    }
}
