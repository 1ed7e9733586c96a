import CommandLine
import Configuration
import FamilySettings
import Identity
import UseCases

/// The issuers that the database should trust, as far as the settings show.
struct ConfiguredIssuers {
    var issuers: [ApplyIssuers.TrustedIssuer] = []
    /// Origins whose setting is given. For the others it is unknown which issuers the API trusts.
    var origins: Set<ApplyIssuers.Origin> = []
}

extension Values {
    /// Returns the issuers of the issuers file, and Hearth itself if it signs tokens. Nil if
    /// neither is set.
    func configuredIssuers() throws -> ConfiguredIssuers? {
        let (file, keys) = (
            HearthSettings.issuersFile.orNone, HearthSettings.signingKeysFile
        )
        let publicURL = HearthSettings.publicURL.orNone
        let settings = try settings([file, keys, publicURL])
        var wanted = ConfiguredIssuers()
        if let path = settings[file] {
            wanted.issuers = try IssuersFile(path: path).issuers.map(\.forDatabase)
            wanted.origins.insert(.provider)
        }
        if settings[keys] != nil {
            guard let name = settings[publicURL] else {
                throw SettingsError(["HEARTH_PUBLIC_URL: expected with HEARTH_SIGNING_KEYS_FILE"])
            }
            wanted.issuers.append(
                .init(
                    name: name, kind: "hearth", isPrimary: false, confirmsEmails: false,
                    audiences: [AccessTokens.audience], tokenUse: nil))
            wanted.origins.insert(.hearth)
        }
        return wanted.origins.isEmpty ? nil : wanted
    }
}

extension Issuer {
    /// The fields of the issuer that the database stores.
    fileprivate var forDatabase: ApplyIssuers.TrustedIssuer {
        .init(
            name: name, kind: kind.rawValue, isPrimary: isPrimary, confirmsEmails: confirmsEmails,
            audiences: audiences, tokenUse: tokenUse?.rawValue, linksAddresses: linksAddresses)
    }
}
