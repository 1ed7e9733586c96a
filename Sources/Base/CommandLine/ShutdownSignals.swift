import Glibc
import Threads

/// A signal that asks a service to end.
package enum ShutdownSignal: Sendable, Equatable {
    /// Ctrl-C.
    case interrupt
    /// Sent by service managers.
    case terminate

    /// `SIGINT` or `SIGTERM`.
    package var name: StaticString {
        switch self {
        case .interrupt: "SIGINT"
        case .terminate: "SIGTERM"
        }
    }

    var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        }
    }
}

/// Waits for the signals that end a service.
///
/// Create it in the first thread before other threads start. They inherit the blocked SIGINT and
/// SIGTERM, which are delivered to the caller of `wait`, even if they arrive earlier. SIGPIPE is
/// ignored, so that a write to a client that has left fails instead of ending the process.
///
/// Processes started later inherit both; Hearth starts none.
package struct ShutdownSignals: Sendable {
    private let signals: [ShutdownSignal] = [.interrupt, .terminate]

    /// Blocks the signals in this thread and those it starts from now on.
    package init() {
        signal(SIGPIPE, SIG_IGN)
        var set = mask
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for the first signal, and answers it; nil when none came within the time.
    ///
    /// After that, a second signal ends the process at once with 128 + its number, the exit code
    /// that shells show.
    package func wait(timeoutSeconds: Double? = nil) -> ShutdownSignal? {
        guard let signal = next(timeoutSeconds) else { return nil }
        for each in signals {
            // A handler and not the default action, which the kernel withholds from process 1 of
            // a container. _exit is safe in a handler.
            Glibc.signal(each.number) { number in _exit(128 + number) }
        }
        var set = mask
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        return signal
    }

    private func next(_ timeoutSeconds: Double?) -> ShutdownSignal? {
        var set = mask
        let end = timeoutSeconds.map { Deadline.after(seconds: $0) }
        while true {
            let number: Int32
            if let end {
                let left = Int(end.remainingSeconds * 1e9)
                var time = timespec(tv_sec: left / 1_000_000_000, tv_nsec: left % 1_000_000_000)
                number = sigtimedwait(&set, nil, &time)
            } else {
                number = sigwaitinfo(&set, nil)
            }
            if let signal = signals.first(where: { $0.number == number }) { return signal }
            // Interrupted by a signal that is not ours (a debugger's, say): wait on.
            guard errno == EINTR else { return nil }
        }
    }

    private var mask: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for each in signals { sigaddset(&set, each.number) }
        return set
    }
}
