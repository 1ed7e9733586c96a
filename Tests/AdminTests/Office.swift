import Foundation
import JSON
import Postgres
import TestSupport
import Testing

/// A migrated database with a few people, and `hearth-admin` to work on it.
final class Office: Sendable {
    let database: TestDatabase

    /// Ids of people who have signed in once: two parents, a player, and a parent without a family.
    static let ann = "11111111-1111-4111-8111-111111111111"
    static let bo = "22222222-2222-4222-8222-222222222222"
    static let cy = "33333333-3333-4333-8333-333333333333"
    static let dee = "44444444-4444-4444-8444-444444444444"

    /// - Parameter server: The server's superuser connection; by default the tests' cluster.
    init(on server: ConnectionSettings? = nil) throws {
        database = try TestDatabase(.migrated, on: server)
        try asOwner(
            """
            INSERT INTO app.users (id, email, email_verified, full_name, role, avatar_key) VALUES
                ('\(Self.ann)', 'ann@example.com', true, 'Ann', 'parent', 'owl'),
                ('\(Self.bo)', 'bo@example.com', true, 'Bo', 'parent', NULL),
                ('\(Self.cy)', 'cy@example.com', true, 'Cy', 'player', NULL),
                ('\(Self.dee)', 'dee@example.com', true, 'Dee', 'parent', NULL);
            INSERT INTO app.user_identities (issuer, subject_hash, user_id, claims_mark)
                SELECT 'https://issuer.test', sha256(convert_to(u.id::text, 'UTF8')), u.id, 0
                FROM app.users AS u;
            """)
    }

    deinit {
        // If this fails, the database is removed together with its temporary cluster.
        try? database.drop()
    }

    var environment: [String: String] {
        [
            "HEARTH_ADMIN_DATABASE_URL": database.url(as: "hearth_admin"),
            "HEARTH_OPERATOR": "jo",
            "HEARTH_SECRET_KEY": "a-key-of-at-least-thirty-two-bytes",
            "HEARTH_PUBLIC_URL": "https://family.test",
        ]
    }

    /// Runs `hearth-admin` with words separated by blanks; single quotes keep blanks in a word.
    func admin(_ line: String) throws -> Ending {
        try run("hearth-admin", Self.words(line), environment: environment)
    }

    /// The document that a command prints with `--json`, which must succeed.
    func json(_ line: String) throws -> JSONField {
        let ending = try admin(line + " --json")
        try #require(ending.code == 0, "\(line): \(ending.errors)")
        return try ending.json()
    }

    /// Creates a family of Ann (Parent Admin), Bo (adult) and Cy (player); returns its id.
    func makeFamily(_ name: String = "The Terns") throws -> String {
        let made = try json("family create --owner ann@example.com --name '\(name)'")
        let id = try made["family"]["id"].string()
        _ = try json("member add \(id) bo@example.com")
        _ = try json("member add \(id) cy@example.com")
        return id
    }

    /// Runs a script as the owner of the tables.
    func asOwner(_ script: String) throws {
        try Connection(database.settings()).execute(script: "SET ROLE hearth_owner; " + script)
    }

    /// Runs a script as superuser, with triggers and foreign keys switched off.
    func breakingRules(_ script: String) throws {
        try Connection(database.settings()).execute(
            script: "SET session_replication_role = replica; " + script)
    }

    func scalar<Value: PostgresDecodable>(_ sql: SQL) throws -> Value {
        try Connection(database.settings()).query(sql).scalar(Value.self)
    }

    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false)
            .enumerated()
        {
            if index % 2 == 1 {
                words.append(String(part))
            } else {
                words += part.split(separator: " ").map(String.init)
            }
        }
        return words
    }
}

extension JSONField {
    /// The strings at a field of every element.
    func texts(_ name: String) throws -> [String] {
        try elements().map { try $0[name].string() }
    }
}
