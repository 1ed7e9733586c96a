/// The connections that are open, and how many each address has.
struct Registry: Sendable {
    private(set) var connections: Set<Connection> = []
    private var perAddress: [PeerAddress: Int] = [:]

    var count: Int { connections.count }

    func count(from peer: PeerAddress) -> Int { perAddress[peer] ?? 0 }

    mutating func insert(_ connection: Connection) {
        guard connections.insert(connection).inserted else { return }
        perAddress[connection.peer, default: 0] += 1
    }

    mutating func remove(_ connection: Connection) {
        guard connections.remove(connection) != nil else { return }
        let rest = count(from: connection.peer) - 1
        perAddress[connection.peer] = rest > 0 ? rest : nil
    }
}
