import UseCases

/// The remedy for a missing or surplus right: the statement, and the role that may run it.
struct RightsRemedies {
    /// Owners by the names of their objects in grants.
    private let owners: [String: Substring]
    /// Name of the database, quoted for statements.
    private let database: String

    /// - Parameters:
    ///   - found: The database's roles and rights, as lines in the form of the list of rights.
    ///   - database: The name of the database, quoted.
    init(found: [String], database: String) {
        self.database = database
        owners = Dictionary(
            found.compactMap(Self.owned).map { ($0.object, $0.owner) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the remedy for something that the migrations create and the database lacks.
    func remedy(missing line: String) -> String {
        if line.hasPrefix("role ") || line.hasPrefix("member ") { return Self.bootstrap }
        if line.hasPrefix("grant ") { return "as \(role(for: line)): \(granting(line))" }
        if line.hasPrefix("view ") || line.hasPrefix("function ") {
            return "hearth-migrate up --reapply"
        }
        return "restore it from a backup, because its content is lost"
    }

    /// Returns the remedy for something that the database has and no migration creates.
    ///
    /// - Parameter columns: The grant on columns that revoking this right also revokes, and that
    ///   has to be granted again; nil if there is none.
    func remedy(surplus line: String, restoring columns: String?) -> String {
        let remedy: String? =
            switch line.prefix(while: { $0 != " " }) {
            case "role":
                "as superuser: DROP ROLE "
                    + line.dropFirst("role ".count).prefix { $0 != " " }
            case "member": Self.leaving(line)
            case "setting": unsetting(line)
            case "default": Self.revokingDefault(line)
            case "grant": revoking(line, restoring: columns)
            case "extension": Self.moving(line)
            case "event": Self.droppingEventTrigger(line)
            default: Self.givingBack(line)
            }
        return remedy ?? "check whether anything needs it; Hearth does not use it"
    }

    /// Returns the remedy for an object with another owner, row-level security or attributes.
    func remedy(_ change: RightsComparison.Change) -> String {
        let (wanted, found) = (OwnedLine(change.expected), OwnedLine(change.found))
        guard let wanted, let found else { return Self.bootstrap }
        var statements: [String] = []
        if wanted.owner != found.owner { statements.append("OWNER TO \(wanted.owner)") }
        if wanted.isSecured != found.isSecured {
            statements.append((wanted.isSecured ? "ENABLE" : "DISABLE") + " ROW LEVEL SECURITY")
        }
        if wanted.isForced != found.isForced {
            statements.append((wanted.isForced ? "" : "NO ") + "FORCE ROW LEVEL SECURITY")
        }
        // Only the wrong owner or a superuser can give the object back, so a superuser does it.
        let role = wanted.owner == found.owner ? role(for: change.found) : "superuser"
        return "as \(role): ALTER \(wanted.kind) \(wanted.name) "
            + statements.joined(separator: ", ")
    }

    private static let bootstrap = "hearth-migrate bootstrap, as superuser"

    // MARK: Statements

    /// Revokes `member ROLE of ROLE`; names are quoted as PostgreSQL quotes them.
    private static func leaving(_ line: String) -> String? {
        let names = line.dropFirst("member ".count).split(unquoted: " of ")
        return names.count == 2 ? "as superuser: REVOKE \(names[1]) FROM \(names[0])" : nil
    }

    /// Resets `setting NAME of ROLE[ in database] to VALUE`.
    private func unsetting(_ line: String) -> String? {
        let parts = line.dropFirst("setting ".count).split(unquoted: " to ")[0]
            .split(unquoted: " of ")
        guard parts.count == 2 else { return nil }
        let target = parts[1].replacing(" in database", with: " IN DATABASE \(database)")
        return "as superuser: ALTER ROLE \(target) RESET \(parts[0])"
    }

    /// Revokes `default grant PRIVILEGE, ... on KIND to ROLE by ROLE`, with ` in schema NAME` and `
    /// with grant option` where they apply.
    private static func revokingDefault(_ line: String) -> String? {
        let line = line.replacing(" with grant option", with: "")
        let parts = line.dropFirst("default grant ".count).split(unquoted: " by ")
        guard parts.count == 2 else { return nil }
        let grant = parts[0].split(unquoted: " to ")
        guard grant.count == 2 else { return nil }
        let target = parts[1].replacing(" in schema ", with: " IN SCHEMA ")
        let what = grant[0].replacing(" on ", with: " ON ")
        return "as superuser: ALTER DEFAULT PRIVILEGES FOR ROLE \(target) REVOKE \(what) FROM "
            + grant[1]
    }

    /// Moves `extension NAME in schema NAME[, where it stays]`.
    private static func moving(_ line: String) -> String? {
        let parts = line.dropFirst("extension ".count).split(unquoted: " in schema ")
        guard parts.count == 2 else { return nil }
        if parts[1].hasSuffix(", where it stays") {
            return "check whether anything needs it: DROP EXTENSION \(parts[0]), and if so, create "
                + "it again in another schema; remove objects that are not its own with ALTER "
                + "EXTENSION \(parts[0]) DROP"
        }
        return "as superuser: ALTER EXTENSION \(parts[0]) SET SCHEMA public"
    }

    /// Drops `event trigger NAME on EVENT by ROLE runs FUNCTION`, which only a superuser can have
    /// created.
    private static func droppingEventTrigger(_ line: String) -> String? {
        line.dropFirst("event trigger ".count).split(unquoted: " on ").first.map {
            "as superuser: DROP EVENT TRIGGER \($0)"
        }
    }

    /// Makes `hearth_owner` the owner of the ledger's schema or of one of its tables again. Returns
    /// nil for any other object.
    private static func givingBack(_ line: String) -> String? {
        guard let found = OwnedLine(line),
            found.kind == "SCHEMA" ? found.name == ledger : found.name.hasPrefix(ledger + ".")
        else { return nil }
        return "as superuser: ALTER \(found.kind) \(found.name) OWNER TO hearth_owner"
    }

    /// The schema from which the functions of `sql/functions` read the record of the migrations.
    private static let ledger = "migrations"

    /// Returns the statement that makes the grant of a line `grant PRIVILEGE ...`.
    func granting(_ line: String) -> String { "GRANT \(statement(words(line).dropFirst()))" }

    /// Revokes `grant PRIVILEGE[ (COLUMN, ...)] on OBJECT to ROLE[ with grant option]`.
    private func revoking(_ line: String, restoring columns: String?) -> String? {
        let words = words(line).dropFirst()
        guard let to = words.lastIndex(of: "to"), to + 1 < words.endIndex else { return nil }
        let again = columns.map { "; \(granting($0))" } ?? ""
        return "as \(role(for: line)): REVOKE \(statement(words[..<to])) FROM \(words[to + 1])"
            + again
    }

    private func words(_ line: String) -> [Substring] { line.split(separator: " ") }

    private func statement(_ words: some Sequence<Substring>) -> String {
        let keywords: Set<Substring> = ["on", "to", "with", "grant", "option"]
        return words.map { word in
            if word == "database" { return "DATABASE \(database)" }
            return keywords.contains(word) ? word.uppercased() : String(word)
        }.joined(separator: " ")
    }

    // MARK: Owners

    /// Returns the role that may change the object of a line: `hearth_migrator` if one of its owner
    /// roles owns the object, or if the owner is unknown; otherwise a superuser. Databases, the
    /// schema public and parameters need a superuser.
    func role(for line: String) -> String {
        let owner = Self.owned(line)?.owner ?? Self.object(of: line).flatMap { owners[$0] }
        let ofSuperuser = [" on database to ", " on schema public to ", " on parameter "]
        if ofSuperuser.contains(where: { line.contains($0) }) { return "superuser" }
        return role(ofOwner: owner)
    }

    /// Returns the role that may change objects of an owner.
    func role(ofOwner owner: Substring?) -> String {
        owner.map { Self.migratorsRoles.contains($0) } ?? true ? "hearth_migrator" : "superuser"
    }

    /// Owner roles whose rights the migrating role has.
    private static let migratorsRoles: Set<Substring> = ["hearth_owner", "hearth_authz"]

    /// Returns the owner in a line of the list of rights, and the object in the form that grants
    /// use.
    static func owned(_ line: String) -> (object: String, owner: Substring)? {
        guard let mark = line.firstRange(of: " owner ") else { return nil }
        let object = line[..<mark.lowerBound]
        let isNamedWithKind = object.hasPrefix("schema ") || object.hasPrefix("function ")
        let name = isNamedWithKind ? object : object.split(separator: " ").last
        return name.map {
            (String($0), line[mark.upperBound...].prefix { $0 != " " })
        }
    }

    /// Returns the object of a line: for a grant the whole object, otherwise the table.
    static func object(of line: String) -> String? {
        guard let mark = line.firstRange(of: " on ") else { return nil }
        let rest = line[mark.upperBound...]
        guard line.hasPrefix("grant ") else { return String(rest.prefix { $0 != " " }) }
        return rest.firstRange(of: " to ").map { String(rest[..<$0.lowerBound]) }
    }
}

/// Fields of a line `KIND NAME owner ROLE[ secured][ forced]`.
private struct OwnedLine {
    /// Kind of the object, as ALTER names it.
    let kind: String
    let name: Substring
    let owner: Substring
    let isSecured: Bool
    let isForced: Bool

    /// Returns nil for a line without an owner.
    init?(_ line: String) {
        guard let mark = line.firstRange(of: " owner ") else { return nil }
        let object = line[..<mark.lowerBound]
        let kinds = ["materialized view", "table", "view", "sequence", "schema", "function"]
        guard let kind = kinds.first(where: { object.hasPrefix($0 + " ") }) else { return nil }
        self.kind = kind.uppercased()
        name = object.dropFirst(kind.count + 1)
        let words = line[mark.upperBound...].split(separator: " ")
        owner = words.first ?? ""
        isSecured = words.contains("secured")
        isForced = words.contains("forced")
    }
}

extension StringProtocol {
    /// Returns the parts between separators that are outside quoted identifiers.
    fileprivate func split(unquoted separator: String) -> [String] {
        var parts = [""]
        for part in String(self).split(separator: separator, omittingEmptySubsequences: false) {
            let isOpen = (parts.last ?? "").count { $0 == "\"" } % 2 == 1
            if isOpen {
                parts[parts.count - 1] += separator + part
            } else {
                parts.append(String(part))
            }
        }
        return Array(parts.dropFirst())
    }
}
