import Postgres

/// A direct client's request as PostgREST runs it: one transaction of the token's role, with the
/// claims in a setting, the pre-request function, and one statement that returns JSON.
package struct DirectRequest: Sendable {
    package enum Bearer: Sendable {
        case person(Person)
        /// A request without a token: PostgREST's anonymous role.
        case nobody
    }

    let bearer: Bearer
    /// Whether the transaction is read-only, as PostgREST runs GET.
    let isRead: Bool
    let statement: String

    /// `GET /relation?...`: returns rows as a JSON array.
    package static func get(_ bearer: Bearer, _ query: String) -> DirectRequest {
        DirectRequest(
            bearer: bearer, isRead: true,
            statement: """
                WITH pgrst_source AS (\(query))
                SELECT coalesce(json_agg(_t), '[]')::text FROM (SELECT * FROM pgrst_source) AS _t
                """)
    }

    /// `POST /relation` with an object of typed columns; returns nothing, or the row.
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

    /// `DELETE /relation?...`: returns the number of deleted rows.
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

    /// Sends the request and returns the response as text.
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
    /// The id as a UUID in upper case, as the apps send it.
    package var uuid: String {
        let hex = String(self, radix: 16, uppercase: true)
        let digits = Array(String(repeating: "0", count: 32 - hex.count) + hex)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
            .joined(separator: "-")
    }
}
