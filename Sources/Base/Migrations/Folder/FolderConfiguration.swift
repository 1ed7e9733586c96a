import JSON

/// Contents of `hearth-migrate.json` in a folder of migrations: the roles and schemas that its
/// files rely on. A folder without that file is a plain folder of SQL.
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

    /// Role that owns what the migrations create; they run as this role. Nil for the connecting
    /// role.
    package var ownerRole: String?
    /// Schemas in which all tables must have row-level security enabled and forced.
    package var tenantSchemas: [String] = []
    /// Schemas in which PUBLIC must have no privilege. This always includes the tenant schemas.
    package var privateSchemas: [String] = []
    /// Tables of tenant schemas (`schema.table`) that need no row-level security, each with the
    /// reason.
    package var tenantTableExceptions: [String: String] = [:]
    /// The roles that `bootstrap` creates and repairs.
    package var roles: [Role] = []
    /// The schema of the ledger.
    package var ledgerSchema = "migrations"
    /// Path of the folder of repeatable files, relative to the folder of migrations. Nil for the
    /// subfolder `repeatable`, if it exists.
    package var repeatable: String?

    /// The defaults for a plain folder of SQL.
    package init() {}

    /// Desired state of a role.
    package struct Role: Sendable, Equatable {
        /// The role's name.
        package let name: String
        /// Whether the role can log in.
        package var login = false
        /// Whether the role inherits the privileges of the roles in `memberOf`.
        package var inherit = true
        /// The roles of which this role is a member.
        package var memberOf: [String] = []
        /// Name of the setting with the role's password.
        package var passwordSetting: String?

        /// Creates a role without any privileges.
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
    /// Parses a document. Unknown members are errors, because a misspelt one would silently protect
    /// nothing.
    init(_ document: JSONField) throws(ConfigurationProblem) {
        do {
            try document.refuseMembers(
                except: [
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
        if let duplicate = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw ConfigurationProblem(
                description: "the role `\(duplicate)` is listed twice in `roles`")
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
            except: ["name", "login", "inherit", "memberOf", "passwordSetting"])
        name = try field["name"].name()
        login = try field["login"].ifPresent?.bool() ?? false
        inherit = try field["inherit"].ifPresent?.bool() ?? true
        memberOf = try field["memberOf"].names()
        passwordSetting = try field["passwordSetting"].ifPresent?.name()
    }
}

/// An error in a configuration, described in one sentence.
struct ConfigurationProblem: Error, CustomStringConvertible {
    let description: String
}

extension JSONField {
    /// Reads a string of 1 to 63 bytes, which can name an object in PostgreSQL.
    fileprivate func name() throws -> String {
        let name = try string()
        guard (1...63).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw ConfigurationProblem(description: "`\(path)` must be a name of 1 to 63 bytes")
        }
        return name
    }

    /// Reads a path that is not empty.
    fileprivate func path() throws -> String {
        let path = try string()
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ConfigurationProblem(description: "`\(self.path)` must be a path")
        }
        return path
    }

    /// Reads a list of names; empty if the member is missing.
    fileprivate func names() throws -> [String] {
        try ifPresent?.elements().map { try $0.name() } ?? []
    }

    fileprivate func refuseMembers(except allowed: [String]) throws {
        for member in try object().members where !allowed.contains(member.name) {
            let location = path.isEmpty ? "" : " in `\(path)`"
            throw ConfigurationProblem(
                description: "`\(member.name)`\(location) is unknown; known are "
                    + allowed.map { "`\($0)`" }.joined(separator: ", "))
        }
    }
}
