import Postgres
import TestSupport

/// The connections of one writer, each opened when it is first needed.
final class WriterConnections: @unchecked Sendable {
    // Sendable: each writer has its own, and one thread at a time is that writer.
    private let test: TestDatabase
    private var open: [String: Connection] = [:]

    init(_ site: Site) { test = site.test }

    /// Connection as the owner of the tables.
    var owner: Connection {
        get throws {
            try connection("owner") {
                let connection = try Connection(test.settings())
                try connection.execute(script: "SET ROLE hearth_owner")
                return connection
            }
        }
    }

    /// Connection for clients that query the views.
    var client: Connection {
        get throws { try connection("client") { try Connection(test.settings()) } }
    }

    var admin: Connection {
        get throws {
            try connection("admin") { try Connection(test.settings(as: "hearth_admin")) }
        }
    }

    var worker: Connection {
        get throws {
            try connection("worker") { try Connection(test.settings(as: "hearth_worker")) }
        }
    }

    private func connection(
        _ name: String, _ opening: () throws -> Connection
    ) throws -> Connection {
        if let known = open[name] { return known }
        let opened = try opening()
        open[name] = opened
        return opened
    }
}
