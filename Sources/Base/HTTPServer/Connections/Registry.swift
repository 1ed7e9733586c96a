/// The connections that are open, by the address they come from.
struct Registry: Sendable {
    private var perAddress: [PeerAddress: Set<ClientConnection>] = [:]
    private(set) var count = 0

    var connections: [ClientConnection] { perAddress.values.flatMap { $0 } }

    func count(from peer: PeerAddress) -> Int { perAddress[peer]?.count ?? 0 }

    mutating func insert(_ connection: ClientConnection) {
        if perAddress[connection.peer, default: []].insert(connection).inserted { count += 1 }
    }

    mutating func remove(_ connection: ClientConnection) {
        guard perAddress[connection.peer]?.remove(connection) != nil else { return }
        count -= 1
        if perAddress[connection.peer]?.isEmpty == true { perAddress[connection.peer] = nil }
    }

    /// Of an address's connections the one that has been silent longest; nil if none is.
    func mostSilent(from peer: PeerAddress) -> ClientConnection? {
        var found: (connection: ClientConnection, since: Int)?
        for connection in perAddress[peer] ?? [] {
            guard let since = connection.silentSince else { continue }
            if found.map({ since < $0.since }) ?? true { found = (connection, since) }
        }
        return found?.connection
    }

    /// The address with most connections.
    var busiest: PeerAddress? { perAddress.max { $0.value.count < $1.value.count }?.key }
}
