/// Text of `pg_dump --schema-only` without the parts that depend on the version, server or run:
/// versions, session settings, restrict keys, owners in comments.
///
/// Statements stay unchanged. The scanner splits them, so that a line in a function's body is never
/// mistaken for one of pg_dump's own.
enum DumpText {
    /// Returns the statements in pg_dump's order, each under a comment that names its object.
    ///
    /// - Parameter namesNotNull: Whether to include the names of NOT NULL constraints. PostgreSQL
    ///   stores such names from version 18 on; older versions have none to compare with.
    static func normalized(
        _ dump: SourceText, namesNotNull: Bool = true
    ) throws(MigrationError) -> String {
        let text = try withoutPsqlCommands(dump)
        let (tokens, problem) = Scanner.scan(text.bytes)
        if let problem {
            throw MigrationError(.system, "pg_dump's output has \(problem.kind.rawValue) unclosed")
        }
        var paragraphs: [String] = []
        for group in StatementSplitter.split(tokens, in: text) {
            guard let statement = SQLStatement(of: group, in: text, line: 0),
                !statement.isSessionSetup
            else { continue }
            let name = group.filter(\.isComment).compactMap { token in
                objectComment(text.slice(token.range))
            }.last
            let words =
                namesNotNull || !statement.begins(with: "CREATE", "TABLE")
                ? statement.withSortedPolicyRoles : withoutNotNullNames(statement, group)
            paragraphs.append((name.map { $0 + "\n" } ?? "") + words + ";")
        }
        return paragraphs.joined(separator: "\n\n") + (paragraphs.isEmpty ? "" : "\n")
    }

    /// Returns a CREATE TABLE with `NOT NULL` instead of `CONSTRAINT name NOT NULL`.
    private static func withoutNotNullNames(
        _ statement: SQLStatement, _ tokens: some Collection<Token>
    ) -> String {
        let source = statement.source
        let tokens = tokens.filter { !$0.isComment }
        func isKeyword(_ token: Token, _ word: String) -> Bool {
            token.kind == .word && source.slice(token.range).uppercased() == word
        }
        var text = ""
        var rest = statement.range.lowerBound
        for index in tokens.indices.dropLast(3)
        where isKeyword(tokens[index], "CONSTRAINT") && isKeyword(tokens[index + 2], "NOT")
            && isKeyword(tokens[index + 3], "NULL")
        {
            text += source.slice(rest..<tokens[index].range.lowerBound)
            rest = tokens[index + 2].range.lowerBound
        }
        return text + source.slice(rest..<statement.range.upperBound)
    }

    /// Removes `\restrict KEY` and `\unrestrict KEY`, which newer versions write around the dump.
    private static func withoutPsqlCommands(_ dump: SourceText) throws(MigrationError) -> SourceText
    {
        var bytes = dump.bytes
        for token in Scanner.scan(bytes).tokens.reversed() where token.kind == .backslash {
            let start = token.range.lowerBound
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            bytes.removeSubrange(start..<end)
        }
        do {
            return try SourceText(raw: bytes)
        } catch {
            throw MigrationError(.system, "pg_dump's output is not text")
        }
    }

    /// Returns the comment `-- Name: x; Type: TABLE; Schema: app; Owner: someone` without the
    /// owner; nil for any other comment.
    private static func objectComment(_ comment: String) -> String? {
        guard comment.hasPrefix("-- Name: ") else { return nil }
        guard let owner = comment.range(ofLast: "; Owner:") else { return comment }
        return String(comment[..<owner])
    }
}

extension SQLStatement {
    /// The statement with the roles of CREATE POLICY sorted by name, because pg_dump lists them in
    /// the cluster's internal order.
    fileprivate var withSortedPolicyRoles: String {
        guard begins(with: "CREATE", "POLICY"),
            let to = terms.firstIndex(where: { $0.isKeyword("TO") })
        else { return text }
        let list = terms[(to + 1)...].prefix {
            $0.text == "," || !($0.isKeyword("USING") || $0.isKeyword("WITH"))
        }
        let roles = list.filter { $0.text != "," }
        guard let first = roles.first, let last = roles.last else { return text }
        // The terms have words in upper case, so the roles are taken from the text as written.
        let names = roles.map { source.slice($0.range) }.sorted()
        return source.slice(range.lowerBound..<first.range.lowerBound)
            + names.joined(separator: ", ")
            + source.slice(last.range.upperBound..<range.upperBound)
    }

    /// Whether the statement only sets up the session that reads the dump.
    fileprivate var isSessionSetup: Bool {
        begins(with: "SET") || (begins(with: "SELECT", "PG_CATALOG") && mentions("SET_CONFIG"))
    }
}

extension String {
    /// Returns the start of the last occurrence of a text.
    fileprivate func range(ofLast text: String) -> String.Index? {
        var index = endIndex
        while index > startIndex {
            index = self.index(before: index)
            if self[index...].hasPrefix(text) { return index }
        }
        return nil
    }
}
