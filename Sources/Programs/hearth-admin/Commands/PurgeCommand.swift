import Postgres
import CommandLine
import Configuration
import FamilySettings
import UseCases

/// `hearth-admin purge`: deletes data whose retention period is over.
enum PurgeCommand {
    private static let dryRun = Parameter<Bool>.flag(
        "dry-run", "Only count, without changing anything.")

    static let command = Command(
        "purge",
        "Expires overdue invitations and codes, and deletes data whose retention period is over.",
        discussion: [
            "The worker expires invitations and codes every minute, and purges data every hour; "
                + "nothing depends on the worker's being on time. The command may be interrupted "
                + "at any point and run again. Purged data can't be restored.",
            "Retention periods come from this command's own HEARTH_KEEP_..._DAYS settings, so "
                + "give it the same values as the worker. --dry-run shows what would be purged.",
        ],
        parameters: [dryRun, Options.yes]
    ) { values in
        let retention = try Retention(values.settings(HearthSettings.retention))
        let session = try values.session()
        if values[dryRun] {
            show(try session.purgeable(retention).map { ($0.object, $0.count) }, values)
            return ExitCode.success
        }
        try values.confirm(
            "Permanently delete data whose retention period is over? --dry-run shows how much "
                + "would be deleted.")
        let (counts, ending) = try purge(try values.connection(), retention, session.operatorName)
        // The audit entry is written even if the purge was stopped or failed.
        let note = Result { try session.recordPurge(counts.filter { $0.count > 0 }) }
        show(counts, values)
        switch ending {
        case .complete: try note.get()
        case .interrupted:
            try note.get()
            throw Interrupted()
        // If the audit entry failed as well, it failed for the same reason.
        case .failed(let error): throw error
        }
        return ExitCode.success
    }

    private static func show(_ counts: [(object: String, count: Int)], _ values: Values) {
        if values[Options.json] {
            values.output.record([]) { for (object, count) in counts { $0.member(object, count) } }
        } else {
            values.output.table(
                [.fixed("WHAT"), .number("COUNT")], counts.map { [$0.object, "\($0.count)"] })
        }
    }

    private enum PurgeOutcome {
        case complete
        case interrupted
        case failed(any Error)
    }

    private static func purge(
        _ connection: ConnectionSettings, _ retention: Retention, _ operatorName: String
    ) throws -> (counts: [(object: String, count: Int)], PurgeOutcome) {
        // From here on a signal stops between two batches, so that the audit entry is still
        // written.
        let signals = ShutdownSignals()
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
        var isInterrupted = false
        func shouldStop() -> Bool {
            if !isInterrupted { isInterrupted = signals.wait(timeoutSeconds: 0) != nil }
            return isInterrupted
        }
        var ending = PurgeOutcome.interrupted
        do {
            if try work.expire(shouldStop: shouldStop, report: report),
                try work.purge(shouldStop: shouldStop, report: report)
            {
                ending = .complete
            }
        } catch {
            ending = .failed(error)
        }
        return (ExpireAndPurge.Object.allCases.map { ($0.rawValue, counts[$0] ?? 0) }, ending)
    }
}

/// Error when a signal stopped the purge before its end.
private struct Interrupted: Error, CustomStringConvertible {
    var description: String { "stopped by a signal; the rest is unchanged" }
}
