import Domain

/// A page of a long list.
package struct OperatorPage<Item: Sendable>: Sendable {
    package let items: [Item]
    /// Cursor of the next page; nil at the end.
    package let nextCursor: String?

    /// Creates a page. `rows` has one more than `limit` if there is a next page.
    init(_ rows: [Item], limit: Int, cursor: (Item) -> PageCursor) {
        self.init(rows: rows, limit: limit) { cursor($0).text }
    }

    /// Creates a page of a list that is not ordered by time. `rows` has one more than `limit` if
    /// there is a next page.
    init(rows: [Item], limit: Int, cursor: (Item) -> String) {
        items = Array(rows.prefix(limit))
        nextCursor = rows.count > limit ? items.last.map { cursor($0) } : nil
    }
}

/// The start of a page and its length.
package struct OperatorPageRequest: Sendable {
    let start: PageCursor?
    let limit: Int

    /// Number of rows to read: one more than requested shows whether there is a next page.
    var count: Int32 { Int32(limit + 1) }

    /// - Parameter cursor: The previous page's cursor; nil for the beginning.
    /// - Throws: ``OperatorRefusal`` for a cursor that no page returned.
    package init(cursor: String?, limit: Int) throws(OperatorRefusal) {
        self.limit = limit
        guard let cursor else {
            start = nil
            return
        }
        guard let read = PageCursor(cursor) else {
            throw OperatorRefusal.invalidCursor
        }
        start = read
    }

    /// Id of the row after which the page begins; nil at the beginning.
    func id<Entity>(_: Entity.Type = Entity.self) -> ID<Entity>? {
        start.map { $0.id() }
    }
}

extension OperatorRefusal {
    /// The text is not a cursor that a page of the list returned.
    static let invalidCursor = OperatorRefusal(
        .invalidField, "This is not a cursor: use the one that the previous page printed.")
}
