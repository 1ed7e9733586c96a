import Foundation
import Glibc
package import Postgres

/// A database of a test's own on the throw-away cluster that `scripts/test` starts.
package final class TestDatabase: Sendable {
    package enum Origin: Sendable {
        /// Nothing in it.
        case empty
        /// A copy of `hearth_template`, which `hearth-migrate` has migrated; changed by the file of
        /// SQL that HEARTH_TEST_CHANGE names, if any.
        case migrated
    }

    /// How long connecting may take: what a stall of the machine takes is no finding.
    static let connectSeconds = 60

    package let name: String
    private let administration: ConnectionSettings

    /// Creates the database.
    ///
    /// - Parameter server: Where, as its superuser; the cluster unless said.
    /// - Throws: `TestSetupError` when no cluster is at hand; `PostgresError`.
    package init(_ origin: Origin, on server: ConnectionSettings? = nil) throws {
        var administration = try server ?? Self.cluster()
        administration.statementTimeoutSeconds = 120
        administration.connectTimeoutSeconds = Self.connectSeconds
        self.administration = administration
        name = "test_\(getpid())_\(UInt64.random(in: 0...UInt64.max))"
        let template = origin == .empty ? "template0" : "hearth_template"
        try whileInUse("CREATE DATABASE \(name) TEMPLATE \(template)")
        if origin == .migrated, let file = getenv("HEARTH_TEST_CHANGE") {
            let script = try String(contentsOfFile: String(cString: file), encoding: .utf8)
            try Connection(settings()).execute(script: script)
        }
    }

    /// Drops the database, sessions that still use it included. With HEARTH_TEST_KEEP_DATABASES it
    /// stays, for whoever looks into it after the tests.
    package func drop() throws {
        if getenv("HEARTH_TEST_KEEP_DATABASES") != nil { return }
        try whileInUse("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    /// Repeats what is refused while sessions, told to end, have not ended yet: PostgreSQL waits
    /// five seconds for them.
    private func whileInUse(_ statement: String) throws {
        try eventually {
            do {
                try Connection(administration).execute(script: statement)
                return true
            } catch let error as PostgresError where error.sqlState == "55006" {
                return false
            }
        }
    }

    /// How to connect to it: as the cluster's superuser, or as `role`.
    package func settings(as role: String? = nil) -> ConnectionSettings {
        var settings = administration
        settings.set("dbname", name)
        if let role { settings.set("user", role) }
        settings.statementTimeoutSeconds = 30
        return settings
    }

    /// The same as a connection string for another process.
    package func url(as role: String? = nil) -> String {
        settings(as: role).url
    }

    /// Runs `body` with a database that is dropped afterwards.
    package static func with<Value>(
        _ origin: Origin, _ body: (TestDatabase) throws -> Value
    ) throws -> Value {
        let database = try TestDatabase(origin)
        let result = Result { try body(database) }
        try database.drop()
        return try result.get()
    }
}

extension ConnectionSettings {
    /// The same as a connection string for another process.
    package var url: String {
        var parameters = parameters
        parameters["connect_timeout"] = "\(TestDatabase.connectSeconds)"
        return parameters.sorted { $0.key < $1.key }.map { keyword, value in
            let quoted = value.map { "\\'".contains($0) ? "\\\($0)" : String($0) }.joined()
            return "\(keyword)='\(quoted)'"
        }.joined(separator: " ")
    }
}

/// There is no cluster to test against.
package struct TestSetupError: Error, CustomStringConvertible {
    package var description: String {
        "HEARTH_TEST_DATABASE_URL is not set: run scripts/test, which starts a PostgreSQL for it."
    }
}
