/// The name of a sign-in provider as people know it.
package enum ProviderName {
    private static let known = [
        "accounts.google.com": "Google", "appleid.apple.com": "Apple",
        "login.microsoftonline.com": "Microsoft",
    ]

    /// Returns the name of a well-known issuer, otherwise the host of its address.
    package static func of(issuer: String) -> String {
        let rest = issuer.split(separator: "://", maxSplits: 1).last ?? ""
        let host = String(rest.prefix { $0 != "/" }).lowercased()
        return known[host] ?? (host.isEmpty ? issuer : host)
    }
}
