package import Postgres
import Basics

/// Applies the migrations of a folder that a database doesn't have yet.
package struct MigrationRunner: Sendable {
    private let settings: ConnectionSettings
    private let folder: MigrationFolder
    private let options: Options
    private let interruption: Interruption
    private let report: @Sendable (RunEvent) -> Void

    /// The options of a run.
    package struct Options: Sendable {
        /// Limits of the waiting times.
        package var limits = RunLimits()
        /// The last version to apply; nil for all.
        package var target: MigrationVersion?
        /// Whether repeatable files whose objects were changed by hand are applied anyway.
        package var reapplies = false
        /// Whether gaps, and files older than what is applied, are allowed.
        package var allowsOutOfOrder = false
        /// Seconds between two reports of a running statement.
        package var reportSeconds: Double = 10

        /// Creates the default options: everything pending, with the default limits.
        package init() {}
    }

    /// The outcome of a run.
    package struct Outcome: Sendable {
        /// The files that were applied, in order.
        package let applied: [String]
        /// Duration of the run.
        package let milliseconds: Double
    }

    /// Creates a runner for a folder and a database.
    package init(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, _ options: Options = Options(),
        interruption: Interruption = Interruption(),
        report: @escaping @Sendable (RunEvent) -> Void
    ) {
        self.settings = settings
        self.folder = folder
        self.options = options
        self.interruption = interruption
        self.report = report
    }

    /// Applies the pending files, in order, up to the target.
    ///
    /// Before anything runs, every file is checked against the refusal rules, and applied files
    /// against the ledger. If there is nothing to do, it neither takes the lock nor writes
    /// anything.
    ///
    /// - Throws: `stoppedMidway` if something was applied or begun before the failure; the next run
    ///   continues from there.
    package func up() throws(MigrationError) -> Outcome {
        try DatabaseWait(
            settings, waitSeconds: options.limits.databaseWaitSeconds,
            interruption: interruption, report: report
        ).run()
        let session = try Session(settings, folder.configuration, options.limits, purpose: "up")
        interruption.attach(session.connection.canceller)
        var plan = try self.plan(session)
        if plan.isEmpty {
            warn(plan)
            try finishRecording(session)
            try PostCheck(session).run()
            try session.confirm()
            return Outcome(applied: [], milliseconds: 0)
        }
        try RunnerLock(ledgerSchema: folder.configuration.ledgerSchema)
            .acquire(
                on: session, waitSeconds: options.limits.lockWaitSeconds,
                interruption: interruption, report: report)
        try Ledger(session).create()
        plan = try self.plan(session)
        warn(plan)
        try DefinitionRecord(session).begin()
        return try run(plan, session)
    }

    // MARK: - Before anything runs

    private struct Plan {
        /// Applied files that were edited in comments or layout.
        let cosmetic: [String]
        var steps: [Step] = []
        /// Whether repeatable files are applied, which happens only after the last numbered file.
        var isWhole = true
        /// Repeatable files to apply although they are not due.
        var reapplied: [RepeatableFile] = []
        let repeatable: RepeatableState

        /// Whether there is nothing to do.
        var isEmpty: Bool {
            steps.isEmpty && reapplied.isEmpty && !(isWhole && repeatable.isPending)
        }

        /// The files of which only the part above the down marker runs.
        var skippedFiles: [String] {
            steps.filter { $0.script.sections.down != nil }.map(\.file.fileName)
        }
    }

    private struct Step {
        let file: MigrationFile
        let script: Script
        let journal: [Journal.Entry]
    }

    private func plan(_ session: Session) throws(MigrationError) -> Plan {
        let (state, journal) = try FolderState.read(session, folder)
        let pending = try PendingMigrations(
            state, folder, target: options.target, allowsOutOfOrder: options.allowsOutOfOrder)
        let scripts = try pending.scripts(serverMajorVersion: session.serverMajorVersion)
        let repeatable = try RepeatableState.read(session, folder)
        if !options.reapplies, let drift = repeatable.drift(countsAbandoned: false) { throw drift }
        try repeatable.check(serverMajorVersion: session.serverMajorVersion)
        var plan = Plan(
            cosmetic: state.cosmetic.map(\.entry.fileName),
            isWhole: pending.files.count == state.comparison.pending.count,
            repeatable: repeatable)
        if options.reapplies { plan.reapplied = repeatable.alteredFiles }
        for (file, script) in zip(pending.files, scripts) {
            let entries = journal[file.version] ?? []
            try StatementRun.check(entries, file, script)
            plan.steps.append(Step(file: file, script: script, journal: entries))
        }
        return plan
    }

    private func warn(_ plan: Plan) {
        for file in plan.cosmetic {
            report(
                .warning("\(file) was edited after it was applied, but only in comments or layout"))
        }
        if !plan.isWhole, plan.repeatable.isPending {
            report(.warning("repeatable files are applied only after all numbered files"))
        }
        if plan.steps.isEmpty { return }
        if !plan.skippedFiles.isEmpty {
            let files = plan.skippedFiles.abbreviated
            report(.warning("statements below the Down marker are not run: \(files)"))
        }
        if !folder.downMigrations.isEmpty {
            let files = folder.downMigrations.abbreviated
            let endings = OtherToolFile.endings(ofDownMigrations: folder.downMigrations)
            report(.warning("down migrations (\(endings)) are not run: \(files)"))
        }
    }

    // MARK: - Running

    /// Records the changes made before a failure. Changes that can't be recorded now are recorded
    /// by the next run.
    private func recordAfterFailure(_ session: Session) {
        guard !session.connection.isBroken, (try? session.prepare()) != nil,
            (try? session.holdsLock()) == true
        else { return }
        try? DefinitionRecord(session).finish()
    }

    /// Records the changes of an interrupted run.
    private func finishRecording(_ session: Session) throws(MigrationError) {
        let record = DefinitionRecord(session)
        guard try record.isUnfinished() else { return }
        try RunnerLock(ledgerSchema: folder.configuration.ledgerSchema)
            .acquire(
                on: session, waitSeconds: options.limits.lockWaitSeconds,
                interruption: interruption, report: report)
        if try record.isUnfinished() { try record.finish() }
    }

    private func run(_ plan: Plan, _ session: Session) throws(MigrationError) -> Outcome {
        if !plan.repeatable.objects.isEmpty {
            session.outdatingScript = RepeatableCatalogue(session).outdatingScript
        }
        let watcher = StatementWatcher(
            settings, pid: session.connection.backendProcessID, limits: options.limits,
            reportSeconds: options.reportSeconds, report: report)
        var applied: [String] = []
        var hasChanges = false
        let start = MonotonicClock.nanoseconds()
        do throws(MigrationError) {
            try watcher.during { () throws(MigrationError) in
                for (index, step) in plan.steps.enumerated() {
                    if interruption.isRequested { throw .interrupted(before: step.file) }
                    report(
                        .begins(
                            file: step.file.fileName, number: index + 1, count: plan.steps.count))
                    try apply(step, session, watcher) { hasChanges = true }
                    hasChanges = true
                    applied.append(step.file.fileName)
                    try session.cleanUp(after: step.file.fileName)
                    try session.confirm()
                }
                if plan.isWhole {
                    applied += try applyRepeatable(plan, session, watcher) { hasChanges = true }
                }
            }
            try session.prepare()
            try DefinitionRecord(session).finish()
            try PostCheck(session).run()
            try session.confirm()
        } catch {
            recordAfterFailure(session)
            guard hasChanges else { throw error }
            throw error.stoppedMidway(
                hint: "Applied before that: "
                    + (applied.isEmpty ? "statements of the file" : applied.abbreviated)
                    + ". `hearth-migrate up` continues from here.")
        }
        return Outcome(
            applied: applied, milliseconds: MonotonicClock.seconds(since: start) * 1e3)
    }

    /// Applies the repeatable files that are due now. Returns their names.
    private func applyRepeatable(
        _ plan: Plan, _ session: Session, _ watcher: StatementWatcher, onChange: () -> Void
    ) throws(MigrationError) -> [String] {
        try session.prepare()
        let state = try RepeatableState.read(session, folder)
        let names = Set(state.due.map(\.file.name) + plan.reapplied.map(\.name))
        let due = state.files.filter { names.contains($0.name) }
        if due.isEmpty && state.removedFiles.isEmpty { return [] }
        if interruption.isRequested {
            throw MigrationError(.database, "stopped on request before the repeatable files")
        }
        session.connection.onNotice = { [report] notice in
            report(
                .notice(
                    file: "repeatable files", severity: notice.severity, message: notice.message))
        }
        defer { session.connection.onNotice = nil }
        let attempts = Attempts(
            session: session, watcher: watcher, interruption: interruption, report: report)
        let outcome = try RepeatableRun(session: session, attempts: attempts)
            .apply(due, state)
        onChange()
        for (file, milliseconds) in outcome.milliseconds {
            report(.applied(file: file.path, milliseconds: milliseconds))
        }
        let after = try RepeatableState.read(session, folder)
        let lines = after.abandonedLines + after.remaining(of: plan.repeatable, in: due)
        for line in lines { report(.warning(line)) }
        return due.map(\.path)
    }

    private func apply(
        _ step: Step, _ session: Session, _ watcher: StatementWatcher,
        onChange: @escaping () -> Void
    ) throws(MigrationError) {
        let start = MonotonicClock.nanoseconds()
        let file = step.file
        session.connection.onNotice = { [report] notice in
            report(
                .notice(
                    file: file.fileName, severity: notice.severity, message: notice.message))
        }
        defer { session.connection.onNotice = nil }
        let attempts = Attempts(
            session: session, watcher: watcher, interruption: interruption, report: report)
        if step.script.isTransactional {
            try TransactionalRun(session: session, attempts: attempts).apply(file, step.script)
        } else {
            try StatementRun(
                session: session, attempts: attempts, interruption: interruption, report: report,
                onChange: onChange
            ).apply(file, step.script, step.journal)
        }
        report(
            .applied(
                file: file.fileName, milliseconds: MonotonicClock.seconds(since: start) * 1e3))
    }
}

extension [String] {
    /// All elements joined, or only the first and last ones of many.
    var abbreviated: String {
        count <= 5
            ? joined(separator: ", ")
            : "\(prefix(2).joined(separator: ", ")), ... (\(count) in all), \(self[count - 1])"
    }
}
