import Identity
import Mail
import Postgres
import CommandLine
import Configuration
import FamilySettings
import UseCases

Program(
    Command(
        "hearth-admin", "Administers a running Hearth server.",
        discussion: [
            "For operators. Works directly on the database, as the role hearth_admin. The rules "
                + "about household roles don't apply to operators; every constraint of the data "
                + "does. The audit log records changes with your name. Name a family by id, code "
                + "or part of its name, a person by id or e-mail address, a member by id, e-mail "
                + "address or name."
        ],
        parameters: Options.shared,
        subcommands: [
            UserCommands.command, OperatorCommands.command, LimitCommands.command,
            ProcessCommands.command,
            FamilyCommands.command,
            MemberCommands.command,
            ManagedCommands.command, ConsentCommands.command, InviteCommands.command,
            AuditCommand.command, KeysCommand.command, JobCommands.command, MailCommand.command,
            WebhookCommands.command, APIKeyCommands.command,
            PurgeCommand.command,
            DoctorCommand.command, RightsCommand.command, ExportCommand.command,
            EraseCommand.command,
            Command(
                "issuers", "The identity providers.", subcommands: [IssuersApply.command]),
        ]),
    version: HearthVersion.current,
    exitCodes: [
        .init(ExitCode.success, "done"),
        .init(
            ExitCode.failure,
            "failed, refused or not found; for doctor: unrepaired faults"),
        .init(ExitCode.usage, "the command line is wrong"),
        .init(ExitCode.unavailable, "the database can't be reached"),
        .init(
            ExitCode.unconfirmed,
            "a commit is not confirmed by the synchronous standby after 30 s, or the connection "
                + "was lost during a commit"),
        .init(ExitCode.configuration, "a setting is missing or wrong"),
    ],
    settings: [
        HearthSettings.adminDatabaseURL, HearthSettings.operatorName,
        HearthSettings.issuersFile.orNone, HearthSettings.secretKeys.orNone,
        HearthSettings.publicURL.orNone, HearthSettings.signingKeysFile,
        HearthSettings.consolePublicURL, HearthSettings.codeLength.orNone,
        HearthSettings.wrongCodesPerMinute.orNone, HearthSettings.webhookLoopback,
    ] + MailSetup.settings + HearthSettings.retention,
    knownSettings: HearthSettings.all,
    checks: [
        SettingCheck(HearthSettings.adminDatabaseURL, ConnectionSettings.problems),
        SettingCheck(HearthSettings.issuersFile, IssuersFile.problems),
    ] + MailSetup.deliveryChecks,
    explain: { error in
        switch error {
        case let error as PostgresError: DatabaseFailure(error)
        case let refusal as OperatorRefusal: refusal.withAdvice
        case let error as UpkeepError:
            (error.underlying as? PostgresError).map {
                DatabaseFailure($0, during: error.object.rawValue)
            } ?? error
        default: error
        }
    }
).main()
