package import Identity
import Telemetry

/// Logs and metrics of sign-ins.
package struct SignInMeters: Sendable {
    private let reused: Counter
    private let copied: Counter
    private let log: Log

    init(_ metrics: Metrics, _ log: Log) {
        self.log = log
        reused = metrics.counter(
            "hearth_refresh_tokens_reused_total",
            "Sessions that ended because a refresh token was used again.")
        copied = metrics.counter(
            "hearth_passkeys_copied_total",
            "Sign-ins by passkeys that were refused because their counter had not increased.")
    }

    func noteReuse() {
        reused.add()
        log.warning("a session has ended because its refresh token was used again")
    }

    func noteCopiedPasskey() {
        copied.add()
        log.warning("a passkey was refused, probably a copy: its counter had not increased")
    }

    /// Records an event of the signing key file.
    package func note(_ event: SigningKeys.Event) {
        switch event {
        case .renewed(let count): log.info("the signing keys have changed", [.count(count)])
        case .failed(let mistake):
            log.warning("the signing keys could not be read again", [.error(mistake)])
        }
    }
}
