import Foundation

extension SyncEngine {
    /// Keeps the store up to date until the task is cancelled.
    ///
    /// It never ends by itself: where Hearth can't be reached, or nobody is signed in, it tries
    /// again after a pause. `modes` shows it.
    public func run() async {
        let queue = Task { [store, wake] in
            for await _ in store.changes where (try? store.queuedMutations().isEmpty) == false {
                wake.call()
            }
        }
        let stream = Task { await self.listen() }
        defer {
            queue.cancel()
            stream.cancel()
            set(.stopped)
        }
        var failures = 0
        while !Task.isCancelled {
            do {
                try await sync()
                failures = 0
                if mode == .offline || mode == .stopped || mode == .signedOut { set(learned) }
                await waitForNext()
            } catch is CancellationError {
                return
            } catch {
                failures += 1
                let isSignedOut = (error as? HearthError)?.nextStep == .signIn
                set(isSignedOut ? .signedOut : .offline)
                let asked = (error as? HearthError).flatMap(Self.retryAfterSeconds) ?? 0
                await wake.wait(
                    atMostSeconds: asked
                        + settings.pauseSeconds(
                            afterFailures: failures, chance: .random(in: 0...1)))
            }
        }
    }

    private static func retryAfterSeconds(_ error: HearthError) -> Double? {
        if case .refused(let problem) = error { problem.retryAfterSeconds } else { nil }
    }

    /// Until something has changed here or there.
    private func waitForNext() async {
        switch learned {
        // A nudge that is lost costs little: now and then everything is asked for.
        case .streaming: await wake.wait(atMostSeconds: 5 * settings.pollSeconds)
        case .waiting: await waitAtServer()
        default: await wake.wait(atMostSeconds: settings.pollSeconds)
        }
    }

    /// A request that waits at the server, unless something is queued here first.
    private func waitAtServer() async {
        let start = Date()
        let outcome = await withTaskGroup(of: WaitOutcome.self) { group in
            group.addTask {
                do {
                    let isChanged = try await self.alone {
                        try await self.bring(waitSeconds: self.settings.waitSeconds)
                    }
                    return isChanged ? .changed : .quiet
                } catch {
                    return error is CancellationError ? .woken : .failed
                }
            }
            group.addTask {
                await self.wake.waitForCall()
                return .woken
            }
            let first = await group.next() ?? .woken
            group.cancelAll()
            return first
        }
        // Nothing came, and at once: something on the way does not let requests wait.
        let isImpatient = outcome == .quiet && -start.timeIntervalSinceNow < 1
        if outcome == .failed || isImpatient {
            set(.polling)
            await wake.wait(atMostSeconds: settings.pollSeconds)
        } else if learned == .waiting {
            set(.waiting)
        }
    }

    private enum WaitOutcome { case changed, quiet, woken, failed }
}
