/// A part of a list that can be longer.
public struct Page<Element: Sendable>: Sendable {
    /// What is on this page.
    public let elements: [Element]
    /// Asks for the next page; nil on the last one.
    public let nextCursor: String?
}

extension Page: Equatable where Element: Equatable {}
extension Page: Hashable where Element: Hashable {}
