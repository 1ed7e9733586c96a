import CommandLine
import Configuration
import FamilySettings
import Identity
import UseCases

/// The issuers that the database should trust, as far as the settings tell.
struct TrustedIssuersWanted {
    var issuers: [ApplyIssuers.TrustedIssuer] = []
    /// Whose setting is given. Of the others it is not known whom the API trusts.
    var origins: Set<ApplyIssuers.Origin> = []
}

extension Values {
    /// Those of the issuers file, and Hearth itself where it gives tokens. Nil if neither is set.
    func wantedIssuers() throws -> TrustedIssuersWanted? {
        let (file, keys) = (
            HearthSettings.issuersFile.orNone, HearthSettings.signingKeysFile
        )
        let publicURL = HearthSettings.publicURL.orNone
        let settings = try settings([file, keys, publicURL])
        var wanted = TrustedIssuersWanted()
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
    /// As far as the database has to know it.
    fileprivate var forDatabase: ApplyIssuers.TrustedIssuer {
        .init(
            name: name, kind: kind.rawValue, isPrimary: isPrimary, confirmsEmails: confirmsEmails,
            audiences: audiences, tokenUse: tokenUse?.rawValue, linksAddresses: linksAddresses)
    }
}
