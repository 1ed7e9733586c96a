package import Postgres

/// What makes one object of a database, or one property of it, as the database's server words it.
package struct Definition: Sendable, Equatable {
    /// What is told apart. What a person can change by one statement is one definition: so a column
    /// that lost NOT NULL is another matter than a column of another type.
    package enum Kind: String, Sendable, CaseIterable {
        case schema, type, sequence, table, column, function, view, constraint, index
        case notNull = "not null"
        case defaultValue = "default"
        case rule, trigger, policy
        /// A trigger that doesn't fire as triggers usually do; with the name `*`, the triggers of a
        /// table's foreign keys.
        case firing
    }

    /// What it is.
    package let kind: Kind
    /// Its name, quoted where it has to be, with its schema where it has one of its own.
    package let name: String
    /// The table or view that it belongs to, or else its schema; nil for a schema.
    package let place: String?
    /// The statement that makes it, without a semicolon. Of a table it tells the kind only, for its
    /// columns are definitions of their own.
    package let statement: String

    /// What makes an object.
    package init(_ kind: Kind, _ name: String, place: String?, statement: String) {
        self.kind = kind
        self.name = name
        self.place = place
        self.statement = statement
    }

    /// By which it is known: `index users_email on app.users`.
    package var object: String {
        let belongs = isPart ? place.map { " on \($0)" } ?? "" : ""
        if kind == .firing && name == "*" { return "triggers of foreign keys\(belongs)" }
        return "\(kind == .firing ? "firing of trigger" : kind.rawValue) \(name)\(belongs)"
    }

    /// Its name as the catalogue has it, where it has no schema of its own.
    package var unquotedName: String {
        guard name.hasPrefix("\""), name.hasSuffix("\""), name.count > 1 else { return name }
        return String(name.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }

    /// Whether it belongs to a table or view.
    package var isPart: Bool {
        switch kind {
        case .schema, .type, .sequence, .table, .function, .view: false
        default: true
        }
    }
}

extension Definition: RowDecodable {
    /// Of the columns kind, name, place and statement.
    package init(row: inout RowReader) throws(PostgresError) {
        let word = try row.read(String.self)
        guard let kind = Kind(rawValue: word) else {
            throw PostgresError(.decoding, "a definition is of the unknown kind \(word)")
        }
        self.kind = kind
        name = try row.read()
        place = try row.read()
        statement = try row.read()
    }
}
