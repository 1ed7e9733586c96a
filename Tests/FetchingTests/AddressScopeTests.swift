import Glibc
import Testing

@testable import Fetching

@Suite("Scopes of IP addresses")
struct AddressScopeTests {
    /// Returns the scope of an address in text form.
    private static func scope(_ text: String) throws -> AddressScope {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            return AddressScope(v4: Array(bytes.prefix(4)))
        }
        try #require(inet_pton(AF_INET6, text, &bytes) == 1)
        return AddressScope(v6: bytes)
    }

    @Test(
        "public addresses have the scope public",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
            "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255",
            "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0",
            "198.17.255.255", "198.20.0.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
            "2001:200::1", "2600::1", "2a00:1450::1", "3ffe::1", "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ])
    func isPublic(text: String) throws { #expect(try Self.scope(text) == .public) }

    @Test(
        "addresses of this machine have the scope loopback",
        arguments: ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"])
    func isLoopback(text: String) throws { #expect(try Self.scope(text) == .loopback) }

    @Test(
        "private, link-local and reserved addresses have the scope restricted",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
            "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.8", "192.0.2.1",
            "192.88.99.1", "192.168.0.1", "198.18.0.0", "198.19.255.255", "198.51.100.1",
            "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::2", "::8.8.8.8",
            "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::808:808", "100::1", "2001::1",
            "2001:db8::1", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd12::1",
            "fe80::1", "fec0::1", "ff02::1", "::ffff:10.0.0.1", "::ffff:0:8.8.8.8",
        ])
    func isRestricted(text: String) throws { #expect(try Self.scope(text) == .restricted) }
}
