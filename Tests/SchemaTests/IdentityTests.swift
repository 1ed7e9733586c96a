import Postgres
import TestSupport
import Testing

@Suite("Beginning a request")
struct IdentityTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    @Test("no row is visible and no function changes anything before the request has begun")
    func nothingBegun() throws {
        let house = try house
        let family = try house.family(of: try house.person())
        let connection = try Connection(house.test.settings(as: "hearth_api"))
        for relation in [
            "app.family_units", "app.users", "app.member_list", "app.my_family_list",
            "app.my_profile", "app.my_profiles", "app.member_preferences",
            "app.family_attributes", "app.my_requests",
        ] {
            let count = try connection.query(SQL(unsafe: "SELECT count(*) FROM \(relation)"))
                .scalar(Int.self)
            #expect(count == 0, "\(relation)")
        }
        #expect(
            try refusal { try connection.query("SELECT app.create_family('X', NULL, true)") }
                == "HF403 account_required")
        #expect(
            try refusal { try connection.query("SELECT app.leave_family(\(family.id), NULL)") }
                == "HF403 account_required")
    }

    @Test("a begun request ends with its transaction")
    func endsWithTransaction() throws {
        let house = try house
        let person = try house.person()
        let connection = try Connection(house.test.settings(as: "hearth_api"))
        try connection.transaction { transaction in
            try person.begin(transaction, actingAs: nil)
            #expect(try transaction.query("SELECT app.user_id()").scalar() == person.id)
        }
        #expect(try connection.query("SELECT app.user_id()").scalar(UInt128?.self) == nil)
        #expect(try connection.query("SELECT app.account_id()").scalar(UInt128?.self) == nil)
    }

    @Test("a second begin_request in a transaction replaces the first, including its delegation")
    func secondCall() throws {
        let house = try house
        let parent = try house.person()
        let family = try house.family(of: parent)
        let child = try house.child(of: parent, in: family)
        try house.asAPI(parent, actingAs: child) { transaction in
            #expect(try transaction.query("SELECT app.user_id()").scalar() == child)
            #expect(try transaction.query("SELECT app.actor_id()").scalar() == parent.id)
            #expect(
                try transaction.query("SELECT app.account_id()").scalar(UInt128?.self) == nil)
            let outcome = try transaction.query(
                """
                SELECT outcome FROM app.begin_request(
                    \(Person.issuer), sha256(convert_to(\(parent.signIn), 'UTF8')), \(parent.email), true,
                    NULL)
                """
            ).scalar(String.self)
            #expect(outcome == "known")
            #expect(try transaction.query("SELECT app.account_id()").scalar() == parent.id)
            try transaction.query(
                "SELECT outcome FROM app.begin_request('elsewhere', '\\x00', NULL, true, NULL)")
            #expect(
                try transaction.query("SELECT app.actor_id()").scalar(UInt128?.self) == nil)
        }
    }

    @Test("twenty concurrent first requests of a person create one user, with the subject as id")
    func firstSight() throws {
        let house = try house
        let person = Person(role: "player")
        let outcomes = onThreads(20) { _ in try house.asAPI(person) { _ in } }
        for outcome in outcomes { try outcome.get() }
        #expect(
            try house.count(
                "SELECT count(*) FROM app.user_identities WHERE user_id = \(person.id)") == 1)
        #expect(
            try house.count("SELECT count(*) FROM app.users WHERE email = \(person.email)") == 1)
    }

    @Test("an id in use by another user, a managed child included, is not adopted")
    func takenID() throws {
        let house = try house
        let parent = try house.person()
        let family = try house.family(of: parent)
        let child = try house.child(of: parent, in: family)
        for taken in [parent.id, child] {
            let connection = try Connection(house.test.settings(as: "hearth_api"))
            let newcomer = try connection.query(
                """
                SELECT user_id FROM app.upsert_user('https://other.test',
                    sha256(\(String(taken))::text::bytea), \(taken), NULL, false, NULL, NULL, NULL)
                """
            ).scalar(UInt128.self)
            #expect(newcomer != taken)
        }
    }

    @Test("a changed address or verification in a token is stored before the request begins")
    func staleClaims() throws {
        let house = try house
        let person = try house.person()
        let connection = try Connection(house.test.settings(as: "hearth_api"))
        try connection.transaction { transaction in
            let outcome = try transaction.query(
                """
                SELECT outcome FROM app.begin_request(
                    \(Person.issuer), sha256(convert_to(\(person.signIn), 'UTF8')), \(person.email), false,
                    NULL)
                """
            ).scalar(String.self)
            #expect(outcome == "stale")
            #expect(
                try transaction.query("SELECT app.user_id()").scalar(UInt128?.self) == nil)
            try transaction.query(
                """
                SELECT outcome FROM app.upsert_user(\(Person.issuer), sha256(convert_to(\(person.signIn), 'UTF8')), NULL,
                    \(person.email), false, 'Another Name', 'player', NULL)
                """)
            #expect(
                try transaction.query("SELECT email_verified FROM app.my_profile").scalar()
                    == false)
            #expect(
                try transaction.query("SELECT full_name FROM app.my_profile").scalar()
                    == "Somebody")
        }
    }

    @Test("claims that can't be stored don't prevent signing in")
    func oddClaims() throws {
        let connection = try Connection(try house.test.settings(as: "hearth_api"))
        let name = String(repeating: "n", count: 300) + "\n"
        let user = try connection.query(
            """
            SELECT user_id FROM app.upsert_user('odd', sha256('odd'), NULL, 'no address', true,
                \(name), 'king', NULL)
            """
        ).scalar(UInt128.self)
        let kept = try house.superuser().query(
            """
            SELECT concat_ws(' ', email IS NULL, email_verified, char_length(full_name), role)
            FROM app.users WHERE id = \(user)
            """
        ).scalar(String.self)
        #expect(kept == "t f 80 parent")
    }

    @Test("only a guardian can act for a child, while both are active and the guardian is an adult")
    func delegation() throws {
        let house = try house
        let admin = try house.person()
        let family = try house.family(of: admin)
        let guardian = try house.person()
        let guardianMember = try house.join(guardian, family)
        let child = try house.child(of: guardian, in: family)
        let stranger = try house.person()
        let strangersFamily = try house.family(of: stranger)
        let strangersChild = try house.child(of: stranger, in: strangersFamily)

        func acting(_ person: Person, as member: UInt128) throws -> String? {
            try refusal { try house.asAPI(person, actingAs: member) { _ in } }
        }
        #expect(try acting(guardian, as: child) == nil)
        #expect(try acting(admin, as: child) == "acting_refused")
        #expect(try acting(stranger, as: child) == "acting_refused")
        #expect(try acting(guardian, as: strangersChild) == "acting_refused")
        #expect(try acting(guardian, as: guardianMember) == "acting_refused")
        #expect(try acting(guardian, as: 1) == "acting_refused")

        // The guardian is demoted, its child handed over in the same request.
        let adminMember = try house.membership(admin, family)
        try house.asAPI(admin) { transaction in
            try transaction.query(
                .changeHouseholdRole(of: guardianMember, to: "visitor", heir: adminMember))
        }
        #expect(try acting(guardian, as: child) == "acting_refused")
        #expect(try acting(admin, as: child) == nil)
        try house.asAPI(admin) { transaction in
            try transaction.query("SELECT app.remove_member(\(child), NULL, false, false)")
        }
        #expect(try acting(admin, as: child) == "acting_refused")
    }

    @Test("acting for a child can change only the child's own profile and preferences")
    func actingIsLimited() throws {
        let house = try house
        let parent = try house.person()
        let family = try house.family(of: parent)
        let child = try house.child(of: parent, in: family)
        let member = try house.membership(parent, family)
        let refused: [SQL] = [
            "SELECT app.create_family('X', NULL, true)",
            "SELECT app.join_family_by_code('FAM-ABCDEF', NULL, NULL)",
            "SELECT app.reserve_code_attempt('FAM-ABCDEF', NULL, NULL)",
            "SELECT app.regenerate_code(\(family.id), NULL)",
            "SELECT app.update_family(\(family.id), 'X', NULL, NULL, false, NULL)",
            "SELECT app.remove_member(\(member), NULL, false, false)",
            "SELECT app.leave_family(\(family.id), NULL)",
            .changeHouseholdRole(of: member, to: "visitor"),
            "SELECT app.transfer_admin(\(family.id), \(member))",
            "SELECT app.add_managed_member(\(family.id), 'Y', NULL)",
            "SELECT app.update_managed_member(\(child), 'Y', NULL)",
            "SELECT app.change_player_details(\(family.id), '{}')",
            "SELECT app.create_invitation(\(family.id), NULL, 'parent', NULL, 'link')",
            "SELECT app.update_profile(NULL, NULL, NULL, 'parent')",
        ]
        for statement in refused {
            let outcome = try refusal {
                try house.asAPI(parent, actingAs: child) { try $0.query(statement) }
            }
            #expect(outcome == "HF403 not_while_acting", "\(statement.text)")
        }
        try house.asAPI(parent, actingAs: child) { transaction in
            try transaction.query("SELECT app.update_profile('Kiddo', 'bear', NULL, NULL)")
            try transaction.query(
                """
                INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                VALUES (\(family.id), \(child), '{"likes": "films"}')
                """)
            let masked = try transaction.query(
                """
                SELECT bool_and(family_code = '' AND home_latitude IS NULL
                    AND player_details IS NULL) FROM app.my_family_list
                """
            ).scalar(Bool.self)
            #expect(masked)
            #expect(
                try transaction.query("SELECT count(email) FROM app.member_list").scalar() == 0)
        }
    }
}
