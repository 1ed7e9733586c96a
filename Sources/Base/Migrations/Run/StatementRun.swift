import Postgres

/// Runs a no-transaction file statement by statement, with a journal, so that it can continue after
/// an interruption at any point.
///
/// ```
///              begin              it ran              next one
/// (no entry) ---------> started ----------> done  ...  ---------> all done: ledger entry,
///                 ^        |                                       journal cleared
///                 |        | interrupted, or failed
///                 +--------+ took effect? yes: done; no: remains are removed, and it runs again
/// ```
struct StatementRun {
    let session: Session
    let attempts: Attempts
    let interruption: Interruption
    let report: (RunEvent) -> Void
    /// Called when something has been changed in the database.
    let onChange: () -> Void

    /// A statement with its position in the journal; nil for one that only sets up the session.
    private struct Step {
        let statement: SQLStatement
        let execution: Execution
        let number: Int?
    }

    /// Runs the statements that the journal doesn't show as done, then records the file in the
    /// ledger.
    func apply(
        _ file: MigrationFile, _ script: Script, _ entries: [Journal.Entry]
    ) throws(MigrationError) {
        try session.prepare()
        let journal = Journal(session, of: file.fileName)
        let steps = StatementRun.steps(of: script)
        let count = steps.count { $0.number != nil }
        for step in steps {
            if interruption.isRequested { throw .interrupted(before: file, step.statement.line) }
            guard let number = step.number else {
                try run(step.statement, of: file)
                try checkSession(after: step.statement, of: file)
                continue
            }
            let entry = entries.first { $0.number == number }
            if entry?.isDone == true { continue }
            let isDone = try resume(entry, step, file, journal)
            if isDone { continue }
            report(
                .statement(
                    file: file.fileName, line: step.statement.line, number: number,
                    count: count))
            switch step.execution {
            case .alone(let recovery):
                try runAlone(step.statement, number, recovery, file, journal)
            case .atomic, .session:
                try runAtomically(step.statement, number, file, journal)
            }
            try checkSession(after: step.statement, of: file)
        }
        for entry in entries where !entry.isDone && entry.number > count {
            try dropRemoved(entry, file, journal)
        }
        try journal.close(file)
    }

    /// Checks that the statements that the journal shows as done have not changed in the file.
    static func check(
        _ entries: [Journal.Entry], _ file: MigrationFile, _ script: Script
    ) throws(MigrationError) {
        if !entries.isEmpty && script.isTransactional {
            throw MigrationError(
                .drift, "\(file.fileName) is no longer marked `no-transaction`",
                details: [
                    "A run of it was interrupted; it can be finished only in the way it was begun."
                ])
        }
        let steps = steps(of: script).filter { $0.number != nil }
        for entry in entries where entry.isDone {
            let statement = entry.number <= steps.count ? steps[entry.number - 1].statement : nil
            if statement.map(Journal.checksum) != entry.checksum {
                throw .changedAfterRun(
                    file.fileName, line: statement?.line, former: entry.statement)
            }
        }
    }

    private static func steps(of script: Script) -> [Step] {
        var number = 0
        return script.statements.map { statement in
            let execution = Execution(of: statement)
            if execution == .session {
                return Step(statement: statement, execution: execution, number: nil)
            }
            number += 1
            return Step(statement: statement, execution: execution, number: number)
        }
    }

    // MARK: - Running

    private func run(_ statement: SQLStatement, of file: MigrationFile) throws(MigrationError) {
        do {
            try session.run(statement.text)
        } catch {
            throw .statement(error, file: file.fileName, line: statement.line)
        }
    }

    /// Throws if a statement released the runner's lock, or changed a setting that decides how the
    /// server parses the rest of the file.
    private func checkSession(
        after statement: SQLStatement, of file: MigrationFile
    ) throws(MigrationError) {
        guard let problem = session.settingsProblem else {
            return try session.checkLock(after: "\(file.fileName):\(statement.line)")
        }
        throw MigrationError(
            .refused, "\(file.fileName):\(statement.line): \(problem)",
            details: ["Delete it; the file is UTF-8, and COPY has an option ENCODING."])
    }

    private func runAtomically(
        _ statement: SQLStatement, _ number: Int, _ file: MigrationFile, _ journal: Journal
    ) throws(MigrationError) {
        try attempt(statement, file) { () throws(PostgresError) in
            try session.run(
                """
                BEGIN;
                \(statement.text)
                ;
                SET CONSTRAINTS ALL IMMEDIATE; \(session.localRoleScript)
                \(session.outdatingScript)
                \(journal.doneScript(file.version, number, statement))
                COMMIT;
                """)
        }
        onChange()
    }

    private func runAlone(
        _ statement: SQLStatement, _ number: Int, _ recovery: Execution.Recovery,
        _ file: MigrationFile, _ journal: Journal
    ) throws(MigrationError) {
        let catalogue = SystemCatalogue(session)
        let found = try catalogue.existingObject(recovery)
        try journal.begin(file.version, number, statement, found: found)
        onChange()
        var isFirst = true
        try attempt(statement, file) { () throws(PostgresError) in
            if !isFirst, try catalogue.cleanUp(recovery, found: found) == .tookEffect { return }
            isFirst = false
            try catalogue.run(statement, recovery)
        }
        if let problem = try catalogue.defect(recovery) {
            throw MigrationError(.database, "\(file.fileName):\(statement.line): \(problem)")
        }
        try journal.finish(file.version, number)
    }

    private func attempt(
        _ statement: SQLStatement, _ file: MigrationFile, _ body: () throws(PostgresError) -> Void
    ) throws(MigrationError) {
        let label = "\(file.fileName):\(statement.line)"
        try attempts.run(label, file: label, body: body) { error, blockers in
            .statement(
                error, file: file.fileName, line: statement.line, blockers: blockers)
        }
    }

    // MARK: - Resuming

    /// Finds out whether a statement that an earlier run began took effect.
    ///
    /// If the statement was changed since, the old one must not have taken effect, and its remains
    /// are removed.
    private func resume(
        _ entry: Journal.Entry?, _ step: Step, _ file: MigrationFile, _ journal: Journal
    ) throws(MigrationError) -> Bool {
        guard let entry else { return false }
        let begun = try begunStatement(entry, file)
        guard case .alone(let recovery) = Execution(of: begun) else {
            // The statement ran in one transaction with its entry, which would be `done` if it had
            // succeeded.
            return false
        }
        let line = step.statement.line
        let outcome = try cleanUp(recovery, entry, file, line: line)
        report(.resumed(file: file.fileName, line: line, finding: outcome.words))
        if outcome != .mustRun(cleared: nil) { onChange() }
        if outcome == .tookEffect {
            guard entry.checksum == Journal.checksum(of: step.statement) else {
                throw .changedAfterRun(file.fileName, line: line, former: entry.statement)
            }
            try journal.finish(file.version, entry.number)
            return true
        }
        return false
    }

    /// Removes the remains of a statement that was begun, did not take effect, and is no longer in
    /// the file.
    private func dropRemoved(
        _ entry: Journal.Entry, _ file: MigrationFile, _ journal: Journal
    ) throws(MigrationError) {
        if case .alone(let recovery) = Execution(of: try begunStatement(entry, file)) {
            let outcome = try cleanUp(recovery, entry, file, line: nil)
            if outcome == .tookEffect {
                throw .changedAfterRun(file.fileName, line: nil, former: entry.statement)
            }
        }
        try journal.delete(file.version, entry.number)
    }

    private func cleanUp(
        _ recovery: Execution.Recovery, _ entry: Journal.Entry, _ file: MigrationFile, line: Int?
    ) throws(MigrationError) -> SystemCatalogue.Outcome {
        do {
            return try SystemCatalogue(session).cleanUp(recovery, found: entry.found)
        } catch {
            throw .statement(error, file: file.fileName, line: line)
        }
    }

    private func begunStatement(
        _ entry: Journal.Entry, _ file: MigrationFile
    ) throws(MigrationError) -> SQLStatement {
        let statements = (try? Script(SourceText(entry.statement)))?.statements ?? []
        guard let statement = statements.first, statements.count == 1 else {
            throw MigrationError(
                .drift, "\(file.fileName): the journal's statement \(entry.number) isn't readable")
        }
        return statement
    }
}
