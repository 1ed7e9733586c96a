import Postgres
import TestSupport
import Testing

@Suite("Family codes")
struct CodeTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    /// Creates a family as a direct client does, with a code of its choice, and returns the
    /// family's code.
    private func create(
        choosing code: String?, _ creator: Person, in house: House? = nil
    ) throws -> String {
        let family = UInt128.random(in: 0...UInt128.max)
        return try (house ?? self.house).asDirect(creator) { transaction in
            try transaction.query(
                """
                INSERT INTO api.family_units (id, created_by_user_id, family_code,
                    code_generated_at)
                VALUES (\(family), \(creator.id), \(code as String?), now())
                """)
            try transaction.query(
                """
                INSERT INTO api.family_members (user_id, family_unit_id, role)
                VALUES (\(creator.id), \(family), 'parent')
                """)
            return try transaction.query(
                "SELECT family_code FROM api.family_units WHERE id = \(family)"
            ).scalar(String.self)
        }
    }

    @Test("a code chosen by a direct client is kept, with any letters and digits")
    func chosen() throws {
        let house = try house
        let creator = try house.person()
        #expect(try create(choosing: "FAM-0I1LO9", creator) == "FAM-0I1LO9")
        let guest = try house.person()
        let outcome = try house.asAPI(guest) {
            try $0.query("SELECT outcome FROM app.join_family_by_code('fam-0i1lo9', NULL, NULL)")
                .scalar(String.self)
        }
        #expect(outcome == "joined")
    }

    @Test("a random code that is already taken is drawn again")
    func drawnAgain() throws {
        let house = try House()
        let first = try house.family(of: house.person())
        try house.superuser().execute(
            script: """
                CREATE SEQUENCE app.draws;
                GRANT USAGE ON app.draws TO PUBLIC;
                CREATE OR REPLACE FUNCTION app.random_code() RETURNS text LANGUAGE sql
                AS $$ SELECT CASE WHEN nextval('app.draws') < 4 THEN '\(first.code)'
                    ELSE 'FAM-ZZZZZZ' END $$;
                """)
        #expect(try house.family(of: house.person()).code == "FAM-ZZZZZZ")
        #expect(try house.count("SELECT last_value FROM app.draws") == 4)
    }

    @Test(
        "a malformed, missing, taken or retired code is replaced by an unambiguous one",
        arguments: ["FAM-abc234", "FAM-ABC23", "ABC234", "", nil, "taken", "retired"])
    func replaced(code: String?) throws {
        let house = try house
        let owner = try house.person()
        let family = try house.family(of: owner)
        if code == "retired" {
            try house.asAPI(owner) {
                try $0.query("SELECT app.regenerate_code(\(family.id), NULL)")
            }
        }
        let chosen = code == "taken" || code == "retired" ? family.code : code
        let given = try create(choosing: chosen, house.person())
        #expect(given.count == 10 && given.hasPrefix("FAM-") && given != chosen)
        #expect(given.dropFirst(4).allSatisfy { "ABCDEFGHJKMNPQRSTUVWXYZ23456789".contains($0) })
    }

    @Test("an account that created five families no longer learns whether a chosen code is taken")
    func bound() throws {
        let creator = try house.person()
        for _ in 0..<5 { _ = try create(choosing: nil, creator) }
        let sixth = try refusal { try create(choosing: "FAM-777777", creator) }
        #expect(sixth == "HF409 too_many_families")
        #expect(
            try house.count("SELECT count(*) FROM app.family_codes WHERE code = 'FAM-777777'") == 0)
    }

    @Test("an insert with a taken code succeeds with another code")
    func noOracle() throws {
        let house = try house
        let taken = try house.family(of: try house.person()).code
        for code in [taken, "FAM-ZZZZZ9"] {
            let creator = try house.person()
            let met = try refusal {
                try house.asDirect(creator) { transaction in
                    try transaction.query(
                        """
                        INSERT INTO api.family_units (created_by_user_id, family_code)
                        VALUES (\(creator.id), \(code))
                        """)
                }
            }
            #expect(met == nil)
        }
        #expect(try house.count("SELECT count(*) FROM app.family_codes WHERE code = \(taken)") == 1)
    }

    @Test("new codes have the configured length, and existing ones of another length stay valid")
    func lengths() throws {
        let house = try House()
        let first = try house.family(of: house.person())
        #expect(first.code.count == 10)
        try Connection(house.test.settings(as: "hearth_api"))
            .query("SELECT app.apply_code_settings(8, 60)")
        let long = try create(choosing: "FAM-0I1LO9AB", house.person(), in: house)
        #expect(long == "FAM-0I1LO9AB")
        // A shorter code would be easier to guess than the operator wants.
        let short = try create(choosing: "FAM-0I1LO9", house.person(), in: house)
        #expect(short.count == 12)
        let drawn = try house.family(of: house.person())
        #expect(drawn.code.count == 12)
        for code in [first.code, drawn.code, drawn.code.lowercased()] {
            for typed in [code, String(code.dropFirst(4))] {
                let outcome = try house.asAPI(house.person()) {
                    try $0.query(
                        "SELECT outcome FROM app.join_family_by_code(\(typed), NULL, NULL)"
                    ).scalar(String.self)
                }
                #expect(outcome == "joined", "\(typed)")
            }
        }
        for code in ["FAM-ABC23", "FAM-ABC234567"] {
            let met = try refusal {
                try house.owner().query(
                    """
                    INSERT INTO app.family_codes (code, family_unit_id)
                    VALUES (\(code), \(first.id))
                    """)
            }
            #expect(met == "23514 family_codes_form")
        }
        for length: Int32 in [5, 9] {
            let met = try refusal {
                try house.owner().query("SELECT app.apply_code_settings(\(length), 60)")
            }
            #expect(met == "23514 code_settings_length_range")
        }
    }

    @Test("all characters are equally likely")
    func uniform() throws {
        let spread = try house.owner().query(
            """
            SELECT max(n) * 1.0 / min(n) < 1.25 AND count(*) = 31 FROM (
                SELECT count(*) AS n FROM generate_series(1, 10000) AS g,
                    LATERAL (SELECT app.random_code() AS code WHERE g > 0) AS c,
                    generate_series(5, 10) AS position
                GROUP BY substr(code, position, 1)) AS counted
            """
        ).scalar(Bool.self)
        #expect(spread)
    }

    @Test("a collision causes another draw instead of an error")
    func collision() throws {
        let house = try House()
        try house.superuser().execute(
            script: """
                CREATE SEQUENCE app.draws;
                GRANT USAGE ON SEQUENCE app.draws TO hearth_owner;
                CREATE OR REPLACE FUNCTION app.random_code() RETURNS text LANGUAGE sql VOLATILE
                SET search_path = '' AS
                $$ SELECT 'FAM-AAAAA' || (ARRAY['2','2','2','3'])[nextval('app.draws')] $$;
                """)
        let codes = try [house.person(), house.person()].map { try house.family(of: $0).code }
        #expect(codes == ["FAM-AAAAA2", "FAM-AAAAA3"])
    }

    @Test("no two codes are equal, whether live or retired, and a family shows only its live code")
    func uniqueTogether() throws {
        let house = try house
        let creator = try house.person()
        let family = try house.family(of: creator)
        let other = try house.family(of: try house.person())
        try house.asAPI(creator) {
            try $0.query("SELECT app.regenerate_code(\(family.id), NULL)")
        }
        let owner = try house.owner()
        let taken = try refusal {
            try owner.query(
                """
                INSERT INTO app.family_codes (code, family_unit_id)
                VALUES (\(family.code), \(other.id))
                """)
        }
        #expect(taken == "23505 family_codes_pkey")
        for family in [family, other] {
            let met = try refusal {
                try owner.transaction { transaction in
                    try transaction.query(
                        """
                        UPDATE app.family_units SET family_code = \(other.code)
                        WHERE id = \(family.id)
                        """)
                    try transaction.query(
                        """
                        UPDATE app.family_codes SET state = 'retired', retired_at = now(),
                            reason = 'expired' WHERE code = \(other.code)
                        """)
                }
            }
            #expect(met == "23503 family_units_code_is_live")
        }
    }

    @Test("the approval state is returned only for live codes, each for its own family")
    func terms() throws {
        let house = try house
        let admin = try house.person()
        let (open, closed) = (try house.family(of: admin), try house.family(of: admin))
        try house.asAPI(admin) {
            try $0.query(
                "SELECT app.update_family(\(closed.id), NULL, NULL, NULL, false, true)")
        }
        let joiner = try house.person()
        func terms(_ code: String) throws -> [Bool] {
            try house.asAPI(joiner) {
                try $0.query("SELECT approval_required FROM app.approval_terms_of_code(\(code))")
                    .map { (row) throws(PostgresError) in try row.read(Bool.self) }
            }
        }
        #expect(try terms(open.code) == [false])
        #expect(try terms(closed.code) == [true])
        try house.asAPI(admin) { try $0.query("SELECT app.regenerate_code(\(open.id), NULL)") }
        #expect(try terms(open.code) == [])
    }

    @Test("a code's lifetime is at least a day and at most the configured maximum")
    func days() throws {
        let house = try house
        let admin = try house.person()
        let family = try house.family(of: admin)
        func regenerate(_ days: Int32) throws -> String? {
            try refusal {
                try house.asAPI(admin) {
                    try $0.query("SELECT app.regenerate_code(\(family.id), \(days))")
                }
            }
        }
        let most = try house.superuser().query("SELECT app.max_code_days()").scalar(Int32.self)
        #expect(
            try [0, most + 1].map(regenerate) == ["HF400 invalid_field", "HF400 invalid_field"])
        #expect(try [1, most].map(regenerate) == [nil, nil])
    }

    @Test("two concurrent regenerations leave one live code; the others stop working")
    func regenerateTwice() throws {
        let house = try house
        let creator = try house.person()
        let family = try house.family(of: creator)
        let codes = try onThreads(4) { _ in
            try house.asAPI(creator) { transaction in
                try transaction.query(
                    "SELECT family_code FROM app.regenerate_code(\(family.id), NULL)"
                ).scalar(String.self)
            }
        }.map { try $0.get() }
        let live = try house.superuser().query(
            "SELECT family_code FROM app.family_units WHERE id = \(family.id)"
        ).scalar(String.self)
        #expect(Set(codes).count == 4 && codes.contains(live))
        let joining = try house.person()
        for code in codes + [family.code] where code != live {
            let outcome = try house.asAPI(joining) { transaction in
                try transaction.query(
                    "SELECT outcome FROM app.join_family_by_code(\(code), NULL, NULL)"
                ).scalar(String.self)
            }
            #expect(outcome == "code_unknown")
        }
    }

    @Test(
        "an expired code is reported as expired before and after the expiry job; a replaced one as unknown"
    )
    func expiry() throws {
        // A database of its own: the test purges all retired codes.
        let house = try House()
        let creator = try house.person()
        let family = try house.family(of: creator)
        let outcome = { () throws -> String in
            try house.asAPI(try house.person()) { transaction in
                try transaction.query(
                    "SELECT outcome FROM app.preview_code(\(family.code), NULL, NULL)"
                ).scalar(String.self)
            }
        }
        #expect(try outcome() == "found")
        try house.owner().query(
            """
            UPDATE app.family_units SET code_expires_at = now() - interval '1 s'
            WHERE id = \(family.id)
            """)
        #expect(try outcome() == "code_expired")
        let shown = try house.asAPI(creator) {
            try $0.query("SELECT family_code FROM app.my_family_list").scalar(String.self)
        }
        #expect(shown == "")
        let worker = try Connection(house.test.settings(as: "hearth_worker"))
        #expect(
            try worker.query("SELECT changed FROM app.expire_codes(100, NULL)").scalar(Int32.self)
                == 1)
        #expect(try outcome() == "code_expired")
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.family_units
                WHERE id = \(family.id) AND family_code IS NULL
                """) == 1)
        try house.asAPI(creator) {
            try $0.query("SELECT app.regenerate_code(\(family.id), 1)")
        }
        #expect(try outcome() == "code_expired")
        #expect(
            try worker.query("SELECT changed FROM app.purge_retired_codes('0 s', 100, NULL)")
                .scalar(Int32.self) > 0)
        #expect(try outcome() == "code_unknown")
    }

    @Test("a parent who joined by code, a visitor and a stranger can't regenerate; a player can")
    func whoRegenerates() throws {
        let house = try house
        let creator = try house.person()
        let family = try house.family(of: creator)
        let parent = try house.person()
        let player = try house.person("player")
        try house.join(parent, family)
        let playing = try house.join(player, family)
        let regenerate = { (person: Person) in
            try refusal {
                try house.asAPI(person) {
                    try $0.query("SELECT app.regenerate_code(\(family.id), NULL)")
                }
            }
        }
        #expect(try regenerate(parent) == "HF403 standing_too_low")
        #expect(try regenerate(try house.person()) == "HF404 family_not_found")
        #expect(try regenerate(player) == nil)
        try house.asAPI(creator) {
            try $0.query(.changeHouseholdRole(of: playing, to: "visitor"))
        }
        #expect(try regenerate(player) == "HF403 standing_too_low")
    }
}
