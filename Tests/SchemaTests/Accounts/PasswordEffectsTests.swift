import Postgres
import TestSupport
import Testing

@Suite("Rows written by passwords, mailed codes and links")
struct PasswordEffectsTests {
    private let scene: TwoAccounts
    private var house: House { scene.house }
    private var own: Belongings { scene.own }
    init() throws { scene = try TwoAccounts() }

    /// The rows of a new session and its refresh token.
    private func opened(_ method: String, for user: String = "person") -> String {
        """
        + refresh_tokens: generation=0, issued_at=now, session_id=new, token_hash=random
        + sessions: device=Phone, ends_at=in 60 days, last_used_at=now, method=\(method),
            started_at=now, user_id=\(user), user_kind=account
        """
    }

    private func hits() throws -> [String] {
        try house.superuser().query(
            "SELECT bucket || ' ' || hits FROM app.rate_limits WHERE hits > 0 ORDER BY bucket"
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    @Test("the right password opens a session of its account, and is hashed again if outdated")
    func signsIn() throws {
        let person = scene.person
        func signIn(_ user: Person, _ seen: String, _ new: String?) throws -> Int {
            try scene.call(
                """
                SELECT user_id, lasts_seconds FROM app.sign_in_by_password(
                    \(user.id), \(seen), \(new as String?), \(user.email), 'a', 'n',
                    gen_random_uuid(), 'Phone', sha256('t'))
                """
            ).map { (row) throws(PostgresError) in
                (try row.read(UInt128.self), try row.read(Int32.self))
            }.count { $0 == (user.id, 60 * 86_400) }
        }
        for address in ["a", "b"] {
            #expect(
                try scene.call(
                    """
                    SELECT count(*) FROM app.reserve_password_attempt(
                        \(person.email.uppercased()), \(address), 'n')
                    """
                ).scalar(Int.self) == 0)
        }
        try scene.effects().expect("") { () throws in
            #expect(try signIn(person, "$argon2id$other", "$argon2id$new") == 0)
        }
        #expect(try hits().count == 4)
        try scene.effects().expect(opened("password")) { () throws in
            #expect(try signIn(person, "$argon2id$old", nil) == 1)
        }
        // The successful attempt is no longer counted for its address.
        #expect(try hits().map { $0.split(separator: " ").last } == ["1", "1", "1"])
        #expect(try hits().contains("password:address:b 1"))
        try scene.effects().expect(
            opened("password") + "\n~ passwords person: hash=$argon2id$new"
        ) { () throws in #expect(try signIn(person, "$argon2id$old", "$argon2id$new") == 1) }
    }

    @Test("a password is accepted with each address of its account, in any letter case")
    func found() throws {
        func user(_ email: String) throws -> [UInt128] {
            try scene.call("SELECT user_id FROM app.password_of_address(\(email))")
                .map { (row) throws(PostgresError) in try row.read(UInt128.self) }
        }
        #expect(try user(scene.person.email.uppercased()) == [scene.person.id])
        #expect(try user(own.second) == [scene.person.id])
        #expect(try user(own.removed) == [])
        #expect(try user(scene.others.second) == [scene.other.id])
        #expect(try user("nobody@example.com") == [])
    }

    @Test("a reset link shows its addressee until the link expires")
    func toldByLink() throws {
        func person(of link: UInt128) throws -> [String] {
            try scene.call(
                """
                SELECT concat_ws(' ', email, full_name)
                FROM app.password_reset_user(\(TwoAccounts.hash(link)))
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
        }
        #expect(try person(of: own.reset) == ["\(scene.person.email) Somebody"])
        #expect(try person(of: own.secondReset) == ["\(own.second) Somebody"])
        for link in [own.removedReset, own.usedReset, own.lateReset, own.signIn, own.live] {
            #expect(try person(of: link) == [])
        }
    }

    /// Rows that follow a change of the password.
    private static let changed = """
        + live: kind=mail.password_changed, payload={mail: m, recipient: person}
        ~ email_tokens late reset: used_at=now
        ~ email_tokens reset: used_at=now
        ~ email_tokens second reset: used_at=now
        ~ passwords person: hash=$argon2id$new, set_at=now
        ~ sessions exchanged: end_reason=password, ended_at=now
        ~ sessions further: end_reason=password, ended_at=now
        """

    @Test("a reset link sets a new password once, and ends the account's sessions and other links")
    func resets() throws {
        func reset(_ link: UInt128) throws -> Bool {
            try scene.call(
                """
                SELECT app.reset_password(
                    \(TwoAccounts.hash(link)), '$argon2id$new', '{"mail": "m"}')
                """
            ).scalar(Bool.self)
        }
        try scene.effects().expect("") { () throws in
            for link in [own.usedReset, own.lateReset, own.signIn, own.live] {
                #expect(try !reset(link))
            }
        }
        try scene.effects().expect("~ email_tokens removed reset: used_at=now") { () throws in
            #expect(try !reset(own.removedReset))
        }
        try scene.effects().expect(
            Self.changed + "\n~ sessions live: end_reason=password, ended_at=now"
        ) { () throws in #expect(try reset(own.secondReset)) }
        try scene.effects().expect("") { () throws in #expect(try !reset(own.reset)) }
    }

    @Test("the session that changes the account's password stays open")
    func changes() throws {
        func change(seeing hash: String?, signedInBefore seconds: Int = 601) throws -> Bool {
            try scene.call(
                scene.person,
                """
                SELECT app.change_my_password(
                    \(hash as String?), '$argon2id$new', \(own.live),
                    extract(epoch FROM now())::bigint - \(seconds), '{"mail": "m"}')
                """
            ).scalar(Bool.self)
        }
        try scene.effects().expect("") { () throws in
            #expect(try !change(seeing: "$argon2id$other"))
            #expect(try !change(seeing: nil))
        }
        try scene.effects().expect(Self.changed) { () throws in
            #expect(try change(seeing: "$argon2id$old"))
        }
        try house.superuser().query(
            "DELETE FROM app.passwords WHERE user_id = \(scene.person.id)")
        try scene.effects().expect("") { () throws in
            #expect(try !change(seeing: "$argon2id$old"))
            #expect(try refusal { _ = try change(seeing: nil) } == "HF403 sign_in_again")
        }
        try scene.effects().expect(
            """
            + live: kind=mail.password_set, payload={mail: m, recipient: person}
            + passwords: hash=$argon2id$new, set_at=now, user_id=person, user_kind=account
            """
        ) { () throws in #expect(try change(seeing: nil, signedInBefore: 590)) }
    }

    @Test("a new password ends links to a token's address only if the issuer verified the address")
    func linksOfIssuers() throws {
        for isVerified in [false, true] {
            let scene = try TwoAccounts()
            let person = scene.person
            try scene.house.superuser().query(
                "DELETE FROM app.email_sign_ins WHERE user_id = \(person.id)")
            try scene.house.superuser().query(
                """
                UPDATE app.users SET email_verified = \(isVerified) WHERE id = \(person.id)
                """)
            try scene.house.superuser().query(
                """
                UPDATE app.user_identities SET claims_issued_at = 4000000000
                WHERE user_id = \(person.id)
                """)
            let lines = try scene.effects().lines { () throws in
                try scene.call(
                    person,
                    """
                    SELECT app.change_my_password(
                        '$argon2id$old', '$argon2id$new', NULL, NULL, '{}')
                    """)
            }
            #expect(
                lines.filter { $0.contains("email_tokens") }
                    == (isVerified
                        ? [
                            "~ email_tokens late reset: used_at=now",
                            "~ email_tokens reset: used_at=now",
                        ] : []))
        }
    }

    @Test("reading the caller's own password hash also returns whether the sign-in is recent")
    func ownPassword() throws {
        func found(signedInBefore seconds: Int?) throws -> String {
            try scene.call(
                scene.person,
                """
                SELECT concat_ws(' ', hash, email, full_name, is_fresh)
                FROM app.my_password(extract(epoch FROM now())::bigint - \(seconds as Int?))
                """
            ).scalar()
        }
        let known = "$argon2id$old \(scene.person.email) Somebody"
        #expect(try found(signedInBefore: 590) == known + " t")
        #expect(try found(signedInBefore: 601) == known + " f")
        #expect(try found(signedInBefore: nil) == known + " f")
    }

    @Test("a code can be tried five times until its e-mail token expires")
    func tries() throws {
        func left(_ ticket: UInt128) throws -> [Int32] {
            try scene.call(
                "SELECT tries_left FROM app.try_mailed_code(\(TwoAccounts.hash(ticket)))"
            ).map { (row) throws(PostgresError) in try row.read(Int32.self) }
        }
        try scene.effects().expect("") { () throws in
            for ticket in [own.usedCode, own.lateCode, own.live] {
                #expect(try left(ticket) == [])
            }
        }
        try scene.effects().expect("~ email_tokens sign-in: tries=5") { () throws in
            #expect(try (1...6).flatMap { _ in try left(own.signIn) } == [4, 3, 2, 1, 0])
        }
    }

    private func signIn(
        _ ticket: UInt128?, byLink link: UInt128? = nil
    ) throws -> (user: UInt128, isNew: Bool) {
        try scene.call(
            """
            SELECT user_id, is_new FROM app.sign_in_by_mail(\(ticket as UInt128?),
                \(link.map(TwoAccounts.hash) as PostgresBytes?), gen_random_uuid(), 'Phone',
                sha256('t'))
            """
        ).map { (row) throws(PostgresError) in (try row.read(), try row.read()) }[0]
    }

    @Test("a code or a link opens a session of the account to which its address leads")
    func mailed() throws {
        try scene.effects().expect("") { () throws in
            for ticket in [own.usedCode, own.lateCode, own.reset, own.live] {
                #expect(try refusal { try signIn(ticket) } == "HF410 code_expired")
                #expect(
                    try refusal { try signIn(nil, byLink: ticket) } == "HF410 code_expired")
                // The ticket's number alone opens no session.
                #expect(
                    try refusal { try signIn(own.signIn, byLink: ticket) }
                        == "HF410 code_expired")
            }
        }
        try scene.effects().expect(
            opened("email") + "\n~ email_tokens sign-in: used_at=now"
        ) { () throws in #expect(try signIn(own.signIn) == (scene.person.id, false)) }
        try scene.effects().expect("") { () throws in
            #expect(try refusal { try signIn(own.signIn) } == "HF410 code_expired")
        }
        try scene.effects().expect(
            opened("email", for: "other") + "\n~ email_tokens the other's sign-in: used_at=now"
        ) { () throws in
            #expect(try signIn(nil, byLink: scene.others.signIn) == (scene.other.id, false))
        }
    }

    @Test("the name and role of an e-mail token are used with its code, and not with its link")
    func signsUp() throws {
        let address = "new-\(scene.person.email)"
        func account(
            _ name: String, _ role: String, _ email: String, isSaid: Bool
        ) -> String {
            """
            + email_sign_ins: email=\(email), proved_at=now, user_id=new, user_kind=account
            + users: email=\(email), email_verified=true, \(name)kind=account, role=\(role),
                role_is_default=\(!isSaid), updated_at=now
            """
        }
        try scene.effects(and: [:]).expect(
            """
            \(opened("email", for: "new"))
            \(account("full_name=New Name, ", "player", address.replacing(scene.person.subject, with: "person"), isSaid: true))
            + passwords: hash=$argon2id$up, set_at=now, user_id=new, user_kind=account
            ~ email_tokens sign-up: password_hash=null, used_at=now
            """
        ) { () throws in #expect(try signIn(own.signUp).isNew) }
        let others = "new-\(scene.other.email)".replacing(scene.other.subject, with: "other")
        try scene.effects().expect(
            """
            \(opened("email", for: "new"))
            \(account("", "parent", others, isSaid: false))
            ~ email_tokens the other's sign-up: password_hash=null, used_at=now
            """
        ) { () throws in #expect(try signIn(nil, byLink: scene.others.signUp).isNew) }
    }

    @Test("an e-mail's data contain the token's purpose; an expired token is not sent")
    func mails() throws {
        func told(_ ticket: UInt128) throws -> String {
            try Connection(house.test.settings(as: "hearth_worker")).query(
                """
                SELECT concat_ws(' ', state, email, recipient_name, purpose, has_account)
                FROM app.mail_of_email_token(\(ticket))
                """
            ).scalar()
        }
        let person = scene.person
        #expect(try told(own.reset) == "due \(person.email) Somebody reset t")
        #expect(try told(own.signIn) == "due \(person.email) Somebody sign_in t")
        #expect(try told(own.signUp) == "due new-\(person.email)  sign_up f")
        for ticket in [own.usedReset, own.lateReset, own.usedCode, own.lateCode, own.live] {
            #expect(try told(ticket) == "gone    f")
        }
        #expect(try told(own.removedReset).hasPrefix("gone "))
        try house.superuser().query(
            """
            INSERT INTO app.suppressed_addresses (email, reason) VALUES (\(own.second), 'bounced')
            """)
        #expect(try told(own.secondReset).hasPrefix("suppressed "))
        #expect(try told(own.reset).hasPrefix("due "))
    }
}
