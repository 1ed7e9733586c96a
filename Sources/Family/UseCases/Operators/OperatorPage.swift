import Domain

/// A page of a long list.
package struct OperatorPage<Item: Sendable>: Sendable {
    package let items: [Item]
    /// Nil at the end.
    package let nextCursor: String?

    /// `rows` are one more than `limit` where there are more to come.
    init(_ rows: [Item], limit: Int, place: (Item) -> PageCursor) {
        items = Array(rows.prefix(limit))
        nextCursor = rows.count > limit ? items.last.map { place($0).text } : nil
    }
}

/// Where a page begins and how long it is.
package struct OperatorPageRequest: Sendable {
    let start: PageCursor?
    let limit: Int

    /// One more row than wanted shows whether there are more.
    var count: Int32 { Int32(limit + 1) }

    /// - Parameter cursor: The previous page's cursor; nil for the beginning.
    /// - Throws: ``OperatorRefusal`` for a cursor that no page gave.
    package init(cursor: String?, limit: Int) throws(OperatorRefusal) {
        self.limit = limit
        guard let cursor else {
            start = nil
            return
        }
        guard let read = PageCursor(cursor) else {
            throw OperatorRefusal(
                .invalidField, "This is not a cursor: use the one that the previous page printed.")
        }
        start = read
    }

    /// The id that goes with the start.
    func id<Entity>(_: Entity.Type = Entity.self) -> ID<Entity>? {
        start.map { $0.id() }
    }
}
