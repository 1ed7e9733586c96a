import Crypto
import Testing

@Suite("Encodings") struct EncodingTests {
    @Test(
        "base64url follows RFC 4648, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ])
    func base64(plain: String, encoded: String) {
        #expect(Base64URL.text(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test("the example of RFC 7515, appendix C, uses the URL alphabet")
    func alphabet() {
        #expect(Base64URL.text([3, 236, 255, 224, 193]) == "A-z_4ME")
        #expect(Base64URL.decode("A-z_4ME") == [3, 236, 255, 224, 193])
    }

    @Test(
        "text that no encoder produces is refused",
        arguments: [
            "Zg==", "Zm8=", "Z", "Zm9vY", "Zh", "Zm9", "Zm9vYh", "Zm 8", "Zm8\n", "+A", "/A",
            "A\u{E9}",
            "A-z_4MF", "Zg.", "Z\u{0}", "=",
        ])
    func notCanonical(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("for an encoded byte, the decoder accepts no last character but the encoder's")
    func unique() {
        for byte in UInt8.min...UInt8.max {
            let encoded = Base64URL.encode([byte])
            let spellings = (0..<128).filter {
                Base64URL.decode([encoded[0], UInt8($0)]) == [byte]
            }
            #expect(spellings == [Int(encoded[1])])
        }
    }

    @Test("base64url and hexadecimal restore bytes of any length")
    func roundTrips() throws {
        for length in 0..<200 {
            let bytes = try [UInt8].random(count: length)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect([UInt8](hex: bytes.hex) == bytes)
        }
    }

    @Test("hexadecimal is written in lower case and read in either case")
    func hexadecimal() {
        #expect([0x00, 0x7F, 0xAB, 0xFF].hex == "007fabff")
        #expect([UInt8](hex: "007fABfF") == [0x00, 0x7F, 0xAB, 0xFF])
        #expect([UInt8](hex: "") == [])
        for text in ["0", "0g", "00 ", "0x00", "\u{661}0", "é"] {
            #expect([UInt8](hex: text) == nil)
        }
    }

    @Test("the constant-time comparison returns true for equal bytes only")
    func equality() {
        #expect(constantTimeEqual([], []))
        #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
        #expect(!constantTimeEqual([0, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEqual([1, 2], [1, 2, 3]))
        #expect(!constantTimeEqual([1, 2, 3], []))
    }

    @Test("random bytes have the requested length and differ")
    func randomness() throws {
        #expect(try [UInt8].random(count: 0) == [])
        let one = try [UInt8].random(count: 32)
        let other = try [UInt8].random(count: 32)
        #expect(one.count == 32 && other.count == 32)
        #expect(one != other)
    }
}
