/// Checks scripts against the refusal rules.
package enum Refusals {
    /// Returns the refusals in a script, ordered by line.
    ///
    /// `serverMajorVersion`, if known, decides what a syntax error means: a server no newer than
    /// the parser would refuse the text too, but a newer one may understand it.
    package static func found(
        in script: Script, file: String, serverMajorVersion: Int? = nil, isRepeatable: Bool = false
    ) -> [RefusedStatement] {
        var found: [RefusedStatement] = []
        for after in script.after where !isRepeatable {
            found.append(
                RefusedStatement(
                    .unknownDirective, file: file, line: after.line, subject: "after \(after.file)")
            )
        }
        for statement in script.statements {
            for (rule, subject) in violations(
                of: statement, isTransactional: script.isTransactional)
            {
                found.append(
                    RefusedStatement(rule, file: file, line: statement.line, subject: subject))
            }
        }
        found += (script.sections.problems + script.sections.problems(with: script.statements)).map
        {
            RefusedStatement(.otherTool, file: file, line: $0.line, subject: $0.message)
        }
        found += script.psqlCommands.map {
            RefusedStatement(.backslashCommand, file: file, line: $0.line, subject: $0.word)
        }
        if found.isEmpty, let problem = script.syntaxProblem, let serverMajorVersion,
            serverMajorVersion <= PgQuery.majorVersion
        {
            let line = script.text.line(at: problem.offset)
            found.append(
                RefusedStatement(.syntax, file: file, line: line, subject: problem.message))
        }
        return found.sorted { $0.line < $1.line }
    }

    private static func violations(
        of statement: SQLStatement, isTransactional: Bool
    ) -> [(RefusalRule, String)] {
        var found: [(RefusalRule, String)] = []
        if let control = statement.transactionControl {
            found.append((.transactionControl, control))
        }
        if statement.isCopyFromStdin { found.append((.copyFromStdin, "")) }
        if isTransactional, let reason = statement.cannotRunInTransaction {
            found.append((.needsNoTransaction, reason))
        }
        if !isTransactional {
            if case .alone(.createIndex(let index)) = Execution(of: statement), index.name == nil {
                found.append((.unnamedIndex, ""))
            }
            if statement.makesTemporaryObject { found.append((.temporaryObject, "")) }
        }
        if statement.begins(with: "DISCARD", "ALL") {
            found.append((.freesTheLock, "DISCARD ALL"))
        } else if statement.mentions("PG_ADVISORY_UNLOCK_ALL") {
            found.append((.freesTheLock, "pg_advisory_unlock_all()"))
        }
        let quoting = "standard_conforming_strings"
        if statement.sets(quoting), !statement.turnsOn { found.append((.changesQuoting, quoting)) }
        if !isTransactional, statement.sets("client_encoding") || statement.setsNames,
            !statement.namesUTF8
        {
            found.append((.changesEncoding, "client_encoding"))
        }
        return found
    }
}

extension SQLStatement {
    /// The keywords of a statement that starts or ends a transaction or a savepoint.
    fileprivate var transactionControl: String? {
        guard let first = terms.first, first.kind == .word else { return nil }
        switch first.text {
        case "BEGIN", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE":
            return first.text
        case "START" where begins(with: "START", "TRANSACTION"): return "START TRANSACTION"
        case "PREPARE" where begins(with: "PREPARE", "TRANSACTION"): return "PREPARE TRANSACTION"
        default: return nil
        }
    }

    /// Whether the statement creates an object that lives only as long as the session.
    fileprivate var makesTemporaryObject: Bool {
        guard begins(with: "CREATE") else { return false }
        return terms.dropFirst().prefix(4).contains {
            $0.isKeyword("TEMP") || $0.isKeyword("TEMPORARY")
        }
    }

    var isCopyFromStdin: Bool {
        guard begins(with: "COPY") else { return false }
        return zip(terms, terms.dropFirst()).contains {
            $0.isKeyword("FROM") && $1.isKeyword("STDIN")
                || $0.isKeyword("TO") && $1.isKeyword("STDOUT")
        }
    }

    /// Whether the statement is a SET of this setting, or calls set_config with its name.
    fileprivate func sets(_ setting: String) -> Bool {
        if begins(with: "SET") { return mentions(setting.foldedToUpperCase) }
        return mentions("SET_CONFIG")
            && terms.contains { $0.text.foldedToLowerCase == "'\(setting)'" }
    }

    /// Whether the statement is `SET NAMES`, another name for the client encoding.
    fileprivate var setsNames: Bool {
        begins(with: "SET", "NAMES") || begins(with: "SET", "SESSION", "NAMES")
            || begins(with: "SET", "LOCAL", "NAMES")
    }

    /// Whether the statement sets UTF-8, the encoding in which files are sent.
    fileprivate var namesUTF8: Bool {
        terms.contains { term in
            let name = term.text.foldedToLowerCase.filter { $0.isLetter || $0.isNumber }
            return ["utf8", "unicode", "default"].contains(name)
        }
    }

    /// Whether the statement sets a true value.
    fileprivate var turnsOn: Bool {
        let values: Set = ["on", "true", "'on'", "'true'", "default", "1"]
        if begins(with: "SET") {
            return terms.last.map { values.contains($0.text.foldedToLowerCase) } ?? false
        }
        return terms.contains { values.subtracting(["true"]).contains($0.text.foldedToLowerCase) }
    }
}
