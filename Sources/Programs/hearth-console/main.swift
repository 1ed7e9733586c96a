import CommandLine
import Configuration
import FamilySettings

Program(
    Command(
        "hearth-console", "Serves the operators' console: web pages for supporting families.",
        discussion: [
            "Listens on an address of its own, never the API's. 'hearth-admin operator add' makes "
                + "an account an operator and prints a link for the first sign-in.",
            "Runs until SIGTERM or Ctrl-C, then completes the requests in progress and exits. A "
                + "second signal stops it at once.",
        ],
        action: { values in
            try ConsoleProcess(values.settings(ConsoleProcess.settings)).run()
        }),
    version: HearthVersion.current,
    exitCodes: [
        .init(ExitCode.success, "stopped by a signal"),
        .init(ExitCode.failure, "could not listen, or stopped with unfinished requests"),
        .init(ExitCode.configuration, "a setting is missing or wrong"),
    ],
    settings: ConsoleProcess.settings, knownSettings: HearthSettings.all,
    checks: ConsoleProcess.checks,
    check: {
        _ = try ConsoleProcess($0)
        return []
    }, isService: true
).main()
