import JSON
import Migrations
import Postgres
import CommandLine

private let target = Parameter<MigrationVersion?>.option(
    "to", "N", Options.version, "The last version to plan for.")
private let offline = Parameter<Bool>.flag(
    "offline", "Plan the whole folder without a database, as if every table had rows.")
private let strict = Parameter<Bool>.flag("strict", "End with 1 when a rule finds something.")

private let rehearse = Parameter<Bool>.flag(
    "rehearse",
    "Run it on a copy of the database, and tell what it locks, what it writes anew, and how long "
        + "it takes.")
private let adminURL = Parameter<String?>.option(
    "admin-url", "URL", .databaseURL,
    "A user who may create databases on the same server, for --rehearse.")
private let pgDump = Parameter<String?>.option(
    "pg-dump", "PATH", .file, "The pg_dump to use, for --rehearse.")

let planCommand = Command(
    "plan", "Show what would run, statement by statement, and what is risky about it.",
    discussion: [
        "A comment `-- hearth: allow RULE: reason` before a statement silences a rule there."
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
        throw UsageError("--rehearse goes with neither --offline, --strict nor --json")
    }
    let administrator = try values[adminURL].map { try ConnectionSettings(url: $0) }
    let rehearsal = try Rehearsal.run(
        values.database(), folder, target: values[target],
        allowsOutOfOrder: values[Options.allowOutOfOrder], administrator: administrator,
        pgDump: values[pgDump], interruption: .bySignals())
    Terminal.standardOutput.write(rehearsal.lines.joined(separator: "\n") + "\n")
    return 0
}
