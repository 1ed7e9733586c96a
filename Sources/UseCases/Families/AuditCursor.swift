import Crypto
import Domain
import Repositories

/// The place of an entry in the audit trail, as a text that clients hand back and don't read.
///
/// It opens nothing: what it leads to is decided anew by who asks.
struct AuditCursor: Hashable {
    let at: Timestamp
    let id: ID<AuditRecord>

    init(_ entry: AuditEntry) { self.init(at: entry.at, id: entry.id) }

    init(at: Timestamp, id: ID<AuditRecord>) {
        self.at = at
        self.id = id
    }

    /// Nil unless `text` has the form that ``text`` gives.
    init?(_ text: String) {
        guard text.utf8.count == 32, let bytes = Base64URL.decode(text), bytes.count == 24 else {
            return nil
        }
        at = Timestamp(
            microseconds: Int64(
                bitPattern: bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
        id = ID(rawValue: bytes[8...].reduce(UInt128(0)) { $0 << 8 | UInt128($1) })
        guard Self.storable.contains(at.microseconds) else { return nil }
    }

    var text: String {
        let moment = UInt64(bitPattern: at.microseconds)
        let first = (0..<8).map { UInt8(truncatingIfNeeded: moment >> (56 - $0 * 8)) }
        let second = (0..<16).map { UInt8(truncatingIfNeeded: id.rawValue >> (120 - $0 * 8)) }
        return Base64URL.text(first + second)
    }

    /// From 1970 to the year 9999: far within what PostgreSQL's times can be.
    private static let storable: Range<Int64> = 0..<253_402_300_800_000_000
}
