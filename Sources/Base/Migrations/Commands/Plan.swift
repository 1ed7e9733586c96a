package import JSON
package import Postgres

/// Plan of what `up` would do: the pending files, statement by statement, with lint findings.
package struct Plan: Sendable {
    /// A file that would run.
    package struct File: Sendable {
        /// The file's name.
        package let name: String
        /// Whether the file runs in one transaction.
        package let isTransactional: Bool
        /// The file's statements, in order.
        package let statements: [Step]
        /// Reason why the parser doesn't understand the file. Only the scanner has then split it,
        /// and no rule has checked its statements.
        package let unparsed: String?
        /// Number of statements that an earlier run has already completed.
        package let statementsDone: Int
        /// Reason why a repeatable file is applied; nil for a numbered file.
        package let reason: String?
        /// Line of the marker below which nothing runs, if there is one.
        package let downLine: Int?
    }

    /// A statement that would run.
    package struct Step: Sendable {
        /// The line of the statement, from 1.
        package let line: Int
        /// The statement.
        package let text: String
        /// The lint findings for the statement.
        package let findings: [LintFinding]
    }

    /// The files, in the order in which they would run.
    package let files: [File]
    /// Down migrations, which never run.
    package let downMigrations: [String]

    /// Additional remarks, such as objects that are no longer in a repeatable file.
    package let remarks: [String]

    /// All findings, in the order of files and statements.
    package var findings: [LintFinding] { files.flatMap { $0.statements.flatMap(\.findings) } }

    /// Plans for a database: its pending files, checked against the sizes of its tables.
    package static func read(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, target: MigrationVersion?,
        allowsOutOfOrder: Bool
    ) throws(MigrationError) -> Plan {
        let session = try Session(settings, folder.configuration, RunLimits(), purpose: "plan")
        let (state, journal) = try FolderState.read(session, folder)
        let pending = try PendingMigrations(
            state, folder, target: target, allowsOutOfOrder: allowsOutOfOrder)
        let scripts = try pending.scripts(serverMajorVersion: session.serverMajorVersion)
        let sizes: TableSizes
        do {
            sizes = try TableSizes(session.connection)
        } catch {
            throw .database(error, "the sizes of the tables")
        }
        let done = journal.mapValues { $0.count(where: \.isDone) }
        let repeatable = try RepeatableState.read(session, folder)
        try repeatable.check(serverMajorVersion: session.serverMajorVersion)
        let isWhole = pending.files.count == state.comparison.pending.count
        return Plan(
            zip(pending.files, scripts).map { ($0, $1) }, folder, sizes, done,
            repeatable, due: isWhole ? repeatable.due : [])
    }

    /// Plans without a database: all files of the folder, as if every table had rows.
    package static func offline(_ folder: MigrationFolder) throws(MigrationError) -> Plan {
        let pending = PendingMigrations(all: folder)
        let scripts = try pending.scripts(serverMajorVersion: nil)
        let repeatable = RepeatableState(
            folder.repeatable?.files ?? [], [], [], serverVersion: 0)
        try repeatable.check(serverMajorVersion: nil)
        return Plan(
            zip(pending.files, scripts).map { ($0, $1) }, folder, nil, [:], repeatable,
            due: repeatable.due)
    }

    private init(
        _ files: [(MigrationFile, Script)], _ folder: MigrationFolder,
        _ sizes: TableSizes?, _ done: [MigrationVersion: Int], _ repeatable: RepeatableState,
        due: [RepeatableState.PendingFile]
    ) {
        downMigrations = folder.downMigrations
        remarks =
            (repeatable.drift(countsAbandoned: true)?.details ?? [])
            + repeatable.removedFiles.map { "\($0): file deleted; its objects are reported" }
            + repeatable.endingLines
        var linter = Linter(folder.configuration, sizes: sizes)
        for (file, script) in files { linter.check(script, file: file.fileName) }
        for due in due { linter.check(due.file.script, file: due.file.path) }
        linter.finish()
        let findings = linter.findings
        func steps(_ script: Script, _ name: String) -> [Step] {
            script.statements.enumerated().map { index, statement in
                let position = Linter.StatementPosition(file: name, statement: index)
                return Step(
                    line: statement.line, text: statement.text, findings: findings[position] ?? [])
            }
        }
        let numbered = files.map { file, script in
            File(
                name: file.fileName, isTransactional: script.isTransactional,
                statements: steps(script, file.fileName), unparsed: script.unparsed,
                statementsDone: done[file.version] ?? 0, reason: nil,
                downLine: script.sections.down?.line)
        }
        self.files =
            numbered
            + due.map { due in
                File(
                    name: due.file.path, isTransactional: true,
                    statements: steps(due.file.script, due.file.path),
                    unparsed: due.file.script.unparsed, statementsDone: 0,
                    reason: due.reason.words, downLine: nil)
            }
    }
}

extension Script {
    /// Reason why the parser doesn't understand the file, with the line.
    fileprivate var unparsed: String? {
        syntaxProblem.map { "line \(text.line(at: $0.offset)): \($0.message)" }
    }
}

extension Plan {
    /// The plan as lines of text for people.
    package var lines: [String] {
        if files.isEmpty { return remarks + ["nothing to do"] }
        var lines: [String] = []
        for file in files {
            // Only the first of many findings of one rule are shown.
            var counts: [String: Int] = [:]
            let way = file.isTransactional ? "in one transaction" : "statement by statement"
            let done = file.statementsDone > 0 ? ", \(file.statementsDone) done already" : ""
            let how = file.reason.map { "repeatable: \($0)" } ?? way + done
            lines.append("\(file.name)  \(how)")
            if let unparsed = file.unparsed {
                lines.append("  the parser failed (\(unparsed)): statements split by the scanner")
            }
            for statement in file.statements {
                lines.append("  \(statement.line): \(statement.text.firstWords(76))")
                for finding in statement.findings {
                    counts[finding.rule, default: 0] += 1
                    if counts[finding.rule, default: 0] > MigrationError.maximumPerRule { continue }
                    lines += zip(["      ! ", "        "], finding.lines).map { $0 + $1 }
                }
            }
            for (rule, count) in counts.sorted(by: { $0.key < $1.key })
            where count > MigrationError.maximumPerRule {
                lines.append(
                    "  ! \(rule): \(count - MigrationError.maximumPerRule) more like these")
            }
            if let line = file.downLine { lines.append("  \(line): not run, from here to the end") }
        }
        if !downMigrations.isEmpty { lines.append("not run: \(downMigrations.abbreviated)") }
        lines += remarks
        let statements = files.reduce(0) { $0 + $1.statements.count }
        return lines + [
            [(files.count, "file"), (statements, "statement"), (findings.count, "finding")]
                .map { $0 == 1 ? "1 \($1)" : "\($0) \($1)s" }.joined(separator: ", ")
        ]
    }

    /// The plan as JSON for programs.
    package var json: JSONValue {
        [
            "files": .array(
                files.map { file in
                    [
                        "file": .string(file.name), "transactional": .bool(file.isTransactional),
                        "statementsDone": .integer(Int64(file.statementsDone)),
                        "unparsed": file.unparsed.map { .string($0) } ?? .null,
                        "repeatable": file.reason.map { .string($0) } ?? .null,
                        "downLine": file.downLine.map { .integer(Int64($0)) } ?? .null,
                        "statements": .array(file.statements.map(\.json)),
                    ]
                }), "remarks": .array(remarks.map { .string($0) }),
        ]
    }
}

extension Plan.Step {
    fileprivate var json: JSONValue {
        [
            "line": .integer(Int64(line)), "sql": .string(text),
            "findings": .array(
                findings.map { finding in
                    [
                        "rule": .string(finding.rule), "subject": .string(finding.subject),
                        "object": .string(finding.object), "what": .string(finding.problem),
                        "why": .string(finding.risk), "safer": .string(finding.advice),
                    ]
                }),
        ]
    }
}

extension String {
    /// Returns the beginning of a statement, cut to a line of `width` characters.
    func firstWords(_ width: Int) -> String {
        let line = split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count <= width ? line : line.prefix(width - 3) + "..."
    }
}
