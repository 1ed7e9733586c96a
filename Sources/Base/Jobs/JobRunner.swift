import Basics

/// A thread that runs the jobs of a queue, one at a time.
struct JobRunner {
    let state: Monitor<WorkerState>
    let lease: Lease
    let queue: Int
    let tracer: Tracer?
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
            let recording = tracer?.begin()
            let outcome = TraceScope.within(recording) {
                context.isHeld ? held.kind.run(held.job, context) : .release
            }
            let end = MonotonicClock.nanoseconds()
            if let recording { trace(held.job, outcome, from: began, to: end, in: recording) }
            let ended = EndedJob(held, .ended(outcome), nanoseconds: end - began)
            // Only the database knows whether that was the last attempt.
            if case .retry = outcome {} else { observe(ended.event(outcome)) }
            state.update { $0.end(held, ended, queue: queue) }
        }
    }

    private func trace(
        _ job: Job, _ outcome: JobOutcome, from start: Int, to end: Int,
        in recording: TraceRecording
    ) {
        let (name, isFailure) = outcome.traced
        recording.end(
            "job " + job.kind, .consumer, start: start, end: end,
            [
                .init("hearth.job.kind", .name(job.kind)),
                .init("hearth.job.attempt", .integer(Int(job.attempt) + 1)),
                .init("hearth.job.outcome", .literal(name)),
            ], failure: isFailure ? "\(name)" : nil)
    }

    private func next() -> Next? {
        state.wait { state in
            // Checked first, so that jobs that have not begun are handed back.
            if state.isStopping { return (.end, .never) }
            return (state.queues[queue].begin().map { .job($0) }, .never)
        }
    }
}

extension JobOutcome {
    /// The outcome's name in traces, without the reason, and whether the job has failed.
    fileprivate var traced: (name: StaticString, isFailure: Bool) {
        switch self {
        case .done, .doneWithMore: ("done", false)
        case .cancelled: ("cancelled", false)
        case .retry: ("retry", true)
        case .postpone: ("postponed", true)
        case .snooze: ("snoozed", false)
        case .dead: ("dead", true)
        case .pauseQueue: ("queue_paused", true)
        case .pauseProcess: ("process_paused", true)
        case .release: ("released", false)
        }
    }
}
