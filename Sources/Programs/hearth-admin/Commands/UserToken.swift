import Crypto
import Domain
import Identity
import CommandLine
import Configuration
import FamilySettings
import Telemetry

/// `hearth-admin user token`: signs a token for a person, if the issuer's secret is in the
/// settings.
enum UserToken {
    private static let email = Parameter<EmailAddress>.requiredOption(
        "email", "ADDRESS", .emailAddress,
        "The person's e-mail address. One address and issuer always identify the same person.")
    private static let name = Parameter<String?>.option(
        "name", "NAME", .text, "The name of a new person.")
    private static let role = Parameter<MemberRole?>.option(
        "role", "ROLE", .oneOf, "The role of a new person.")
    private static let issuer = Parameter<String?>.option(
        "issuer", "ISSUER", .text,
        "The issuer, as in HEARTH_ISSUERS_FILE; default: the first one with a secret.")
    private static let minutes = Parameter<Int>.option(
        "minutes", "MINUTES", .integer(1...525_600), default: 60, "Minutes until it expires.")

    static let command = Command(
        "token", "Signs a token for a person, for testing.",
        discussion: [
            "The token is signed with the HS256 secret of an issuer in HEARTH_ISSUERS_FILE. "
                + "Nothing is stored."
        ],
        parameters: [email, name, role, issuer, minutes],
        examples: [
            Example(
                "hearth-admin user token --email parent@example.com --role parent",
                "prints a token that is valid for an hour")
        ],
        action: run)

    @Sendable private static func run(_ values: Values) throws -> Int32 {
        let file = try values.settings([HearthSettings.issuersFile])[HearthSettings.issuersFile]
        let issuer = try choose(values[issuer], from: try IssuersFile(path: file).issuers)
        let email = values[email]
        var draft = TokenDraft(subject: subject(issuer.name, email).description)
        draft.email = email.text
        draft.fullName = values[name]
        draft.role = values[role]?.rawValue
        draft.lifetimeSeconds = Int64(values[minutes]) * 60
        let now = Int64(WallClock.system.now() / 1_000)
        let token = try issuer.mint(draft, now: now)
        values.output.done(token) {
            $0.member("issuer", issuer.name)
            $0.member("token", token)
        }
        return ExitCode.success
    }

    private static func choose(_ name: String?, from issuers: [Issuer]) throws -> Issuer {
        guard let name else {
            if let issuer = issuers.first(where: { $0.keys.secret != nil }) { return issuer }
            throw SettingsError(["HEARTH_ISSUERS_FILE: no issuer in it has an hs256SecretFile"])
        }
        if let issuer = issuers.first(where: { $0.name == name }) { return issuer }
        let names = issuers.map(\.name).joined(separator: ", ")
        throw UsageError("--issuer: '\(name)' is not in HEARTH_ISSUERS_FILE, which has \(names)")
    }

    /// Derives a UUID from issuer and address (RFC 9562, version 8).
    private static func subject(_ issuer: String, _ email: EmailAddress) -> UserID {
        let digest = SHA256Digest(of: issuer + "\n" + email.mailbox).bytes.prefix(16)
        var value = digest.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        value &= ~(UInt128(0xf000) << 64 | UInt128(0xc000) << 48)
        value |= UInt128(0x8000) << 64 | UInt128(0x8000) << 48
        return UserID(rawValue: value)
    }
}
