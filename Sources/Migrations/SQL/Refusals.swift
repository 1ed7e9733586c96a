/// Holds scripts against the refusal rules.
package enum Refusals {
    /// What is refused in a script, in the order of its lines.
    ///
    /// `serverMajorVersion`, where known, decides what a syntax error means: a server no newer than
    /// the parser would refuse the text too, a newer one may understand it.
    package static func found(
        in script: Script, file: String, serverMajorVersion: Int? = nil
    ) -> [Refusal] {
        var found: [Refusal] = []
        for statement in script.statements {
            for (rule, subject) in broken(by: statement, isTransactional: script.isTransactional) {
                found.append(Refusal(rule, file: file, line: statement.line, subject: subject))
            }
        }
        found += script.psqlCommands.map {
            Refusal(.backslashCommand, file: file, line: $0.line, subject: $0.word)
        }
        if found.isEmpty, let problem = script.syntaxProblem, let serverMajorVersion,
            serverMajorVersion <= PgQuery.majorVersion
        {
            let line = script.text.line(at: problem.offset)
            found.append(Refusal(.syntax, file: file, line: line, subject: problem.message))
        }
        return found.sorted { $0.line < $1.line }
    }

    private static func broken(
        by statement: Statement, isTransactional: Bool
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
        if statement.begins(with: "SET"), statement.mentions("STANDARD_CONFORMING_STRINGS"),
            !statement.turnsOn
        {
            found.append((.changesQuoting, "standard_conforming_strings"))
        }
        return found
    }
}

extension Statement {
    /// The words of a statement that opens or ends a transaction or a part of one.
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

    /// Whether it makes something that lives as long as the session.
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

    /// Whether the setting it sets is set to a true value.
    fileprivate var turnsOn: Bool {
        guard let value = terms.last?.text.foldedToLowerCase else { return false }
        return ["on", "true", "'on'", "'true'", "default", "1"].contains(value)
    }
}
