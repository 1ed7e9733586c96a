import Postgres

/// A request of a direct client as PostgREST runs it: one transaction of the role that the token
/// names, the claims in a setting, the pre-request function, then one statement that answers JSON.
package struct DirectRequest: Sendable {
    package enum Bearer: Sendable {
        case person(Person)
        /// No token: PostgREST's anonymous role.
        case nobody
    }

    let bearer: Bearer
    /// PostgREST runs GET in a transaction that only reads.
    let isRead: Bool
    let statement: String

    /// `GET /relation?...`: rows as an array of JSON.
    package static func get(_ bearer: Bearer, _ query: String) -> DirectRequest {
        DirectRequest(
            bearer: bearer, isRead: true,
            statement: """
                WITH pgrst_source AS (\(query))
                SELECT coalesce(json_agg(_t), '[]')::text FROM (SELECT * FROM pgrst_source) AS _t
                """)
    }

    /// `POST /relation` with an object of typed columns; its answer is empty, or the row.
    package static func post(
        _ bearer: Bearer, _ relation: String, _ columns: [(name: String, type: String)],
        body: String, returning: String? = nil
    ) -> DirectRequest {
        let names = columns.map { "\"\($0.name)\"" }
        let typed = columns.map { "\"\($0.name)\" \($0.type)" }
        return DirectRequest(
            bearer: bearer, isRead: false,
            statement: """
                WITH pgrst_source AS (
                    INSERT INTO "api"."\(relation)" (\(names.joined(separator: ", ")))
                    SELECT \(names.map { "body.\($0)" }.joined(separator: ", "))
                    FROM (SELECT '\(body)'::json AS data) AS payload,
                        LATERAL (SELECT * FROM json_to_record(payload.data)
                                 AS _ (\(typed.joined(separator: ", ")))) AS body
                    RETURNING \(returning.map { _ in "\"api\".\"\(relation)\".*" } ?? "1"))
                SELECT \(returning ?? "''") FROM (SELECT * FROM pgrst_source) AS _t
                """)
    }

    /// `DELETE /relation?...`: how many rows went.
    package static func delete(_ bearer: Bearer, _ relation: String, id: UInt128) -> DirectRequest {
        DirectRequest(
            bearer: bearer, isRead: false,
            statement: """
                WITH pgrst_source AS (
                    DELETE FROM "api"."\(relation)" WHERE "api"."\(relation)"."id" = '\(id.uuid)'
                    RETURNING 1)
                SELECT count(*)::text FROM (SELECT * FROM pgrst_source) AS _t
                """)
    }

    /// The answer's text.
    package func send(to database: TestDatabase) throws -> String {
        let connection = try Connection(database.settings(as: "authenticator"))
        let options = TransactionOptions(isReadOnly: isRead)
        let (role, claims) =
            switch bearer {
            case .person(let person): ("authenticated", person.claims)
            case .nobody: ("anon", #"{"role": "anon"}"#)
            }
        return try connection.transaction(options) { transaction in
            try transaction.query(
                """
                SELECT set_config('search_path', '"api"', true), set_config('role', \(role), true),
                    set_config('request.jwt.claims', \(claims), true),
                    set_config('request.method', 'GET', true),
                    set_config('request.headers', '{}', true)
                """)
            try transaction.query("SELECT \"gateway\".\"begin_request\"()")
            return try transaction.query(SQL(unsafe: statement)).scalar(String.self)
        }
    }
}

extension UInt128 {
    /// As a UUID, in the upper case that the applications send.
    package var uuid: String {
        let hex = String(self, radix: 16, uppercase: true)
        let digits = Array(String(repeating: "0", count: 32 - hex.count) + hex)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
            .joined(separator: "-")
    }
}
