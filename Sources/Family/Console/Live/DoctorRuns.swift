import Basics
package import Doctor
import Domain
package import Postgres
import Repositories
import UseCases

/// The examinations that operators start in this process: one at a time, on a thread and a
/// connection of its own.
package final class DoctorRuns: Sendable {
    /// The examination that runs, or the last one.
    struct Run: Sendable {
        /// Name of the operator who started it.
        let operatorName: String
        let repairs: Bool
        let startedAt: Int64
        /// Name of the part that is examined now; empty before the first one.
        var part = ""
        var findings: [Finding] = []
        /// Seconds since 1970; nil while it runs.
        var endedAt: Int64?
        /// The reason why it could not be completed.
        var failure: String?
    }

    /// Maximum number of findings in memory; further ones are counted.
    static let findingLimit = 500
    /// Seconds until a statement of the examination is cancelled.
    private static let statementSeconds = 300.0

    private struct State: Sendable {
        var run: Run?
        var left = 0
    }

    private let state = Lock(State())
    private let settings: ConnectionSettings
    private let expectations: @Sendable () throws -> DoctorExpectations
    private let now: @Sendable () -> Int64
    private let onChange = Lock<(@Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - settings: The connection as `hearth_admin`.
    ///   - expectations: Reads what the database is compared with.
    package init(
        _ settings: ConnectionSettings, now: @escaping @Sendable () -> Int64,
        expectations: @escaping @Sendable () throws -> DoctorExpectations
    ) {
        var settings = settings
        settings.statementTimeoutSeconds = Self.statementSeconds
        settings.preparesStatements = false
        self.settings = settings
        self.now = now
        self.expectations = expectations
    }

    /// The examination that runs, or the last one, and the number of findings that it lacks.
    var latest: (run: Run, left: Int)? {
        state.withLock { state in state.run.map { ($0, state.left) } }
    }

    var isRunning: Bool { state.withLock { $0.run.map { $0.endedAt == nil } ?? false } }

    /// Sets the function that is called after each step.
    func observe(_ body: @escaping @Sendable () -> Void) { onChange.withLock { $0 = body } }

    /// Starts an examination; returns false if one is running.
    func start(as identity: OperatorIdentity, repairs: Bool) -> Bool {
        let startedAt = now()
        let isFirst = state.withLock { state in
            if let run = state.run, run.endedAt == nil { return false }
            state = State(
                run: Run(operatorName: identity.name, repairs: repairs, startedAt: startedAt))
            return true
        }
        guard isFirst else { return false }
        let isStarted = SystemThread.startDetached { [self] in
            do {
                let session = try OperatorSession(settings, as: identity)
                if repairs { try session.recordRepairs() }
                var doctor = DoctorRun(session) { [self] in take($0) }
                try doctor.examineAll(expectations(), repairs: repairs)
                end(nil)
            } catch {
                end("\(error)")
            }
        }
        if !isStarted { end("The system could not start a thread.") }
        return true
    }

    private func take(_ progress: DoctorRun.Progress) {
        state.withLock { state in
            switch progress {
            case .begins(let part): state.run?.part = part
            case .found(let finding):
                if let count = state.run?.findings.count, count < Self.findingLimit {
                    state.run?.findings.append(finding)
                } else {
                    state.left += 1
                }
            }
        }
        onChange.withLock { $0 }?()
    }

    private func end(_ failure: String?) {
        let endedAt = now()
        state.withLock { state in
            state.run?.endedAt = endedAt
            state.run?.failure = failure
        }
        onChange.withLock { $0 }?()
    }
}
