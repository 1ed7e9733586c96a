import Configuration
import Identity
package import Repositories
package import UseCases

/// The issuers that the database should trust, as far as the settings show.
package struct ConfiguredIssuers: Sendable {
    package private(set) var issuers: [ApplyIssuers.TrustedIssuer] = []
    /// Origins whose setting has a value. For other origins it is unknown which issuers the API
    /// trusts.
    package private(set) var origins: Set<ApplyIssuers.Origin> = []

    /// Reads the issuers file, and adds Hearth itself if it signs tokens. Nil without either.
    ///
    /// - Parameters:
    ///   - issuersFile: Value of HEARTH_ISSUERS_FILE.
    ///   - signsTokens: Whether Hearth is known to sign tokens of its own.
    ///   - publicURL: Value of HEARTH_PUBLIC_URL, the name of Hearth as an issuer.
    package init?(issuersFile: String?, signsTokens: Bool, publicURL: String?) throws {
        if let issuersFile {
            issuers = try IssuersFile(path: issuersFile).issuers.map(\.forDatabase)
            origins.insert(.provider)
        }
        if signsTokens {
            guard let publicURL else {
                throw SettingsError(["HEARTH_PUBLIC_URL: expected with HEARTH_SIGNING_KEYS_FILE"])
            }
            issuers.append(
                .init(
                    name: publicURL, kind: "hearth", isPrimary: false, confirmsEmails: false,
                    audiences: [AccessTokens.audience], tokenUse: nil))
            origins.insert(.hearth)
        }
        if origins.isEmpty { return nil }
    }

    /// Whether the database trusts exactly these issuers. Issuers of an origin that is not in
    /// ``origins`` are ignored.
    package func isApplied(among trusted: [FoundIssuer]) -> Bool {
        let comparable = trusted.map { ApplyIssuers.TrustedIssuer($0) }
            .filter { origins.contains($0.origin) }
        return Set(comparable) == Set(issuers)
    }
}

extension ApplyIssuers.TrustedIssuer {
    fileprivate init(_ found: FoundIssuer) {
        self.init(
            name: found.name, kind: found.kind, isPrimary: found.isPrimary,
            confirmsEmails: found.confirmsEmails, audiences: found.audiences,
            tokenUse: found.tokenUse, linksAddresses: found.linksAddresses)
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
