import Migrations
import CommandLine
import Configuration

let bootstrapCommand = Command(
    "bootstrap",
    "Create or repair the database and the roles that hearth-migrate.json lists, as a superuser.",
    discussion: [
        "Reads hearth-migrate.json in the folder. Creates the database if it does not exist, the "
            + "roles with their memberships, and the ledger's schema, and revokes the default "
            + "privileges of PUBLIC. It may be run again at any time; it changes only what "
            + "differs.",
        "Passwords come from the settings that the configuration names (NAME or NAME_FILE). The "
            + "server gets verifiers, never passwords.",
    ]
) { values in
    let console = Console()
    let folder = try values.folder()
    let outcome = try Bootstrap.run(
        values.database(), folder, passwords: values.passwords(of: folder.configuration.roles))
    for change in outcome.changes { console.result(change) }
    for remark in outcome.remarks { console.remark(remark) }
    if outcome.changes.isEmpty { console.result("nothing to do") }
    return 0
}

extension Values {
    /// Passwords from the settings, by role.
    fileprivate func passwords(
        of roles: [FolderConfiguration.Role]
    ) throws -> [String: String] {
        let wanted = roles.compactMap { role in
            role.passwordSetting.map { name in
                (
                    role.name,
                    Setting<Secret?>.optional(
                        name, .secret(), isSecret: true, "The password of the role \(role.name).")
                )
            }
        }
        let given = try self.given(wanted.map(\.1))
        return Dictionary(
            uniqueKeysWithValues: wanted.compactMap { role, setting in
                given[setting].map { (role, $0.reveal()) }
            })
    }

    private func given(_ wanted: [any DeclaredSetting]) throws -> Settings {
        do {
            return try settings(wanted)
        } catch {
            throw UsageError("a password can't be read", details: error.problems)
        }
    }
}
