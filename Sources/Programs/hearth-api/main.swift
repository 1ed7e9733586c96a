import CommandLine
import Configuration
import FamilySettings

Program(
    Command(
        "hearth-api", "Serves Hearth's HTTP API.",
        discussion: [
            "Runs until SIGTERM or Ctrl-C, then answers the requests in progress and ends. A "
                + "second signal ends it at once."
        ],
        action: { values in
            try APIServer(values.settings(APIServer.settings)).run()
        }),
    version: HearthVersion.current,
    exitCodes: [
        .init(ExitCode.success, "ended by a signal"),
        .init(ExitCode.failure, "could not listen, or ended with unfinished requests"),
        .init(ExitCode.configuration, "a setting is missing or wrong"),
    ],
    settings: APIServer.settings, knownSettings: HearthSettings.all,
    checks: APIServer.checks, check: { try APIServer($0).warnings }, isService: true
).main()
