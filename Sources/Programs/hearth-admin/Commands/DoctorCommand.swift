import CommandLine
import Configuration
import Doctor
import JSON
import UseCases

/// `hearth-admin doctor`: examines the database and reports faults, with their remedies.
enum DoctorCommand {
    private static let fix = Parameter<Bool>.flag(
        "fix",
        "Repair guardians, slots, codes, the recorded time at which a family became empty, "
            + "overdue invitations and codes, timestamps in the future, missing monthly partitions "
            + "of the audit log, missing A-labels of e-mail domains, and issuers. The audit log "
            + "records each repair.")

    static let command = Command(
        "doctor", "Finds faults in data, jobs, schema and rights, and can repair some of them.",
        discussion: [
            "Checks the data: children without a guardian, families without an adult, slots, "
                + "codes, overdue invitations, leftover data of erased people, timestamps in the "
                + "future, e-mail domains whose A-label is not stored, and missing monthly "
                + "partitions of the audit log.",
            "Checks the service: jobs that are dead or stuck, or that fail repeatedly; webhooks "
                + "that are paused or fail; standbys that should serve reads but don't; and "
                + "whether every family requires approval because of wrong codes.",
            "Checks the schema: missing or unknown migrations; tables, constraints, indexes, "
                + "functions, views, triggers and policies that differ from those of the "
                + "migrations; roles, owners and grants.",
            "Checks whether the database trusts the issuers of HEARTH_ISSUERS_FILE, and has the "
                + "settings for codes, if these are given.",
            "Stores the number of findings in data, addresses, timestamps, audit log, schema, "
                + "rights and issuers, which metrics show.",
            "Exits with 0 if there are no faults or all were repaired, otherwise with 1.",
        ],
        parameters: [fix, RightsFile.path, Options.yes],
        examples: [
            Example("hearth-admin doctor --json", "prints every finding for a script"),
            Example("hearth-admin doctor --fix", "repairs what it can and reports the rest"),
        ]
    ) { values in
        if values[fix] {
            try values.confirm(
                "Repair guardians, slots, codes, invitations, addresses, timestamps, audit log "
                    + "partitions and issuers?")
        }
        let session = try values.session()
        let progress = ProgressLine()
        defer { progress.clear() }
        var examination = DoctorRun(session) { event in
            if case .begins(let part) = event { progress.show(part) }
        }
        try examination.examineAll(try values.doctorExpectations(), repairs: values[fix])
        progress.clear()
        printFindings(examination.findings, values.output)
        let isSound = examination.findings.allSatisfy(\.isRepaired)
        return isSound ? ExitCode.success : ExitCode.failure
    }

    private static func printFindings(_ findings: [Finding], _ output: Output) {
        if !output.isJSON {
            if findings.isEmpty { return output.done("no faults found") { _ in } }
            // Paragraphs instead of a table: the remedy must be readable in full on the narrowest
            // terminal.
            for finding in findings { output.paragraph(finding.lines) }
            return
        }
        output.rows(
            "findings", findings, [], row: { _ in [] },
            json: { finding, json in
                json.member("kind", finding.kind)
                json.member("familyId", finding.family?.description)
                json.member("subjectId", finding.subject?.description)
                json.member("message", finding.message)
                json.member("remedy", finding.isRepaired ? nil : finding.remedy)
                json.member("mended", finding.isRepaired)
            }
        ) {
            $0.member("sound", findings.allSatisfy(\.isRepaired))
        }
    }
}

/// `hearth-admin rights`: the database's roles and rights.
enum RightsCommand {
    static let command = Command(
        "rights", "Lists roles, owners, row-level security and grants, one per line.",
        discussion: [
            "The order is stable, so that two lists can be compared. sql/rights.txt is the list "
                + "that the migrations make; 'hearth-admin doctor' compares a database with it."
        ]
    ) { values in
        let session = try values.session()
        let lines = try session.migrations() + session.rights()
        values.output.record([]) { json in
            json.array("lines") { for line in lines { $0.element(line) } }
        }
        if !values[Options.json] {
            for line in lines { Terminal.standardOutput.write(line + "\n") }
        }
        return ExitCode.success
    }
}

/// The file that lists the roles and rights that the migrations create.
enum RightsFile {
    static let path = Parameter<String>.option(
        "rights", "FILE", .file, default: "sql/rights.txt",
        "The release's list of roles and rights. The default is relative to the current folder.")
}
