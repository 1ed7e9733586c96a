import Crypto
package import Domain

/// A page of a family's list that is ordered by time and id.
package struct FamilyPage<Item: Sendable>: Sendable {
    /// The requested family, or the caller's only one.
    package let family: FamilyID
    package let items: [Item]
    /// Cursor of the next page; nil at the end.
    package let nextCursor: String?

    /// - Parameter rows: One more than `limit` if there is a next page.
    init(_ rows: [Item], of family: FamilyID, limit: Int, cursor: (Item) -> PageCursor?) {
        self.family = family
        items = Array(rows.prefix(limit))
        nextCursor = rows.count > limit ? items.last.flatMap { cursor($0)?.text } : nil
    }
}

/// A position in a list that is ordered by time and id, as an opaque text for clients.
///
/// It grants no access: each request decides again what the caller may see.
struct PageCursor: Hashable {
    let at: Timestamp
    private let rawID: UInt128

    init<Entity>(_ at: Timestamp, _ id: ID<Entity>) {
        self.at = at
        rawID = id.rawValue
    }

    /// The id of the listed entity.
    func id<Entity>(_: Entity.Type = Entity.self) -> ID<Entity> { ID(rawValue: rawID) }

    /// Reads a cursor; nil if there is none.
    ///
    /// - Throws: `invalidField` for a text that no page returned.
    static func reading(_ text: String?) throws(Refusal) -> PageCursor? {
        guard let text else { return nil }
        guard let cursor = PageCursor(text) else { throw Refusal(.invalidField, .field("cursor")) }
        return cursor
    }

    /// Parses a cursor; nil for a text that ``text`` can't have produced.
    init?(_ text: String) {
        guard text.utf8.count == 32, let bytes = Base64URL.decode(text), bytes.count == 24 else {
            return nil
        }
        at = Timestamp(
            microseconds: Int64(
                bitPattern: bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
        rawID = bytes[8...].reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        guard at.isListable else { return nil }
    }

    var text: String {
        let moment = UInt64(bitPattern: at.microseconds)
        let first = (0..<8).map { UInt8(truncatingIfNeeded: moment >> (56 - $0 * 8)) }
        let second = (0..<16).map { UInt8(truncatingIfNeeded: rawID >> (120 - $0 * 8)) }
        return Base64URL.text(first + second)
    }
}

extension Timestamp {
    /// Whether the time can be in a cursor: from 1970 to the year 9999, far within the range of
    /// PostgreSQL's timestamps.
    package var isListable: Bool { (0..<253_402_300_800_000_000).contains(microseconds) }
}
