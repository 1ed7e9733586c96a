/// A format for reading metrics.
package enum MetricsFormat: Sendable {
    /// Prometheus's text format 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics

    /// The media type without parameters.
    package var mediaType: String {
        switch self {
        case .prometheus: "text/plain"
        case .openMetrics: "application/openmetrics-text"
        }
    }

    /// The value of `Content-Type`.
    package var contentType: String {
        switch self {
        case .prometheus: "\(mediaType); version=0.0.4; charset=utf-8"
        case .openMetrics: "\(mediaType); version=1.0.0; charset=utf-8"
        }
    }

    /// Chooses the format that a client's `Accept` headers prefer (RFC 9110 section 12.5.1):
    /// OpenMetrics if they name it and rate it no lower than plain text, otherwise plain text.
    package init(accepting headers: [String]) {
        let ranges = headers.flatMap { $0.split(separator: ",") }.map { range in
            let parts = range.split(separator: ";").map { part in
                part.lowercased().filter { $0 != " " && $0 != "\t" }
            }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }
                .flatMap { Double($0.dropFirst(2)) }
            return (type: parts.first ?? "", quality: quality ?? 1)
        }
        func quality(_ types: [String]) -> Double {
            for type in types {
                // The first type that is named decides, because it is the most specific one.
                let named = ranges.filter { $0.type == type }.map(\.quality)
                if let best = named.max() { return best }
            }
            return 0
        }
        let open = quality([Self.openMetrics.mediaType])
        let plain = quality([Self.prometheus.mediaType, "text/*", "*/*"])
        self = open > 0 && open >= plain ? .openMetrics : .prometheus
    }
}
