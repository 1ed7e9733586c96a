import CommandLine
import Configuration
import JSON
import Repositories
import UseCases

/// `hearth-admin process`: the processes of the API, the workers and the console.
enum ProcessCommands {
    static let command = Command(
        "process", "Processes of the API, the workers and the console.", subcommands: [list])

    private static let list = Command(
        "list", "Lists the processes that have reported in the last week, the last seen first.",
        discussion: [
            "A process reports every minute, with its version and a sample of counters.",
            "At most \(Processes.listed) are listed, and the last of each program.",
        ]
    ) { values in
        values.output.rows(
            "processes", try values.session().processes(),
            [
                .fixed("PROGRAM"), .fixed("VERSION"), .text("REVISION"), .text("HOST"),
                .fixed("SINCE"), .fixed("SEEN"), .number("SECONDS AGO"),
            ],
            row: {
                [
                    $0.program, $0.version, $0.revision, $0.host, $0.since.description,
                    $0.seenAt.description, "\(Int($0.silentSeconds))",
                ]
            },
            json: { process, json in
                json.member("id", process.id.description)
                json.member("program", process.program)
                json.member("version", process.version)
                json.member("revision", process.revision)
                json.member("host", process.host)
                json.member("since", process.since.description)
                json.member("seenAt", process.seenAt.description)
            })
        return ExitCode.success
    }
}
