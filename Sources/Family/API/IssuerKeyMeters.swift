package import Identity
import Telemetry

/// Logs and metrics of issuers' public keys, loaded from URLs and files.
package struct IssuerKeyMeters: Sendable {
    private let ignored: MetricFamily<Counter>
    private let log: Log

    init(_ metrics: Metrics, _ log: Log) {
        self.log = log
        ignored = metrics.counters(
            "hearth_issuer_keys_ignored_total",
            "Ignored keys in issuers' key sets, counted each time a set is read.",
            [MetricLabel("reason", IgnoredKey.Reason.allCases.map(\.rawValue))])
    }

    /// Records the outcome of a fetch.
    package func record(_ event: PublishedKeys.Event) {
        switch event {
        case .renewed(let count, let ignored):
            log.info("an issuer's keys have changed", [.count(count)])
            record(ignored: ignored)
        case .failed(let error):
            log.warning("could not fetch an issuer's keys", [.error(error)])
        }
    }

    /// Records the outcome of fetching a provider's description.
    package func record(_ event: PublishedMetadata.Event) {
        switch event {
        case .renewed: log.info("a provider's OpenID configuration has changed")
        case .failed(let error):
            log.warning("could not fetch a provider's OpenID configuration", [.error(error)])
        }
    }

    /// Logs and counts the keys of a set that can't be used.
    package func record(ignored keys: [IgnoredKey]) {
        for key in keys {
            ignored[key.reason.rawValue].add()
            log.warning(
                "an issuer's key is ignored", [.reason(key.reason.name), .error(key)])
        }
    }
}

extension IgnoredKey.Reason {
    /// Static text that equals `rawValue`.
    fileprivate var name: StaticString {
        switch self {
        case .unsuitable: "unsuitable"
        case .malformed: "malformed"
        case .unsound: "unsound"
        case .isPrivate: "private"
        case .duplicate: "duplicate"
        }
    }
}
