import JSON
import Migrations
import Postgres
import CommandLine

private let target = Parameter<MigrationVersion?>.option(
    "to", "N", Options.version, "The last version to plan for.")
private let offline = Parameter<Bool>.flag(
    "offline", "Plan the whole folder without a database, assuming that every table has rows.")
private let strict = Parameter<Bool>.flag("strict", "Exit with 1 if a rule finds something.")

private let rehearse = Parameter<Bool>.flag(
    "rehearse",
    "Run the files on a copy of the database, and report locks, rewritten tables and times.")
private let adminURL = Parameter<String?>.option(
    "admin-url", "URL", .databaseURL,
    "A user who may create databases on the same server, for --rehearse.")
private let pgDump = Parameter<String?>.option(
    "pg-dump", "PATH", .file, "The pg_dump to use, for --rehearse.")

let planCommand = Command(
    "plan", "Show what would run, statement by statement, and its risks.",
    discussion: [
        "A comment `-- hearth: allow RULE: reason` before a statement accepts that rule's finding."
    ],
    parameters: [
        target, offline, strict, rehearse, adminURL, pgDump, Options.allowOutOfOrder, Options.json,
    ],
    examples: [
        Example("hearth-migrate plan", "Show what `up` would do."),
        Example("hearth-migrate plan --offline --strict", "Check a folder in CI."),
        Example("hearth-migrate plan --rehearse", "Try it on a copy of the database."),
    ]
) { values in
    let folder = try values.folder()
    if values[rehearse] { return try rehearsed(folder, values) }
    let plan =
        values[offline]
        ? try Plan.offline(folder)
        : try Plan.read(
            values.database(), folder, target: values[target],
            allowsOutOfOrder: values[Options.allowOutOfOrder])
    let text =
        values[Options.json]
        ? plan.json.text(.pretty) : plan.lines.joined(separator: "\n")
    Terminal.standardOutput.write(text + "\n")
    return values[strict] && !plan.findings.isEmpty ? 1 : 0
}

private func rehearsed(_ folder: MigrationFolder, _ values: Values) throws -> Int32 {
    if values[offline] || values[Options.json] || values[strict] {
        throw UsageError("--rehearse can't be used with --offline, --strict or --json")
    }
    let administrator = try values[adminURL].map { try ConnectionSettings(url: $0) }
    let rehearsal = try Rehearsal.run(
        values.database(), folder, target: values[target],
        allowsOutOfOrder: values[Options.allowOutOfOrder], administrator: administrator,
        pgDump: values[pgDump], interruption: .bySignals())
    Terminal.standardOutput.write(rehearsal.lines.joined(separator: "\n") + "\n")
    return 0
}
