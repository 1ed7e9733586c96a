import CommandLine
import Configuration
import FamilySettings

Program(
    Command(
        "hearth-worker", "Runs Hearth's background jobs: e-mail, webhooks, expiry, purging.",
        discussion: [
            "Runs until SIGTERM or Ctrl-C. Then it starts no more jobs, lets running ones finish, "
                + "returns the others to the queue and exits. A second signal stops it at once. "
                + "Any number of workers may run.",
            "Without a mail server, messages are written to a folder.",
        ],
        action: { values in
            try WorkerProcess(values.settings(WorkerProcess.settings)).run()
        }),
    version: HearthVersion.current,
    exitCodes: [
        .init(ExitCode.success, "stopped by a signal"),
        .init(ExitCode.failure, "could not start, or stopped with unfinished jobs"),
        .init(ExitCode.configuration, "a setting is missing or wrong"),
    ],
    settings: WorkerProcess.settings, knownSettings: HearthSettings.all,
    checks: WorkerProcess.checks,
    check: {
        _ = try WorkerProcess($0)
        return []
    }, isService: true
).main()
