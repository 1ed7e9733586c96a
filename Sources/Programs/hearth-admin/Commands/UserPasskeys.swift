import CommandLine
import Configuration
import Domain
import Repositories
import UseCases

/// `hearth-admin user passkeys` and `user remove-passkey`: the passkeys of a person.
enum UserPasskeys {
    private static let passkey = Parameter<PasskeyID>.argument(
        "PASSKEY", .passkey, "The passkey: an id that 'user passkeys' lists.")

    static let list = Command(
        "passkeys", "Lists the passkeys of a person.", parameters: [Options.user]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        values.output.rows(
            "passkeys", try session.passkeys(of: user.id),
            [
                .fixed("ID"), .text("NAME"), .fixed("SYNCED"), .fixed("SINCE"),
                .fixed("LAST USED"),
            ],
            row: {
                [
                    $0.id.description, $0.label ?? "-", $0.isBackedUp ? "yes" : "no",
                    $0.createdAt.date, $0.lastUsedAt?.description ?? "-",
                ]
            },
            json: { passkey, json in
                json.member("id", passkey.id.description)
                json.member("label", passkey.label)
                json.member("synced", passkey.isBackedUp)
                json.member("createdAt", passkey.createdAt.description)
                json.member("lastUsedAt", passkey.lastUsedAt?.description)
            })
        return ExitCode.success
    }

    static let remove = Command(
        "remove-passkey", "Removes a passkey of a person, such as that of a stolen device.",
        discussion: [
            "The person gets an e-mail. Sessions stay: 'user sign-out' ends them. Refused for an "
                + "operator, and for the last way to sign in."
        ],
        parameters: [Options.user, passkey, Options.yes]
    ) { values in
        let session = try values.session()
        let user = try session.user(values[Options.user])
        let id = values[passkey]
        try values.confirm("Remove this passkey of \(user.fullName ?? user.id.description)?")
        try session.remove(id, of: user.id)
        values.output.done("removed") {
            $0.member("userId", user.id.description)
            $0.member("id", id.description)
        }
        return ExitCode.success
    }
}

extension Expectation where Value == PasskeyID {
    /// The id of a passkey.
    fileprivate static let passkey = Expectation("the id of a passkey") { PasskeyID($0) }
}
