import Glibc
import Migrations
import CommandLine

private let words = Parameter<[String]>.rest(
    "NAME", .text, isRequired: true, "Words that describe the migration.")
private let noTransaction = Parameter<Bool>.flag(
    "no-transaction", "Run the file's statements one by one, without a transaction.")

let newCommand = Command(
    "new", "Create the next file of the folder.",
    parameters: [words, noTransaction],
    examples: [Example("hearth-migrate new add family codes", "Create 0007_add_family_codes.sql.")]
) { values in
    let folder = try values.folder()
    let name = try NewMigration.create(
        in: folder, title: values[words].joined(separator: " "),
        isTransactional: !values[noTransaction], now: time(nil))
    Terminal.standardOutput.write("\(folder.path)/\(name)\n")
    return 0
}

private let restore = Parameter<Bool>.flag(
    "restore", "First write missing files back to the folder, as they were applied.")
private let yes = Parameter<Bool>.flag("yes", short: "y", "Don't ask for confirmation.")

let repairCommand = Command(
    "repair", "Record applied files as they are now, after showing the differences.",
    discussion: [
        "Changes only the ledger; it does not run edited files. On a terminal it asks first; "
            + "without one it needs --yes.",
        "With --restore it writes applied files that are missing in the folder, from the text in "
            + "the ledger. It overwrites no file.",
    ],
    parameters: [restore, yes, Options.lockWait]
) { values in
    let console = Console()
    let folder = try values.folder()
    let repair = try Repair(
        values.database(), folder, lockWaitSeconds: values[Options.lockWait],
        report: { console.show($0) })
    if values[restore] {
        for name in try repair.restore(into: folder.path) { console.result("\(name)  written") }
    }
    if repair.lines.isEmpty {
        console.result("nothing to repair")
        return 0
    }
    for line in repair.lines { console.result(line) }
    if repair.recordable && !values[yes] {
        guard isatty(STDIN_FILENO) == 1 else {
            throw MigrationError(
                .usage, "nothing was changed: there is no terminal for a confirmation",
                details: ["Pass --yes to skip the confirmation."])
        }
        Terminal.standardError.write("Record the files as they are now? [y/N] ")
        guard readLine()?.lowercased() == "y" else {
            throw MigrationError(.drift, "nothing was changed")
        }
    }
    for name in try repair.apply() { console.result("\(name)  recorded") }
    guard repair.missing.isEmpty || values[restore] else {
        throw MigrationError(
            .drift, "applied files are missing in the folder",
            details: repair.missing + [
                "Put the files back, or use --restore to write them from the ledger."
            ])
    }
    return 0
}

private let baselineVersion = Parameter<MigrationVersion>.argument(
    "N", Options.version, "The version of the database.")

let baselineCommand = Command(
    "baseline", "Declare that a database made by other means is at a version.",
    discussion: ["Records every file up to N in the ledger, without running it."],
    parameters: [baselineVersion, Options.lockWait]
) { values in
    let console = Console()
    let names = try Baseline.set(
        values.database(), values.folder(), version: values[baselineVersion],
        lockWaitSeconds: values[Options.lockWait], report: { console.show($0) })
    for name in names { console.result("\(name)  baseline") }
    if names.isEmpty { console.result("nothing to do") }
    return 0
}
