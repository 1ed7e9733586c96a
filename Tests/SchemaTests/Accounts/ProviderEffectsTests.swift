import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Rows written by other issuers' sign-ins and their refresh tokens")
struct ProviderEffectsTests {
    private let scene: TwoAccounts
    private var house: House { scene.house }
    private var own: Belongings { scene.own }
    init() throws { scene = try TwoAccounts() }

    @Test("a sign-in's new refresh token replaces its earlier one")
    func keeps() throws {
        func keep(_ issuer: String, _ signIn: PostgresBytes) throws {
            try scene.call(
                scene.person,
                """
                SELECT app.store_provider_token(
                    \(issuer), \(signIn), 'new app', decode(repeat('01', 28), 'hex'))
                """)
        }
        try scene.effects().expect("") { () throws in
            for (issuer, signIn) in [
                (Person.issuer, own.otherSignIn),
                (TwoAccounts.otherIssuer, scene.others.otherSignIn),
            ] {
                #expect(try refusal { try keep(issuer, signIn) } == "HF403 account_required")
            }
        }
        try scene.effects().expect(
            """
            ~ provider_tokens due token: check_at=in 1 days, client=new app, obtained_at=now,
                sealed=random
            """
        ) { try keep(TwoAccounts.otherIssuer, own.otherSignIn) }
        try house.superuser().query("DELETE FROM app.provider_tokens")
        try scene.effects().expect(
            """
            + provider_tokens: check_at=in 1 days, client=new app, issuer=https://second.test,
                obtained_at=now, sealed=random, subject_hash=random, user_id=person,
                user_kind=account
            """
        ) { try keep(TwoAccounts.otherIssuer, own.otherSignIn) }
    }

    @Test("refreshing a session returns the provider's refresh token if it is due for a check")
    func claims() throws {
        func claim(_ session: UInt128) throws -> [UInt128] {
            try scene.call(
                scene.person, "SELECT token FROM app.claim_provider_check(\(session))"
            ).map { (row) throws(PostgresError) in try row.read(UInt128.self) }
        }
        try scene.effects().expect("") { () throws in
            for session in [own.live, own.exchanged, own.ended, scene.others.further] {
                #expect(try claim(session) == [])
            }
        }
        let lines = try scene.effects().lines { () throws in
            #expect(try claim(own.further) == [own.dueToken])
        }
        #expect(lines == ["~ provider_tokens due token: check_at=now"])
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.provider_tokens WHERE id = \(own.dueToken)
                    AND check_at BETWEEN now() + interval '55 minutes'
                        AND now() + interval '1 hour'
                """) == 1)
        #expect(try claim(own.further) == [])
    }

    @Test("a valid token is checked again in a day; an invalid one ends its sessions")
    func notes() throws {
        func note(_ token: UInt128, isGood: Bool) throws {
            try scene.call(
                scene.person, "SELECT app.record_provider_check(\(token), \(isGood))")
        }
        try scene.effects().expect("~ provider_tokens due token: check_at=in 1 days") { () throws in
            try note(own.dueToken, isGood: true)
        }
        try scene.effects().expect("") { () throws in
            try note(scene.others.dueToken, isGood: true)
            try note(scene.others.dueToken, isGood: false)
        }
        let lines = try scene.effects().lines { try note(own.dueToken, isGood: false) }
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("- provider_tokens: ") && lines[0].contains("second.test"))
        #expect(lines[1] == "~ sessions further: end_reason=provider, ended_at=now")
    }

    @Test("a provider's token to revoke is returned, then deleted; a token in use is left alone")
    func revokes() throws {
        let worker = try Connection(house.test.settings(as: "hearth_worker"))
        func told(_ token: UInt128) throws -> [String] {
            try worker.query("SELECT issuer FROM app.provider_token_to_revoke(\(token))")
                .map { (row) throws(PostgresError) in try row.read(String.self) }
        }
        #expect(try told(own.dueToken) == [])
        try scene.effects().expect("") { () throws in
            try worker.query("SELECT app.delete_provider_token(\(own.dueToken))")
        }
        try house.superuser().query(
            """
            UPDATE app.provider_tokens SET user_id = NULL, subject_hash = NULL
            WHERE id IN (\(own.dueToken), \(own.token))
            """)
        #expect(try told(own.dueToken) == [TwoAccounts.otherIssuer])
        let lines = try scene.effects().lines { () throws in
            try worker.query("SELECT app.delete_provider_token(\(own.dueToken))")
        }
        #expect(lines.count == 1 && lines[0].contains("second.test"))
    }

    private let issuedAt = Int64(Date().timeIntervalSince1970)

    private func adopt(
        _ signIn: PostgresBytes, by person: Person? = nil, signedInBefore seconds: Int = 590
    ) throws {
        try scene.call(
            person ?? scene.person,
            """
            SELECT app.add_sign_in(
                \(TwoAccounts.otherIssuer), \(signIn), 'any@example.com', true, \(issuedAt),
                extract(epoch FROM now())::bigint - \(seconds), '{"mail": "m"}')
            """)
    }

    private static let trail = """
        + audit_log: action=identity.add, actor_user_id=person, details={kind: issuer},
            subject_user_id=person, target_id=person
        + live: kind=mail.identity_added, payload={mail: m, recipient: person}
        """

    @Test("an unused sign-in is added to the account, without its address")
    func adoptsNew() throws {
        try scene.effects().expect("") { () throws in
            #expect(
                try refusal { try adopt(TwoAccounts.hash(own.live), signedInBefore: 601) }
                    == "HF403 sign_in_again")
        }
        try scene.effects().expect(
            """
            \(Self.trail)
            + user_identities: claims_issued_at=now, issuer=https://second.test,
                lacks_name=false, subject_hash=random, tells_address=false, user_id=person, user_kind=account
            """
        ) { try adopt(TwoAccounts.hash(own.live)) }
        try scene.effects().expect("") { try adopt(own.otherSignIn) }
        // An equal subject at another issuer belongs to another person.
        let hash: PostgresBytes = try house.superuser().query(
            """
            SELECT subject_hash FROM app.user_identities
            WHERE user_id = \(scene.other.id) AND issuer = \(Person.issuer)
            """
        ).scalar()
        let lines = try scene.effects().lines { try adopt(hash) }
        #expect(lines.count == 3)
    }

    @Test("an account that is erased in the meantime gets no sign-in, passkey or password")
    func erasedMeanwhile() throws {
        let person = scene.person
        let scene = scene
        let (adopted, credential) = (TwoAccounts.hash(own.live), TwoAccounts.hash(own.over))
        try house.superuser().query("DELETE FROM app.passwords")
        for statement: SQL in [
            """
            SELECT app.add_sign_in(\(TwoAccounts.otherIssuer), \(adopted), NULL, NULL,
                extract(epoch FROM now())::bigint, extract(epoch FROM now())::bigint, '{}')
            """,
            """
            SELECT app.add_my_passkey(extract(epoch FROM now())::bigint, \(credential), '\\x01', 0,
                'Key', '00000000-0000-0000-0000-000000000000', '{usb}', true, false,
                sha256('c'), clock_timestamp() + interval '1 minute', '{}')
            """,
            """
            SELECT app.change_my_password(NULL, '$argon2id$new', NULL,
                extract(epoch FROM now())::bigint, '{}')
            """,
        ] {
            let connection = try house.superuser()
            let refused = try house.race(
                { body in
                    try connection.transaction { try body($0) }
                },
                early: {
                    try $0.query(
                        "UPDATE app.users SET deleted_at = now() WHERE id = \(person.id)")
                }, late: { try scene.call(person, statement) })
            #expect(refused == "HF403 account_required")
            try connection.query(
                "UPDATE app.users SET deleted_at = NULL WHERE id = \(person.id)")
        }
    }

    @Test("a sign-in can't be taken from an account in use")
    func leavesUsed() throws {
        let other = scene.other
        let signIn = scene.others.otherSignIn
        func expectUsed(sourceLocation: SourceLocation = #_sourceLocation) throws {
            try scene.effects().expect("", sourceLocation: sourceLocation) { () throws in
                #expect(
                    try refusal { try adopt(signIn) } == "HF409 identity_in_use",
                    sourceLocation: sourceLocation)
            }
        }
        // A password or a passkey alone makes it an account in use.
        try house.superuser().query("DELETE FROM app.passkeys WHERE user_id = \(other.id)")
        try expectUsed()
        try house.superuser().query(
            """
            INSERT INTO app.passkeys (id, user_id, credential_id, public_key, counter, model,
                transports, is_backup_eligible, is_backed_up)
            VALUES (gen_random_uuid(), \(other.id), '\\x02', '\\x01', 0, gen_random_uuid(), '{}',
                true, false)
            """)
        try house.superuser().query("DELETE FROM app.passwords WHERE user_id = \(other.id)")
        try expectUsed()
        try house.superuser().query("DELETE FROM app.passkeys WHERE user_id = \(other.id)")
        // So does a family that it is in, has asked to join, or has created.
        let family = try house.family(of: house.person())
        try house.join(other, family)
        try expectUsed()
        try scene.call(other, "SELECT app.leave_family(\(family.id), NULL)")
        let made = try house.family(of: other)
        try scene.call(other, "SELECT app.leave_family(\(made.id), NULL)")
        try expectUsed()
    }

    @Test("a sign-in moves from an unused account, which is deleted with its last sign-in method")
    func moves() throws {
        let other = scene.other
        try house.superuser().query("DELETE FROM app.passwords WHERE user_id = \(other.id)")
        try house.superuser().query("DELETE FROM app.passkeys WHERE user_id = \(other.id)")
        // The other account was a member of one of the person's families.
        let family = try house.family(of: scene.person)
        try house.join(other, family)
        try scene.call(other, "SELECT app.leave_family(\(family.id), NULL)")
        try addNamesakes()
        let moved = """
            \(Self.trail)
            ~ provider_tokens the other's due token: user_id=person
            ~ user_identities new: tells_address=false, user_id=person
            """
        func moves(isTold: Bool = true) throws -> [String] {
            // A sign-in is identified by its hash alone.
            let lines = try scene.effects().lines { try adopt(scene.others.otherSignIn) }
                .map { $0.replacing(#/^~ user_identities .*: /#, with: "~ user_identities new: ") }
            let mails = lines.filter { $0.contains("kind=mail.identity_removed") }
            #expect(mails.count == (isTold ? 1 : 0))
            #expect(mails.allSatisfy { $0.contains("recipient: other") })
            return lines.filter { !mails.contains($0) }
        }
        let expected = moved.replacing(/\n +/, with: " ").split(separator: "\n").map(String.init)
        // Another issuer's sign-in and an address still lead to the other account.
        #expect(try moves() == expected)
        try giveBack()
        try house.superuser().query("DELETE FROM app.email_sign_ins WHERE user_id = \(other.id)")
        #expect(try moves() == expected)
        try giveBack()
        try house.superuser().query(
            """
            DELETE FROM app.user_identities
            WHERE user_id = \(other.id) AND issuer = \(Person.issuer)
            """)
        try house.superuser().query(
            """
            INSERT INTO app.email_sign_ins (user_id, email)
            VALUES (\(other.id), \(scene.others.second))
            """)
        #expect(try moves() == expected)
        try giveBack()
        try house.superuser().query(
            "UPDATE app.email_sign_ins SET removed_at = now() WHERE user_id = \(other.id)")
        let ended = ["exchanged", "further", "live"].map {
            "~ sessions the other's \($0): end_reason=moved, ended_at=now"
        }
        let erased = """
            ~ users other: deleted_at=now, email=null, email_verified=false, full_name=null, updated_at=now
            """
        #expect(try moves(isTold: false) == (expected + ended + [erased]).sorted())
    }

    /// Adds two accounts: one with the same subject at a third issuer, and one with another subject
    /// at the second issuer.
    private func addNamesakes() throws {
        let third = try house.person()
        let connection = try house.superuser()
        _ = try Belongings(of: third, by: connection)
        for table in ["user_identities", "provider_tokens"] {
            let further = table == "user_identities" ? "claims_mark" : "client, sealed, check_at"
            let values = table == "user_identities" ? "0" : "'app', sealed, now()"
            try connection.query(
                SQL(
                    unsafe: """
                        INSERT INTO app.\(table) (issuer, subject_hash, user_id, \(further))
                        SELECT 'https://third.test', subject_hash, '\(third.subject)', \(values)
                        FROM app.\(table)
                        WHERE issuer = '\(TwoAccounts.otherIssuer)'
                            AND user_id = '\(scene.other.subject)'
                        """))
        }
    }

    private func giveBack() throws {
        try house.superuser().query(
            """
            UPDATE app.user_identities SET user_id = \(scene.other.id), tells_address = true
            WHERE subject_hash = \(scene.others.otherSignIn)
                AND issuer = \(TwoAccounts.otherIssuer)
            """)
        try house.superuser().query(
            """
            UPDATE app.provider_tokens SET user_id = \(scene.other.id)
            WHERE subject_hash = \(scene.others.otherSignIn)
                AND issuer = \(TwoAccounts.otherIssuer)
            """)
    }
}
