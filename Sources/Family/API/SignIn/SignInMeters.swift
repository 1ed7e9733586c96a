package import Identity
import Telemetry

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
