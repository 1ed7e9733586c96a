import Basics
package import Identity
import Synchronization
import Telemetry
import UseCases

/// Metrics of the servers that serve reads.
enum ReadMeters {
    /// Declares the metrics; fewer of them if all reads go to the primary.
    static func declare(in metrics: Metrics, _ reads: any ReadRouter) {
        metrics.sampledCounter(
            "hearth_answers_waited_out_total",
            "Responses to changes that waited until the leases of standbys expired."
        ) { Double(reads.timedOutWaits) }
        guard let standbys = reads as? StandbyReads else { return }
        let counts = standbys.counts
        metrics.sampledCounters(
            "hearth_reads_total", "Reads, by the server that ran them: primary or standby.",
            ["target"]
        ) {
            [
                (["primary"], Double(counts.byPrimary)), (["standby"], Double(counts.byStandby)),
            ]
        }
        metrics.sampledCounters(
            "hearth_standby_refusals_total", "Reads sent to the primary, by reason.", ["reason"]
        ) {
            let refusals = counts.refusals
            return StandbyRefusal.allCases.map { ([$0.rawValue], Double(refusals[$0] ?? 0)) }
        }
        metrics.gauge("hearth_standbys", "Standbys that reads should go to.") {
            Double(standbys.standbyCounts.all)
        }
        metrics.gauge("hearth_standbys_serving", "Standbys that reads go to.") {
            Double(standbys.standbyCounts.serving)
        }
    }
}

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

/// Logs and metrics of sign-ins.
package struct SignInMeters: Sendable {
    private let reused: Counter
    private let copied: Counter
    private let provided: MetricFamily<Counter>
    private let lost: Counter
    private let log: Log

    /// - Parameter keys: The signing keys; nil if Hearth issues no tokens of its own.
    init(_ metrics: Metrics, _ log: Log, _ keys: SigningKeys?, _ clock: WallClock) {
        self.log = log
        reused = metrics.counter(
            "hearth_refresh_tokens_reused_total",
            "Sessions ended because a refresh token was used twice.")
        copied = metrics.counter(
            "hearth_passkeys_copied_total",
            "Passkey sign-ins refused because the passkey's counter had not increased.")
        lost = metrics.counter(
            "hearth_sign_in_events_lost_total",
            "Events that could not be written to the log of sign-ins.")
        provided = metrics.counters(
            "hearth_provider_sign_ins_total",
            "Sign-ins on pages with an identity provider, by outcome.",
            [
                MetricLabel(
                    "outcome",
                    [Self.signedIn, Self.added] + ProviderFailure.allCases.map(\.rawValue))
            ])
        if let keys {
            metrics.gauge(
                "hearth_signing_key_age_seconds",
                "Seconds since the key that signs Hearth's own tokens was created."
            ) { max(0, Double(clock.now()) / 1000 - Double(keys.createdAt)) }
        }
    }

    private static let (signedIn, added) = ("signed_in", "added")

    /// Records a sign-in with a provider that has started a session or was added to an account.
    func noteProviderSignIn(isAdded: Bool) {
        provided[isAdded ? Self.added : Self.signedIn].add()
    }

    /// Records a sign-in with a provider that has failed.
    func note(_ failure: ProviderFailure) { provided[failure.rawValue].add() }

    /// Records events that could not be written to the log of sign-ins.
    func noteLostEvents(_ count: Int) { lost.add(count) }

    func noteReuse() {
        reused.add()
        log.warning("a session was ended because its refresh token was used twice")
    }

    func noteCopiedPasskey() {
        copied.add()
        log.warning("a passkey was refused as a probable copy: its counter had not increased")
    }

    /// Records an event of the signing key file.
    package func note(_ event: SigningKeys.Event) {
        switch event {
        case .renewed(let count): log.info("the signing keys have changed", [.count(count)])
        case .failed(let mistake):
            log.warning("could not reload the signing keys", [.error(mistake)])
        }
    }
}

/// Raises an alarm when more wrong family codes arrive than people mistype: somebody is guessing
/// from many accounts and addresses, each of which stays within its limits.
///
/// The alarm refuses nothing and counts only this process's requests; the counters of several
/// processes can be summed in the metrics. The database counts the wrong codes of all processes,
/// and decides how to react.
final class CodeAlarm: Sendable {
    /// Number of wrong codes that a window may have without an alarm.
    static let budget = 300
    static let windowNanoseconds = 300_000_000_000

    private struct Window {
        var start = Int.min
        var failures = 0
    }

    private let window = Mutex(Window())
    private let failures: Counter
    private let alarms: Counter
    private let log: Log

    init(_ metrics: Metrics, _ log: Log) {
        failures = metrics.counter(
            "hearth_code_failures_total", "Wrong or expired family codes.")
        alarms = metrics.counter(
            "hearth_code_alarms_total",
            "Windows of five minutes with more than 300 wrong family codes.")
        self.log = log
    }

    /// Counts a refusal if it is about a family code that somebody has tried. Mailed codes and
    /// links expire with the same error code, and anybody can have one mailed: they are not
    /// counted.
    ///
    /// - Parameter now: Nanoseconds of ``MonotonicClock``.
    func count(_ refusal: Refusal, now: Int = MonotonicClock.nanoseconds()) {
        switch (refusal.code, refusal.parameter) {
        case (.codeExpired, .mailedCode), (.codeExpired, .noCode): return
        case (.codeUnknown, _), (.codeExpired, _): break
        default: return
        }
        failures.add()
        let isOverBudget = window.withLock { window in
            if window.start == Int.min || now - window.start >= Self.windowNanoseconds {
                window = Window(start: now, failures: 0)
            }
            window.failures += 1
            return window.failures == Self.budget + 1
        }
        if isOverBudget {
            alarms.add()
            log.warning(
                "this process received more wrong family codes in five minutes than the limit",
                [.limit(Self.budget)])
        }
    }
}
