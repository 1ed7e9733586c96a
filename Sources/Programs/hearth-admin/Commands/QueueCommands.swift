import CommandLine
import Configuration
import UseCases

/// `hearth-admin job pause`, `resume` and `run`: queues and schedules.
enum QueueCommands {
    private static let queue = Parameter<String>.argument(
        "QUEUE", .text, "The queue, such as mail: a name that 'job queues' lists.")
    private static let schedule = Parameter<String>.argument(
        "SCHEDULE", .text, "The schedule: a name that 'job schedules' lists.")
    private static let reason = Parameter<String>.requiredOption(
        "reason", "TEXT", .text,
        "The reason, shown to operators: up to 200 characters on one line.")

    static let pause = Command(
        "pause",
        "Pauses a queue until it is resumed: running jobs finish, and no other starts.",
        discussion: [
            "A pause after a failure ends by itself when a job succeeds; this one takes its place "
                + "and doesn't. The audit log records the reason."
        ],
        parameters: [queue, reason, Options.yes]
    ) { values in
        let name = values[queue]
        let session = try values.session()
        try values.confirm("Pause the queue '\(name)'?")
        let isNew = try session.pauseQueue(name, reason: values[reason])
        values.output.done(isNew ? "paused" : "already paused") {
            $0.member("queue", name)
            $0.member("paused", true)
        }
        return ExitCode.success
    }

    static let resume = Command(
        "resume", "Resumes a paused queue at once.", parameters: [queue]
    ) { values in
        let name = values[queue]
        let isNew = try values.session().resumeQueue(name)
        values.output.done(isNew ? "resumed" : "not paused") {
            $0.member("queue", name)
            $0.member("paused", false)
        }
        return ExitCode.success
    }

    static let run = Command(
        "run", "Makes a schedule due now: a worker enqueues its job within seconds.",
        parameters: [schedule]
    ) { values in
        let name = values[schedule]
        try values.session().runSchedule(name)
        values.output.done("due now") { $0.member("schedule", name) }
        return ExitCode.success
    }
}
