import JSON
import Migrations
import Service

private let target = Parameter<MigrationVersion?>.option(
    "to", "N", Options.version, "The last version to plan for.")
private let offline = Parameter<Bool>.flag(
    "offline", "Plan the whole folder without a database, as if every table had rows.")
private let strict = Parameter<Bool>.flag("strict", "End with 1 when a rule finds something.")

let planCommand = Command(
    "plan", "Show what would run, statement by statement, and what is risky about it.",
    discussion: [
        "A comment `-- hearth: allow RULE: reason` before a statement silences a rule there."
    ],
    parameters: [target, offline, strict, Options.allowOutOfOrder, Options.json],
    examples: [
        Example("hearth-migrate plan", "Show what `up` would do."),
        Example("hearth-migrate plan --offline --strict", "Check a folder in CI."),
    ]
) { values in
    let folder = try values.folder()
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
