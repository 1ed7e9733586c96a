import Crypto
import Domain

/// How far a client has followed its own changes and those of its families, as an opaque text.
///
/// It grants nothing: each request decides again what its caller may see. A text that was altered,
/// or made with another key, is no cursor.
struct SyncCursor: Equatable, Sendable {
    /// How far a family has been followed.
    struct Family: Equatable, Sendable {
        /// The first half of the family's id: a hundred whole ids would make the text too long.
        let prefix: UInt64
        var version: Int64
        /// Of the version.
        var moment: VersionMoment
        /// All of the family is to be sent before the changes after the version: its sending has
        /// begun, or what is seen of it has changed with the client's own standing.
        var isSentAgain = false
    }

    /// The last thing of a list that was cut off.
    struct Place: Equatable, Sendable {
        /// Nil for the subject's own things.
        var family: UInt64?
        /// For a list of all things: the version with which it began. Nil for a list of changes.
        var base: Int64?
        var version: Int64
        var kind: ChangeKind
        var id: UInt128
        var familyID: UInt128
    }

    let subject: UInt128
    /// Nil until all of the subject's own things have been sent.
    var version: Int64?
    /// Of the version, or of the one with which the sending of all those things began.
    var moment = VersionMoment.unknown
    var families: [Family] = []
    var place: Place?

    init(subject: UInt128) { self.subject = subject }

    /// The text of this cursor.
    func text(by key: HMACKey) throws(CryptoError) -> String {
        let bytes = self.bytes
        return Base64URL.text(bytes + (try key.authenticate(bytes)).prefix(Self.sealBytes))
    }

    /// The cursor of a text; nil unless ``text(by:)`` has made it.
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

    /// How long a text may be.
    static let maximumCharacters = 2_048
    private static let sealBytes = 16
    private static let format: UInt8 = 3
    /// The previous release's, without moments.
    private static let formerFormat: UInt8 = 2

    private var bytes: [UInt8] {
        var bytes: [UInt8] = [Self.format]
        bytes.append(fixed: subject)
        bytes.append(varying: version.map { $0 + 1 } ?? 0)
        bytes.append(moment)
        bytes.append(varying: Int64(families.count))
        for family in families {
            bytes.append(fixed: family.prefix)
            bytes.append(varying: family.version * 2 + (family.isSentAgain ? 1 : 0))
            bytes.append(family.moment)
        }
        guard let place else { return bytes }
        bytes.append(place.family == nil ? 1 : 2)
        bytes.append(fixed: place.family ?? 0)
        bytes.append(varying: place.base.map { $0 + 1 } ?? 0)
        bytes.append(varying: place.version)
        bytes.append(UInt8(ChangeKind.allCases.firstIndex(of: place.kind) ?? 0))
        bytes.append(fixed: place.id)
        bytes.append(fixed: place.familyID)
        return bytes
    }

    /// Nil for bytes of another format, such as a later one's.
    private init?(_ reader: inout CursorReader) {
        guard let format = reader.byte(), [Self.format, Self.formerFormat].contains(format) else {
            return nil
        }
        func moment() -> VersionMoment? {
            format == Self.format ? reader.moment() : .unknown
        }
        guard let subject = reader.fixed(UInt128.self), let version = reader.varying(),
            let ownMoment = moment(), let count = reader.varying(), count <= 1_000
        else { return nil }
        self.subject = subject
        self.version = version == 0 ? nil : version - 1
        self.moment = ownMoment
        for _ in 0..<count {
            guard let prefix = reader.fixed(UInt64.self), let number = reader.varying(),
                let moment = moment()
            else { return nil }
            families.append(
                Family(
                    prefix: prefix, version: number / 2, moment: moment,
                    isSentAgain: number % 2 == 1))
        }
        guard let scope = reader.byte() else { return }
        guard let family = reader.fixed(UInt64.self), let base = reader.varying(),
            let at = reader.varying(), let kind = reader.byte(),
            ChangeKind.allCases.indices.contains(Int(kind)),
            let id = reader.fixed(UInt128.self), let familyID = reader.fixed(UInt128.self)
        else { return nil }
        place = Place(
            family: scope == 1 ? nil : family, base: base == 0 ? nil : base - 1, version: at,
            kind: ChangeKind.allCases[Int(kind)], id: id, familyID: familyID)
    }
}

extension UInt64 {
    /// What a cursor keeps of a family's id.
    init(prefixOf id: UInt128) { self = UInt64(truncatingIfNeeded: id >> 64) }
}

extension [UInt8] {
    fileprivate mutating func append<Number: FixedWidthInteger>(fixed number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }

    fileprivate mutating func append(_ moment: VersionMoment) {
        append(UInt8(truncatingIfNeeded: moment.bits >> 16))
        append(fixed: UInt16(truncatingIfNeeded: moment.bits))
    }

    /// Seven bits a byte, the lowest first.
    fileprivate mutating func append(varying number: Int64) {
        var rest = UInt64(bitPattern: number)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}

/// Reads the bytes of a cursor in their order.
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

    mutating func moment() -> VersionMoment? {
        guard let high = byte(), let low = fixed(UInt16.self) else { return nil }
        return VersionMoment(bits: UInt32(high) << 16 | UInt32(low))
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
