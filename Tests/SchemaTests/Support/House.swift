import Postgres
import TestSupport

/// A migrated database of a suite's own, reached by plain SQL as the roles that reach it.
final class House: Sendable {
    let test: TestDatabase

    init() throws {
        test = try TestDatabase(.migrated)
        try superuser().query(
            """
            INSERT INTO app.trusted_issuers (issuer, kind, is_primary, emails_confirmed, audiences)
            VALUES (\(Person.issuer), 'supabase', true, true, '{authenticated}')
            """)
    }

    deinit {
        // A database left behind goes with its throw-away cluster.
        try? test.drop()
    }

    func superuser() throws -> Connection { try Connection(test.settings()) }

    /// The role that owns the tables and as which Hearth's own functions run: no right stands in
    /// its way, so that what refuses it is an invariant.
    func owner() throws -> Connection {
        let connection = try superuser()
        try connection.execute(script: "SET ROLE hearth_owner")
        return connection
    }

    /// Runs `body` in a transaction of `hearth_api` that begins as the API's do.
    @discardableResult
    func asAPI<Value>(
        _ person: Person, actingAs member: UInt128? = nil, _ body: (Transaction) throws -> Value
    ) throws -> Value {
        try Connection(test.settings(as: "hearth_api")).transaction { transaction in
            try person.begin(transaction, actingAs: member)
            return try body(transaction)
        }
    }

    /// Runs `body` in a transaction of `authenticated` that begins as PostgREST's do.
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

    /// A person whom the database has seen.
    func person(_ role: String = "parent") throws -> Person {
        let person = Person(role: role)
        try asAPI(person) { _ in }
        return person
    }

    /// A family that `creator` made.
    func family(of creator: Person) throws -> Family {
        try asAPI(creator) { transaction in
            let rows = try transaction.query(
                "SELECT family_unit_id, family_code FROM app.create_family('House', NULL, true)")
            return try rows.map { (row) throws(PostgresError) in
                Family(id: try row.read(), code: try row.read())
            }[0]
        }
    }

    /// Lets `person` into the family by its code; the id of its membership.
    @discardableResult
    func join(_ person: Person, _ family: Family) throws -> UInt128 {
        try asAPI(person) { transaction in
            try transaction.query(
                "SELECT member_id FROM app.join_by_code(\(family.code), NULL, NULL)"
            ).scalar(UInt128.self)
        }
    }

    /// The membership of `person` in the family.
    func membership(_ person: Person, _ family: Family) throws -> UInt128 {
        try superuser().query(
            """
            SELECT id FROM app.family_members
            WHERE family_unit_id = \(family.id) AND user_id = \(person.id)
            """
        ).scalar(UInt128.self)
    }

    /// A child in the family that `guardian` looks after.
    func child(of guardian: Person, in family: Family) throws -> UInt128 {
        try asAPI(guardian) { transaction in
            try transaction.query("SELECT app.add_managed_member(\(family.id), 'Kid', NULL)")
                .scalar(UInt128.self)
        }
    }

    /// A pending invitation of an address into the family.
    func invite(_ email: String, to family: Family, by person: Person) throws -> UInt128 {
        try asAPI(person) { transaction in
            try transaction.query(
                """
                SELECT invitation_id FROM app.create_invitation(
                    \(family.id), \(email), 'parent', NULL, 'email')
                """
            ).scalar(UInt128.self)
        }
    }

    func count(_ sql: SQL) throws -> Int { try superuser().query(sql).scalar(Int.self) }
}

struct Family: Sendable {
    let id: UInt128
    let code: String
}

/// Somebody with an account, at a primary issuer: the subject is the user's id.
struct Person: Sendable {
    static let issuer = "https://issuer.test"

    let id = UInt128.random(in: 0...UInt128.max)
    let role: String

    var subject: String {
        let hex = String(id, radix: 16)
        let digits = Array(String(repeating: "0", count: 32 - hex.count) + hex)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
            .joined(separator: "-")
    }
    var email: String { "\(subject)@example.com" }
    /// What the application hashes, before it does; here PostgreSQL does.
    var signIn: String { "\(Self.issuer)\n\(subject)" }
    var claims: String {
        """
        {"iss": "\(Self.issuer)", "sub": "\(subject)", "aud": "authenticated",
         "role": "authenticated", "email": "\(email)",
         "user_metadata": {"full_name": "Somebody", "role": "\(role)"}}
        """
    }

    func begin(_ transaction: Transaction, actingAs member: UInt128?) throws {
        let begun = try transaction.query(
            """
            SELECT outcome FROM app.begin_request(
                \(Self.issuer), sha256(convert_to(\(signIn), 'UTF8')), \(email), true, \(member as UInt128?))
            """
        ).scalar(String.self)
        guard begun == "unknown" else {
            if begun != "known" { throw Refused(outcome: begun) }
            return
        }
        let seen = try transaction.query(
            """
            SELECT outcome FROM app.see_user(
                \(Self.issuer), sha256(convert_to(\(signIn), 'UTF8')), \(id), \(email), true, 'Somebody', \(role),
                \(member as UInt128?))
            """
        ).scalar(String.self)
        if seen != "known" { throw Refused(outcome: seen) }
    }
}

/// A request that was not begun.
struct Refused: Error { let outcome: String }

/// What `body` is refused with: the SQLSTATE and, where there is one, the constraint or reason.
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
