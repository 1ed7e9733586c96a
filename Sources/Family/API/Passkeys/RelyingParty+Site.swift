package import Credentials

extension RelyingParty {
    /// Creates the relying party of a site.
    ///
    /// - Parameters:
    ///   - baseURL: The site's public URL; its own pages may use its passkeys.
    ///   - domain: The domain that passkeys are bound to: the site's host, or a parent domain. Nil
    ///     for the host.
    ///   - origins: Other web apps and phone apps that may use the passkeys.
    package init(baseURL: String, domain: String? = nil, origins: [String] = []) {
        let (host, origin) = Self.parts(of: baseURL)
        self.init(id: domain ?? host, origins: [origin] + origins)
    }

    /// Returns the host, and the origin as browsers write it: without the scheme's usual port.
    package static func parts(of baseURL: String) -> (host: String, origin: String) {
        let parts = baseURL.lowercased().split(separator: "://", maxSplits: 1)
        let authority = parts.last?.prefix { $0 != "/" } ?? ""
        let scheme = parts.first ?? ""
        // The port follows the last colon, unless that colon is within an address in brackets.
        let colon = authority.lastIndex(of: ":").flatMap {
            authority[$0...].contains("]") ? nil : $0
        }
        let host = String(authority[..<(colon ?? authority.endIndex)])
        let port = colon.map { authority[authority.index(after: $0)...] } ?? ""
        let isUsual = port.isEmpty || port == (scheme == "https" ? "443" : "80")
        return (host, "\(scheme)://\(host)" + (isUsual ? "" : ":\(port)"))
    }
}
