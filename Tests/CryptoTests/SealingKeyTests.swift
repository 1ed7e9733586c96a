import Testing

@testable import Crypto

@Suite("Sealing with AES-256-GCM")
struct SealingKeyTests {
    private let key: SealingKey
    private let text = Array("a refresh token".utf8)

    init() throws { key = try SealingKey([UInt8](repeating: 3, count: 32)) }

    @Test("sealed bytes open only with the same key and context")
    func opens() throws {
        let sealed = try key.seal(text, for: [1])
        #expect(try key.open(sealed, for: [1]) == text)
        #expect(try key.open(sealed, for: [2]) == nil)
        let other = try SealingKey([UInt8](repeating: 4, count: 32))
        #expect(try other.open(sealed, for: [1]) == nil)
        #expect(try key.open(try key.seal([], for: []), for: []) == [])
        #expect(throws: CryptoError.self) { try SealingKey([1, 2]) }
    }

    @Test("changed or truncated sealed bytes don't open, and the same text is never sealed alike")
    func changed() throws {
        let sealed = try key.seal(text, for: [])
        #expect(try key.seal(text, for: []) != sealed)
        for bit in 0..<(sealed.count * 8) {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try key.open(changed, for: []) == nil)
        }
        for count in 0..<sealed.count {
            #expect(try key.open(Array(sealed.prefix(count)), for: []) == nil)
        }
    }

    /// A vector of NIST's for GCM (gcmEncryptExtIV256), with key and nonce zero.
    @Test("bytes sealed by another implementation can be opened")
    func vector() throws {
        let zero = try SealingKey([UInt8](repeating: 0, count: 32))
        let tag: [UInt8] = [
            0x53, 0x0F, 0x8A, 0xFB, 0xC7, 0x45, 0x36, 0xB9, 0xA9, 0x63, 0xB4, 0xF1, 0xC4, 0xCB,
            0x73, 0x8B,
        ]
        #expect(try zero.open([UInt8](repeating: 0, count: 12) + tag, for: []) == [])
    }
}
