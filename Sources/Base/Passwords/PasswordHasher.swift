import Glibc
import Threads

/// Hashes and compares passwords, a few at once and no more.
///
/// Each takes tens of milliseconds of a processor and 19 MiB. Threads of their own do it, with a
/// lower priority than those that answer requests, so that a flood of sign-ins slows down itself
/// and little else. Who asks waits; if too many wait already, it is refused at once.
package final class PasswordHasher: Sendable {
    /// Too many wait, or it took too long.
    package struct Busy: Error, Sendable, CustomStringConvertible {
        package var description: String { "Too many passwords are being checked" }
    }

    package struct Settings: Sendable {
        /// Hashed at once: at most two, and one processor is left to the rest.
        package var threads = max(1, min(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1))
        /// That may wait besides. Each of them holds a thread of the server.
        package var waiting = 2
        package var patienceSeconds = 5.0
        /// How much nicer than others the threads are (see nice(2)).
        package var niceness: Int32 = 10

        package init() {}
    }

    private struct State: Sendable {
        var queue: [Work] = []
        var pending = 0
        var isOpen = true
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void
        let isDone = Monitor(false)
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let settings: Settings
    private let state = Monitor(State())

    /// Starts its threads.
    package init(_ settings: Settings = Settings()) {
        self.settings = settings
        for _ in 0..<settings.threads {
            let (state, niceness) = (state, settings.niceness)
            let isStarted = SystemThread.startDetached {
                // Of this thread alone, on Linux. A priority that can't be set does no harm.
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
                while let work = Self.next(state) {
                    work.run()
                    state.change { $0.pending -= 1 }
                    work.isDone.change { $0 = true }
                }
            }
            if !isStarted { break }
        }
    }

    deinit { state.change { $0.isOpen = false } }

    /// Hashes a password.
    package func hash(_ password: [UInt8]) throws -> String {
        try inTurn { () throws(PasswordHash.Failure) in try PasswordHash.make(of: password) }.get()
    }

    /// Whether a hash is of this password; without a hash as slowly as with one.
    package func isValid(_ hash: String?, for password: [UInt8]) throws -> Bool {
        let verdict = try inTurn { () throws(PasswordHash.Failure) in
            guard let compared = hash ?? PasswordHash.ofNobody else {
                throw PasswordHash.Failure()
            }
            return PasswordHash.isValid(compared, for: password) && hash != nil
        }
        return try verdict.get()
    }

    private static func next(_ state: Monitor<State>) -> Work? {
        let work: Work?? = state.wait { state in
            if !state.isOpen { return (.some(nil), .never) }
            return state.queue.isEmpty ? (nil, .never) : (state.queue.removeFirst(), .never)
        }
        return work ?? nil
    }

    /// Runs `body` on one of the threads, and waits for it.
    private func inTurn<Value: Sendable>(
        _ body: @escaping @Sendable () throws(PasswordHash.Failure) -> Value
    ) throws(Busy) -> Result<Value, PasswordHash.Failure> {
        let result = Guarded<Result<Value, PasswordHash.Failure>?>(nil)
        let work = Work { result.withLock { $0 = Result(catching: body) } }
        let isTaken = state.change { state in
            guard state.pending < settings.threads + settings.waiting else { return false }
            state.pending += 1
            state.queue.append(work)
            return true
        }
        guard isTaken else { throw Busy() }
        let deadline = Deadline.after(seconds: settings.patienceSeconds)
        _ = work.isDone.wait { isDone -> (Bool?, Deadline) in (isDone ? true : nil, deadline) }
        guard let outcome = result.withLock({ $0 }) else { throw Busy() }
        return outcome
    }
}
