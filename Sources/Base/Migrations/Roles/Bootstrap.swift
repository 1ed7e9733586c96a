import Crypto
package import Postgres
import Basics

/// Creates the roles of a folder's configuration, and grants the owner role the privileges that it
/// needs in the database. A superuser runs it once, and again whenever something differs.
package struct Bootstrap {
    private let session: Session
    private let configuration: FolderConfiguration
    private let passwords: [String: String]

    /// Result of a bootstrap.
    package struct Outcome: Sendable {
        /// The changes, one per line; empty if nothing differed.
        package let changes: [String]
        /// Remarks that need no change.
        package let remarks: [String]
    }

    /// Creates and repairs roles in one transaction.
    ///
    /// - Parameter passwords: Passwords by role. They are neither sent to the server nor stored;
    ///   the server gets only their verifiers.
    package static func run(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, passwords: [String: String]
    ) throws(MigrationError) -> Outcome {
        guard folder.configuration.ownerRole != nil || !folder.configuration.roles.isEmpty else {
            throw MigrationError(
                .usage, "\(folder.path) names no roles, so there is nothing to create",
                details: ["\(FolderConfiguration.fileName) in the folder names them."])
        }
        for (role, password) in passwords.sorted(by: { $0.key < $1.key })
        where password.isEmpty || !password.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            throw MigrationError(
                .usage, "the password of \(role) must be of printable ASCII characters")
        }
        let created = try MissingDatabase.create(settings)
        // Two runs, for two databases of one cluster, may change the cluster's roles at the
        // same time.
        var attempt = 1
        while true {
            do throws(MigrationError) {
                let bootstrap = try Bootstrap(settings, folder, passwords)
                let outcome = try bootstrap.run()
                try bootstrap.session.confirm()
                return Outcome(changes: created + outcome.changes, remarks: outcome.remarks)
            } catch {
                guard attempt < 10, error.underlying?.isConcurrentChange == true else {
                    throw error
                }
                MonotonicClock.pause(seconds: 0.05 * Double(attempt) * Double.random(in: 0.5...1))
                attempt += 1
            }
        }
    }

    private init(
        _ settings: ConnectionSettings, _ folder: MigrationFolder, _ passwords: [String: String]
    ) throws(MigrationError) {
        configuration = folder.configuration
        self.passwords = passwords
        // The owner role may not exist yet, so nothing runs as the owner here.
        var withoutOwner = configuration
        withoutOwner.ownerRole = nil
        session = try Session(settings, withoutOwner, RunLimits(), purpose: "bootstrap")
    }

    private func run() throws(MigrationError) -> Outcome {
        var changes: [Change] = []
        do {
            let found = try ExistingRoles(session.connection, session.serverMajorVersion)
            changes += RoleRepair.changes(
                from: found, to: configuration.roles,
                serverMajorVersion: session.serverMajorVersion)
            let passwordChanges = try passwordChanges(found)
            changes += passwordChanges
            if let owner = configuration.ownerRole {
                changes += try DatabaseRepair(session, owner, configuration).changes()
            }
            let remarks = remarks(found)
            if changes.isEmpty { return Outcome(changes: [], remarks: remarks) }
            let script = changes.map { $0.statement + ";" }.joined(separator: "\n")
            try session.run("BEGIN;\n\(script)\nCOMMIT;")
            return Outcome(changes: changes.map(\.description), remarks: remarks)
        } catch let error as PostgresError {
            throw refusal(error)
        } catch let error as CryptoError {
            throw MigrationError(.system, "could not hash the passwords: \(error)")
        } catch {
            throw MigrationError(.database, "\(error)")
        }
    }

    private func passwordChanges(_ found: ExistingRoles) throws -> [Change] {
        var changes: [Change] = []
        for role in configuration.roles {
            guard let password = passwords[role.name] else { continue }
            if let stored = found.verifiers[role.name],
                try ScramVerifier.matches(stored, password: password)
            {
                continue
            }
            let verifier = try ScramVerifier(password: password, salt: .random(count: 16))
            changes.append(
                Change(
                    "\(role.name): password set",
                    "ALTER ROLE \(role.name.quotedIdentifier) PASSWORD '\(verifier.text)'"))
        }
        return changes
    }

    private func remarks(_ found: ExistingRoles) -> [String] {
        let rolesWithoutPassword = configuration.roles.filter { role in
            role.login && passwords[role.name] == nil && found.verifiers[role.name] == nil
        }.map { role in
            let setting = role.passwordSetting.map { " (\($0))" } ?? ""
            return "\(role.name): no password given\(setting); it can log in only if the server "
                + "asks for none"
        }
        return rolesWithoutPassword + RoleRepair.otherMemberships(found, configuration.roles)
    }

    private func refusal(_ error: PostgresError) -> MigrationError {
        guard error.sqlState == .insufficientPrivilege else {
            return .database(error, "the roles can't be created")
        }
        return MigrationError(
            .database, "the roles can't be created: \(error.message)",
            details: ["Only a superuser can create roles: pass a superuser's URL."],
            underlying: error)
    }
}

/// A statement of `bootstrap`, and a description of its change.
struct Change: Equatable, CustomStringConvertible {
    let description: String
    let statement: String

    init(_ description: String, _ statement: String) {
        self.description = description
        self.statement = statement
    }
}

extension PostgresError {
    /// Whether another session changed the same role or database at the same moment.
    fileprivate var isConcurrentChange: Bool {
        // Duplicate key, object or schema; a deadlock; a row that another session wrote first.
        isRetriable || sqlState == .uniqueViolation || sqlState == "42710" || sqlState == "42P06"
            || (sqlState == "XX000" && message.contains("tuple concurrently"))
    }
}
