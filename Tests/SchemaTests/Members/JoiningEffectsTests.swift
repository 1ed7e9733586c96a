import Postgres
import TestSupport
import Testing

@Suite("Rows written by joining with a code, and by failed attempts")
struct JoiningEffectsTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    init() throws { scene = try TwoFamilies() }

    private func enter(
        _ person: Person, _ code: String, tells expected: [String?],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let rows = try scene.call(
            person,
            """
            SELECT outcome, family_name, member_limit::text
            FROM app.join_family_by_code(\(code), '127.0.0.1', '127.0.0.0')
            """)
        let found = try rows.map { (row) throws(PostgresError) in
            [try row.read(String?.self), try row.read(), try row.read()]
        }[0]
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    private func preview(
        _ person: Person, _ code: String, tells expected: [String?],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let rows = try scene.call(
            person,
            """
            SELECT outcome, family_name, member_count::text
            FROM app.preview_code(\(code), '127.0.0.1', '127.0.0.0')
            """)
        let found = try rows.map { (row) throws(PostgresError) in
            [try row.read(String?.self), try row.read(), try row.read()]
        }[0]
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    @Test("looking up a code changes nothing, and a parent can then join by it")
    func joined() throws {
        let (person, gone) = (try house.person(), try house.person())
        try house.join(gone, scene.home)
        try scene.call(gone, "SELECT app.leave_family(\(scene.home.id), NULL)")
        try scene.call(
            scene.admin,
            "SELECT app.update_family(\(scene.home.id), 'Home', NULL, NULL, false, NULL)")
        try scene.effects().expect("") {
            try preview(person, scene.home.code, tells: ["found", "Home", "2"])
            try preview(person, scene.away.code, tells: ["found", "House", "2"])
        }
        try scene.effects(and: ["person": person.id]).expect(
            """
            + audit_log: action=code.join, actor_user_id=person, details={outcome: joined},
                family_unit_id=home, subject_user_id=person, target_id=new
            + family_code_usage_log: action=joined, family_unit_id=home, user_id=person
            + family_members: active_adult_user_id=person, added_at=now, confides=true,
                family_unit_id=home, governs=false, household_ceiling=adult, household_role=adult,
                is_creator=false, joined_via=code, role=parent, slot=3, status=active,
                updated_at=now, user_id=person, user_kind=account, vouched=false
            """
        ) { try enter(person, scene.home.code, tells: ["joined", "Home", "8"]) }
    }

    @Test("a join request is announced to each member who can approve it, once")
    func asks() throws {
        let asking = try house.person()
        // The creator has handed over the seat, and both govern.
        try scene.call(
            scene.admin, "SELECT app.transfer_admin(\(scene.home.id), \(scene.homeAdult))")
        try house.owner().query(
            "UPDATE app.family_units SET approval_required = true WHERE id = \(scene.home.id)")
        let effects = try scene.effects(and: ["asking": asking.id])
        let lines = try effects.lines {
            try enter(asking, scene.home.code, tells: ["waiting", "House", "8"])
        }
        let mails = lines.filter { $0.contains("mail.join_requested") }
        #expect(mails.count == 2, "\(mails)")
        #expect(mails.contains { $0.contains("recipient: admin") })
        #expect(mails.contains { $0.contains("recipient: adult") })
        #expect(mails.allSatisfy { $0.contains("other: asking") }, "\(mails)")
        let again = try effects.lines {
            try enter(asking, scene.home.code, tells: ["waiting", "House", "8"])
        }
        #expect(again == [], "asking again changes nothing")
    }

    @Test("an account's requests cause two e-mails a day at most, and a family's thirty")
    func mails() throws {
        let connection = try house.superuser()
        try house.owner().query(
            "UPDATE app.family_units SET approval_required = true WHERE id = \(scene.home.id)")
        func mails() throws -> Int {
            try connection.query(
                """
                WITH sent AS (
                    DELETE FROM jobs.live WHERE kind = 'mail.join_requested' RETURNING id)
                SELECT count(*) FROM sent
                """
            ).scalar(Int.self)
        }
        func ask(_ person: Person) throws -> Int {
            try enter(person, scene.home.code, tells: ["waiting", "House", "8"])
            let sent = try mails()
            try scene.call(person, "SELECT app.withdraw_request(\(scene.home.id))")
            return sent
        }
        let restless = try house.person()
        #expect(try (0..<4).map { _ in try ask(restless) } == [1, 1, 0, 0])
        #expect(try ask(house.person()) == 1)
        try connection.query(
            """
            UPDATE app.rate_limits SET hits = 29
            WHERE bucket = 'request-mail:' || (\(scene.home.id))::text
            """)
        #expect(try ask(house.person()) == 1)
        #expect(try ask(house.person()) == 0)
        try connection.query(
            "UPDATE app.rate_limits SET window_start = now() - interval '1 day'")
        #expect(try ask(restless) == 1)
    }

    @Test("a player leaves its family without other members, and gets the recorded name")
    func player() throws {
        let lonely = try house.actor(Person(role: "player", name: nil))
        let own = try house.family(of: lonely)
        try scene.call(lonely, "SELECT app.regenerate_code(\(own.id), NULL)")
        try house.superuser().query(
            """
            UPDATE app.family_units SET player_details = jsonb_build_object(
                'playerName', CASE id WHEN \(scene.home.id) THEN 'Kim' ELSE 'Lou' END)
            WHERE id <> \(own.id)
            """)
        try scene.effects(and: [
            "lonely": lonely.id, "own": own.id, "own membership": house.membership(lonely, own),
        ]).expect(
            """
            + audit_log: action=code.join, actor_user_id=lonely, details={outcome: joined},
                family_unit_id=home, subject_user_id=lonely, target_id=new
            + audit_log: action=member.leave, actor_user_id=lonely, details={was: active, gaveWayTo:
                home}, family_unit_id=own, subject_user_id=lonely, target_id=own membership
            + family_code_usage_log: action=joined, family_unit_id=home, user_id=lonely
            + family_code_usage_log: action=retired, family_unit_id=own, user_id=lonely
            + family_members: added_at=now, confides=true, family_unit_id=home, governs=false,
                household_ceiling=kid, household_role=kid, is_creator=false, joined_via=code,
                role=player, slot=3, status=active, updated_at=now, user_id=lonely,
                user_kind=account, vouched=false
            ~ family_codes own: reason=given_up, retired_at=now
            ~ family_members own membership: confides=false, governs=false, removed_at=now,
                removed_by=lonely, slot=null, status=removed, updated_at=now
            ~ family_units own: code_state=null, emptied_at=now, family_code=null, updated_at=now
            ~ users lonely: full_name=Kim, updated_at=now
            """
        ) { try enter(lonely, scene.home.code, tells: ["joined", "House", "8"]) }
    }

    @Test("a parent who joins keeps its own family, and a player without a family leaves none")
    func leavesNone() throws {
        let settled = try house.person()
        let own = try house.family(of: settled)
        try scene.effects(and: [
            "settled": settled.id, "own": own.id, "own membership": house.membership(settled, own),
        ]).expect(
            """
            + audit_log: action=code.join, actor_user_id=settled, details={outcome: joined},
                family_unit_id=home, subject_user_id=settled, target_id=new
            + family_code_usage_log: action=joined, family_unit_id=home, user_id=settled
            + family_members: active_adult_user_id=settled, added_at=now, confides=true,
                family_unit_id=home, governs=false, household_ceiling=adult, household_role=adult,
                is_creator=false, joined_via=code, role=parent, slot=3, status=active,
                updated_at=now, user_id=settled, user_kind=account, vouched=false
            """
        ) { try enter(settled, scene.home.code, tells: ["joined", "House", "8"]) }
        try scene.effects().expect(
            """
            + audit_log: action=code.join, actor_user_id=player, details={outcome: joined},
                family_unit_id=home, subject_user_id=player, target_id=new
            + family_code_usage_log: action=joined, family_unit_id=home, user_id=player
            + family_members: added_at=now, confides=true, family_unit_id=home, governs=false,
                household_ceiling=kid, household_role=kid, is_creator=false, joined_via=code,
                role=player, slot=4, status=active, updated_at=now, user_id=player,
                user_kind=account, vouched=false
            """
        ) { try enter(scene.player, scene.home.code, tells: ["joined", "House", "8"]) }
    }

    @Test("a player in a family with other members can't join, and the result names that family")
    func settledPlayer() throws {
        let settled = try house.person("player")
        let own = try house.createFamily(by: settled, named: "Own")
        try house.join(house.person(), own)
        try scene.effects(and: ["settled": settled.id, "own": own.id]).expect(
            """
            + family_code_usage_log: action=rejected, family_unit_id=home, user_id=settled
            """
        ) {
            try enter(settled, scene.home.code, tells: ["player_has_family", "Own", "8"])
        }
    }

    @Test(
        "a person rejoins in the account's role, but with no more rights than before",
        arguments: [
            ("parent", "kid"), ("parent", "visitor"), ("parent", "adult"), ("player", "kid"),
        ])
    func comesBack(_ role: String, _ ceiling: String) throws {
        let person = try house.person(role)
        let membership = try house.join(person, scene.home)
        if role == "parent" {
            try house.setHouseholdRole(ceiling, of: membership, by: scene.admin)
        }
        try scene.call(person, "SELECT app.leave_family(\(scene.home.id), NULL)")
        let now = role == "parent" ? "player" : "parent"
        try house.superuser().query("UPDATE app.users SET role = \(now) WHERE id = \(person.id)")
        try enter(person, scene.home.code, tells: ["joined", "House", "8"])
        let found = try house.superuser().query(
            "SELECT role || ' ' || household_role FROM app.family_members WHERE id = \(membership)"
        ).scalar(String.self)
        let expected = [
            "parent kid": "player visitor", "parent visitor": "player visitor",
            "parent adult": "player kid", "player kid": "parent kid",
        ]
        #expect(found == expected["\(role) \(ceiling)"])
    }

    @Test(
        "a retired code is unknown, an expired one is reported as such, and both attempts are counted",
        arguments: ["replaced", "expired", "never drawn"], [false, true])
    func inVain(_ kind: String, _ joins: Bool) throws {
        let person = try house.person()
        let replaced = scene.home.code
        try scene.call(scene.admin, "SELECT app.regenerate_code(\(scene.home.id), NULL)")
        try house.superuser().query(
            """
            UPDATE app.family_units SET code_expires_at = now() - interval '1 second'
            WHERE id = \(scene.away.id)
            """)
        let code = ["replaced": replaced, "expired": scene.away.code][kind] ?? "FAM-QQQQQQ"
        let family = ["replaced": "family_unit_id=home, ", "expired": "family_unit_id=away, "][kind]
        let outcome = kind == "expired" ? "code_expired" : "code_unknown"
        try scene.effects(and: ["person": person.id]).expect(
            """
            + code_lookups: code_digest=random, is_counted=true, looked_up_at=now, user_id=person
            + family_code_usage_log: action=rejected, \(family ?? "")user_id=person
            + wrong_codes: codes=1, minute=now
            """
        ) {
            if joins {
                try enter(person, code, tells: [outcome, nil, nil])
            } else {
                try preview(person, code, tells: [outcome, nil, nil])
            }
        }
    }

    @Test("a new code retires only the family's current one, as regenerated or as expired")
    func regenerated() throws {
        try scene.call(scene.admin, "SELECT app.regenerate_code(\(scene.home.id), 3)")
        try scene.effects().expect(
            """
            + audit_log: action=code.regenerate, actor_user_id=admin, details={},
                family_unit_id=home, subject_user_id=admin, target_id=home
            + family_code_usage_log: action=regenerated, family_unit_id=home, user_id=admin
            + family_codes: code=drawn, family_unit_id=home, generated_at=now
            ~ family_codes home: reason=regenerated, retired_at=now
            ~ family_units home: code_expires_at=null, code_generated_at=now, family_code=drawn,
                updated_at=now
            """
        ) { try scene.call(scene.admin, "SELECT app.regenerate_code(\(scene.home.id), NULL)") }
        try house.superuser().query(
            """
            UPDATE app.family_units SET code_expires_at = now() - interval '1 second'
            WHERE id = \(scene.away.id)
            """)
        try scene.effects().expect(
            """
            + audit_log: action=code.regenerate, actor_user_id=neighbour, details={},
                family_unit_id=away, subject_user_id=neighbour, target_id=away
            + family_code_usage_log: action=regenerated, family_unit_id=away, user_id=neighbour
            + family_codes: code=drawn, family_unit_id=away, generated_at=now
            ~ family_codes away: reason=expired, retired_at=now
            ~ family_units away: code_expires_at=null, code_generated_at=now, family_code=drawn,
                updated_at=now
            """
        ) { try scene.call(scene.neighbour, "SELECT app.regenerate_code(\(scene.away.id), NULL)") }
    }
}
