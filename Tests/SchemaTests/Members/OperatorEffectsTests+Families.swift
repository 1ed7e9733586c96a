import Postgres
import TestSupport
import Testing

extension OperatorEffectsTests {
    @Test("a family is created for an account, renamed, and given another code")
    func families() throws {
        try does(
            "SELECT FROM app.operator_create_family(\(newcomer.id), NULL, NULL)",
            """
            + audit_log: action=family.create, actor_label=operator:jo, details={role: parent},
                family_unit_id=new, subject_user_id=newcomer, target_id=new
            + family_code_usage_log: action=generated, family_unit_id=new
            + family_codes: code=drawn, family_unit_id=new, generated_at=now
            + family_members: active_adult_user_id=newcomer, added_at=now, confides=true,
                family_unit_id=new, governs=true, household_ceiling=adult,
                household_role=parent_admin, is_creator=true, joined_via=created, role=parent,
                slot=1, status=active, updated_at=now, user_id=newcomer, user_kind=account,
                vouched=true
            + family_units: approval_required=false, code_generated_at=now, code_state=live,
                created_by_kind=account, created_by_user_id=newcomer, family_code=drawn,
                family_name=My Family, member_limit=8, player_details={}, updated_at=now
            """)
        try does(
            "SELECT FROM app.operator_create_family(\(scene.player.id), 'Own', 'player')",
            """
            + audit_log: action=family.create, actor_label=operator:jo, details={role: player},
                family_unit_id=new, subject_user_id=player, target_id=new
            + family_code_usage_log: action=generated, family_unit_id=new
            + family_codes: code=drawn, family_unit_id=new, generated_at=now
            + family_members: added_at=now, confides=true, family_unit_id=new, governs=true,
                household_ceiling=kid, household_role=kid, is_creator=true, joined_via=created,
                role=player, slot=1, status=active, updated_at=now, user_id=player,
                user_kind=account, vouched=true
            + family_units: approval_required=false, code_generated_at=now, code_state=live,
                created_by_kind=account, created_by_user_id=player, family_code=drawn,
                family_name=Own, member_limit=8, player_details={}, updated_at=now
            """)
        #expect(
            try refused(
                "SELECT FROM app.operator_create_family(\(scene.player.id), 'Own', 'player')")
                == "HF409 player_has_family")
        try does(
            "SELECT FROM app.operator_rename_family(\(scene.home.id), 'New')",
            """
            + audit_log: action=family.update, actor_label=operator:jo, details={changed:
                [family_name]}, family_unit_id=home, target_id=home
            ~ family_units home: family_name=New, updated_at=now
            """)
        try does(
            "SELECT FROM app.operator_replace_code(\(scene.home.id), 7)",
            """
            + audit_log: action=code.regenerate, actor_label=operator:jo, details={},
                family_unit_id=home, target_id=home
            + family_code_usage_log: action=regenerated, family_unit_id=home
            + family_codes: code=drawn, family_unit_id=home, generated_at=now
            ~ family_codes home: reason=regenerated, retired_at=now
            ~ family_units home: code_expires_at=in 7 days, code_generated_at=now,
                family_code=drawn, updated_at=now
            """)
        try does(
            "SELECT FROM app.operator_replace_code(\(scene.home.id), NULL)",
            """
            + audit_log: action=code.regenerate, actor_label=operator:jo, details={},
                family_unit_id=home, target_id=home
            + family_code_usage_log: action=regenerated, family_unit_id=home
            + family_codes: code=drawn, family_unit_id=home, generated_at=now
            ~ family_codes home: reason=regenerated, retired_at=now
            ~ family_units home: code_expires_at=null, code_generated_at=now, family_code=drawn,
                updated_at=now
            """)
        for days in [0, 100_000] {
            #expect(
                try refused(
                    "SELECT FROM app.operator_replace_code(\(scene.home.id), \(Int32(days)))")
                    == "HF400 invalid_field")
        }
        for call in ["app.operator_rename_family(ID, 'New')", "app.operator_replace_code(ID, 7)"] {
            #expect(
                try refused(
                    "SELECT FROM \(unsafe: call.replacing("ID", with: "gen_random_uuid()"))")
                    == "HF404 family_not_found")
        }
        try connection.query(
            "UPDATE app.users SET deleted_at = now() WHERE id = \(newcomer.id)")
        for nobody in [newcomer.id, child, scene.home.id] {
            #expect(
                try refused("SELECT FROM app.operator_create_family(\(nobody), NULL, NULL)")
                    == "HF404 user_not_found")
        }
    }

    @Test("a pending invitation is resent or revoked; another is not found")
    func invitations() throws {
        let (pending, link) = (scene.byAdult.id, scene.byAdmin.id)
        try does(
            "SELECT FROM app.operator_resend_invitation(\(pending))",
            """
            + audit_log: action=invitation.resend, actor_label=operator:jo, details={},
                family_unit_id=home, target_id=by the adult
            ~ family_invitations by the adult: expires_at=in 7 days, generation=2,
                last_sent_at=now, sent_count=2
            """)
        try does(
            "SELECT FROM app.operator_revoke_invitation(\(link))",
            """
            + audit_log: action=invitation.revoke, actor_label=operator:jo, details={},
                family_unit_id=home, target_id=by the admin
            - invitation_secrets: generation=1, invitation_id=by the admin, token_hash=random
            ~ family_invitations by the admin: closed_at=now, status=revoked
            """)
        try connection.query(
            """
            UPDATE app.family_invitations SET expires_at = now() - interval '1 s'
            WHERE id = \(pending)
            """)
        // Nor does an earlier generation get a new secret.
        #expect(
            try refused(
                "SELECT FROM app.operator_add_invitation_secret(\(link), 1, sha256('a'))")
                == "HF404 invitation_not_found")
        for over in [pending, link, scene.home.id] {
            #expect(
                try refused("SELECT FROM app.operator_resend_invitation(\(over))")
                    == "HF404 invitation_not_found")
            #expect(
                try refused("SELECT FROM app.operator_revoke_invitation(\(over))")
                    == "HF404 invitation_not_found")
            #expect(
                try refused(
                    "SELECT FROM app.operator_add_invitation_secret(\(over), 2, sha256('a'))")
                    == "HF404 invitation_not_found")
        }
    }

    @Test("an operator's name that is empty, too long or has odd characters is refused")
    func name() throws {
        let session = try Connection(house.test.settings(as: "hearth_admin"))
        for name in [nil, "", String(repeating: "x", count: 81), "a\nb"] as [String?] {
            #expect(
                try refusal { try session.query("SELECT app.begin_operation(\(name as String?))") }
                    == "HF400 invalid_field")
        }
        let owner = try house.owner()
        let isMember: SQL = "SELECT pg_has_role(session_user, 'hearth_admin', 'MEMBER')"
        if try !owner.query(isMember).scalar(Bool.self) {
            #expect(
                try refusal { try owner.query("SELECT app.begin_operation('jo')") }
                    == "HF403 not_an_operator")
        }
    }

    @Test("an operator's change locks only the family concerned")
    func locks() throws {
        func isFree(_ family: Family) throws -> Bool {
            try house.isFree("app.family_units", family.id)
        }
        let calls: [SQL] = [
            "SELECT FROM app.operator_transfer_admin(\(scene.homeAdult))",
            "SELECT FROM app.operator_revoke_invitation(\(scene.byAdult.id))",
            "SELECT FROM app.operator_rename_family(\(scene.home.id), 'New')",
        ]
        for call in calls {
            let free = try house.asOperator { transaction in
                try transaction.query(call)
                return [try isFree(scene.home), try isFree(scene.away)]
            }
            #expect(free == [false, true])
        }
    }

    @Test(
        "a former or waiting person can become a member, and a player then leaves a family of one")
    func addAgain() throws {
        let home = scene.home.id
        for person in ["former", "waiting"] {
            let member = person == "former" ? former : waiting
            let id = try connection.query(
                "SELECT user_id FROM app.family_members WHERE id = \(member)"
            ).scalar(UInt128.self)
            try asOperator("SELECT FROM app.operator_add_member(\(home), \(id), 'player', NULL)")
        }
        let states = try connection.query(
            """
            SELECT status || ' ' || role || ' ' || household_role || ' ' || joined_via
            FROM app.family_members WHERE id IN (\(former), \(waiting))
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(states == ["active player kid operator", "active player kid operator"])

        let alone = try house.person("player")
        let own = try house.family(of: alone)
        try asOperator("SELECT FROM app.operator_add_member(\(home), \(alone.id), NULL, NULL)")
        let withCompany = try house.person("player")
        let shared = try house.family(of: withCompany)
        try house.join(try house.person(), shared)
        #expect(
            try refused(
                "SELECT FROM app.operator_add_member(\(home), \(withCompany.id), NULL, NULL)")
                == "HF409 player_has_family")
        // In the other role it leaves its own family as well; a parent may belong to several.
        let both = try house.person("player")
        let kept = try house.family(of: both)
        try asOperator(
            "SELECT FROM app.operator_add_member(\(home), \(both.id), 'parent', NULL)")
        let parent = try house.person("parent")
        let parents = try house.family(of: parent)
        try asOperator("SELECT FROM app.operator_add_member(\(home), \(parent.id), NULL, 'kid')")
        let left = try connection.query(
            """
            SELECT array_agg(family_unit_id) FROM app.family_members
            WHERE status = 'active' AND user_id IN (\(alone.id), \(withCompany.id), \(parent.id),
                    \(both.id))
                AND family_unit_id IN (\(own.id), \(shared.id), \(parents.id), \(kept.id))
            """
        ).scalar([UInt128].self)
        #expect(Set(left) == [shared.id, parents.id])
    }

    @Test("a player without a name gets the name that the family has recorded, a parent does not")
    func playersName() throws {
        try connection.query(
            """
            UPDATE app.family_units SET player_details = '{"playerName": "Bea"}'
            WHERE id = \(scene.home.id)
            """)
        let parent = try house.actor(Person(role: "parent", name: nil))
        for person in [scene.player, parent] {
            try asOperator(
                "SELECT FROM app.operator_add_member(\(scene.home.id), \(person.id), NULL, NULL)")
        }
        let names = try connection.query(
            """
            SELECT coalesce(full_name, '-') FROM app.users
            WHERE id IN (\(scene.player.id), \(parent.id)) ORDER BY role DESC
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(names == ["Bea", "-"])
    }

    @Test("a person added while a request to join is pending is notified by e-mail")
    func waited() throws {
        let waiting = try house.person()
        _ = try scene.waits(waiting, at: scene.home)
        for person in [waiting, try house.person()] {
            try asOperator(
                "SELECT FROM app.operator_add_member(\(scene.home.id), \(person.id), NULL, NULL)")
        }
        let told = try connection.query(
            """
            SELECT array_agg((payload ->> 'recipient')::uuid) FROM jobs.live
            WHERE kind = 'mail.request_approved'
            """
        ).scalar([UInt128].self)
        #expect(told == [waiting.id])
    }

    @Test("a full family can't get another member")
    func fullFamily() throws {
        try connection.query(
            """
            UPDATE app.family_units AS f SET member_limit = (
                SELECT max(slot) FROM app.family_members AS m WHERE m.family_unit_id = f.id)
            """)
        #expect(
            try refused(
                "SELECT FROM app.operator_add_member(\(scene.home.id), \(newcomer.id), NULL, NULL)")
                == "HF409 family_full")
        try connection.query(
            "UPDATE app.family_units SET member_limit = 50 WHERE id <> \(scene.home.id)")
        let error = #expect(throws: PostgresError.self) {
            try asOperator(
                "SELECT FROM app.operator_add_member(\(scene.home.id), \(newcomer.id), NULL, NULL)")
        }
        let limit = try connection.query(
            "SELECT member_limit::text FROM app.family_units WHERE id = \(scene.home.id)"
        ).scalar(String.self)
        #expect(error?.server?.detail == limit)
    }

    @Test("a player has one active family; a parent can have several, and former ones are ignored")
    func severalFamilies() throws {
        let (person, id) = (newcomer, newcomer.id)
        try house.join(person, scene.away)
        #expect(
            try refused("SELECT FROM app.operator_create_family(\(id), NULL, 'player')")
                == "HF409 role_mismatch")
        try asOperator("SELECT FROM app.operator_create_family(\(id), NULL, 'parent')")
        try connection.query(
            """
            UPDATE app.family_members SET status = 'removed', removed_at = now()
            WHERE user_id = \(id)
            """)
        try asOperator("SELECT FROM app.operator_create_family(\(id), NULL, 'player')")
        #expect(
            try refused("SELECT FROM app.operator_create_family(\(id), NULL, 'player')")
                == "HF409 player_has_family")
    }

    @Test("a parent who is given the vacant seat is vouched for; no other given role vouches")
    func vacantSeat() throws {
        try connection.query(
            """
            UPDATE app.family_members SET household_role = 'adult'
            WHERE household_role = 'parent_admin'
            """)
        try connection.query("UPDATE app.family_units SET approval_required = false")
        let players = try house.join(try house.person("player"), scene.home)
        let parents = try house.join(try house.person(), scene.home)
        func set(_ member: UInt128, _ role: String) -> SQL {
            "SELECT FROM app.operator_set_household_role(\(member), \(role), NULL)"
        }
        func isVouched() throws -> Bool {
            try connection.query("SELECT vouched FROM app.family_members WHERE id = \(parents)")
                .scalar(Bool.self)
        }
        #expect(try refused(set(players, "parent_admin")) == "HF409 admin_not_adult")
        try asOperator(set(parents, "kid"))
        #expect(try !isVouched())
        try asOperator(set(parents, "parent_admin"))
        #expect(try isVouched())
    }

    @Test("an invitation that ends while an operator waits is neither resent nor revoked")
    func endsMeanwhile() throws {
        let (house, owner) = (house, try house.owner())
        for (call, id) in [
            ("app.operator_resend_invitation", scene.byAdult.id),
            ("app.operator_revoke_invitation", scene.byAdmin.id),
        ] {
            let refused = try house.race(
                { body in try owner.transaction { try body($0) } },
                early: {
                    try $0.query(
                        """
                        UPDATE app.family_invitations SET status = 'expired', closed_at = now()
                        WHERE id = \(id)
                        """)
                },
                late: {
                    _ = try house.asOperator { try $0.query("SELECT FROM \(unsafe: call)(\(id))") }
                })
            #expect(refused == "HF404 invitation_not_found")
        }
    }
}
