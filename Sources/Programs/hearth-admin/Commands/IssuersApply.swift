import Identity
import Postgres
import CommandLine
import Configuration
import Doctor
import FamilySettings
import UseCases

/// `hearth-admin issuers apply`: stores the issuers of the issuers file in the database.
enum IssuersApply {
    static let command = Command(
        "apply",
        "Makes the database trust only the issuers of HEARTH_ISSUERS_FILE and Hearth itself.",
        discussion: [
            "The database checks the tokens of direct clients (PostgREST) against this list. Run "
                + "the command after each change of the file; it can be repeated. Hearth itself is "
                + "on it if HEARTH_SIGNING_KEYS_FILE is set. The audit log records each change, "
                + "with one entry per issuer.",
            "Pass both settings as hearth-api has them. If one of them is missing, the issuers "
                + "that it would name stay trusted, unless --only-these is given.",
        ],
        parameters: [onlyThese], action: run)

    private static let onlyThese = Parameter<Bool>.flag(
        "only-these", "Also stop trusting the issuers that a missing setting would name.")

    @Sendable private static func run(_ values: Values) throws -> Int32 {
        guard let wanted = try values.configuredIssuers() else {
            throw SettingsError([
                "HEARTH_ISSUERS_FILE: expected, unless HEARTH_SIGNING_KEYS_FILE is given"
            ])
        }
        let apply = ApplyIssuers(
            try Connection(try values.connection()),
            as: try values.operatorName().map { .named($0) })
        let removed = try apply(
            wanted.issuers,
            replacing: values[onlyThese] ? Set(ApplyIssuers.Origin.allCases) : wanted.origins)
        values.output.record(
            wanted.issuers.map { ("trusted", $0.name) } + removed.map { ("no longer trusted", $0) }
        ) { json in
            json.array("trusted") { for issuer in wanted.issuers { $0.element(issuer.name) } }
            json.array("removed") { for name in removed { $0.element(name) } }
        }
        return ExitCode.success
    }
}
