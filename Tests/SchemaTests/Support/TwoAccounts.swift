import Postgres
import TestSupport

/// Two accounts with every sign-in method, sessions in every state and mailed tickets of each kind.
/// A change of one must leave the other as it is.
struct TwoAccounts {
    static let otherIssuer = "https://second.test"

    let house: House
    let person, other: Person
    /// Rows of the person and of the other account, with the same names.
    let own, others: Belongings

    init() throws {
        house = try House()
        (person, other) = (try house.person(), try house.person())
        let connection = try house.superuser()
        own = try Belongings(of: person, by: connection)
        others = try Belongings(of: other, by: connection)
    }

    func effects(and further: [String: UInt128] = [:]) throws -> Effects {
        var names = ["person": person.id, "other": other.id]
        names.merge(own.names) { $1 }
        for (name, id) in others.names { names["the other's " + name] = id }
        return try Effects(house, naming: names.merging(further) { $1 })
    }

    /// Runs a statement in a signed-in person's request, as the API does.
    @discardableResult
    func call(_ person: Person, _ statement: SQL) throws -> Rows {
        try house.asAPI(person) { try $0.query(statement) }
    }

    /// Runs a statement without an account, as the API does.
    @discardableResult
    func call(_ statement: SQL) throws -> Rows {
        try Connection(house.test.settings(as: "hearth_api")).query(statement)
    }

    /// Removes a sign-in method right after signing in, when all methods can be removed.
    static func removeIdentity(_ id: UInt128, signedInBefore seconds: Int = 0) -> SQL {
        """
        SELECT app.remove_my_identity(\(id), extract(epoch FROM now())::bigint - \(seconds),
            '{email,passkey,password}', ARRAY[\(Person.issuer), \(otherIssuer)],
            '{"mail": "m"}')
        """
    }

    /// Removes a passkey right after signing in.
    static func removePasskey(_ id: UInt128, signedInBefore seconds: Int = 0) -> SQL {
        """
        SELECT app.remove_my_passkey(\(id), extract(epoch FROM now())::bigint - \(seconds),
            '{email,passkey,password}', ARRAY[\(Person.issuer), \(otherIssuer)],
            '{"mail": "m"}')
        """
    }

    /// Hash of a secret; tests derive it from an id.
    static func hash(_ id: UInt128) -> PostgresBytes {
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: id >> ((15 - $0) * 8)) }
        return PostgresBytes(bytes + bytes)
    }
}

/// Rows of one account.
struct Belongings {
    /// Sessions: begun by a mailed code, by each of the two issuers, signed out, and expired.
    let live = id(), exchanged = id(), further = id(), ended = id(), over = id()
    /// Password reset links: to each current address, to a removed one, used, and expired.
    let reset = id(), secondReset = id(), removedReset = id(), usedReset = id(), lateReset = id()
    /// Codes: to sign in, to sign up, used, and expired.
    let signIn = id(), signUp = id(), usedCode = id(), lateCode = id()
    let key = id(), counting = id()
    /// Refresh tokens of the two issuers: one not due for a check, the other due.
    let token = id(), dueToken = id()
    let second, removed: String
    /// Hash of the sign-in at the second issuer.
    let otherSignIn: PostgresBytes

    private static func id() -> UInt128 { .random(in: 0 ... .max) }

    var names: [String: UInt128] {
        [
            "live": live, "exchanged": exchanged, "further": further, "ended": ended, "over": over,
            "reset": reset, "second reset": secondReset, "removed reset": removedReset,
            "used reset": usedReset, "late reset": lateReset, "sign-in": signIn, "sign-up": signUp,
            "used code": usedCode, "late code": lateCode, "key": key, "counting": counting,
            "token": token, "due token": dueToken,
        ]
    }

    init(of person: Person, by connection: Connection) throws {
        second = "second-\(person.email)"
        removed = "removed-\(person.email)"
        otherSignIn = TwoAccounts.hash(Self.id())
        try connection.query(
            """
            INSERT INTO app.user_identities (issuer, subject_hash, user_id, claims_mark)
            VALUES (\(TwoAccounts.otherIssuer), \(otherSignIn), \(person.id), 0)
            """)
        try connection.query(
            """
            INSERT INTO app.email_sign_ins (user_id, email, removed_at)
            VALUES (\(person.id), \(person.email), NULL), (\(person.id), \(second), NULL),
                (\(person.id), \(removed), now() - interval '1 day')
            """)
        try connection.query(
            """
            INSERT INTO app.passwords (user_id, hash, set_at)
            VALUES (\(person.id), '$argon2id$old', now() - interval '9 days')
            """)
        try addSessions(of: person, by: connection)
        try addTickets(of: person, by: connection)
        try addKeys(of: person, by: connection)
    }

    private func addSessions(of person: Person, by connection: Connection) throws {
        func add(
            _ id: UInt128, _ method: String, by issuer: String?, lasting days: Int,
            endedFor reason: String? = nil
        ) throws {
            try connection.query(
                """
                WITH added AS (
                    INSERT INTO app.sessions (id, user_id, method, issuer, started_at,
                        last_used_at, ends_at, ended_at, end_reason)
                    SELECT \(id), \(person.id), \(method), \(issuer as String?),
                        now() - interval '3 days', now() - interval '2 days',
                        now() + \(days)::integer * interval '1 day',
                        CASE WHEN \(reason != nil) THEN now() - interval '1 day' END,
                        \(reason as String?)
                    RETURNING id)
                INSERT INTO app.refresh_tokens (session_id, generation, token_hash, issued_at)
                SELECT id, 3, \(TwoAccounts.hash(id)), now() - interval '2 days' FROM added
                """)
        }
        try add(live, "email", by: nil, lasting: 10)
        try add(exchanged, "exchange", by: Person.issuer, lasting: 10)
        try add(further, "exchange", by: TwoAccounts.otherIssuer, lasting: 10)
        try add(ended, "exchange", by: TwoAccounts.otherIssuer, lasting: 10, endedFor: "revoked")
        try add(over, "exchange", by: TwoAccounts.otherIssuer, lasting: -1)
    }

    private func addTickets(of person: Person, by connection: Connection) throws {
        func add(
            _ id: UInt128, _ purpose: String, to email: String, lasting seconds: Int = 300,
            isUsed: Bool = false
        ) throws {
            let isSignUp = purpose == "sign_up"
            let ticket = purpose == "reset" ? nil : TwoAccounts.hash(id)
            try connection.query(
                """
                INSERT INTO app.email_tokens (id, purpose, email, ticket_hash, link_hash,
                    expires_at, used_at, password_hash, full_name, role)
                VALUES (\(id), \(purpose), \(email), \(ticket as PostgresBytes?),
                    \(TwoAccounts.hash(id)), now() + \(seconds)::integer * interval '1 s',
                    CASE WHEN \(isUsed) THEN now() - interval '1 day' END,
                    CASE WHEN \(isSignUp) THEN '$argon2id$up' END,
                    CASE WHEN \(isSignUp) THEN 'New Name' END,
                    CASE WHEN \(isSignUp) THEN 'player' END)
                """)
        }
        try add(reset, "reset", to: person.email)
        try add(secondReset, "reset", to: second)
        try add(removedReset, "reset", to: removed)
        try add(usedReset, "reset", to: person.email, isUsed: true)
        try add(lateReset, "reset", to: person.email, lasting: -60)
        try add(signIn, "sign_in", to: person.email)
        try add(signUp, "sign_up", to: "new-\(person.email)")
        try add(usedCode, "sign_in", to: person.email, isUsed: true)
        try add(lateCode, "sign_in", to: person.email, lasting: -60)
    }

    private func addKeys(of person: Person, by connection: Connection) throws {
        for (id, counter) in [(key, 0), (counting, 7)] {
            try connection.query(
                """
                INSERT INTO app.passkeys (id, user_id, credential_id, public_key, counter, model,
                    transports, is_backup_eligible, is_backed_up)
                VALUES (\(id), \(person.id), \(TwoAccounts.hash(id)), '\\x01',
                    \(counter)::integer, gen_random_uuid(), '{usb}', true, false)
                """)
        }
        try connection.query(
            """
            INSERT INTO app.provider_tokens
                (id, issuer, client, subject_hash, user_id, sealed, check_at)
            SELECT \(token), i.issuer, 'app', i.subject_hash, i.user_id,
                decode(repeat('00', 28), 'hex'), now() + interval '1 day'
            FROM app.user_identities AS i
            WHERE i.user_id = \(person.id) AND i.issuer = \(Person.issuer)
            """)
        try connection.query(
            """
            INSERT INTO app.provider_tokens
                (id, issuer, client, subject_hash, user_id, sealed, check_at)
            VALUES (\(dueToken), \(TwoAccounts.otherIssuer), 'app', \(otherSignIn), \(person.id),
                decode(repeat('00', 28), 'hex'), now() - interval '1 minute')
            """)
    }
}
