/// The changes needed so that a server's roles match a configuration.
///
/// Only differences are changed. Among the configured roles the memberships are exactly the
/// configured ones, because a surplus one may bypass row-level security. Memberships in other roles
/// are up to the operator and are only reported.
enum RoleRepair {
    /// Returns the statements, in an order in which they can run.
    static func changes(
        from found: ExistingRoles, to configured: [FolderConfiguration.Role],
        serverMajorVersion: Int
    ) -> [Change] {
        let created = configured.compactMap { role in
            found.roles[role.name].map { repair(role, $0) } ?? creation(role)
        }
        return created.flatMap { $0 }
            + configured.flatMap { missingMemberships($0, found, serverMajorVersion) }
            + surplusMemberships(found, configured, serverMajorVersion)
    }

    private static func creation(_ role: FolderConfiguration.Role) -> [Change] {
        let login = role.login ? "LOGIN" : "NOLOGIN"
        let inherit = role.inherit ? "INHERIT" : "NOINHERIT"
        return [
            Change(
                "\(role.name): created (\(login), \(inherit))",
                "CREATE ROLE \(role.name.quotedIdentifier) \(login) \(inherit)")
        ]
    }

    private static func repair(
        _ role: FolderConfiguration.Role, _ current: ExistingRoles.Attributes
    ) -> [Change] {
        let attributes: [(isWrong: Bool, word: String)] = [
            (current.canLogin != role.login, role.login ? "LOGIN" : "NOLOGIN"),
            (current.inherits != role.inherit, role.inherit ? "INHERIT" : "NOINHERIT"),
            (current.isSuperuser, "NOSUPERUSER"), (current.canCreateRoles, "NOCREATEROLE"),
            (current.canCreateDatabases, "NOCREATEDB"), (current.canReplicate, "NOREPLICATION"),
            (current.bypassesRowSecurity, "NOBYPASSRLS"),
        ]
        let words = attributes.filter(\.isWrong).map(\.word)
        if words.isEmpty { return [] }
        return [
            Change(
                "\(role.name): \(words.joined(separator: ", "))",
                "ALTER ROLE \(role.name.quotedIdentifier) \(words.joined(separator: " "))")
        ]
    }

    private static func missingMemberships(
        _ member: FolderConfiguration.Role, _ found: ExistingRoles, _ serverMajorVersion: Int
    ) -> [Change] {
        member.memberOf.compactMap { role in
            let granted = found.memberships.filter { $0.role == role && $0.member == member.name }
            let isEnough = granted.contains { $0.inherits == nil || $0.inherits == member.inherit }
            if isEnough { return nil }
            let options =
                serverMajorVersion >= 16
                ? " WITH INHERIT \(member.inherit ? "TRUE" : "FALSE"), SET TRUE" : ""
            return Change(
                "\(member.name): member of \(role)",
                "GRANT \(role.quotedIdentifier) TO \(member.name.quotedIdentifier)\(options)")
        }
    }

    private static func surplusMemberships(
        _ found: ExistingRoles, _ configured: [FolderConfiguration.Role], _ serverMajorVersion: Int
    ) -> [Change] {
        let memberOf = Dictionary(uniqueKeysWithValues: configured.map { ($0.name, $0.memberOf) })
        return found.memberships.filter { membership in
            guard let allowed = memberOf[membership.member], memberOf[membership.role] != nil else {
                return false
            }
            return !allowed.contains(membership.role)
        }.sorted { ($0.member, $0.role, $0.grantor) < ($1.member, $1.role, $1.grantor) }
            .map { membership in
                let grantor =
                    serverMajorVersion >= 16 && !membership.grantor.isEmpty
                    ? " GRANTED BY \(membership.grantor.quotedIdentifier)" : ""
                return Change(
                    "\(membership.member): no longer member of \(membership.role)",
                    "REVOKE \(membership.role.quotedIdentifier) "
                        + "FROM \(membership.member.quotedIdentifier)\(grantor)")
            }
    }

    /// Returns memberships of configured roles in other roles, as text. From version 16 on, the
    /// membership of a creating role in the roles that it creates is left out.
    static func otherMemberships(
        _ found: ExistingRoles, _ configured: [FolderConfiguration.Role]
    ) -> [String] {
        let names = Set(configured.map(\.name))
        return found.memberships.filter { membership in
            guard let member = configured.first(where: { $0.name == membership.member }) else {
                return false
            }
            return !names.contains(membership.role) && !member.memberOf.contains(membership.role)
        }
        .map { "\($0.member) is a member of \($0.role), which is not configured" }.sorted()
    }
}
