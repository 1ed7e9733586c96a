import Identity
import Postgres
import CommandLine
import Configuration
import FamilySettings
import UseCases

Program(
    Command(
        "hearth-admin", "Looks after a running Hearth.",
        discussion: [
            "For operators: it works on the database, as the role hearth_admin, by the rules that "
                + "hold for everybody. What it changes stands in the audit trail, with your name. "
                + "Families are named by id, code or a part of the name, people by id or e-mail "
                + "address, members by any of these."
        ],
        parameters: Options.shared,
        subcommands: [
            UserCommands.command, FamilyCommands.command, MemberCommands.command,
            ManagedCommands.command, InviteCommands.command, AuditCommand.command,
            JobCommands.command, MailCommand.command, PurgeCommand.command,
            DoctorCommand.command, RightsCommand.command, ExportCommand.command,
            EraseCommand.command,
            Command(
                "issuers", "Who may vouch for people.", subcommands: [IssuersApply.command]),
        ]),
    version: HearthVersion.current,
    exitCodes: [
        .init(ExitCode.success, "done"),
        .init(
            ExitCode.failure,
            "failed, refused, or not found; for doctor: something is not as it ought to be"),
        .init(ExitCode.usage, "the command line can't be understood"),
        .init(ExitCode.unavailable, "the database can't be reached"),
        .init(ExitCode.configuration, "a setting is missing or wrong"),
    ],
    settings: [
        HearthSettings.adminDatabaseURL, HearthSettings.operatorName,
        HearthSettings.issuersFile.orNone, HearthSettings.secretKeys.orNone,
        HearthSettings.publicURL.orNone,
    ] + HearthSettings.retention,
    knownSettings: HearthSettings.all,
    checks: [
        SettingCheck(HearthSettings.adminDatabaseURL, ConnectionSettings.problems),
        SettingCheck(HearthSettings.issuersFile, IssuersFile.problems),
    ],
    explain: { error in
        switch error {
        case let error as PostgresError: DatabaseFailure(error)
        case let error as UpkeepError:
            (error.underlying as? PostgresError).map {
                DatabaseFailure($0, during: error.object.rawValue)
            } ?? error
        default: error
        }
    }
).main()
