import Postgres
import TestSupport
import Testing

@Suite("Rows written by adding, using and removing sign-in methods")
struct IdentityEffectsTests {
    private let scene: TwoAccounts
    private var house: House { scene.house }
    private var own: Belongings { scene.own }
    init() throws { scene = try TwoAccounts() }

    private func signIn(
        _ key: UInt128, of user: UInt128, counter: Int, challenge: String,
        lasting seconds: Int = 60
    ) throws -> Int {
        try scene.call(
            """
            SELECT count(*) FROM app.sign_in_by_passkey(\(key), \(user), \(counter), true, true,
                sha256(\(challenge)::text::bytea),
                clock_timestamp() + \(seconds)::integer * interval '1 s', 'a', 'n',
                gen_random_uuid(), 'Phone', sha256('t'), '{"mail": "m"}')
            """
        ).scalar(Int.self)
    }

    private static let answered = "+ answered_challenges: challenge_hash=random, expires_at=now"
    private static let opened = """
        \(answered)
        + refresh_tokens: generation=0, issued_at=now, session_id=new, token_hash=random
        + sessions: device=Phone, ends_at=in 60 days, last_used_at=now, method=passkey,
            started_at=now, user_id=person, user_kind=account
        """

    @Test("a passkey opens a session of its owner, and its signature counter is stored")
    func passkeys() throws {
        let (person, other) = (scene.person, scene.other)
        try scene.effects().expect(
            Self.opened + "\n~ passkeys key: is_backed_up=true, last_used_at=now"
        ) { () throws in
            #expect(try signIn(own.key, of: person.id, counter: 0, challenge: "1") == 1)
        }
        try scene.effects().expect(
            Self.opened + "\n~ passkeys counting: counter=8, is_backed_up=true, last_used_at=now"
        ) { () throws in
            #expect(try signIn(own.counting, of: person.id, counter: 8, challenge: "2") == 1)
        }
        for (number, (key, user, counter)) in [
            (own.counting, person.id, 8), (own.counting, person.id, 0),
            (own.key, other.id, 9), (scene.others.key, person.id, 9), (own.live, person.id, 9),
        ].enumerated() {
            try scene.effects().expect(Self.answered) { () throws in
                #expect(
                    try signIn(key, of: user, counter: counter, challenge: "no \(number)") == 0)
            }
        }
        try scene.effects().expect("") { () throws in
            for (challenge, seconds) in [("1", 60), ("late", -1)] {
                #expect(
                    try refusal {
                        try signIn(
                            own.key, of: person.id, counter: 0, challenge: challenge,
                            lasting: seconds)
                    } == "HF410 challenge_expired")
            }
        }
    }

    @Test(
        "looking up a passkey by its credential returns whether the challenge was answered before")
    func found() throws {
        func told(_ credential: UInt128) throws -> [String] {
            try scene.call(
                """
                SELECT concat_ws(' ', counter, is_answered) FROM app.passkey_of_credential(
                    \(TwoAccounts.hash(credential)), sha256('1'))
                WHERE user_id = \(scene.person.id)
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
        }
        #expect(try told(own.counting) == ["7 f"])
        _ = try signIn(own.key, of: scene.person.id, counter: 0, challenge: "1")
        #expect(try told(own.counting) == ["7 t"])
        #expect(try told(own.live) == [])
    }

    private func add(
        givenBefore seconds: Int?, credential: String = "new", challenge: String = "c"
    ) throws {
        try scene.call(
            scene.person,
            """
            SELECT app.add_my_passkey(
                extract(epoch FROM now())::bigint - \(seconds as Int?), sha256(\(credential)::text::bytea),
                '\\x01', 0, 'Key', '00000000-0000-0000-0000-000000000000', '{usb}', true, false,
                sha256(\(challenge)::text::bytea), clock_timestamp() + interval '1 minute',
                '{"mail": "m"}')
            """)
    }

    @Test("a passkey can be added after a recent sign-in, once, and up to twenty")
    func addsPasskeys() throws {
        try scene.effects().expect("") { () throws in
            for seconds in [nil, 601] {
                #expect(
                    try refusal { try add(givenBefore: seconds) }
                        == "HF403 sign_in_again")
            }
        }
        try scene.effects().expect(
            """
            \(Self.answered)
            + audit_log: action=identity.add, actor_user_id=person, details={kind: passkey},
                subject_user_id=person, target_id=new
            + live: kind=mail.passkey_added, payload={mail: m, recipient: person}
            + passkeys: counter=0, credential_id=random, handle=person, is_backed_up=false,
                is_backup_eligible=true, label=Key, model=new, public_key=\\\\x01,
                transports=[usb], user_id=person, user_kind=account
            """
        ) { try add(givenBefore: 590) }
        try scene.effects().expect("") { () throws in
            #expect(
                try refusal { try add(givenBefore: 0, challenge: "d") } == "HF409 passkey_exists")
            #expect(
                try refusal { try add(givenBefore: 0, credential: "x") }
                    == "HF410 challenge_expired")
        }
        // With the three existing ones, twenty.
        for number in 1...16 {
            try add(givenBefore: 0, credential: "\(number)", challenge: "\(number)")
        }
        try add(givenBefore: 0, credential: "17", challenge: "17")
        try scene.effects().expect("") { () throws in
            #expect(
                try refusal { try add(givenBefore: 0, credential: "18", challenge: "18") }
                    == "HF409 too_many_passkeys")
        }
    }

    @Test("a passkey can be removed only by its owner")
    func removesPasskeys() throws {
        let person = scene.person
        try scene.effects().expect("") { () throws in
            #expect(
                try refusal {
                    try scene.call(
                        person, TwoAccounts.removePasskey(own.key, signedInBefore: 601))
                } == "HF403 sign_in_again")
            for key in [scene.others.key, own.live] {
                #expect(
                    try refusal {
                        try scene.call(person, TwoAccounts.removePasskey(key))
                    } == "HF404 passkey_not_found")
            }
        }
        let lines = try scene.effects().lines { () throws in
            try scene.call(person, TwoAccounts.removePasskey(own.key, signedInBefore: 590))
        }
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("+ audit_log: action=identity.remove, actor_user_id=person"))
        #expect(lines[1].hasPrefix("+ live: kind=mail.identity_removed"))
        #expect(lines[2].hasPrefix("- passkeys: ") && lines[2].contains("counter=0"))
    }

    /// The account's sign-in methods by name, with the ids that address them.
    private func identities(of person: Person) throws -> [String: UInt128] {
        let rows = try scene.call(
            person, "SELECT concat_ws(' ', kind, name), id FROM app.my_identities()"
        ).map { (row) throws(PostgresError) in
            (try row.read(String.self), try row.read(UInt128.self))
        }
        return Dictionary(rows) { $1 }
    }

    @Test("an account's list of sign-in methods shows current ones and none that were removed")
    func lists() throws {
        let person = scene.person
        #expect(
            try identities(of: person).keys.sorted()
                == [
                    "email \(person.email)", "email \(own.second)", "issuer \(Person.issuer)",
                    "issuer \(TwoAccounts.otherIssuer)", "passkey", "password",
                ].sorted())
        // An address that an issuer has verified leads to this account, unless another account has
        // it.
        try house.superuser().query("DELETE FROM app.email_sign_ins")
        #expect(try identities(of: person)["email \(person.email)"] != nil)
        try house.superuser().query(
            "INSERT INTO app.email_sign_ins (user_id, email) VALUES (\(scene.other.id), \(person.email))"
        )
        #expect(try identities(of: person)["email \(person.email)"] == nil)
    }

    @Test("removing a sign-in method affects only its account")
    func removes() throws {
        let person = scene.person
        let ways = try identities(of: person)
        func remove(_ name: String) throws {
            try scene.call(
                person, TwoAccounts.removeIdentity(try #require(ways[name])))
        }
        func trail(_ kind: String) -> String {
            """
            + audit_log: action=identity.remove, actor_user_id=person, details={kind: \(kind)},
                subject_user_id=person, target_id=new
            + live: kind=mail.identity_removed,
                payload={mail: m, identity: \(kind), recipient: person}
            """
        }
        try scene.effects().expect("") { () throws in
            for way in try identities(of: scene.other).values {
                #expect(
                    try refusal { try scene.call(person, TwoAccounts.removeIdentity(way)) }
                        == "HF404 identity_not_found")
            }
            for way in ways.values {
                #expect(
                    try refusal {
                        try scene.call(
                            person, TwoAccounts.removeIdentity(way, signedInBefore: 601))
                    } == "HF403 sign_in_again")
            }
        }
        try scene.effects().expect(
            """
            \(trail("issuer"))
            + live: kind=provider.revoke, payload={token: due token}, unique_key=due token
            + unlinked_sign_ins: issuer=https://second.test, removed_at=now, subject_hash=random,
                user_id=person
            - user_identities: issuer=https://second.test, lacks_name=false,
                subject_hash=random, tells_address=true, user_id=person, user_kind=account
            ~ provider_tokens due token: subject_hash=null, user_id=null
            """
        ) { try remove("issuer \(TwoAccounts.otherIssuer)") }
        try scene.effects().expect(
            """
            \(trail("email"))
            ~ email_sign_ins person second-person@example.com: removed_at=now
            """
        ) { try remove("email \(own.second)") }
        let password = try scene.effects().lines { try remove("password") }
        #expect(password.count == 3 && password[2].hasPrefix("- passwords: hash=$argon2id$old"))
        // A verified address of an issuer is recorded as removed.
        try house.superuser().query(
            "DELETE FROM app.email_sign_ins WHERE email = \(person.email)")
        try scene.effects().expect(
            """
            \(trail("email"))
            + email_sign_ins: email=person@example.com, proved_at=now, removed_at=now,
                user_id=person, user_kind=account
            """
        ) { try remove("email \(person.email)") }
    }

    @Test("the last available sign-in method can't be removed")
    func lastWay() throws {
        let person = scene.person
        try house.superuser().query("DELETE FROM app.passkeys WHERE id <> \(own.key)")
        try house.superuser().query("DELETE FROM app.email_sign_ins")
        try house.superuser().query("UPDATE app.users SET email_verified = false, email = NULL")
        try house.superuser().query(
            "UPDATE app.user_identities SET claims_issued_at = 4000000000")
        let ways = try identities(of: person)
        #expect(Set(ways.keys).count == 3 && ways["password"] == nil)
        let issuer = try #require(ways["issuer \(Person.issuer)"])
        let passkey = try #require(ways["passkey"])
        func remove(_ id: UInt128, offering kinds: [String], _ issuers: [String]) throws -> String?
        {
            try refusal {
                try scene.call(
                    person,
                    """
                    SELECT app.remove_my_identity(\(id), extract(epoch FROM now())::bigint,
                        \(kinds), \(issuers), '{}')
                    """)
            }
        }
        try scene.effects().expect("") { () throws in
            #expect(
                try remove(issuer, offering: ["email"], [Person.issuer]) == "HF409 last_identity")
            #expect(try remove(passkey, offering: ["passkey"], []) == "HF409 last_identity")
        }
        try house.superuser().query("DELETE FROM app.passkeys")
        try house.superuser().query(
            "DELETE FROM app.user_identities WHERE issuer = \(TwoAccounts.otherIssuer)")
        try scene.effects().expect("") { () throws in
            #expect(
                try refusal { try scene.call(person, TwoAccounts.removeIdentity(issuer)) }
                    == "HF409 last_identity")
        }
    }

    @Test(
        "an address allows sign-in by code and password; the password is removed with the last address"
    )
    func passwordOfAddress() throws {
        let person = scene.person
        let ways = try identities(of: person)
        let second = try #require(ways["email \(own.second)"])
        let first = try #require(ways["email \(person.email)"])
        try scene.call(person, TwoAccounts.removeIdentity(second))
        #expect(try identities(of: person)["password"] != nil)
        try scene.call(person, TwoAccounts.removeIdentity(first))
        #expect(try identities(of: person)["password"] == nil)
        let left = try house.superuser().query(
            "SELECT count(*) FROM app.passwords WHERE user_id = \(person.id)"
        ).scalar(Int.self)
        #expect(left == 0)
    }
}
