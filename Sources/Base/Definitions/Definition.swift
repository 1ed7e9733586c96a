package import Postgres

/// The definition of one database object, or of one of its properties, as the database's server
/// prints it.
package struct Definition: Sendable, Equatable {
    /// The kinds of definitions. Whatever one statement can change is one definition, so losing NOT
    /// NULL is a difference of its own, apart from the column's type.
    package enum Kind: String, Sendable, CaseIterable {
        case schema, type, sequence, table, column, function, view, constraint, index
        case notNull = "not null"
        case defaultValue = "default"
        case rule, trigger, policy
        /// A trigger that doesn't fire as triggers usually do; with the name `*`, the triggers of a
        /// table's foreign keys.
        case firing
        /// The owner of a schema, or of an object that has one; its name is that object's
        /// ``Definition/object``.
        case owner
    }

    /// What it is.
    package let kind: Kind
    /// Its name, quoted if necessary, with its schema if it has one of its own.
    package let name: String
    /// The table or view that it belongs to, or else its schema; nil for a schema.
    package let place: String?
    /// The statement that creates it, without a semicolon. For a table it contains only the kind,
    /// because columns are definitions of their own.
    package let statement: String

    /// Creates a definition.
    package init(_ kind: Kind, _ name: String, place: String?, statement: String) {
        self.kind = kind
        self.name = name
        self.place = place
        self.statement = statement
    }

    /// By which it is known: `index users_email on app.users`.
    package var object: String {
        let belongs = isPart ? place.map { " on \($0)" } ?? "" : ""
        if kind == .owner { return "owner of \(name)" }
        if kind == .firing && name == "*" { return "triggers of foreign keys\(belongs)" }
        return "\(kind == .firing ? "firing of trigger" : kind.rawValue) \(name)\(belongs)"
    }

    /// Its name as in the catalogue, if it has no schema of its own.
    package var unquotedName: String {
        guard name.hasPrefix("\""), name.hasSuffix("\""), name.count > 1 else { return name }
        return String(name.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }

    /// Whether it belongs to a table or view.
    package var isPart: Bool {
        switch kind {
        case .schema, .type, .sequence, .table, .function, .view, .owner: false
        default: true
        }
    }
}

extension Definition: RowDecodable {
    /// Of the columns kind, name, place and statement.
    package static let row = RowDecoder {
        (word: String, name: String, place: String?, statement: String) throws(PostgresError) in
        guard let kind = Kind(rawValue: word) else {
            throw PostgresError(.decoding, "a definition is of the unknown kind \(word)")
        }
        return Definition(kind, name, place: place, statement: statement)
    }
}
