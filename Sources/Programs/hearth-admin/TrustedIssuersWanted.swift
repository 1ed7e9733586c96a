import CommandLine
import Configuration
import FamilySettings
import Identity
import UseCases

extension Values {
    /// The issuers that the database should trust: those of the file, and Hearth itself where it
    /// gives tokens. Nil if neither is set.
    func wantedIssuers() throws -> [ApplyIssuers.TrustedIssuer]? {
        let (file, keys) = (
            HearthSettings.issuersFile.orNone, HearthSettings.signingKeysFile
        )
        let publicURL = HearthSettings.publicURL.orNone
        let settings = try settings([file, keys, publicURL])
        var wanted: [ApplyIssuers.TrustedIssuer] = []
        if let path = settings[file] {
            wanted = try IssuersFile(path: path).issuers.map(\.forDatabase)
        }
        if settings[keys] != nil {
            guard let name = settings[publicURL] else {
                throw SettingsError(["HEARTH_PUBLIC_URL: expected with HEARTH_SIGNING_KEYS_FILE"])
            }
            wanted.append(
                .init(
                    name: name, kind: "hearth", isPrimary: false, confirmsEmails: false,
                    audiences: [AccessTokens.audience], tokenUse: nil))
        } else if settings[file] == nil {
            return nil
        }
        return wanted
    }
}

extension Issuer {
    /// As far as the database has to know it.
    fileprivate var forDatabase: ApplyIssuers.TrustedIssuer {
        .init(
            name: name, kind: kind.rawValue, isPrimary: isPrimary, confirmsEmails: confirmsEmails,
            audiences: audiences, tokenUse: tokenUse?.rawValue)
    }
}
