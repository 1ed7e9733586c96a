/// Reads names from a statement's terms, where the grammar is simple enough.
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

    /// Skips the given words in this order. Words that are missing are ignored.
    mutating func skip(_ words: String...) {
        for word in words where current?.text == word { position += 1 }
    }

    /// Reads a name with or without a schema; nil if there is none here.
    mutating func name() -> QualifiedName? {
        guard let first = current?.identifier else { return nil }
        position += 1
        guard current?.text == "." else { return QualifiedName(first) }
        position += 1
        guard let second = current?.identifier else { return nil }
        position += 1
        return QualifiedName(schema: first, second)
    }

    /// Reads the terms from a parenthesis here to the one that closes it; none if there is no
    /// parenthesis here.
    mutating func parenthesised() -> [String] {
        var texts: [String] = []
        var depth = 0
        while let term = current, depth > 0 || term.text == "(" {
            position += 1
            texts.append(term.text)
            if term.text == "(" { depth += 1 }
            if term.text == ")" { depth -= 1 }
            if depth == 0 { break }
        }
        return texts
    }

    /// Skips to the next occurrence of `keyword` and reads the name after it; nil if there is none.
    mutating func name(behind keyword: String) -> QualifiedName? {
        while let term = next() {
            if term.isKeyword(keyword) { return name() }
        }
        return nil
    }

    /// Reads the part after CREATE INDEX or CREATE UNIQUE.
    mutating func indexCreation() -> Execution.IndexCreation {
        skip("INDEX", "CONCURRENTLY", "IF", "NOT", "EXISTS")
        let name = current?.isKeyword("ON") == true ? nil : self.name()?.name
        skip("ON", "ONLY")
        return Execution.IndexCreation(name: name, table: self.name() ?? QualifiedName(""))
    }
}
