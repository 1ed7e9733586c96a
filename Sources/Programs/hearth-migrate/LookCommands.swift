import JSON
import Migrations
import Postgres
import CommandLine

let statusCommand = Command(
    "status", "Show what is applied and what is pending.",
    discussion: ["Ends with 0 when all is applied, 3 when something is pending, 4 on drift."],
    parameters: [Options.json]
) { values in
    let status = try Status.read(values.database(), values.folder())
    if values[Options.json] {
        Terminal.standardOutput.write(status.json.text(.pretty) + "\n")
    } else {
        Terminal.standardOutput.write(status.lines.joined(separator: "\n") + "\n")
    }
    return status.exitCode
}

let checksumsCommand = Command(
    "checksums", "Print the checksums of the repeatable files; needs no database.",
    discussion: [
        "A line each: SHA-256, two spaces, the name. A program that carries them can ask the table "
            + "`repeatable` of the ledger whether the files that it needs are applied."
    ]
) { values in
    for file in try values.folder().repeatable?.files ?? [] {
        Terminal.standardOutput.write("\(file.checksum.hex)  \(file.name)\n")
    }
    return 0
}

private let rebuild = Parameter<Bool>.flag(
    "rebuild",
    "Find out what the migrations make by applying them to a throw-away database, instead of "
        + "believing what `up` recorded.")
private let adminURL = Parameter<String?>.option(
    "admin-url", "URL", .databaseURL,
    "A user who may create databases on the same server, for --rebuild.")

let verifyCommand = Command(
    "verify", "Check that folder, ledger and database agree; for CI.",
    discussion: [
        "Ends with 0 when they do and nothing is pending, 3 when something is pending, 4 on drift: "
            + "an applied file that was edited (in comments alone, too), renamed or removed, a "
            + "table of a tenant schema that is open, or an object (a constraint, an index, a "
            + "function ...) that is another one than the migrations made; each is told with the "
            + "statement that puts it right."
    ],
    parameters: [rebuild, adminURL, Options.allowOutOfOrder]
) { values in
    if values[adminURL] != nil, !values[rebuild] {
        throw UsageError("--admin-url goes with --rebuild")
    }
    let administrator =
        try values[adminURL].map { try ConnectionSettings(url: $0) } ?? values.database()
    let result = try Verification.run(
        values.database(), values.folder(), allowsOutOfOrder: values[Options.allowOutOfOrder],
        rebuild: values[rebuild] ? administrator : nil)
    Terminal.standardOutput.write(result + "\n")
    return 0
}

private let recordAdminURL = Parameter<String?>.option(
    "admin-url", "URL", .databaseURL, "A user who may create databases on the same server.")

let recordCommand = Command(
    "record", "Record anew what the migrations make, as this server words it.",
    discussion: [
        "`up` records what it makes, so that `verify` finds what has been changed since. A server "
            + "of another version may word the same otherwise: run this after an upgrade of "
            + "PostgreSQL. It applies the folder to a throw-away database and records what came of "
            + "it; what the database itself has doesn't matter."
    ],
    parameters: [recordAdminURL, Options.lockWait]
) { values in
    let console = Console()
    let count = try FolderDefinitions.record(
        values.database(), values.folder(),
        administrator: try values[recordAdminURL].map { try ConnectionSettings(url: $0) },
        lockWaitSeconds: values[Options.lockWait], report: { console.show($0) })
    console.result("\(count) definitions recorded")
    return 0
}
