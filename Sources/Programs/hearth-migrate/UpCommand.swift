import Migrations
import Postgres
import CommandLine

private let databaseWait = Parameter<Double>.option(
    "database-wait", "SECONDS", .seconds(0...604_800), default: 0, shownDefault: "0",
    "How long to retry while the database can't be reached.")
private let target = Parameter<MigrationVersion?>.option(
    "to", "N", Options.version, "The last version to apply; default: all.")
private let reapply = Parameter<Bool>.flag(
    "reapply",
    "Apply repeatable files again if their functions, views or triggers were changed by hand in "
        + "the database. Without this option, such a change is drift.")
private let lockTimeout = Parameter<Double?>.option(
    "lock-timeout", "SECONDS", .seconds(0.01...86_400),
    "How long a statement may wait for a lock. While it waits, other sessions queue behind it. "
        + "Default: 2 s, and 10 minutes for statements that run CONCURRENTLY.")
private let lockRetries = Parameter<Int>.option(
    "lock-retries", "COUNT", .integer(0...10_000), default: 10,
    "How many times to retry a file that did not get its locks.")
private let statementTimeout = Parameter<Double?>.option(
    "statement-timeout", "SECONDS", .seconds(0.01...604_800),
    "How long a statement may run; default: without limit.")

let upCommand = Command(
    "up", "Apply pending files.",
    discussion: [
        "First checks every file against the rules, and applied files against the ledger. Only one "
            + "runner applies files at a time; others wait, and then find nothing to do."
    ],
    parameters: [
        target, reapply, Options.allowOutOfOrder, databaseWait, Options.lockWait, lockTimeout,
        lockRetries,
        statementTimeout,
    ],
    examples: [
        Example("hearth-migrate up", "Apply everything."),
        Example("hearth-migrate up --to 12", "Apply everything up to 0012."),
    ]
) { values in
    let console = Console()
    var options = MigrationRunner.Options()
    options.target = values[target]
    options.reapplies = values[reapply]
    options.allowsOutOfOrder = values[Options.allowOutOfOrder]
    options.limits.databaseWaitSeconds = values[databaseWait]
    options.limits.lockWaitSeconds = values[Options.lockWait]
    options.limits.lockTimeoutSeconds = values[lockTimeout]
    options.limits.lockRetries = values[lockRetries]
    options.limits.statementTimeoutSeconds = values[statementTimeout]
    options.reportSeconds = console.reportSeconds
    defer { console.clearLastLine() }
    let folder = try values.folder()
    let outcome = try MigrationRunner(
        values.database(), folder, options, interruption: .bySignals(),
        report: { console.show($0) }
    ).up()
    let count = outcome.applied.count
    if folder.files.isEmpty, folder.repeatable == nil {
        console.remark("warning: \(folder.path) has no migrations")
    }
    console.result(
        count == 0
            ? "nothing to do"
            : "\(count) applied in \(Console.words(outcome.milliseconds))")
    return 0
}
