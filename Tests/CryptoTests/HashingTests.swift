import Crypto
import Testing

@Suite("Hashing") struct HashingTests {
    @Test(
        "SHA-256 returns the digests of FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, digest: String) {
        #expect(SHA256Digest(of: text).hex == digest)
        #expect(SHA256Digest(of: Array(text.utf8)).bytes == [UInt8](hex: digest))
    }

    @Test("SHA-256 hashes a million letters correctly")
    func million() {
        #expect(
            SHA256Digest(of: [UInt8](repeating: 0x61, count: 1_000_000)).hex
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("digests of different bytes are different dictionary keys")
    func keys() {
        let digests = Set((0..<1000).map { SHA256Digest(of: String($0)) })
        #expect(digests.count == 1000)
        #expect(digests.contains(SHA256Digest(of: "999")))
        #expect(!digests.contains(SHA256Digest(of: "1000")))
    }

    /// Test vectors of RFC 4231, sections 4.2 to 4.8 without the truncated 4.6: key, data,
    /// HMAC-SHA-256.
    static let vectors: [(key: [UInt8], data: [UInt8], code: String)] = [
        (
            [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(1...25), [UInt8](repeating: 0xCD, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            Array(
                ("This is a test using a larger than block-size key and a larger than "
                    + "block-size data. The key needs to be hashed before being used by the "
                    + "HMAC algorithm.").utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test("HMAC-SHA256 returns the codes of RFC 4231", arguments: vectors.indices)
    func hmac(index: Int) throws {
        let (data, code) = (Self.vectors[index].data, Self.vectors[index].code)
        let key = try HMACKey(Self.vectors[index].key)
        #expect(try key.authenticate(data).hex == code)
        #expect(try key.authenticate(data).hex == code, "a key serves more than once")
        var bytes = try #require([UInt8](hex: code))
        #expect(try key.isValid(bytes, for: data.span))
        #expect(try !key.isValid(Array(bytes.dropLast()), for: data.span))
        bytes[31] ^= 1
        #expect(try !key.isValid(bytes, for: data.span))
    }

    @Test("an empty HMAC key is refused")
    func emptyKey() {
        #expect(throws: CryptoError.self) { try HMACKey([]) }
    }

    @Test("the HMAC-SHA256 of the empty message has the known value")
    func emptyMessage() throws {
        let key = try HMACKey(Array("key".utf8))
        #expect(
            try key.authenticate([]).hex
                == "5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0")
    }
}
