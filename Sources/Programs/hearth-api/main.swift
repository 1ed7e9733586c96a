import CommandLine
import Configuration
import FamilySettings

Program(
    Command(
        "hearth-api", "Serves Hearth's HTTP API.",
        discussion: [
            "Listens until SIGTERM or Ctrl-C, then answers the requests under way and ends. "
                + "A second signal ends it at once."
        ],
        action: { values in
            try APIServer(values.settings(APIServer.settings)).run()
        }),
    version: HearthVersion.current,
    exitCodes: [
        .init(ExitCode.success, "ended as asked"),
        .init(ExitCode.failure, "could not listen, or requests were cut off at the end"),
        .init(ExitCode.configuration, "a setting is missing or wrong"),
    ],
    settings: APIServer.settings, knownSettings: HearthSettings.all,
    checks: APIServer.checks, check: { try APIServer($0).warnings }, isService: true
).main()
