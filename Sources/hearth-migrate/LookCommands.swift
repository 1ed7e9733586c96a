import JSON
import Migrations
import Service

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

let verifyCommand = Command(
    "verify", "Check that folder, ledger and database agree; for CI.",
    discussion: [
        "Ends with 0 when they do and nothing is pending, 3 when something is pending, 4 on drift: "
            + "an applied file that was edited (in comments alone, too), renamed or removed, or a "
            + "table of a tenant schema that is open."
    ],
    parameters: [Options.allowOutOfOrder]
) { values in
    let result = try Verification.run(
        values.database(), values.folder(), allowsOutOfOrder: values[Options.allowOutOfOrder])
    Terminal.standardOutput.write(result + "\n")
    return 0
}
