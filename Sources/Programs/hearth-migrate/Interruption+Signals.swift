import Migrations
import CommandLine
import Basics

extension Interruption {
    /// Returns an interruption that Ctrl-C or SIGTERM requests: the running statement is cancelled,
    /// and the run ends as after any other failure. A second signal ends the process at once.
    ///
    /// Call it before any other thread starts.
    static func bySignals() -> Interruption {
        let interruption = Interruption()
        let signals = ShutdownSignals()
        _ = SystemThread.startDetached {
            if signals.wait() != nil { interruption.request() }
        }
        return interruption
    }
}
