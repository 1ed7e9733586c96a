import JSON

/// What `hearth-migrate.json` in a folder of migrations says: the roles and schemas that its files
/// count on. A folder without that file is a plain folder of SQL.
///
/// ```json
/// {
///   "ownerRole": "shop_owner",
///   "tenantSchemas": ["app"],
///   "privateSchemas": ["app", "jobs"],
///   "tenantTableExceptions": {"app.countries": "the same for every tenant"},
///   "roles": [
///     {"name": "shop_owner"},
///     {"name": "shop_api", "login": true, "inherit": true, "memberOf": ["shop_reader"],
///      "passwordSetting": "SHOP_API_PASSWORD"}
///   ]
/// }
/// ```
package struct FolderConfiguration: Sendable, Equatable {
    /// The name of the file.
    package static let fileName = "hearth-migrate.json"

    /// The role that owns what the migrations make: they run as it. Nil: as whoever connects.
    package var ownerRole: String?
    /// Schemas all of whose tables must have row-level security enabled and forced.
    package var tenantSchemas: [String] = []
    /// Schemas in which PUBLIC must have no privilege; the tenant schemas are among them always.
    package var privateSchemas: [String] = []
    /// Tables of tenant schemas (`schema.table`) that need no row-level security, and why.
    package var tenantTableExceptions: [String: String] = [:]
    /// The roles that `bootstrap` creates and repairs.
    package var roles: [Role] = []
    /// Where the ledger is kept.
    package var ledgerSchema = "migrations"
    /// The folder of repeatable files, seen from the folder of migrations. Nil: the folder
    /// `repeatable` in it, if there is one.
    package var repeatable: String?

    /// The defaults for a plain folder of SQL.
    package init() {}

    /// A role as it should be.
    package struct Role: Sendable, Equatable {
        /// The role's name.
        package let name: String
        /// Whether it can log in.
        package var login = false
        /// Whether it has the rights of the roles it is a member of without asking.
        package var inherit = true
        /// The roles that it is a member of.
        package var memberOf: [String] = []
        /// The name of the setting that holds its password.
        package var passwordSetting: String?

        /// A role that can do nothing yet.
        package init(_ name: String) {
            self.name = name
        }
    }

    /// Reads the configuration of a folder.
    static func read(folder: String) throws(MigrationError) -> FolderConfiguration {
        let path = folder + "/" + fileName
        guard FileSystem.exists(path) else { return FolderConfiguration() }
        let bytes = try FileSystem.read(path)
        do {
            return try FolderConfiguration(JSONField(JSONValue(parsing: bytes)))
        } catch let error as JSONError {
            throw MigrationError(.usage, "\(path): \(error.description(in: bytes))")
        } catch {
            throw MigrationError(.usage, "\(path): \(error)")
        }
    }
}

extension FolderConfiguration {
    /// Reads a document; members that mean nothing here are errors, since a misspelt one would
    /// silently protect nothing.
    init(_ document: JSONField) throws(ConfigurationProblem) {
        do {
            try document.refuseMembers(
                besides: [
                    "ownerRole", "tenantSchemas", "privateSchemas", "tenantTableExceptions",
                    "roles", "ledgerSchema", "repeatable",
                ])
            ownerRole = try document["ownerRole"].ifPresent?.name()
            tenantSchemas = try document["tenantSchemas"].names()
            privateSchemas = try document["privateSchemas"].names()
            ledgerSchema = try document["ledgerSchema"].ifPresent?.name() ?? "migrations"
            repeatable = try document["repeatable"].ifPresent?.path()
            for member in try document["tenantTableExceptions"].ifPresent?.object().members ?? [] {
                let reason = JSONField(
                    member.value, path: "tenantTableExceptions.\(member.name)")
                tenantTableExceptions[member.name] = try reason.string()
            }
            for field in try document["roles"].ifPresent?.elements() ?? [] {
                roles.append(try Role(field))
            }
        } catch let error as JSONError {
            throw ConfigurationProblem(description: error.description)
        } catch let error as ConfigurationProblem {
            throw error
        } catch {
            throw ConfigurationProblem(description: "\(error)")
        }
        try checkRoles()
    }

    private func checkRoles() throws(ConfigurationProblem) {
        let names = roles.map(\.name)
        if let double = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw ConfigurationProblem(description: "the role `\(double)` stands twice in `roles`")
        }
        for role in roles {
            // PostgreSQL's own roles begin with pg_, and no others can.
            let isKnown = { (name: String) in names.contains(name) || name.hasPrefix("pg_") }
            if let unknown = role.memberOf.first(where: { !isKnown($0) }) {
                throw ConfigurationProblem(
                    description: "`\(role.name)` is a member of `\(unknown)`, "
                        + "which is not among `roles`")
            }
            if role.passwordSetting != nil && !role.login {
                throw ConfigurationProblem(
                    description: "`\(role.name)` has a `passwordSetting` but no `login`")
            }
        }
        if let ownerRole, !roles.isEmpty, !names.contains(ownerRole) {
            throw ConfigurationProblem(
                description: "`ownerRole` (`\(ownerRole)`) is not among `roles`")
        }
    }
}

extension FolderConfiguration.Role {
    fileprivate init(_ field: JSONField) throws {
        try field.refuseMembers(
            besides: ["name", "login", "inherit", "memberOf", "passwordSetting"])
        name = try field["name"].name()
        login = try field["login"].ifPresent?.bool() ?? false
        inherit = try field["inherit"].ifPresent?.bool() ?? true
        memberOf = try field["memberOf"].names()
        passwordSetting = try field["passwordSetting"].ifPresent?.name()
    }
}

/// A mistake in a configuration: one sentence.
struct ConfigurationProblem: Error, CustomStringConvertible {
    let description: String
}

extension JSONField {
    /// A string that can name something in PostgreSQL: of 1 to 63 bytes.
    fileprivate func name() throws -> String {
        let name = try string()
        guard (1...63).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw ConfigurationProblem(description: "`\(path)` must be a name of 1 to 63 bytes")
        }
        return name
    }

    /// A path that is not empty.
    fileprivate func path() throws -> String {
        let path = try string()
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ConfigurationProblem(description: "`\(self.path)` must be a path")
        }
        return path
    }

    /// A list of names; empty if there is no such member.
    fileprivate func names() throws -> [String] {
        try ifPresent?.elements().map { try $0.name() } ?? []
    }

    fileprivate func refuseMembers(besides known: [String]) throws {
        for member in try object().members where !known.contains(member.name) {
            let place = path.isEmpty ? "" : " in `\(path)`"
            throw ConfigurationProblem(
                description: "`\(member.name)`\(place) means nothing; known are "
                    + known.map { "`\($0)`" }.joined(separator: ", "))
        }
    }
}
