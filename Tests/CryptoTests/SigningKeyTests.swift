import Testing

@testable import Crypto

@Suite("Signing keys")
struct SigningKeyTests {
    @Test("a signature is valid only for its message and under its key")
    func signs() throws {
        let key = try SigningKey.generate()
        let message = Array("header.payload".utf8)
        // Many times, because numbers with leading zero bytes are rare.
        for _ in 0..<300 {
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(try key.verificationKey().isValid(signature, for: message.span))
        }
        let signature = try key.sign(message)
        let other = Array("header.payload2".utf8)
        #expect(try !key.verificationKey().isValid(signature, for: other.span))
        let stranger = try SigningKey.generate()
        #expect(try !stranger.verificationKey().isValid(signature, for: message.span))
    }

    @Test("a key survives being written to PEM and read back")
    func pem() throws {
        let key = try SigningKey.generate()
        let again = try SigningKey(pem: try key.pem())
        #expect(again.x == key.x && again.y == key.y)
        let message = Array("m".utf8)
        #expect(
            try key.verificationKey().isValid(try again.sign(message), for: message.span))
    }

    @Test(
        "anything but a private key on P-256 is refused",
        arguments: ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
    func refused(pem: String) {
        #expect(throws: CryptoError.self) { try SigningKey(pem: pem) }
    }

    @Test("a signature that is not a DER sequence of two integers is refused")
    func der() {
        for bytes: [UInt8] in [
            [], [0x30], [0x30, 0], [0x30, 2, 0x02, 0], [0x30, 3, 0x02, 1, 1],
            [0x30, 6, 0x02, 1, 1, 0x02, 1], [0x30, 7, 0x02, 1, 1, 0x02, 1, 1, 0],
            [0x31, 6, 0x02, 1, 1, 0x02, 1, 1],
        ] {
            #expect(DER.ecdsaParts(of: bytes) == nil, "\(bytes)")
        }
        let small = DER.ecdsaParts(of: [0x30, 6, 0x02, 1, 1, 0x02, 1, 2])
        #expect(small?.count == 64 && small?[31] == 1 && small?[63] == 2)
    }
}
