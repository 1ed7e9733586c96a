import HTTPServer

/// How the bytes of an answer are packed for their way (RFC 9110 section 8.4).
enum ContentCoding: String, Sendable {
    /// As they are.
    case identity
    case gzip

    /// The content coding that the client prefers; nil if it accepts none (RFC 9110 section
    /// 12.5.3). At equal weights, the smaller one.
    static func preferred(by request: Request) -> ContentCoding? {
        let values = request.headers.values("Accept-Encoding")
        if values.isEmpty { return .identity }
        var weights: [String: Double] = [:]
        for entry in values.flatMap({ $0.split(separator: ",") }) {
            guard let (name, weight) = weighed(entry) else { continue }
            weights[name == "x-gzip" ? "gzip" : name] = weight
        }
        let gzip = weights["gzip"] ?? weights["*"] ?? 0
        // A coding that is not named is less preferred than a named one, unless all others are
        // refused.
        let identity = weights["identity"] ?? (weights["*"] == 0 ? 0 : .leastNonzeroMagnitude)
        if gzip == 0, identity == 0 { return nil }
        return gzip >= identity ? .gzip : .identity
    }

    /// A coding in lower case and its weight; nil for what is no entry of the list.
    private static func weighed(_ entry: Substring) -> (String, Double)? {
        let parts = entry.split(separator: ";", omittingEmptySubsequences: false).map { part in
            part.lowercased().filter { $0 != " " && $0 != "\t" }
        }
        guard parts.count <= 2, !parts[0].isEmpty else { return nil }
        guard parts.count == 2 else { return (parts[0], 1) }
        guard parts[1].hasPrefix("q="), let weight = Double(parts[1].dropFirst(2)),
            (0...1).contains(weight)
        else { return nil }
        return (parts[0], weight)
    }
}
