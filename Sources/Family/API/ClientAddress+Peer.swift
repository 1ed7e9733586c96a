import HTTPServer
import UseCases

extension ClientAddress {
    /// The peer's address, and the network that one subscriber has: /24 of IPv4, /64 of IPv6.
    init(of peer: PeerAddress) {
        var network = peer.bytes
        let kept = network.count == 4 ? 3 : min(8, network.count)
        for index in network.indices.dropFirst(kept) { network[index] = 0 }
        let suffix = peer.bytes.count == 4 ? "/24" : "/64"
        self.init(
            address: peer.description, network: PeerAddress(network).description + suffix)
    }
}
