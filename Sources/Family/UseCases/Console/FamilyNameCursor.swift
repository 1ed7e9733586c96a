import Crypto
import Domain

/// A position in the list of families by name: that of a family, even if it is renamed or deleted
/// before the next page is read.
struct FamilyNameCursor: Hashable {
    let name: String
    let id: FamilyID

    private static let idBytes = 16

    init(name: String, id: FamilyID) {
        self.name = name
        self.id = id
    }

    /// Parses a cursor; nil for a text that ``text`` can't have produced.
    init?(_ text: String) {
        guard text.utf8.count <= 1_000, let bytes = Base64URL.decode(text),
            bytes.count > Self.idBytes,
            let name = String(validating: bytes[Self.idBytes...], as: UTF8.self),
            !name.unicodeScalars.contains("\0")
        else { return nil }
        self.name = name
        id = FamilyID(
            rawValue: bytes[..<Self.idBytes].reduce(UInt128(0)) { $0 << 8 | UInt128($1) })
    }

    /// The cursor as the parameter of a link.
    var text: String {
        let raw = id.rawValue
        let bytes = (0..<Self.idBytes).map { UInt8(truncatingIfNeeded: raw >> (120 - $0 * 8)) }
        return Base64URL.text(bytes + Array(name.utf8))
    }
}
