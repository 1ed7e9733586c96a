/// Finds the functions, views and triggers that COMMENT, GRANT, REVOKE and ALTER ... OWNER TO apply
/// to.
enum SubjectReader {
    private static let kinds: Set = ["FUNCTION", "PROCEDURE", "ROUTINE", "VIEW"]

    /// Returns the names; nil for any other statement, or one about other kinds of objects.
    static func subjects(of statement: SQLStatement) -> [QualifiedName]? {
        guard let verb = statement.terms.first, verb.kind == .word else { return nil }
        switch verb.text {
        case "COMMENT": return comment(statement.terms)
        case "GRANT", "REVOKE": return grant(statement.terms)
        case "ALTER": return owner(statement.terms)
        default: return nil
        }
    }

    private static func comment(_ terms: [SQLStatement.Term]) -> [QualifiedName]? {
        guard terms.count > 3, terms[1].isKeyword("ON") else { return nil }
        var rest = TermReader(Array(terms[3...]))
        switch terms[2].text {
        case "COLUMN":
            let end = terms.firstIndex { $0.isKeyword("IS") } ?? terms.count
            let names = terms[3..<end].compactMap(\.identifier)
            guard names.count > 1 else { return nil }
            let schema = names.count > 2 ? names[names.count - 3] : nil
            return [QualifiedName(schema: schema, names[names.count - 2])]
        case "TRIGGER": return rest.name().map { [$0] }
        case let kind where kinds.contains(kind): return rest.name().map { [$0] }
        default: return nil
        }
    }

    /// Returns the names in `ALTER VIEW name OWNER TO role`.
    private static func owner(_ terms: [SQLStatement.Term]) -> [QualifiedName]? {
        guard terms.count > 4, kinds.contains(terms[1].text) else { return nil }
        let end =
            terms[terms.count - 3].isKeyword("OWNER") && terms[terms.count - 2].isKeyword("TO")
        var rest = TermReader(Array(terms[2...]))
        return end ? rest.name().map { [$0] } : nil
    }

    /// Returns the names in `GRANT EXECUTE ON FUNCTION a(int), b TO role` or
    /// `GRANT SELECT (x) ON v TO role`.
    private static func grant(_ terms: [SQLStatement.Term]) -> [QualifiedName]? {
        guard let on = terms.firstIndex(where: { $0.isKeyword("ON") }) else { return nil }
        var start = on + 1
        guard start < terms.count else { return nil }
        if kinds.contains(terms[start].text) || terms[start].isKeyword("TABLE") { start += 1 }
        var names: [QualifiedName] = []
        var depth = 0
        var expectsName = true
        var words: [SQLStatement.Term] = []
        func read() -> Bool {
            var reader = TermReader(words)
            guard let name = reader.name(), reader.next() == nil else { return false }
            names.append(name)
            return true
        }
        for term in terms[start...] {
            if depth == 0, term.isKeyword("TO") || term.isKeyword("FROM") { break }
            switch term.text {
            case "(":
                depth += 1
                expectsName = false
            case ")": depth -= 1
            case "," where depth == 0:
                guard read() else { return nil }
                words = []
                expectsName = true
            default: if depth == 0, expectsName { words.append(term) }
            }
        }
        return read() ? names : nil
    }
}
