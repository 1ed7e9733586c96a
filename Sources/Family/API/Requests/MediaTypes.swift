import HTTPServer

/// Content types that a client accepts and sends (RFC 9110, sections 8.3 and 12.5.1).
enum MediaTypes {
    /// Refuses a request whose `Accept` has no place for any of these media types.
    static func requireAccepted(_ offered: [String], by request: Request) throws(Problem) {
        let ranges = request.headers.values("Accept").flatMap { $0.split(separator: ",") }
            .compactMap { MediaRange($0) }
        if ranges.isEmpty || offered.isEmpty { return }
        for type in offered {
            let best = ranges.filter { $0.matches(type) }.max { $0.precision < $1.precision }
            if let best, best.isWanted { return }
        }
        throw Problem(
            .notAcceptable, "This address answers \(offered.joined(separator: " or ")) only.")
    }

    /// Refuses a body that says it is something else than JSON.
    ///
    /// Apple's URLSession labels every body as a form unless the app sets a type, and not all apps
    /// do. A body labelled as a form is therefore read as JSON.
    static func requireJSON(of request: Request) throws(Problem) {
        if request.body.isEmpty { return }
        switch request.headers.single("Content-Type") {
        case .absent: return
        case .once(let value):
            let type = value.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
            if ["application/json", "application/x-www-form-urlencoded"].contains(type) { return }
            if type.hasPrefix("application/"), type.hasSuffix("+json") { return }
        case .repeated: break
        }
        throw Problem(.unsupportedMediaType, "The body must be application/json.")
    }
}

/// One of the ranges of an `Accept` header.
private struct MediaRange {
    private let type: Substring
    private let subtype: Substring
    /// False for what is excluded by `q=0`.
    let isWanted: Bool

    /// Nil for what is no range.
    init?(_ text: Substring) {
        let parts = text.split(separator: ";").map { part in
            part.lowercased().filter { $0 != " " && $0 != "\t" }
        }
        guard let names = parts.first?.split(separator: "/", omittingEmptySubsequences: false),
            names.count == 2, !names[0].isEmpty, !names[1].isEmpty,
            names[0] != "*" || names[1] == "*"
        else { return nil }
        (type, subtype) = (names[0], names[1])
        let quality = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
        isWanted = quality.flatMap { Double($0) } != 0
    }

    func matches(_ mediaType: String) -> Bool {
        let names = mediaType.prefix { $0 != ";" }.split(separator: "/")
        return (type == "*" || type == names.first) && (subtype == "*" || subtype == names.last)
    }

    var precision: Int { type == "*" ? 0 : subtype == "*" ? 1 : 2 }
}
