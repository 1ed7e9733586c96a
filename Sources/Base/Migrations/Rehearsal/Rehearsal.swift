package import Postgres
import Basics

/// A run of the pending files on a copy of the database, with their locks, rewritten tables and
/// durations.
package struct Rehearsal: Sendable {
    /// The effects of a statement.
    package struct Step: Sendable {
        /// The file's name.
        package let file: String
        /// The line of the statement, from 1.
        package let line: Int
        /// The statement.
        package let text: String
        /// Duration of the statement.
        package let milliseconds: Double
        /// The locks that no earlier statement of the file had taken.
        package let locks: [AcquiredLock]
        /// The tables that the statement rewrote.
        package let rewritten: [String]
        /// Whether the statement ran outside a transaction, so that its locks were released before
        /// they could be seen.
        package let ranOutsideTransaction: Bool
    }

    /// The effects of each statement, in order.
    package let steps: [Step]
    /// Description of how the copy was made.
    package let method: String

    /// Rehearses the pending files. The database itself is only read.
    ///
    /// - Parameters:
    ///   - administrator: A user who may create databases on the same server; nil for the migrating
    ///     user.
    ///   - pgDump: Path of pg_dump; nil to search for it.
    package static func run(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, target: MigrationVersion?,
        allowsOutOfOrder: Bool, administrator: ConnectionSettings?, pgDump: String?,
        interruption: Interruption = Interruption()
    ) throws(MigrationError) -> Rehearsal {
        let (facts, pending, scripts, hasRepeatable) = try prepare(
            settings, folder, target: target, allowsOutOfOrder: allowsOutOfOrder)
        if pending.isEmpty && !hasRepeatable {
            return Rehearsal(steps: [], method: "nothing to do")
        }
        return try DatabaseClone.with(
            of: settings, session: facts, administrator: administrator ?? settings, pgDump: pgDump
        ) { (clone) throws(MigrationError) in
            let session = try Session(
                clone.settings, folder.configuration, RunLimits(), purpose: "rehearse")
            interruption.attach(session.connection.canceller)
            try Ledger(session).create()
            let outdating = RepeatableCatalogue(session).outdatingScript
            var steps: [Step] = []
            for (file, script) in zip(pending, scripts) {
                steps += try rehearse(file, script, outdating, session, interruption)
            }
            if hasRepeatable { steps += try rehearseRepeatable(folder, clone.settings, session) }
            return Rehearsal(steps: steps, method: clone.method)
        }
    }

    /// Reads the database and disconnects, because a database can only be copied as a template if
    /// nobody is connected to it.
    private static func prepare(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, target: MigrationVersion?,
        allowsOutOfOrder: Bool
    ) throws(MigrationError) -> (
        DatabaseClone.SourceFacts, [MigrationFile], [Script], hasRepeatable: Bool
    ) {
        let session = try Session(settings, folder.configuration, RunLimits(), purpose: "plan")
        let (state, journal) = try FolderState.read(session, folder)
        let pending = try PendingMigrations(
            state, folder, target: target, allowsOutOfOrder: allowsOutOfOrder)
        let scripts = try pending.scripts(serverMajorVersion: session.serverMajorVersion)
        if let begun = pending.files.first(where: { journal[$0.version] != nil }) {
            throw MigrationError(
                .drift, "\(begun.fileName) was interrupted: finish it with `up` first")
        }
        let role: String
        do {
            role = try session.connection.query("SELECT current_user::text").scalar()
        } catch {
            throw .database(error, "the role that files run as")
        }
        let facts = DatabaseClone.SourceFacts(
            database: session.database, serverMajorVersion: session.serverMajorVersion, role: role)
        let repeatable = try RepeatableState.read(session, folder)
        try repeatable.check(serverMajorVersion: session.serverMajorVersion)
        let isWhole = pending.files.count == state.comparison.pending.count
        let willChange = repeatable.isPending || !repeatable.objects.isEmpty
        return (facts, pending.files, scripts, isWhole && willChange)
    }

    // MARK: - Running

    /// Applies the repeatable files to the copy like `up`, and observes each statement.
    private static func rehearseRepeatable(
        _ folder: MigrationFolder, _ settings: ConnectionSettings, _ session: Session
    ) throws(MigrationError) -> [Step] {
        try session.prepare()
        let state = try RepeatableState.read(session, folder)
        if !state.isPending { return [] }
        var steps: [Step] = []
        var heldLocks: Set<AcquiredLock> = []
        let watcher = StatementWatcher(
            settings, pid: session.connection.backendProcessID, limits: session.limits,
            reportSeconds: 10, report: { _ in })
        let attempts = Attempts(
            session: session, watcher: watcher, interruption: Interruption(), report: { _ in })
        var run = RepeatableRun(session: session, attempts: attempts)
        run.wrapper = { file, statement, body throws(PostgresError) in
            let before = try TableStates(session.connection)
            let start = MonotonicClock.nanoseconds()
            try body()
            let milliseconds = MonotonicClock.seconds(since: start) * 1e3
            let now = try AcquiredLock.held(by: session.connection, on: before)
            steps.append(
                Step(
                    file: file.path, line: statement.line, text: statement.text,
                    milliseconds: milliseconds,
                    locks: now.subtracting(heldLocks).sorted { $0.object < $1.object },
                    rewritten: [], ranOutsideTransaction: false))
            heldLocks = now
        }
        _ = try run.apply(state.due.map(\.file), state)
        return steps
    }

    private static func rehearse(
        _ file: MigrationFile, _ script: Script, _ outdating: String, _ session: Session,
        _ interruption: Interruption
    ) throws(MigrationError) -> [Step] {
        try session.prepare()
        var steps: [Step] = []
        var line = script.statements.first?.line
        do throws(PostgresError) {
            let connection = session.connection
            if script.isTransactional { try session.run("BEGIN") }
            var before = try TableStates(connection)
            let atStart = before
            var heldLocks: Set<AcquiredLock> = []
            for statement in script.statements {
                line = statement.line
                let execution = Execution(of: statement)
                let isBlock = !script.isTransactional && execution == .atomic
                if interruption.isRequested { break }
                if isBlock { try session.run("BEGIN") }
                let start = MonotonicClock.nanoseconds()
                try session.run(statement.text)
                let milliseconds = MonotonicClock.seconds(since: start) * 1e3
                let now = try AcquiredLock.held(by: connection, on: atStart)
                let after = try TableStates(connection)
                if isBlock { try session.run("COMMIT") }
                steps.append(
                    Step(
                        file: file.fileName, line: statement.line, text: statement.text,
                        milliseconds: milliseconds,
                        locks: now.subtracting(heldLocks).sorted { $0.object < $1.object },
                        rewritten: after.rewritten(since: before),
                        ranOutsideTransaction: !script.isTransactional && !isBlock
                            && execution != .session))
                heldLocks = isBlock || !script.isTransactional ? [] : now
                before = after
            }
            if script.isTransactional { try session.run("SET CONSTRAINTS ALL IMMEDIATE; COMMIT") }
            try session.run("BEGIN; \(session.localRoleScript) \(outdating) COMMIT")
        } catch {
            throw .statement(error, file: file.fileName, line: line)
        }
        if interruption.isRequested { throw .interrupted(before: file, line) }
        return steps
    }
}

extension Rehearsal {
    /// The report for people, in lines.
    package var lines: [String] {
        if steps.isEmpty { return ["nothing to do"] }
        var lines = ["rehearsed on a copy, made \(method)"]
        var file = ""
        for step in steps {
            if step.file != file {
                file = step.file
                lines.append(file)
            }
            lines.append(
                "  \(step.line): \((step.milliseconds / 1000).shortSeconds)  "
                    + step.text.firstWords(70))
            lines += step.locks.map { lock in
                "      locks \(lock.object): \(lock.mode), \(lock.consequence)"
            }
            lines += step.rewritten.map { "      rewrites \($0)" }
            if step.ranOutsideTransaction {
                lines.append(
                    "      runs outside a transaction; its locks were not observed")
            }
        }
        let total = steps.reduce(0) { $0 + $1.milliseconds }
        return lines + [
            "\(steps.count) \(steps.count == 1 ? "statement" : "statements") in "
                + (total / 1000).shortSeconds
        ]
    }
}
