/// Reads names out of a statement's terms, where its grammar is as simple as that.
struct TermReader {
    private let terms: [SQLStatement.Term]
    private var position = 0

    init(_ terms: [SQLStatement.Term]) {
        self.terms = terms
    }

    private var current: SQLStatement.Term? {
        position < terms.count ? terms[position] : nil
    }

    mutating func next() -> SQLStatement.Term? {
        defer { position += 1 }
        return current
    }

    /// Skips these words, in this order, each if present.
    mutating func skip(_ words: String...) {
        for word in words where current?.text == word { position += 1 }
    }

    /// A name with or without a schema; nil if there is none here.
    mutating func name() -> QualifiedName? {
        guard let first = current?.identifier else { return nil }
        position += 1
        guard current?.text == "." else { return QualifiedName(first) }
        position += 1
        guard let second = current?.identifier else { return nil }
        position += 1
        return QualifiedName(schema: first, second)
    }

    /// The part after CREATE INDEX or CREATE UNIQUE.
    mutating func indexCreation() -> Execution.IndexCreation {
        skip("INDEX", "CONCURRENTLY", "IF", "NOT", "EXISTS")
        let name = current?.isKeyword("ON") == true ? nil : self.name()?.name
        skip("ON", "ONLY")
        return Execution.IndexCreation(name: name, table: self.name() ?? QualifiedName(""))
    }
}
