import Crypto
import Domain

/// A client's position in its own changes and those of its families, as an opaque text.
///
/// It grants no access: each request decides again what the caller may see. A text that was
/// altered, or made with another key, is not a cursor.
struct SyncCursor: Equatable, Sendable {
    /// The position in a family's changes.
    struct Family: Equatable, Sendable {
        /// Short key of the family's id (``Keys``).
        let key: UInt64
        var version: Int64
        /// Time at which the version was assigned.
        var moment: VersionTime
        /// Whether the whole family is sent again before the changes after the version, because
        /// sending has begun, or because a change of the client's own membership changes the
        /// visible data.
        var isResent = false
        /// Whether the family is being sent for the first time, and the client doesn't have all of
        /// it yet.
        var isNew = false
    }

    /// Short keys of families' ids: a hundred complete ids would make the text too long.
    enum Keys: Sendable {
        /// First halves of the ids.
        case halves
        /// First bytes of the ids' hashes, used if the first halves of two ids are equal. Direct
        /// clients can choose such ids.
        case hashes

        /// Chooses the kind of keys for these families.
        init(of families: [UInt128]) {
            let halves = Set(families.map { Keys.halves.key(of: $0) })
            self = halves.count == families.count ? .halves : .hashes
        }

        func key(of id: UInt128) -> UInt64 {
            switch self {
            case .halves: UInt64(truncatingIfNeeded: id >> 64)
            case .hashes:
                withUnsafeBytes(of: id.bigEndian) { SHA256Digest(of: Array($0)) }.bytes.prefix(8)
                    .reduce(0) { $0 << 8 | UInt64($1) }
            }
        }
    }

    /// The last sent entity of an unfinished list.
    struct Position: Equatable, Sendable {
        /// The family's key; nil for the subject's own entities.
        var family: UInt64?
        /// Version with which a list of all entities began; nil for a list of changes.
        var base: Int64?
        var version: Int64
        var kind: ChangeKind
        var id: UInt128
        var familyID: UInt128
    }

    /// The subject, by the id that it had when the cursor was made.
    var subject: UInt128
    let keys: Keys
    /// The subject's own version; nil until all of the subject's own entities have been sent.
    var version: Int64?
    /// Time of the version, or of the version with which sending all own entities began.
    var moment = VersionTime.unknown
    var families: [Family] = []
    var position: Position?

    /// Creates the cursor of a client that has seen nothing yet, for a subject in these families.
    init(subject: UInt128, families: [UInt128]) {
        self.subject = subject
        keys = Keys(of: families)
    }

    /// Returns the text of this cursor.
    func text(by key: HMACKey) throws(CryptoError) -> String {
        let bytes = self.bytes
        return Base64URL.text(bytes + (try key.authenticate(bytes)).prefix(Self.sealBytes))
    }

    /// Parses a cursor; nil unless ``text(by:)`` made the text.
    init?(_ text: String, by key: HMACKey) throws(CryptoError) {
        guard text.utf8.count <= Self.maximumCharacters, let sealed = Base64URL.decode(text),
            sealed.count > Self.sealBytes
        else { return nil }
        let bytes = Array(sealed.dropLast(Self.sealBytes))
        let seal = try key.authenticate(bytes).prefix(Self.sealBytes)
        guard constantTimeEqual(Array(seal), Array(sealed.suffix(Self.sealBytes))) else {
            return nil
        }
        var reader = CursorReader(bytes)
        self.init(&reader)
    }

    /// Maximum length of the text, in characters.
    static let maximumCharacters = 2_048
    private static let sealBytes = 16
    private static let format: UInt8 = 3
    /// Format with the same fields, but keys that are hashes.
    private static let hashFormat: UInt8 = 4
    /// Format of an earlier release, without times of versions.
    private static let formerFormat: UInt8 = 2
    /// Flag of formats in which each family has the field `isNew`. Cursors without new families
    /// don't set it, because the previous release reads only formats without the flag.
    private static let newFamiliesFlag: UInt8 = 0x10

    private var bytes: [UInt8] {
        let marksNew = families.contains(where: \.isNew)
        var bytes = [
            (keys == .halves ? Self.format : Self.hashFormat)
                + (marksNew ? Self.newFamiliesFlag : 0)
        ]
        bytes.append(fixed: subject)
        bytes.append(varying: version.map { $0 + 1 } ?? 0)
        bytes.append(moment)
        bytes.append(varying: Int64(families.count))
        for family in families {
            bytes.append(fixed: family.key)
            var number = family.version
            if marksNew { number = number * 2 + (family.isNew ? 1 : 0) }
            bytes.append(varying: number * 2 + (family.isResent ? 1 : 0))
            bytes.append(family.moment)
        }
        guard let position else { return bytes }
        bytes.append(position.family == nil ? 1 : 2)
        bytes.append(fixed: position.family ?? 0)
        bytes.append(varying: position.base.map { $0 + 1 } ?? 0)
        bytes.append(varying: position.version)
        bytes.append(UInt8(ChangeKind.allCases.firstIndex(of: position.kind) ?? 0))
        bytes.append(fixed: position.id)
        bytes.append(fixed: position.familyID)
        return bytes
    }

    /// Reads a cursor; nil for bytes in another format, such as a later one.
    private init?(_ reader: inout CursorReader) {
        let formats = [Self.format, Self.hashFormat, Self.formerFormat]
        guard let given = reader.byte() else { return nil }
        let marksNew = given & Self.newFamiliesFlag != 0
        let format = given & ~Self.newFamiliesFlag
        guard formats.contains(format) else { return nil }
        func moment() -> VersionTime? {
            format == Self.formerFormat ? .unknown : reader.moment()
        }
        guard let subject = reader.fixed(UInt128.self), let version = reader.varying(),
            let ownMoment = moment(), let count = reader.varying(), count <= 1_000
        else { return nil }
        self.subject = subject
        keys = format == Self.hashFormat ? .hashes : .halves
        self.version = version == 0 ? nil : version - 1
        self.moment = ownMoment
        for _ in 0..<count {
            guard let key = reader.fixed(UInt64.self), let number = reader.varying(),
                let moment = moment()
            else { return nil }
            families.append(
                Family(
                    key: key, version: number / (marksNew ? 4 : 2), moment: moment,
                    isResent: number % 2 == 1, isNew: marksNew && number % 4 > 1))
        }
        guard let scope = reader.byte() else { return }
        guard let family = reader.fixed(UInt64.self), let base = reader.varying(),
            let at = reader.varying(), let kind = reader.byte(),
            ChangeKind.allCases.indices.contains(Int(kind)),
            let id = reader.fixed(UInt128.self), let familyID = reader.fixed(UInt128.self)
        else { return nil }
        position = Position(
            family: scope == 1 ? nil : family, base: base == 0 ? nil : base - 1, version: at,
            kind: ChangeKind.allCases[Int(kind)], id: id, familyID: familyID)
        // The previous release did not store this: a family that was being sent completely was
        // treated as new.
        if !marksNew, base != 0, scope != 1,
            let index = families.firstIndex(where: { $0.key == family && $0.isResent })
        {
            families[index].isNew = true
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append<Number: FixedWidthInteger>(fixed number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }

    fileprivate mutating func append(_ moment: VersionTime) {
        append(UInt8(truncatingIfNeeded: moment.microseconds24 >> 16))
        append(fixed: UInt16(truncatingIfNeeded: moment.microseconds24))
    }

    /// Appends a number in seven bits a byte, the lowest first.
    fileprivate mutating func append(varying number: Int64) {
        var rest = UInt64(bitPattern: number)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}

/// Reads the fields of a cursor in order.
private struct CursorReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func fixed<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let count = Number.bitWidth / 8
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(Number(0)) { $0 << 8 | Number($1) }
    }

    mutating func moment() -> VersionTime? {
        guard let high = byte(), let low = fixed(UInt16.self) else { return nil }
        return VersionTime(microseconds24: UInt32(high) << 16 | UInt32(low))
    }

    mutating func varying() -> Int64? {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return Int64(bitPattern: number) }
        }
        return nil
    }
}
