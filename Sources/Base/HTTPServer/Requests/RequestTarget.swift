/// The target of a request: the path in decoded segments, and the query.
struct RequestTarget: Sendable, Equatable {
    /// The path as it was sent, without the query.
    let path: String
    /// Decoded, without the leading slash: `/a/b%20c` is `["a", "b c"]`, `/` is `[""]`.
    let segments: [String]
    let query: Query

    /// Reads a target in origin or absolute form (RFC 9112 section 3.2); nil if an escape is
    /// malformed or does not decode to text, or if an absolute target has no host.
    init?(_ target: String) {
        guard let local = Self.withoutAuthority(target) else { return nil }
        // By bytes: the marks are ASCII, and telling characters apart takes time.
        let mark = local.utf8.firstIndex(of: UInt8(ascii: "?"))
        let path = mark.map { local[..<$0] } ?? local
        guard path.utf8.first == UInt8(ascii: "/") else {
            // "*" of OPTIONS, and whatever else is no path, has no route.
            guard path == "*" else { return nil }
            self.path = "*"
            segments = []
            query = Query()
            return
        }
        var segments: [String] = []
        for segment in path.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            guard let text = PercentEncoding.decode(Substring(segment), plusIsSpace: false) else {
                return nil
            }
            segments.append(text)
        }
        let rest = mark.map { local[local.utf8.index(after: $0)...] } ?? ""
        guard let query = Query(parsing: rest) else { return nil }
        self.path = String(path)
        self.segments = segments
        self.query = query
    }

    /// The placeholder for a malformed target.
    static let none = RequestTarget(path: "", segments: [], query: Query())

    private init(path: String, segments: [String], query: Query) {
        self.path = path
        self.segments = segments
        self.query = query
    }

    /// Drops `http://host` from an absolute target: the host is ignored, because the proxy has
    /// chosen this server. Nil if there is no host, or if there is user information (RFC 9110
    /// section 4.2).
    private static func withoutAuthority(_ target: String) -> Substring? {
        if target.utf8.first == UInt8(ascii: "/") { return target[...] }
        for scheme in ["http://", "https://"]
        where target.prefix(scheme.utf8.count).lowercased() == scheme {
            let rest = target.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            guard Authority.isValid(rest[..<end]) else { return nil }
            if end == rest.endIndex { return "/" }
            return rest[end] == "/" ? rest[end...] : "/" + rest[end...]
        }
        return target[...]
    }
}
