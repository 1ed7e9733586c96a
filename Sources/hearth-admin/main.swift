import Identity
import Service

Program(
    Command(
        "hearth-admin", "Looks after a running Hearth.",
        subcommands: [
            Command("user", "People who sign in.", subcommands: [UserToken.command]),
            Command(
                "issuers", "Who may vouch for people.", subcommands: [IssuersApply.command]),
        ]),
    version: HearthVersion.current,
    exitCodes: [
        .init(ExitCode.success, "done"),
        .init(ExitCode.failure, "failed"),
        .init(ExitCode.usage, "the command line can't be understood"),
        .init(ExitCode.configuration, "a setting is missing or wrong"),
    ],
    settings: [HearthSettings.issuersFile, HearthSettings.adminDatabaseURL],
    knownSettings: HearthSettings.all,
    check: { _ = try IssuersFile(path: $0[HearthSettings.issuersFile]) }
).main()
