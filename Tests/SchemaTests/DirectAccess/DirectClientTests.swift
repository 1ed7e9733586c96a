import Postgres
import TestSupport
import Testing

/// Requests as PostgREST runs them: role `authenticated`, claims in a setting, the pre-request
/// function called first.
@Suite("Direct clients")
struct DirectClientTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    /// Creates a family as the apps do: id, code and times are the client's.
    private func createFamily(_ person: Person, _ family: UInt128, role: String) throws {
        try house.asDirect(person) { transaction in
            try transaction.query(
                """
                INSERT INTO api.family_units
                    (id, created_by_user_id, family_code, code_generated_at, created_at, updated_at)
                VALUES (\(family), \(person.id), 'FAM-ABC123', now(), now(), now())
                """)
        }
        try house.asDirect(person) { transaction in
            try transaction.query(
                """
                INSERT INTO api.family_members (id, user_id, family_unit_id, role, added_at)
                VALUES (gen_random_uuid(), \(person.id), \(family), \(role), now())
                """)
        }
    }

    @Test("the apps' queries work unchanged: create, find, list, embed, revoke")
    func asWritten() throws {
        let house = try house
        let player = Person(role: "player")
        let family = UInt128.random(in: 0...UInt128.max)
        try createFamily(player, family, role: "player")
        let code = try house.asDirect(player, readOnly: true) { transaction in
            let found = try transaction.query(
                """
                SELECT family_unit_id FROM api.family_members WHERE user_id = \(player.id) LIMIT 1
                """
            ).scalar(UInt128.self)
            #expect(found == family)
            return try transaction.query(
                "SELECT family_code FROM api.family_units WHERE id = \(family) LIMIT 1"
            ).scalar(String.self)
        }
        let parent = try house.person()
        try house.join(parent, Family(id: family, code: code))
        let embedded = try house.asDirect(parent, readOnly: true) { transaction in
            try transaction.query(
                """
                SELECT m.role || ' ' || f.family_name || ' ' || (f.family_code = \(code))
                FROM api.family_members AS m
                JOIN api.family_units AS f ON f.id = m.family_unit_id
                WHERE m.user_id = \(parent.id) AND m.role = 'parent'
                """
            ).scalar(String.self)
        }
        #expect(embedded == "parent My Family true")
        let people = try house.asDirect(player, readOnly: true) { transaction in
            try transaction.query(
                """
                SELECT u.email FROM api.family_members AS m JOIN api.users AS u ON u.id = m.user_id
                WHERE m.family_unit_id = \(family) ORDER BY m.added_at, m.role DESC
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
        }
        #expect(Set(people) == [player.email, parent.email])

        let invitation = try house.asAPI(player) { transaction in
            try transaction.query(
                """
                SELECT invitation_id FROM app.create_invitation(
                    \(family), 'new@example.com', 'parent', NULL, 'email')
                """
            ).scalar(UInt128.self)
        }
        let pending = try house.asDirect(parent, readOnly: true) { transaction in
            try transaction.query(
                """
                SELECT invited_email || token FROM api.family_invitations
                WHERE family_unit_id = \(family) AND status = 'pending' ORDER BY created_at DESC
                """
            ).scalar(String.self)
        }
        #expect(pending == "new@example.com")
        let delete = { (person: Person) in
            try house.asDirect(person) {
                try $0.query("DELETE FROM api.family_invitations WHERE id = \(invitation)")
                    .affectedCount
            }
        }
        #expect(try delete(parent) == 0)
        #expect(try delete(player) == 1)
    }

    @Test("a plain INSERT of a family makes a parent its Parent Admin and a player a kid")
    func standing() throws {
        let house = try house
        for (role, householdRole) in [("parent", "parent_admin"), ("player", "kid")] {
            let person = Person(role: role)
            let family = UInt128.random(in: 0...UInt128.max)
            try createFamily(person, family, role: role)
            let given = try house.asDirect(person) {
                try $0.query("SELECT household_role FROM api.family_members").scalar(String.self)
            }
            #expect(given == householdRole)
        }
    }

    @Test("an INSERT that returns its row shows it while the family has no members yet")
    func returning() throws {
        let person = try house.person()
        let shown = try house.asDirect(person) { transaction in
            try transaction.query(
                """
                INSERT INTO api.family_units (created_by_user_id, family_code)
                VALUES (\(person.id), 'FAM-ABC123') RETURNING family_name || family_code
                """
            ).scalar(String.self)
        }
        #expect(shown == "My Family")
    }

    @Test("an INSERT can't enter another person's family, or one's own with a role of one's choice")
    func intrusion() throws {
        let house = try house
        let victim = try house.family(of: try house.person())
        let intruder = try house.person()
        let into = { (family: UInt128, user: UInt128) in
            try refusal {
                try house.asDirect(intruder) {
                    try $0.query(
                        """
                        INSERT INTO api.family_members (user_id, family_unit_id, role)
                        VALUES (\(user), \(family), 'parent')
                        """)
                }
            }
        }
        #expect(try into(victim.id, intruder.id) == "42501")
        // A full family and a missing one are refused in the same way.
        try house.owner().query(
            "UPDATE app.family_units SET member_limit = 1 WHERE id = \(victim.id)")
        #expect(try into(victim.id, intruder.id) == "42501")
        #expect(try into(1, intruder.id) == "42501")
        let own = UInt128.random(in: 0...UInt128.max)
        try createFamily(intruder, own, role: "parent")
        #expect(try into(own, try house.person().id) == "42501")
        #expect(try into(own, intruder.id) == "42501")
        for column in ["household_role", "status", "parent_user_id"] {
            let met = try refusal {
                try house.asDirect(intruder) {
                    try $0.query(
                        SQL(unsafe: "INSERT INTO api.family_members (\(column)) VALUES (NULL)"))
                }
            }
            #expect(met == "42501", "\(column)")
        }
        #expect(
            try refusal {
                try house.asDirect(intruder) {
                    try $0.query(
                        """
                        INSERT INTO api.family_units (created_by_user_id)
                        VALUES (\(try house.person().id))
                        """)
                }
            } == "42501")
    }

    @Test("an account can create five families, even by concurrent plain INSERTs")
    func fiveFamilies() throws {
        let house = try house
        let person = try house.person()
        let met = try onThreads(8) { _ in
            try refusal {
                try house.asDirect(person) {
                    try $0.query(
                        "INSERT INTO api.family_units (created_by_user_id) VALUES (\(person.id))")
                }
            }
        }.map { try $0.get() }
        #expect(met.count { $0 == nil } == 5)
        #expect(met.count { $0 == "HF409 too_many_families" } == 3)
    }

    @Test(
        "internal tables and functions can't be named, and tokens of other issuers are refused")
    func closed() throws {
        let house = try house
        let person = try house.person()
        for statement in [
            "SELECT * FROM app.users", "SELECT app.user_id()", "SELECT * FROM app.my_families",
            "SELECT app.create_family('X', NULL, true)", "SELECT * FROM app.audit_log",
            "CREATE TABLE public.t (x int)",
            "CREATE FUNCTION api.f() RETURNS int LANGUAGE sql RETURN 1",
        ] {
            let met = try refusal {
                try house.asDirect(person) { try $0.query(SQL(unsafe: statement)) }
            }
            #expect(met == "42501", "\(statement)")
        }
        let begin = { (claims: String) in
            try refusal { try house.asDirect(claims: claims) { _ in } }
        }
        let subject = person.subject
        let good = #""iss": "\#(Person.issuer)", "sub": "\#(subject)""#
        #expect(try begin("{\(good), \"aud\": \"authenticated\"}") == nil)
        for claims in [
            "{}", "{\(good)}", "{\(good), \"aud\": \"other\"}",
            "{\(good), \"aud\": \"authenticated\", \"role\": \"service_role\"}",
            "{\(good), \"aud\": \"authenticated\", \"role\": \"anon\"}",
            #"{"iss": "https://elsewhere", "sub": "\#(subject)", "aud": "authenticated"}"#,
            #"{"iss": "\#(Person.issuer)", "aud": "authenticated"}"#,
        ] {
            #expect(try begin(claims) == "PT401", "\(claims)")
        }
    }

    @Test("nothing is visible before the request has begun; an anonymous user leaves no row")
    func nothingBegun() throws {
        let house = try house
        _ = try house.family(of: try house.person())
        let connection = try Connection(house.test.settings(as: "authenticator"))
        try connection.execute(script: "SET ROLE authenticated")
        for view in ["family_units", "family_members", "users", "family_invitations"] {
            let count = try connection.query(SQL(unsafe: "SELECT count(*) FROM api.\(view)"))
                .scalar(Int.self)
            #expect(count == 0, "\(view)")
        }
        try connection.execute(script: "SET ROLE anon")
        #expect(try refusal { try connection.query("SELECT * FROM api.users") } == "42501")
        #expect(try refusal { try connection.query("SELECT gateway.begin_request()") } == "42501")

        let nobody = Person(role: "parent")
        let anonymous = nobody.claims.replacing(
            "\"role\": \"authenticated\"",
            with: "\"role\": \"authenticated\", \"is_anonymous\": true")
        let visible = try house.asDirect(claims: anonymous) {
            try $0.query("SELECT count(*) FROM api.users").scalar(Int.self)
        }
        #expect(visible == 0)
        #expect(
            try house.count("SELECT count(*) FROM app.users WHERE id = \(nobody.id)") == 0)
    }

    @Test("a read can't create the user and shows nothing; a write creates it")
    func firstSight() throws {
        let house = try house
        let person = Person(role: "player")
        let seen = { (readOnly: Bool) in
            try house.asDirect(person, readOnly: readOnly) {
                try $0.query("SELECT count(*) FROM api.users").scalar(Int.self)
            }
        }
        #expect(try seen(true) == 0)
        #expect(try seen(false) == 1)
        #expect(try seen(true) == 1)
    }

    @Test(
        "the acting header is accepted for one's own child; for any other the refusal is the same")
    func acting() throws {
        let house = try house
        let parent = try house.person()
        let family = try house.family(of: parent)
        let child = try house.child(of: parent, in: family)
        let id = try house.superuser().query("SELECT \(child)::text").scalar(String.self)
        let see = { (person: Person, header: String) in
            try refusal {
                try house.asDirect(person, headers: #"{"x-acting-as-member": "\#(header)"}"#) {
                    let shown = try $0.query(
                        "SELECT string_agg(family_code, '') FROM api.family_units"
                    ).scalar(String?.self)
                    #expect(shown == "")
                }
            }
        }
        #expect(try see(parent, "managed_\(id)") == nil)
        #expect(try see(parent, id.uppercased()) == nil)
        #expect(try see(try house.person(), id) == "PT403")
        #expect(try see(parent, parent.subject) == "PT403")
        #expect(try see(parent, "\(id), \(id)") == "PT400")
    }

    @Test("a removed member sees nothing with its next statement, and can't rejoin by SQL")
    func removed() throws {
        let house = try house
        let admin = try house.person()
        let family = try house.family(of: admin)
        let parent = try house.person()
        let member = try house.join(parent, family)
        let visible = {
            try house.asDirect(parent, readOnly: true) {
                try $0.query(
                    """
                    SELECT (SELECT count(*) FROM api.family_units)
                        + (SELECT count(*) FROM api.family_members)
                        + (SELECT count(*) FROM api.users)
                    """
                ).scalar(Int.self)
            }
        }
        #expect(try visible() == 5)
        try house.asAPI(admin) {
            try $0.query("SELECT app.remove_member(\(member), NULL, false, false)")
        }
        #expect(try visible() == 1)
    }
}
