import HTTPServer

/// Where a form was sent from: only Hearth's own pages may.
enum FormOrigin {
    /// Whether the browser says that one of the site's own pages has sent a form.
    ///
    /// `Sec-Fetch-Site` decides where it is sent, which all browsers do; besides, an `Origin` must
    /// be the site's own. Pages send no referrer, so browsers send the origin `null` from them:
    /// that counts together with `same-origin` only.
    static func isOwn(_ request: Request, of site: PublicSite) -> Bool {
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
    /// `https://family.example.org`, as browsers write it.
    var origin: String {
        let parts = baseURL.lowercased().split(separator: "://", maxSplits: 1)
        guard let scheme = parts.first, parts.count == 2 else { return baseURL }
        let place = parts[1].prefix { $0 != "/" }
        let standard = scheme == "https" ? ":443" : ":80"
        let host = place.hasSuffix(standard) ? place.dropLast(standard.utf8.count) : place
        return "\(scheme)://\(host)"
    }

    /// Whether browsers keep its connection from others.
    var isSecure: Bool { origin.hasPrefix("https://") }

    /// Whether it is tried out on one machine, which has several names.
    var isOnThisMachine: Bool {
        let host = origin.split(separator: "://", maxSplits: 1).last ?? ""
        return ["localhost", "127.0.0.1", "[::1]"].contains { name in
            guard host.hasPrefix(name + ":") else { return host == name }
            return UInt16(host.dropFirst(name.utf8.count + 1)) != nil
        }
    }
}
