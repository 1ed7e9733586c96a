import Foundation
import Glibc
package import Postgres

/// A test's own database on the throw-away cluster that `scripts/test` starts.
package final class TestDatabase: Sendable {
    package enum Origin: Sendable {
        /// An empty database.
        case empty
        /// A copy of `hearth_template`, which `hearth-migrate` has migrated; changed by the SQL
        /// file that HEARTH_TEST_CHANGE names, if any.
        case migrated
    }

    /// Timeout for connecting in seconds, long enough for a stall of the machine.
    static let connectSeconds = 60

    package let name: String
    private let administration: ConnectionSettings

    /// Creates the database.
    ///
    /// - Parameter server: The server, as its superuser; the cluster by default.
    /// - Throws: `TestSetupError` if no cluster is available; `PostgresError`.
    package init(_ origin: Origin, on server: ConnectionSettings? = nil) throws {
        var administration = try server ?? Self.cluster()
        administration.statementTimeoutSeconds = 120
        administration.connectTimeoutSeconds = Self.connectSeconds
        self.administration = administration
        name = "test_\(getpid())_\(UInt64.random(in: 0...UInt64.max))"
        let template = origin == .empty ? "template0" : "hearth_template"
        try whileInUse("CREATE DATABASE \(name) TEMPLATE \(template) STRATEGY file_copy")
        if origin == .migrated, let file = getenv("HEARTH_TEST_CHANGE") {
            let script = try String(contentsOfFile: String(cString: file), encoding: .utf8)
            try Connection(settings()).execute(script: script)
        }
    }

    /// Drops the database, ending sessions that still use it. With HEARTH_TEST_KEEP_DATABASES it
    /// stays for inspection after the tests.
    package func drop() throws {
        if getenv("HEARTH_TEST_KEEP_DATABASES") != nil { return }
        try whileInUse("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
    }

    /// Repeats a statement that is refused while terminated sessions have not ended yet: PostgreSQL
    /// waits five seconds for them.
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

    /// Connection settings as the cluster's superuser, or as `role`.
    package func settings(as role: String? = nil) -> ConnectionSettings {
        var settings = administration
        settings.set("dbname", name)
        if let role { settings.set("user", role) }
        settings.statementTimeoutSeconds = 120
        return settings
    }

    /// The connection string, for another process.
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
    /// The settings as a connection string, for another process.
    package var url: String {
        var parameters = parameters
        parameters["connect_timeout"] = "\(TestDatabase.connectSeconds)"
        return parameters.sorted { $0.key < $1.key }.map { keyword, value in
            let quoted = value.map { "\\'".contains($0) ? "\\\($0)" : String($0) }.joined()
            return "\(keyword)='\(quoted)'"
        }.joined(separator: " ")
    }
}

/// Error for a missing test cluster.
package struct TestSetupError: Error, CustomStringConvertible {
    package var description: String {
        "HEARTH_TEST_DATABASE_URL is not set: run scripts/test, which starts a PostgreSQL for it."
    }
}
