package import Postgres

/// Definition of one database object, or of one of its properties, as the database server prints
/// it.
package struct Definition: Sendable, Equatable {
    /// The kinds of definitions. Everything that one statement can change is a definition of its
    /// own, so a lost NOT NULL is reported apart from the column's type.
    package enum Kind: String, Sendable, CaseIterable {
        case schema, type, sequence, table, column, function, view, constraint, index
        case notNull = "not null"
        case defaultValue = "default"
        case rule, trigger, policy
        /// A trigger whose firing mode is not the default; with the name `*`, the triggers of a
        /// table's foreign keys.
        case firing
        /// The owner of a schema, or of another object that has an owner. The definition's name is
        /// the ``Definition/object`` of what is owned.
        case owner
    }

    /// The kind of the object or property.
    package let kind: Kind
    /// The object's name, quoted if necessary, with its schema if it has one of its own.
    package let name: String
    /// The table or view that the object belongs to, or else its schema; nil for a schema.
    package let parent: String?
    /// The statement that creates the object, without a semicolon. For a table it omits the
    /// columns, because they are definitions of their own.
    package let statement: String

    /// Creates a definition.
    package init(_ kind: Kind, _ name: String, parent: String?, statement: String) {
        self.kind = kind
        self.name = name
        self.parent = parent
        self.statement = statement
    }

    /// Unique description of the object, such as `index users_email on app.users`.
    package var object: String {
        let belongs = isPart ? parent.map { " on \($0)" } ?? "" : ""
        if kind == .owner { return "owner of \(name)" }
        if kind == .firing && name == "*" { return "triggers of foreign keys\(belongs)" }
        return "\(kind == .firing ? "firing of trigger" : kind.rawValue) \(name)\(belongs)"
    }

    /// The name without quotes, as in the catalogue. Only for objects without a schema of their
    /// own.
    package var unquotedName: String {
        guard name.hasPrefix("\""), name.hasSuffix("\""), name.count > 1 else { return name }
        return String(name.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }

    /// Whether the object belongs to a table or view.
    package var isPart: Bool {
        switch kind {
        case .schema, .type, .sequence, .table, .function, .view, .owner: false
        default: true
        }
    }
}

extension Definition: RowDecodable {
    /// Decodes the columns kind, name, parent and statement.
    package static let row = RowDecoder {
        (word: String, name: String, parent: String?, statement: String) throws(PostgresError) in
        guard let kind = Kind(rawValue: word) else {
            throw PostgresError(.decoding, "a definition is of the unknown kind \(word)")
        }
        return Definition(kind, name, parent: parent, statement: statement)
    }
}
