import Postgres
import TestSupport

/// A suite's own migrated database, used by plain SQL under the roles of Hearth's programs.
final class House: Sendable {
    let test: TestDatabase
    /// Connections of `hearth_api`. They are reused, because a session with warm caches needs a
    /// tenth of the time.
    private let pool: Pool

    init() throws {
        test = try TestDatabase(.migrated)
        var settings = Pool.Settings()
        // The most connections that a test uses concurrently.
        settings.size = 32
        pool = Pool(test.settings(as: "hearth_api"), settings)
        try superuser().query(
            """
            INSERT INTO app.trusted_issuers (issuer, kind, is_primary, emails_confirmed, audiences)
            VALUES (\(Person.issuer), 'supabase', true, true, '{authenticated}')
            """)
    }

    deinit {
        pool.close()
        // A database left behind is removed with its throw-away cluster.
        try? test.drop()
    }

    func superuser() throws -> Connection { try Connection(test.settings()) }

    /// A connection of the role that owns the tables and runs Hearth's own functions. No privilege
    /// restricts it, so a refusal comes from an invariant.
    func owner() throws -> Connection {
        let connection = try superuser()
        try connection.execute(script: "SET ROLE hearth_owner")
        return connection
    }

    /// Runs `body` in a transaction of `hearth_api` that begins like the API's.
    @discardableResult
    func asAPI<Value>(
        _ person: Person, actingAs member: UInt128? = nil, _ body: (Transaction) throws -> Value
    ) throws -> Value {
        try pool.withConnection { connection in
            try connection.transaction { transaction in
                try person.begin(transaction, actingAs: member)
                return try body(transaction)
            }
        }
    }

    /// Runs `body` in a transaction of `authenticated` that begins like PostgREST's.
    @discardableResult
    func asDirect<Value>(
        _ person: Person, headers: String = "{}", readOnly: Bool = false,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        try asDirect(
            claims: person.claims, headers: headers, readOnly: readOnly, body)
    }

    @discardableResult
    func asDirect<Value>(
        claims: String, headers: String = "{}", readOnly: Bool = false,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        let connection = try Connection(test.settings(as: "authenticator"))
        return try connection.transaction(TransactionOptions(isReadOnly: readOnly)) { transaction in
            try transaction.query(
                """
                SELECT set_config('role', 'authenticated', true),
                    set_config('request.jwt.claims', \(claims), true),
                    set_config('request.headers', \(headers), true)
                """)
            try transaction.query("SELECT gateway.begin_request()")
            return try body(transaction)
        }
    }

    func count(_ sql: SQL) throws -> Int { try superuser().query(sql).scalar(Int.self) }
}

extension Person {
    /// The text that the application hashes for a sign-in; in tests PostgreSQL hashes it.
    var signIn: String { "\(Self.issuer)\n\(subject)" }

    /// Begins a request as the API does.
    func begin(_ transaction: Transaction, actingAs member: UInt128?) throws {
        let begun = try transaction.query(
            """
            SELECT outcome FROM app.begin_request(
                \(Self.issuer), sha256(convert_to(\(signIn), 'UTF8')), \(email), true, NULL,
                \(member as UInt128?))
            """
        ).scalar(String.self)
        guard begun == "unknown" else {
            if begun != "known" { throw Refused(outcome: begun) }
            return
        }
        let seen = try transaction.query(
            """
            SELECT outcome FROM app.upsert_user(
                \(Self.issuer), sha256(convert_to(\(signIn), 'UTF8')), \(id), \(email), true,
                \(name as String?), \(role), \(member as UInt128?))
            """
        ).scalar(String.self)
        if seen != "known" { throw Refused(outcome: seen) }
    }
}

/// A request could not begin.
struct Refused: Error { let outcome: String }

/// The refusal of `body`: the SQLSTATE and, where there is one, the constraint or reason.
func refusal<Value>(_ body: () throws -> Value) throws -> String? {
    do {
        _ = try body()
        return nil
    } catch let error as PostgresError {
        guard let server = error.server else { throw error }
        return server.constraint.map { "\(server.sqlState) \($0)" } ?? "\(server.sqlState)"
    } catch let error as Refused {
        return error.outcome
    }
}

/// The field for which `body` is refused; nil if it is not, or for another reason.
func fieldRefused<Value>(_ body: () throws -> Value) throws -> String? {
    do {
        _ = try body()
        return nil
    } catch let error as PostgresError {
        guard let server = error.server else { throw error }
        return server.constraint == "invalid_field" ? server.detail : nil
    }
}
