import API
import Configuration
import FamilySettings
import Identity
import UseCases
import Credentials

/// The components of sign-in, made from the settings.
enum SignInParts {
    /// The setup of sign-in; nil if Hearth issues no tokens of its own.
    static func make(_ settings: Settings) throws -> SignInSetup? {
        guard let path = settings[HearthSettings.signingKeysFile] else { return nil }
        let secrets = settings[HearthSettings.secretKeys].map { Array($0.reveal().utf8) }
        return SignInSetup(
            tokens: AccessTokens(
                issuer: settings[HearthSettings.publicURL], keys: try SigningKeys(path: path)),
            keys: try SignInKeys(secrets),
            ways: Set(
                settings[HearthSettings.signInWays].compactMap {
                    SignInSetup.Way(rawValue: $0)
                }),
            party: try relyingParty(settings))
    }

    /// The relying party of passkeys.
    private static func relyingParty(_ settings: Settings) throws -> RelyingParty {
        let site = settings[HearthSettings.publicURL]
        let domain = settings[HearthSettings.passkeyDomain]
        let host = RelyingParty.parts(of: site).host
        guard domain.map({ host == $0 || host.hasSuffix(".\($0)") }) ?? true else {
            throw SettingsError([
                "HEARTH_PASSKEY_DOMAIN: expected \(host), the host of HEARTH_PUBLIC_URL, or a "
                    + "domain above it"
            ])
        }
        return RelyingParty(
            baseURL: site, domain: domain,
            origins: (settings[HearthSettings.passkeyOrigins] ?? [])
                + AndroidApp.all(of: settings[HearthSettings.androidApps] ?? [])
                .flatMap(\.passkeyOrigins))
    }

    /// Issuers whose tokens are accepted: those of the file, and Hearth itself.
    static func issuers(_ settings: Settings, _ signIn: SignInSetup?) throws -> [Issuer] {
        let path = settings[HearthSettings.issuersFileOfAPI]
        let others = try path.map { try IssuersFile(path: $0).issuers } ?? []
        guard let own = signIn?.tokens.trusted else {
            guard path != nil else {
                throw SettingsError([
                    "HEARTH_ISSUERS_FILE: expected, unless HEARTH_SIGNING_KEYS_FILE is given"
                ])
            }
            return others
        }
        guard !others.contains(where: { $0.name == own.name }) else {
            throw SettingsError([
                "HEARTH_ISSUERS_FILE: \(own.name) is HEARTH_PUBLIC_URL, and so Hearth itself"
            ])
        }
        return [own] + others
    }
}
