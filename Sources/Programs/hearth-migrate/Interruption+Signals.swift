import Migrations
import CommandLine
import Threads

extension Interruption {
    /// An interruption that Ctrl-C or SIGTERM requests: what is running is cancelled, and the run
    /// ends as after any other failure. A second signal ends the process at once.
    ///
    /// To be called before any other thread is started.
    static func bySignals() -> Interruption {
        let interruption = Interruption()
        let signals = ShutdownSignals()
        _ = SystemThread.startDetached {
            if signals.wait() != nil { interruption.request() }
        }
        return interruption
    }
}
