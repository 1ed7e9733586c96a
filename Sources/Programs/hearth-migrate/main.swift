import Migrations
import Postgres
import CommandLine
import Configuration
import FamilySettings

let program = Program(
    Command(
        "hearth-migrate", "Applies a folder of SQL files to a PostgreSQL database.",
        discussion: [
            "The files are named NNNN_name.sql and run in order, each in one transaction together "
                + "with its entry in the ledger. A file that begins with `-- hearth: "
                + "no-transaction` runs statement by statement instead; if it is interrupted, the "
                + "next run continues where it stopped.",
            "Functions, views and triggers may be put into repeatable files, which are edited in "
                + "place. After the numbered files, `up` applies new and edited ones, all in one "
                + "transaction.",
            "There are no down migrations, because a file can't restore data that changed after "
                + "the migration. To revert a change, write a new migration.",
        ],
        parameters: Options.shared,
        subcommands: [
            bootstrapCommand, upCommand, planCommand, statusCommand, verifyCommand, schemaCommand,
            newCommand, recordCommand,
            repairCommand, checksumsCommand,
            baselineCommand,
        ]),
    version: version,
    usageExitCode: MigrationError.Code.usage.exitCode,
    exitCodes: MigrationError.exitCodes.map { .init($0.code, $0.meaning) },
    settings: [HearthSettings.migrateDatabaseURL] + HearthSettings.rolePasswords,
    knownSettings: HearthSettings.all,
    checks: [SettingCheck(HearthSettings.migrateDatabaseURL, ConnectionSettings.problems)])

program.main()
