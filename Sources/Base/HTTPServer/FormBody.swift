/// The fields of a form that a browser has sent (`application/x-www-form-urlencoded`).
package struct FormBody: Sendable {
    private let query: Query

    /// Fields that a form may have.
    package static let mostFields = 64

    /// Nil if an escape is malformed, if it does not decode to text, or if it has too many fields.
    package init?(parsing body: [UInt8]) {
        guard let text = String(validating: body, as: UTF8.self),
            let query = Query(parsing: text[...]), query.parameters.count <= Self.mostFields
        else { return nil }
        self.query = query
    }

    /// The value of a field; nil if there is none, or if it is there more than once.
    package func value(_ name: String) -> String? {
        let values = query.values(name)
        return values.count == 1 ? values.first : nil
    }
}
