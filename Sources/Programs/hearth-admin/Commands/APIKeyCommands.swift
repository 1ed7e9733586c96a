import Basics
import CommandLine
import Configuration
import Domain
import Repositories
import Telemetry
import UseCases

/// `hearth-admin api-key`: the keys with which the servers of apps call the API.
enum APIKeyCommands {
    static let command = Command(
        "api-key", "API keys: an app's server reads families and sends invitations with them.",
        subcommands: [create, list, rotate, revoke])

    private static let name = Parameter<String>.argument(
        "NAME", .keyName,
        "The name of the app. The audit log, and invitations made with the key, show it.")
    private static let scopes = Parameter<[KeyScope]>.repeatedOption(
        "scope", "SCOPE", .keyScope, "What the key may do.")
    private static let days = Parameter<Int?>.option(
        "expires", "DAYS", .days, "Days until the key expires. Default: never.")
    private static let rate = Parameter<Int>.option(
        "per-minute", "REQUESTS", .integer(1...100_000), default: 600,
        "Maximum requests per minute with the key.")

    private static let create = Command(
        "create", "Creates an API key and prints it, once.",
        discussion: [
            "Scopes: " + KeyScope.allCases.map(\.rawValue).joined(separator: ", ") + ".",
            "The key is stored as a hash. hearth-api accepts keys only if "
                + "HEARTH_SERVER_DATABASE_URL is set.",
        ],
        parameters: [name, scopes, days, rate]
    ) { values in
        let wanted = values[scopes]
        guard !wanted.isEmpty else { throw UsageError("pass at least one --scope SCOPE") }
        let unique = KeyScope.allCases.filter(wanted.contains)
        let (id, secret) = try values.session().createAPIKey(
            values[name], unique, expiresInDays: values[days], requestsPerMinute: values[rate])
        printSecret(id, secret, values)
        return ExitCode.success
    }

    private static let all = Parameter<Bool>.flag(
        "all", "Include keys that were revoked or have expired.")

    private static let list = Command(
        "list", "Lists API keys with their last use and requests today and in the last seven days.",
        discussion: ["Days are in UTC. --json lists daily request counts for the last 30 days."],
        parameters: [all]
    ) { values in
        values.output.rows(
            "apiKeys", try values.session().apiKeys(includesEnded: values[all]),
            [
                .fixed("ID"), .text("NAME"), .text("SCOPES"), .fixed("STATE"),
                .fixed("EXPIRES"), .fixed("LAST USED"), .number("TODAY"), .number("7 DAYS"),
            ],
            row: {
                [
                    $0.id.description, $0.name, $0.scopes, $0.state, $0.expiresAt?.date ?? "",
                    $0.lastUsedAt?.description ?? "", "\($0.usesToday)", "\($0.usesInWeek)",
                ]
            },
            json: { key, json in
                json.member("id", key.id.description)
                json.member("name", key.name)
                json.array("scopes") {
                    for scope in key.scopes.split(separator: " ") { $0.element(String(scope)) }
                }
                json.member("state", key.state)
                json.member("requestsPerMinute", Int(key.requestsPerMinute))
                json.member("createdAt", key.createdAt.description)
                json.member("expiresAt", key.expiresAt?.description)
                json.member("revokedAt", key.revokedAt?.description)
                json.member("previousSecretUntil", key.previousUntil?.description)
                json.member("lastUsedAt", key.lastUsedAt?.description)
                json.array("uses") {
                    for (day, uses) in key.days {
                        $0.object {
                            $0.member("day", day)
                            $0.member("requests", uses)
                        }
                    }
                }
            })
        return ExitCode.success
    }

    private static let key = Parameter<String>.argument(
        "KEY", .keyName, "The key's id or name, as shown by 'hearth-admin api-key list'.")
    private static let overlap = Parameter<Int>.option(
        "overlap-hours", "HOURS", .integer(0...168), default: 24,
        "Hours for which the previous key is also accepted.")

    private static let rotate = Command(
        "rotate",
        "Replaces an API key with a new one of the same name and scopes, and prints it.",
        discussion: [
            "Both keys work for a day, or as long as --overlap-hours says. For a key that was "
                + "stolen, pass --overlap-hours 0.",
            "While the key from before the last rotation still works, the key can be rotated again "
                + "only with --overlap-hours 0, which ends both old keys.",
        ],
        parameters: [key, overlap, Options.yes]
    ) { values in
        let session = try values.session()
        let found = try session.apiKey(values[key])
        try values.confirm("Replace the key of \(found.name)?")
        printSecret(
            found.id, try session.rotateAPIKey(found.id, overlapHours: values[overlap]), values)
        return ExitCode.success
    }

    private static let revoke = Command(
        "revoke", "Revokes an API key, at once and for good; its pending invitations end.",
        parameters: [key, Options.yes]
    ) { values in
        let session = try values.session()
        let found = try session.apiKey(values[key])
        try values.confirm("Revoke the key of \(found.name)?")
        try session.revokeAPIKey(found.id)
        values.output.done("revoked") {
            $0.member("id", found.id.description)
            $0.member("state", "revoked")
        }
        return ExitCode.success
    }

    private static func printSecret(_ id: APIKeyID, _ secret: APIKeySecret, _ values: Values) {
        values.output.record([
            ("id", id.description), ("key", secret.text),
            ("note", "store it on the server of the app; it is not shown again"),
        ]) {
            $0.member("id", id.description)
            $0.member("key", secret.text)
        }
    }
}

extension Expectation where Value == String {
    /// The name or the id of a key.
    fileprivate static let keyName = Expectation("1 to 60 characters on one line") { word in
        let isLine = word.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return isLine && (1...60).contains(word.unicodeScalars.count) ? word : nil
    }
}

extension Expectation where Value == KeyScope {
    /// A scope.
    fileprivate static let keyScope = Expectation(
        "one of " + KeyScope.allCases.map(\.rawValue).joined(separator: ", ")
    ) { KeyScope(rawValue: $0) }
}

extension Expectation where Value == Int {
    fileprivate static let days = Expectation.integer(1...3650)
}
