import JSON
import Migrations
import Postgres
import CommandLine

let statusCommand = Command(
    "status", "Show applied and pending files.",
    discussion: ["Exits with 0 if everything is applied, 3 if something is pending, 4 on drift."],
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
        "One line per file: SHA-256, two spaces, the name. A program that contains them can "
            + "look up in the ledger's table `repeatable` whether the files it needs are applied."
    ]
) { values in
    for file in try values.folder().repeatable?.files ?? [] {
        Terminal.standardOutput.write("\(file.checksum.hex)  \(file.name)\n")
    }
    return 0
}

private let rebuild = Parameter<Bool>.flag(
    "rebuild",
    "Compare with a throw-away database to which the migrations are applied, instead of with "
        + "the definitions that `up` recorded.")
private let adminURL = Parameter<String?>.option(
    "admin-url", "URL", .databaseURL,
    "A user who may create databases on the same server, for --rebuild.")

let verifyCommand = Command(
    "verify", "Check that folder, ledger and database agree; for CI.",
    discussion: [
        "Exits with 0 if they agree and nothing is pending, 3 if something is pending, 4 on drift. "
            + "Drift is an applied file that was edited (even in comments), renamed or removed, a "
            + "table in a tenant schema without forced row-level security, or an object (a "
            + "constraint, an index, a function ...) that differs from what the migrations made. "
            + "Each object is reported with the statement that repairs it."
    ],
    parameters: [rebuild, adminURL, Options.allowOutOfOrder]
) { values in
    if values[adminURL] != nil, !values[rebuild] {
        throw UsageError("--admin-url can only be used with --rebuild")
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
    "record", "Record the expected definitions again, after an upgrade of PostgreSQL.",
    discussion: [
        "`up` records these definitions, so that `verify` finds later changes. Versions of "
            + "PostgreSQL print definitions differently, so run this after an upgrade of "
            + "PostgreSQL. It applies the folder to a throw-away database and records the result; "
            + "the database's own objects don't matter."
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
