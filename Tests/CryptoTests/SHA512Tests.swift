import Crypto
import Testing

@Suite("SHA-512") struct SHA512Tests {
    @Test("SHA-512 returns the digest of FIPS 180-4's example")
    func example() throws {
        // FIPS 180-4, "abc".
        let digest = try SHA512.digest(of: Array("abc".utf8))
        #expect(
            digest.hex
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
        #expect(try SHA512.digest(of: []).count == 64)
    }
}
