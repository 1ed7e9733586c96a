/// The fields of a form sent by a browser (`application/x-www-form-urlencoded`).
package struct FormBody: Sendable {
    private let query: Query

    /// Maximum number of fields. The largest form has three fields for each of 40 preferences.
    package static let fieldLimit = 128

    /// Returns nil if an escape is malformed or does not decode to text, or if there are too many
    /// fields.
    package init?(parsing body: [UInt8]) {
        guard let text = String(validating: body, as: UTF8.self),
            let query = Query(parsing: text[...]), query.parameters.count <= Self.fieldLimit
        else { return nil }
        self.query = query
    }

    /// Returns the value of a field; nil if it is missing or repeated.
    package func value(_ name: String) -> String? {
        let values = query.values(name)
        return values.count == 1 ? values.first : nil
    }

    /// Returns all values of a field.
    package func values(_ name: String) -> [String] { query.values(name) }
}
