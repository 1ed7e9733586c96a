import Glibc
import Basics

/// A signal that asks a service to stop.
package enum ShutdownSignal: Sendable, Equatable {
    /// SIGINT, sent by Ctrl-C.
    case interrupt
    /// SIGTERM, sent by service managers.
    case terminate
    /// SIGHUP, sent when the terminal is closed.
    case hangUp

    /// The name: `SIGINT`, `SIGTERM` or `SIGHUP`.
    package var name: StaticString {
        switch self {
        case .interrupt: "SIGINT"
        case .terminate: "SIGTERM"
        case .hangUp: "SIGHUP"
        }
    }

    var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        }
    }
}

/// Waits for the signals that stop a service.
///
/// Create it in the first thread before other threads start. Those threads inherit the blocked
/// SIGINT, SIGTERM and SIGHUP, so the signals are delivered to the caller of `wait`, even if they
/// arrive before the call. SIGHUP stays ignored if it was, as under `nohup`. SIGPIPE is ignored, so
/// that writing to a disconnected client fails instead of ending the process.
///
/// Child processes inherit all of this; Hearth starts none.
package struct ShutdownSignals: Sendable {
    private let signals: [ShutdownSignal]

    /// Blocks the signals in this thread and in threads that it starts later.
    package init() {
        signal(SIGPIPE, SIG_IGN)
        let isIgnored = unsafeBitCast(signal(SIGHUP, SIG_IGN), to: Int.self) == 1
        if isIgnored {
            // A blocked signal is not ignored: `wait` would return it.
            signals = [.interrupt, .terminate]
        } else {
            signal(SIGHUP, SIG_DFL)
            signals = [.interrupt, .terminate, .hangUp]
        }
        var set = mask
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for the first signal and returns it; nil if none arrived within the timeout.
    ///
    /// After that, a second SIGINT or SIGTERM ends the process at once with 128 + its number, the
    /// exit code that shells show. A closed terminal sends SIGHUP more than once, so further ones
    /// are ignored.
    package func wait(timeoutSeconds: Double? = nil) -> ShutdownSignal? {
        guard let signal = next(timeoutSeconds) else { return nil }
        Glibc.signal(SIGHUP, SIG_IGN)
        for signal in signals where signal != .hangUp {
            // A handler instead of the default action, which the kernel withholds from process 1 of
            // a container. _exit is safe in a handler.
            Glibc.signal(signal.number) { number in _exit(128 + number) }
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
            // Another signal interrupted the wait (from a debugger, say): wait on.
            guard errno == EINTR else { return nil }
        }
    }

    private var mask: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal.number) }
        return set
    }
}
