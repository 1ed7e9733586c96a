import Postgres
import Service
import UseCases

/// `hearth-admin purge`: forgets what was kept long enough, now.
enum PurgeCommand {
    private static let dryRun = Parameter<Bool>.flag(
        "dry-run", "Tell how much there is, and change nothing.")

    static let command = Command(
        "purge", "Lets expire what has run out, and forgets what was kept long enough.",
        discussion: [
            "The worker does the same every minute and every hour; correctness never waits for "
                + "it. It may be cut off anywhere and run again. What is forgotten can't be "
                + "brought back.",
            "How long things are kept is set by the HEARTH_KEEP_..._DAYS settings as this command "
                + "reads them, not as the worker does: give both the same. --dry-run tells what "
                + "would go.",
        ],
        parameters: [dryRun, Options.yes]
    ) { values in
        let retention = try Retention(values.settings(HearthSettings.retention))
        let session = try values.session()
        var counts: [(object: String, count: Int)]
        if values[dryRun] {
            counts = try session.purgeable(retention).map { ($0.object, $0.count) }
        } else {
            try values.confirm("Forget what was kept long enough? --dry-run tells how much it is.")
            counts = try purge(try values.connection(), retention, in: session.operatorName)
            try session.notePurge(counts.filter { $0.count > 0 })
        }
        if values[Options.json] {
            values.prints.record([]) { for (object, count) in counts { $0.member(object, count) } }
        } else {
            values.prints.table(
                [.fixed("WHAT"), .number("COUNT")], counts.map { [$0.object, "\($0.count)"] })
        }
        return ExitCode.success
    }

    private static func purge(
        _ connection: ConnectionSettings, _ retention: Retention, in operatorName: String
    ) throws -> [(object: String, count: Int)] {
        var settings = Pool.Settings()
        settings.size = 1
        let pool = Pool(connection, settings)
        defer { pool.close() }
        let work = ExpireAndPurge(pool, retention, operatorName: operatorName)
        let progress = ProgressLine()
        defer { progress.clear() }
        var counts: [ExpireAndPurge.Object: Int] = [:]
        func report(_ object: ExpireAndPurge.Object, _ count: Int) {
            counts[object, default: 0] += count
            progress.show("\(object.rawValue): \(counts[object] ?? 0)")
        }
        _ = try work.expire(shouldStop: { false }, report: report)
        _ = try work.purge(shouldStop: { false }, report: report)
        return ExpireAndPurge.Object.allCases.map { ($0.rawValue, counts[$0] ?? 0) }
    }
}

extension Retention {
    fileprivate init(_ settings: Settings) {
        self.init()
        closedInvitationsDays = settings[HearthSettings.closedInvitationsDays]
        retiredCodesDays = settings[HearthSettings.retiredCodesDays]
        codeUsageLogDays = settings[HearthSettings.codeUsageLogDays]
        idempotencyKeysDays = settings[HearthSettings.idempotencyKeysDays]
        removedMembersDays = settings[HearthSettings.removedMembersDays]
        emptyFamiliesDays = settings[HearthSettings.emptyFamiliesDays]
        jobHistoryDays = settings[HearthSettings.jobHistoryDays]
    }
}
