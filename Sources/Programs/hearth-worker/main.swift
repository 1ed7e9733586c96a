import CommandLine
import Configuration
import FamilySettings

Program(
    Command(
        "hearth-worker", "Does Hearth's work in the background: e-mail, expiry, purging.",
        discussion: [
            "Works until SIGTERM or Ctrl-C, then begins nothing more, lets what runs end, hands "
                + "the rest back and ends. A second signal ends it at once. Any number may run.",
            "Without a mail server, messages are written to a folder.",
        ],
        action: { values in
            try WorkerProcess(values.settings(WorkerProcess.settings)).run()
        }),
    version: HearthVersion.current,
    exitCodes: [
        .init(ExitCode.success, "ended as asked"),
        .init(ExitCode.failure, "could not start, or jobs were cut off at the end"),
        .init(ExitCode.configuration, "a setting is missing or wrong"),
    ],
    settings: WorkerProcess.settings, knownSettings: HearthSettings.all,
    checks: WorkerProcess.checks,
    check: {
        _ = try WorkerProcess($0)
        return []
    }, isService: true
).main()
