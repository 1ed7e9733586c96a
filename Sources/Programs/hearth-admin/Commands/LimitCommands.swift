import CommandLine
import Configuration
import JSON
import Repositories
import UseCases

/// `hearth-admin limit`: the rate limits of a person.
enum LimitCommands {
    static let command = Command(
        "limit",
        "Rate limits of a person: attempts at codes and passwords, invitations, exports.",
        subcommands: [list, clear])

    private static let list = Command(
        "list", "Lists the counters of a person.",
        discussion: ["Counters by network or IP address are not listed."],
        parameters: [Options.user]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        values.output.rows(
            "limits", try session.limits(of: user.id),
            [.fixed("LIMIT"), .number("ATTEMPTS"), .fixed("SINCE")],
            row: { [$0.name, "\($0.hits)", $0.since.description] },
            json: { limit, json in
                json.member("limit", limit.name)
                json.member("attempts", Int(limit.hits))
                json.member("since", limit.since.description)
            })
        return ExitCode.success
    }

    private static let clear = Command(
        "clear", "Clears the counters of a person, who can try again at once.",
        parameters: [Options.user]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        let count = try session.clearLimits(of: user.id)
        values.output.done("\(count) limits cleared") {
            $0.member("userId", user.id.description)
            $0.member("cleared", count)
        }
        return ExitCode.success
    }
}
