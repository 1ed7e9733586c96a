/// Parsed text of a migration file: its statements and its instructions to the runner.
package struct Script: Sendable {
    /// The text that runs: the whole file, except for the down part of goose and dbmate.
    package let text: SourceText
    /// The statements in order.
    package let statements: [SQLStatement]
    /// False for a file with `-- hearth: no-transaction`, or with the marker of goose or dbmate for
    /// it.
    package let isTransactional: Bool
    /// Rules of `plan` that the file allows to be broken.
    package let allowances: [Allowance]
    /// The repeatable files after which this one must be applied, each with its line.
    let after: [(file: String, line: Int)]
    /// Lines that look like psql commands.
    let psqlCommands: [PsqlCommand]
    /// The markers of other tools.
    let sections: ToolSections
    /// Reason why libpg_query can't parse the text; nil if it can. Otherwise the scanner alone
    /// split the statements.
    package let syntaxProblem: PgQuery.SyntaxProblem?

    /// Permission for a statement to break a rule.
    package struct Allowance: Sendable, Equatable {
        /// The rule's name, as written.
        package let rule: String
        /// The author's reason.
        package let reason: String
        /// Index of the statement, from 0.
        package let statement: Int
        /// The line, from 1.
        package let line: Int
    }

    /// Parses a text. Throws if it can't be split into statements or contains an unknown directive.
    package init(_ file: SourceText) throws(ScriptProblem) {
        var (tokens, scanProblem) = Scanner.scan(file.bytes)
        sections = ToolSections(file, tokens)
        if let down = sections.down {
            tokens.removeAll { $0.range.lowerBound >= down.offset }
            scanProblem = nil
        }
        let text = sections.down.map { file.prefix(upTo: $0.offset) } ?? file
        self.text = text
        psqlCommands = Script.psqlCommands(in: tokens, of: text)
        if let scanProblem {
            throw Script.problem(scanProblem, after: tokens, psqlCommands, in: text)
        }
        let groups: [ArraySlice<Token>]
        do throws(PgQuery.SyntaxProblem) {
            groups = StatementSplitter.split(tokens, by: try PgQuery.ranges(in: text))
            syntaxProblem = nil
        } catch {
            groups = StatementSplitter.split(tokens, in: text)
            syntaxProblem = error
        }
        var lines = LineCounter(text.bytes)
        statements = groups.compactMap { group in
            guard let first = group.first(where: { !$0.isComment }) else { return nil }
            let line = lines.line(at: first.range.lowerBound)
            return SQLStatement(of: group, in: text, line: line)
        }
        let directives = try Script.directives(in: tokens, of: text)
        let firstStatement = statements.first?.range.lowerBound ?? text.bytes.count
        for directive in directives where directive.value == .noTransaction {
            if directive.range.lowerBound > firstStatement {
                throw ScriptProblem(
                    rule: .lateDirective, line: text.line(at: directive.range.lowerBound),
                    subject: "no-transaction")
            }
        }
        isTransactional =
            sections.isTransactional && !directives.contains { $0.value == .noTransaction }
        after = directives.flatMap { directive -> [(file: String, line: Int)] in
            guard case .after(let names) = directive.value else { return [] }
            return names.map { ($0, text.line(at: directive.range.lowerBound)) }
        }
        allowances = Script.allowances(directives, statements: statements, text: text)
    }

    /// Canonical form of the whole file, which is equal for texts that differ only in comments and
    /// layout.
    package var canonical: [UInt8] {
        statements.reduce(into: [isTransactional ? 0x54 : 0x4E]) { bytes, statement in
            bytes += statement.canonical
            bytes.append(0x03)
        }
    }

    // MARK: - psql commands

    /// A backslash outside quotes, and the word that it begins.
    struct PsqlCommand: Sendable {
        let line: Int
        let word: String
    }

    /// Returns the first psql command on each line.
    private static func psqlCommands(in tokens: [Token], of text: SourceText) -> [PsqlCommand] {
        var found: [PsqlCommand] = []
        for token in tokens where token.kind == .backslash {
            let start = token.range.lowerBound
            let line = text.line(at: start)
            if found.last?.line == line { continue }
            let word = text.bytes[start...].prefix { !$0.isSQLSpace }
            found.append(PsqlCommand(line: line, word: String(decoding: word, as: UTF8.self)))
        }
        return found
    }

    /// Returns the problem of a text with an unclosed quote or comment. If it is in data after COPY
    /// FROM STDIN or in a psql command, that is reported instead.
    private static func problem(
        _ problem: ScanProblem, after tokens: [Token], _ psqlCommands: [PsqlCommand],
        in text: SourceText
    ) -> ScriptProblem {
        for group in StatementSplitter.split(tokens, in: text) {
            guard let statement = SQLStatement(of: group, in: text, line: 0) else { continue }
            if statement.isCopyFromStdin {
                let line = text.line(at: statement.range.lowerBound)
                return ScriptProblem(rule: .copyFromStdin, line: line, subject: "")
            }
        }
        if let command = psqlCommands.first {
            return ScriptProblem(
                rule: .backslashCommand, line: command.line, subject: command.word)
        }
        return ScriptProblem(
            rule: .unclosed, line: text.line(at: problem.offset), subject: problem.kind.rawValue)
    }

    // MARK: - Directives

    private struct LocatedDirective {
        let value: Directive
        let range: Range<Int>
    }

    private static func directives(
        in tokens: [Token], of text: SourceText
    ) throws(ScriptProblem) -> [LocatedDirective] {
        var found: [LocatedDirective] = []
        for token in tokens where token.kind == .lineComment {
            do throws(Directive.UnknownDirective) {
                if let value = try Directive.parse(text.slice(token.range)) {
                    found.append(LocatedDirective(value: value, range: token.range))
                }
            } catch {
                throw ScriptProblem(
                    rule: .unknownDirective, line: text.line(at: token.range.lowerBound),
                    subject: error.text)
            }
        }
        return found
    }

    /// Assigns each allowance to the statement that contains it, otherwise to the next one.
    private static func allowances(
        _ directives: [LocatedDirective], statements: [SQLStatement], text: SourceText
    ) -> [Allowance] {
        directives.compactMap { directive in
            guard case .allow(let rule, let reason) = directive.value else { return nil }
            let offset = directive.range.lowerBound
            let index = statements.firstIndex { $0.range.upperBound > offset }
            return Allowance(
                rule: rule, reason: reason, statement: index ?? statements.count,
                line: text.line(at: offset))
        }
    }
}

/// Reason why a text can't be parsed: one of the refusal rules, with the line.
package struct ScriptProblem: Error, Sendable, Equatable {
    /// The rule that is broken.
    package let rule: RefusalRule
    /// The line, from 1.
    package let line: Int
    /// The subject in the rule's message.
    package let subject: String
}

/// Counts lines up to offsets that are queried in ascending order.
struct LineCounter {
    private let bytes: [UInt8]
    private var position = 0
    private var current = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the line, from 1, of the byte at `offset`.
    mutating func line(at offset: Int) -> Int {
        while position < min(offset, bytes.count) {
            if bytes[position] == UInt8(ascii: "\n") { current += 1 }
            position += 1
        }
        return current
    }
}
