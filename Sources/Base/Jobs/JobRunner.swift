import Basics

/// A thread that runs the jobs of a queue, one at a time.
struct JobRunner {
    let state: Monitor<WorkerState>
    let lease: Lease
    let queue: Int
    let observe: WorkerObserver

    private enum Next: Sendable {
        case job(HeldJob)
        case end
    }

    /// Runs jobs until the worker stops.
    func run() {
        while case .job(let held)? = next() {
            let began = MonotonicClock.nanoseconds()
            let context = JobContext(lease: lease, epoch: held.epoch)
            let outcome = context.isHeld ? held.kind.run(held.job, context) : .release
            let ended = EndedJob(
                held, .ended(outcome), nanoseconds: MonotonicClock.nanoseconds() - began)
            // Only the database knows whether that was the last attempt.
            if case .retry = outcome {} else { observe(ended.event(outcome)) }
            state.update { $0.end(held, ended, queue: queue) }
        }
    }

    private func next() -> Next? {
        state.wait { state in
            // Checked first, so that jobs that have not begun are handed back.
            if state.isStopping { return (.end, .never) }
            return (state.queues[queue].begin().map { .job($0) }, .never)
        }
    }
}
