package import Identity
package import Service
import Synchronization
package import UseCases

/// What endpoints work with.
package final class Services: Sendable {
    package let database: Database
    package let verifier: TokenVerifier
    package let log: Log
    package let metrics: Metrics
    let clock: WallClock
    let readiness: CheckReadiness
    private let draining = Atomic<Bool>(false)

    package init(
        database: Database, verifier: TokenVerifier, log: Log, metrics: Metrics,
        clock: WallClock = .system
    ) {
        self.database = database
        self.verifier = verifier
        self.log = log
        self.metrics = metrics
        self.clock = clock
        readiness = CheckReadiness(database)
    }

    /// Whether this instance is on its way out: ready for nothing new.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Makes `/readyz` say no from now on, so that load balancers look elsewhere.
    package func beginDraining() { draining.store(true, ordering: .relaxed) }
}
