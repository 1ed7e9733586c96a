import Crypto
import PasskeySupport
import Testing

@testable import Credentials

@Suite("CBOR") struct CBORReaderTests {

    /// Examples of RFC 8949, appendix A.
    @Test(
        "the standard's examples are parsed",
        arguments: [
            ("00", CBORValue.unsigned(0)), ("1818", .unsigned(24)), ("1903e8", .unsigned(1000)),
            ("1a000f4240", .unsigned(1_000_000)), ("1bffffffffffffffff", .unsigned(.max)),
            ("20", .negative(0)), ("3903e7", .negative(999)),
            ("3bffffffffffffffff", .negative(.max)),
            ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null), ("40", .bytes([])),
            ("4401020304", .bytes([1, 2, 3, 4])), ("6449455446", .text("IETF")),
            ("64f0908591", .text("\u{10151}")),
            (
                "8301820203820405",
                .array([
                    .unsigned(1), .array([.unsigned(2), .unsigned(3)]),
                    .array([.unsigned(4), .unsigned(5)]),
                ])
            ),
            ("a0", .map(CBORMap(entries: []))),
            (
                "a201020304",
                .map(
                    CBORMap(entries: [
                        .init(key: .unsigned(1), value: .unsigned(2)),
                        .init(key: .unsigned(3), value: .unsigned(4)),
                    ]))
            ),
        ])
    func examples(_ hex: String, _ value: CBORValue) throws {
        #expect(try CBORReader.document(hexadecimal(hex)) == value)
    }

    @Test("numbers keep their sign")
    func numbers() throws {
        #expect(try CBORReader.document(hexadecimal("390100")).integer == -257)
        #expect(try CBORReader.document(hexadecimal("3b7fffffffffffffff")).integer == .min)
        #expect(try CBORReader.document(hexadecimal("3bffffffffffffffff")).integer == nil)
        #expect(try CBORReader.document(hexadecimal("1bffffffffffffffff")).integer == nil)
    }

    @Test(
        "CBOR that authenticators don't write is refused, and its offset is reported",
        arguments: [
            ("", 0, CBORReader.Fault.Reason.truncated), ("19", 0, .truncated),
            ("4301", 0, .truncated), ("5bffffffffffffffff", 0, .truncated),
            ("9bffffffffffffffff", 9, .truncated), ("bb7fffffffffffffff", 9, .truncated),
            ("8201", 1, .truncated), ("83", 1, .truncated),
            ("0000", 1, .malformed), ("1c", 0, .malformed), ("fc", 0, .malformed),
            ("5fff", 0, .unsupported), ("7fff", 0, .unsupported), ("9fff", 0, .unsupported),
            ("bfff", 0, .unsupported), ("ff", 0, .unsupported), ("c000", 0, .unsupported),
            ("f97e00", 0, .unsupported), ("fb3ff199999999999a", 0, .unsupported),
            ("f7", 0, .unsupported), ("61ff", 0, .notUTF8),
            ("a2010203", 4, .truncated), ("a201020102", 3, .repeatedKey),
            ("81818181818181", 6, .tooDeep),
        ])
    func refused(_ hex: String, _ offset: Int, _ reason: CBORReader.Fault.Reason) {
        #expect(throws: CBORReader.Fault(offset: offset, reason: reason)) {
            try CBORReader.document(hexadecimal(hex))
        }
    }

    @Test("the number of items is limited")
    func manyItems() throws {
        let most = CBORReader.itemLimit - 1
        let list = CBORWriter.array(Array(repeating: .int(0), count: most))
        #expect(throws: Never.self) { try CBORReader.document(list.encoded) }
        let longer = CBORWriter.array(Array(repeating: .int(0), count: most + 1))
        #expect(throws: CBORReader.Fault(offset: longer.encoded.count - 1, reason: .tooMany)) {
            try CBORReader.document(longer.encoded)
        }
    }
}
