import CommandLine
import Configuration
import Domain
import JSON
import Repositories
import UseCases

/// `hearth-admin user sessions` and `user sign-out`: the sessions of a person.
enum UserSessions {
    private static let session = Parameter<SessionID?>.option(
        "session", "ID", .session, "Only this session.")

    static let list = Command(
        "sessions", "Lists the sessions of a person that have not ended.",
        discussion: ["Sign-ins with tokens of other issuers have no session and are not listed."],
        parameters: [Options.user]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        values.output.rows(
            "sessions", try session.sessions(of: user.id), ListedSession.columns, row: \.row,
            json: { $0.write(to: &$1) })
        return ExitCode.success
    }

    static let signIns = Command(
        "sign-ins", "Lists a person's sign-ins, failed attempts and ended sessions.",
        discussion: [
            "Newest first, kept for the days in HEARTH_KEEP_SIGN_INS_DAYS. At most 20 an hour are "
                + "listed, and the rest are only counted."
        ],
        parameters: [Options.user] + Options.paging
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        let page = try session.signIns(of: user.id, values.page)
        values.output.list(
            "signIns", page, SignInEvent.columns, row: \.row, json: { $0.write(to: &$1) })
        return ExitCode.success
    }

    static let signOut = Command(
        "sign-out", "Ends the sessions of a person, which are refused from the next request on.",
        parameters: [Options.user, session, Options.yes]
    ) { values in
        let operation = try values.session()
        let user = try operation.user(values[Options.user])
        let what = values[session].map { "the session \($0)" } ?? "all sessions"
        try values.confirm("End \(what) of \(user.fullName ?? user.id.description)?")
        let count = try operation.endSessions(of: user.id, only: values[session])
        values.output.done("\(count) sessions ended") { $0.member("ended", count) }
        return ExitCode.success
    }
}

extension Expectation where Value == SessionID {
    /// The id of a session.
    static let session = Expectation("the id of a session") { SessionID($0) }
}

extension SignInEvent {
    static let columns: [TerminalTable.Column] = [
        .fixed("AT"), .fixed("EVENT"), .fixed("BY"), .text("BROWSER"), .fixed("NETWORK"),
    ]

    var row: [String] {
        [
            at.description, kind == .more ? "and \(more) more" : kind.rawValue,
            way?.rawValue ?? "", browser ?? "-", network ?? "",
        ]
    }

    func write(to json: inout JSONWriter) {
        json.member("at", at.description)
        json.member("kind", kind.rawValue)
        json.member("way", way?.rawValue)
        json.member("browser", browser)
        json.member("network", network)
        json.member("more", Int(more))
    }
}

extension ListedSession {
    static let columns: [TerminalTable.Column] = [
        .fixed("ID"), .fixed("BY"), .text("DEVICE"), .fixed("SINCE"), .fixed("LAST USED"),
    ]

    var row: [String] {
        [
            id.description, method.rawValue, device ?? "-", startedAt.date,
            lastUsedAt.description,
        ]
    }

    func write(to json: inout JSONWriter) {
        json.member("id", id.description)
        json.member("method", method.rawValue)
        json.member("issuer", issuer)
        json.member("device", device)
        json.member("startedAt", startedAt.description)
        json.member("lastUsedAt", lastUsedAt.description)
        json.member("endsAt", endsAt.description)
        json.member("openedBy", openedBy?.description)
    }
}
