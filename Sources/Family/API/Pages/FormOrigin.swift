package import HTTPServer

/// Origin check of forms: only Hearth's own pages may send them.
package enum FormOrigin {
    /// Returns true if the browser reports that one of the site's own pages has sent the form.
    ///
    /// `Sec-Fetch-Site` decides if it is sent, which all browsers do; in addition, an
    /// `Origin` must be the site's own. Pages send no referrer, so browsers send the origin `null`
    /// from them: `null` is accepted only together with `same-origin`.
    package static func isOwn(_ request: Request, of site: PublicSite) -> Bool {
        let isSame: Bool
        switch request.headers.single("Sec-Fetch-Site") {
        case .absent: isSame = false
        case .once("same-origin"): isSame = true
        case .once("none"): isSame = false
        case .once, .repeated: return false
        }
        switch request.headers.single("Origin") {
        case .absent: return true
        case .repeated: return false
        case .once("null"): return isSame
        case .once(let origin):
            return origin == site.origin
                || (isSame && site.isOnThisMachine && PublicSite(baseURL: origin).isOnThisMachine)
        }
    }
}

extension PublicSite {
    /// Origin of the site as browsers write it, such as `https://family.example.org`.
    var origin: String {
        let parts = baseURL.lowercased().split(separator: "://", maxSplits: 1)
        guard let scheme = parts.first, parts.count == 2 else { return baseURL }
        let place = parts[1].prefix { $0 != "/" }
        let standard = scheme == "https" ? ":443" : ":80"
        let host = place.hasSuffix(standard) ? place.dropLast(standard.utf8.count) : place
        return "\(scheme)://\(host)"
    }

    /// Whether browsers connect to this origin over TLS.
    package var isSecure: Bool { origin.hasPrefix("https://") }

    /// Whether the site runs on the developer's own machine, which has several names.
    var isOnThisMachine: Bool {
        let host = origin.split(separator: "://", maxSplits: 1).last ?? ""
        return ["localhost", "127.0.0.1", "[::1]"].contains { name in
            guard host.hasPrefix(name + ":") else { return host == name }
            return UInt16(host.dropFirst(name.utf8.count + 1)) != nil
        }
    }
}
