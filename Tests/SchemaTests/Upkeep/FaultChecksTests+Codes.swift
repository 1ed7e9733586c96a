import Postgres
import TestSupport
import Testing

extension FaultChecksTests {
    /// The expiry of the home family's code: never, in a number of days, or past.
    private func expiry() throws -> String {
        try connection.query(
            """
            SELECT CASE WHEN code_expires_at IS NULL THEN 'never'
                WHEN code_expires_at > now() THEN 'later' ELSE 'before' END
                || CASE WHEN family_code IS NULL THEN ', no code' ELSE '' END
            FROM app.family_units WHERE id = \(scene.home.id)
            """
        ).scalar(String.self)
    }

    private func repairCode(as kind: String = "code_wrong") throws -> Bool {
        try repair(kind, scene.home.id, nil)
    }

    @Test("a repaired code expires with the previous one, unless that one has expired already")
    func codes() throws {
        try damage(
            "UPDATE app.family_units SET family_code = NULL, code_expires_at = NULL WHERE id = [home]"
        )
        #expect(try !repairCode(as: "unknown"))
        #expect(try repairCode())
        #expect(try expiry() == "never")

        try damage(
            """
            UPDATE app.family_units SET family_code = NULL,
                code_expires_at = now() + interval '1 day' WHERE id = [home]
            """)
        #expect(try repairCode())
        #expect(try expiry() == "later")

        try damage(
            """
            UPDATE app.family_units SET family_code = 'FAM-222222',
                code_expires_at = now() - interval '1 minute' WHERE id = [home]
            """)
        #expect(try repairCode())
        #expect(try expiry() == "never")
        #expect(try faults() == [])
    }

    @Test(
        "a family whose only player left for another family needs no code, and a repair adds none")
    func codeGivenUp() throws {
        let player = try house.person("player")
        let own = try house.family(of: player)
        try scene.call(
            player, "SELECT FROM app.join_family_by_code(\(scene.away.code), NULL, NULL)")
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.family_units WHERE id = \(own.id) AND family_code IS NULL
                """) == 1)
        #expect(try faults() == [])
        #expect(try !repair("code_wrong", own.id, nil))
        // Without the reason it is a fault like any other.
        try damage(
            """
            UPDATE app.family_codes SET reason = 'regenerated'
            WHERE family_unit_id = '\(own.id.uuid)'
            """)
        #expect(try faults().count == 1)
        #expect(try repair("code_wrong", own.id, nil))
        #expect(try faults() == [])
    }

    @Test("a family with an expired code needs no new one")
    func codeRunOut() throws {
        try damage(
            """
            UPDATE app.family_codes SET state = 'retired', retired_at = now(), reason = 'expired'
            WHERE family_unit_id = [home] AND state = 'live';
            UPDATE app.family_units SET family_code = NULL,
                code_expires_at = now() - interval '1 minute' WHERE id = [home]
            """)
        #expect(try faults() == [])
        #expect(try !repairCode())
        #expect(try expiry() == "before, no code")
    }

    @Test("repairing an overdue invitation ends only that invitation")
    func overdue() throws {
        try damage("UPDATE app.family_invitations SET expires_at = now() - interval '2 hours'")
        let overdue = try faults().count { $0.hasPrefix("invitation_overdue") }
        #expect(overdue > 1)
        #expect(try repair("invitation_overdue", scene.home.id, scene.byAdmin.id))
        #expect(
            try faults().count { $0.hasPrefix("invitation_overdue") } == overdue - 1)
    }

    @Test("repairing a child's guardians removes the people who can't be its guardians")
    func guardians() throws {
        let child = try #require(names["child"])
        try damage(
            """
            INSERT INTO app.guardianships (member_id, guardian_user_id, family_unit_id, slot)
            VALUES ([child], [former], [home], 2), ([child], [admin], [home], 3),
                ([child], [neighbour], [home], 4)
            """)
        #expect(try !repair("guardianship_wrong", scene.away.id, child))
        // Another child's guardians are right.
        #expect(
            try !repair(
                "guardianship_wrong", scene.away.id, names["other child"]))
        #expect(try repair("guardianship_wrong", scene.home.id, child))
        func guardians() throws -> Set<UInt128> {
            Set(
                try connection.query(
                    """
                    SELECT array_agg(guardian_user_id) FROM app.guardianships
                    WHERE member_id = \(child)
                    """
                ).scalar([UInt128].self))
        }
        #expect(try guardians() == [scene.adult.id, scene.admin.id])
        // A wrong primary guardian is reported as another fault.
        try damage(
            """
            UPDATE app.family_members SET parent_user_id = [neighbour] WHERE id = [child];
            INSERT INTO app.guardianships (member_id, guardian_user_id, family_unit_id, slot)
            VALUES ([child], [former], [home], 2)
            """)
        #expect(try repair("guardianship_wrong", scene.home.id, child))
        #expect(try guardians() == [scene.adult.id, scene.admin.id])
        #expect(try faults() == ["child_without_guardian home child"])
    }

    @Test("a wrong slot is repaired only for the named member, in its one row")
    func slots() throws {
        try damage(
            """
            ALTER TABLE app.family_members DROP CONSTRAINT family_members_active_has_slot;
            UPDATE app.family_members SET slot = NULL WHERE id = [adult's];
            UPDATE app.family_members SET slot = 7 WHERE id = [former's]
            """)
        let effects = try Effects(house, naming: names)
        func changed(_ subject: String) throws -> [String] {
            try effects.lines {
                let isRepaired = try repair("slot_wrong", scene.home.id, names[subject])
                #expect(isRepaired)
            }.filter { $0.contains("family_members") }
        }
        #expect(try changed("former's").map { $0.prefix(30) } == ["~ family_members former's: slo"])
        #expect(try changed("adult's").map { $0.prefix(28) } == ["~ family_members adult's: sl"])
    }
}
