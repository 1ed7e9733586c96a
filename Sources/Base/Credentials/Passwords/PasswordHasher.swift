import Glibc
import Basics

/// Hashes and compares passwords, with a limited number at once.
///
/// Each hash or comparison takes tens of milliseconds of a processor and 19 MiB. Separate threads
/// do this work, with a lower priority than those that answer requests, so that a flood of sign-ins
/// slows down itself and little else. A caller waits for its turn. If too many callers are waiting
/// already, it is refused at once.
package final class PasswordHasher: Sendable {
    /// Too many callers are waiting, or the wait was too long.
    package struct Busy: Error, Sendable, CustomStringConvertible {
        package var description: String { "Too many passwords are being checked" }
    }

    /// The number of threads and waiting callers, and the duration of the wait.
    package struct Settings: Sendable {
        /// Number of threads that hash, 1 or 2. With several processors that the process may use,
        /// one stays free for the rest.
        package var threads = max(1, min(2, Processors.usable - 1))
        /// Number of further callers that may wait. Each of them blocks a thread of the server.
        package var waiting = 2
        /// Seconds that a caller waits for its turn and its result before it gets ``Busy``.
        package var timeoutSeconds = 5.0
        /// Niceness of the threads relative to others (see nice(2)).
        package var niceness: Int32 = 10

        package init() {}
    }

    /// The right to have a password hashed or compared, released when the last reference is gone.
    ///
    /// A sign-in acquires it before anything else, so that a refused sign-in costs nothing.
    package final class Permit: Sendable {
        private let release: @Sendable () -> Void
        fileprivate init(_ release: @escaping @Sendable () -> Void) { self.release = release }
        deinit { release() }
    }

    private struct State: Sendable {
        var queue: [Work] = []
        /// Number of permits in use.
        var permitsInUse = 0
        var isOpen = true
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void
        let isDone = Monitor(false)
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let settings: Settings
    private let state = Monitor(State())

    /// Starts the threads.
    package init(_ settings: Settings = Settings()) {
        self.settings = settings
        for _ in 0..<settings.threads {
            let (state, niceness) = (state, settings.niceness)
            let isStarted = SystemThread.startDetached {
                // On Linux this affects only this thread. A priority that can't be set does no
                // harm.
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
                while let work = Self.next(state) {
                    work.run()
                    work.isDone.change { $0 = true }
                }
            }
            if !isStarted { break }
        }
    }

    deinit { state.change { $0.isOpen = false } }

    /// Acquires a permit; throws ``Busy`` if too many are in use.
    package func acquirePermit() throws(Busy) -> Permit {
        let isGranted = state.change { state in
            guard state.permitsInUse < settings.threads + settings.waiting else { return false }
            state.permitsInUse += 1
            return true
        }
        guard isGranted else { throw Busy() }
        return Permit { [state] in state.change { $0.permitsInUse -= 1 } }
    }

    /// Hashes a password with a permit of its own.
    package func hash(_ password: [UInt8]) throws -> String {
        try run(with: acquirePermit()) { () throws(PasswordHash.Failure) in
            try PasswordHash.make(of: password)
        }.get()
    }

    /// Whether a hash belongs to this password; takes as long without a hash as with one.
    package func isValid(_ hash: String?, for password: [UInt8], with permit: Permit) throws -> Bool
    {
        let comparison = try run(with: permit) { () throws(PasswordHash.Failure) in
            guard let compared = hash ?? PasswordHash.dummyHash else {
                throw PasswordHash.Failure()
            }
            return PasswordHash.isValid(compared, for: password) && hash != nil
        }
        return try comparison.get()
    }

    private static func next(_ state: Monitor<State>) -> Work? {
        let work: Work?? = state.wait { state in
            if !state.isOpen { return (.some(nil), .never) }
            return state.queue.isEmpty ? (nil, .never) : (state.queue.removeFirst(), .never)
        }
        return work ?? nil
    }

    /// Runs `body` on one of the threads, and waits for it.
    private func run<Value: Sendable>(
        with permit: Permit, _ body: @escaping @Sendable () throws(PasswordHash.Failure) -> Value
    ) throws(Busy) -> Result<Value, PasswordHash.Failure> {
        let result = Lock<Result<Value, PasswordHash.Failure>?>(nil)
        let work = Work { result.withLock { $0 = Result(catching: body) } }
        state.change { $0.queue.append(work) }
        let deadline = Deadline.after(seconds: settings.timeoutSeconds)
        _ = work.isDone.wait { isDone -> (Bool?, Deadline) in (isDone ? true : nil, deadline) }
        // The caller no longer waits, so work that has not begun is dropped.
        state.change { state in state.queue.removeAll { $0 === work } }
        guard let outcome = withExtendedLifetime(permit, { result.withLock { $0 } }) else {
            throw Busy()
        }
        return outcome
    }
}
