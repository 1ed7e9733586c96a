import Domain
import Policy
import Repositories
import UseCases

extension ConsoleOperation {
    /// Operations on one job.
    static let ofJobs: [ConsoleOperation] = [
        ConsoleOperation(
            name: "retry", label: "Run now", action: .retryJob,
            explanation: "Runs a dead or waiting job at once.", done: "The job is due now.",
            isDirect: true,
            isOffered: {
                if case .job(let job) = $0 { job.state != "running" } else { false }
            },
            run: { work in
                if case .job(let job) = work.subject { _ = try work.session.retryJob(job.id) }
                return nil
            }),
        ConsoleOperation(
            name: "cancel", label: "Cancel", action: .cancelJob,
            explanation: "The job is not run any more; the result of a running one is ignored. "
                + "Its effect, such as an e-mail, does not take place.",
            done: "The job is cancelled.", isDangerous: true,
            run: { work in
                if case .job(let job) = work.subject { try work.session.cancelJob(job.id) }
                return nil
            }),
    ]

    /// Operations on a queue, such as pausing it.
    static let ofQueues: [ConsoleOperation] = [
        ConsoleOperation(
            name: "pause", label: "Pause", action: .pauseQueue,
            explanation: "Running jobs finish, and no worker takes another job of this queue "
                + "until an operator resumes it. A pause after a failure ends by itself; this one "
                + "takes its place and doesn't. The audit log records the reason.",
            done: "The queue is paused.", doneNamed: { "The queue \($0) is paused." },
            isDangerous: true,
            isOffered: {
                if case .queue(let queue) = $0 { !queue.isPausedByOperator } else { false }
            },
            fields: { _ in
                [Field(name: "reason", label: "Reason", kind: .text(longest: 200))]
            },
            run: { work in
                if case .queue(let queue) = work.subject {
                    _ = try work.session.pauseQueue(
                        queue.name, reason: try work.text("reason", "Reason"))
                }
                return nil
            }),
        ConsoleOperation(
            name: "resume", label: "Resume", action: .resumeQueue,
            explanation: "Workers take jobs of this queue at once.", done: "The queue is resumed.",
            doneNamed: { "The queue \($0) is resumed." }, isDirect: true,
            isOffered: {
                if case .queue(let queue) = $0 { queue.pausedSince != nil } else { false }
            },
            run: { work in
                if case .queue(let queue) = work.subject {
                    _ = try work.session.resumeQueue(queue.name)
                }
                return nil
            }),
    ]

    /// Operations that can be applied to a schedule, such as running it now.
    static let ofSchedules: [ConsoleOperation] = [
        ConsoleOperation(
            name: "run", label: "Run now", action: .runSchedule,
            explanation: "Enqueues the job of this schedule at once.",
            done: "The schedule is due now.", isDirect: true,
            run: { work in
                if case .schedule(let schedule) = work.subject {
                    try work.session.runSchedule(schedule.name)
                }
                return nil
            })
    ]

    /// Operations on all discarded jobs of a kind that share an error.
    static let ofDeadJobs: [ConsoleOperation] = [
        ConsoleOperation(
            name: "retry-all", label: "Retry all of these", action: .retryJobs,
            explanation: "Runs all dead jobs of this kind with this error. A job stays dead if "
                + "another one for the same purpose waits already.",
            done: "The jobs are due now.",
            run: { work in
                guard case .deadJobs(let queue, let kind, let error) = work.subject else {
                    return nil
                }
                return try work.session.retryJobs(
                    withError: error, isGroup: true, queue: queue, kind: kind
                ).retried
            })
    ]
}
