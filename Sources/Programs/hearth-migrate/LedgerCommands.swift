import Glibc
import Migrations
import CommandLine

private let words = Parameter<[String]>.rest(
    "NAME", .text, isRequired: true, "Words that tell what it does.")
private let noTransaction = Parameter<Bool>.flag(
    "no-transaction", "The file's statements run one by one.")

let newCommand = Command(
    "new", "Make the next file of the folder.",
    parameters: [words, noTransaction],
    examples: [Example("hearth-migrate new add family codes", "Make 0007_add_family_codes.sql.")]
) { values in
    let folder = try values.folder()
    let name = try NewMigration.create(
        in: folder, title: values[words].joined(separator: " "),
        isTransactional: !values[noTransaction], now: time(nil))
    Terminal.standardOutput.write("\(folder.path)/\(name)\n")
    return 0
}

private let restore = Parameter<Bool>.flag(
    "restore", "Write missing files back to the folder first, as they were applied.")
private let yes = Parameter<Bool>.flag("yes", short: "y", "Don't ask.")

let repairCommand = Command(
    "repair", "Record applied files as they are now, after showing the differences.",
    discussion: [
        "Changes the ledger and nothing else in the database: what an edited file would do now, it "
            + "doesn't do. On a terminal it asks first; elsewhere it needs --yes.",
        "With --restore it writes applied files that are missing in the folder, from the text that "
            + "the ledger keeps. It overwrites none.",
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
                .usage, "nothing was changed: there is no terminal to ask on",
                details: ["Pass --yes to record the files as they are now."])
        }
        Terminal.standardError.write("Record the files as they are now? [y/N] ")
        guard readLine()?.lowercased() == "y" else {
            throw MigrationError(.drift, "nothing was changed")
        }
    }
    for name in try repair.apply() { console.result("\(name)  recorded") }
    guard repair.missing.isEmpty || values[restore] else {
        throw MigrationError(
            .drift, "applied, but missing in the folder",
            details: repair.missing + [
                "Put them back; with --restore they are written from the ledger."
            ])
    }
    return 0
}

private let baselineVersion = Parameter<MigrationVersion>.argument(
    "N", Options.version, "The version that the database is at.")

let baselineCommand = Command(
    "baseline", "Declare a database that came about by other means to be at a version.",
    discussion: ["Every file up to N is entered in the ledger; nothing is run."],
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
