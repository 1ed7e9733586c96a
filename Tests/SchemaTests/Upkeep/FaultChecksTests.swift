import Postgres
import TestSupport
import Testing

/// Two families with current and former members and children. A fault in one is found and repaired
/// there, and nowhere else.
@Suite("Faults in the data")
struct FaultChecksTests {
    let scene: TwoFamilies
    var house: House { scene.house }
    let connection: Connection
    var names: [String: UInt128] = [:]

    init() throws {
        scene = try TwoFamilies()
        let house = scene.house
        connection = try house.superuser()
        names = [
            "home": scene.home.id, "away": scene.away.id, "admin": scene.admin.id,
            "adult": scene.adult.id, "neighbour": scene.neighbour.id,
            "adult's": scene.homeAdult,
            "adult's away": try house.membership(scene.adult, scene.away),
            "admin's": try house.membership(scene.admin, scene.home),
            "neighbour's": try house.membership(scene.neighbour, scene.away),
            "child": try house.child(of: scene.adult, in: scene.home),
            "other child": try house.child(of: scene.neighbour, in: scene.away),
            "link": scene.byAdmin.id,
        ]
        let gone = try house.child(of: scene.admin, in: scene.home)
        names["removed child"] = gone
        try scene.call(scene.admin, "SELECT FROM app.remove_member(\(gone), NULL, false, false)")
        let former = try house.person()
        names["former"] = former.id
        names["former's"] = try house.join(former, scene.home)
        try scene.call(former, "SELECT app.leave_family(\(scene.home.id), NULL)")
        // A retired code, and an invitation that ended before its expiry.
        try scene.call(scene.admin, "SELECT FROM app.regenerate_code(\(scene.home.id), NULL)")
        let revoked = try house.invitation(of: scene.admin, to: scene.home).id
        names["revoked"] = revoked
        try scene.call(scene.admin, "SELECT app.revoke_invitation(\(revoked))")
        try damage(
            """
            UPDATE app.family_units SET created_at = now() - interval '1 year';
            UPDATE app.family_invitations SET expires_at = now() - interval '1 day'
            WHERE id = [revoked]
            """)
        let found = try faults()
        try #require(found == [], "what is sound has no faults")
    }

    /// The faults found, as kind, family and subject by name; `!` where a person must decide.
    func faults() throws -> [String] {
        try connection.query(
            "SELECT kind, family_unit_id, subject_id, mendable FROM app.find_faults(100)"
        ).map { (row) throws(PostgresError) in
            var words = [try row.read(String.self)]
            for _ in 0..<2 {
                if let id = try row.read(UInt128?.self) { words.append(name(id)) }
            }
            if try !row.read(Bool.self) { words.append("!") }
            return words.joined(separator: " ")
        }.sorted()
    }

    func name(_ id: UInt128) -> String {
        names.first { $1 == id }?.key ?? "unknown"
    }

    /// Repairs every fault that can be repaired, and returns their number.
    func repairAll() throws -> Int {
        let found = try connection.query(
            """
            SELECT kind, family_unit_id, subject_id FROM app.find_faults(100)
            WHERE mendable AND family_unit_id IS NOT NULL
            """
        ).map { (row) throws(PostgresError) in
            (
                try row.read(String.self), try row.read(UInt128.self),
                try row.read(UInt128?.self)
            )
        }
        return try found.count { try repair($0, $1, $2) }
    }

    func repair(_ kind: String, _ family: UInt128, _ subject: UInt128?) throws -> Bool {
        try house.asOperator {
            try $0.query(
                "SELECT app.repair_fault(\(kind), \(family), \(subject as UInt128?))"
            ).scalar(Bool.self)
        }
    }

    /// Runs a script that bypasses triggers and foreign keys. A name in brackets is an id.
    func damage(_ script: String) throws {
        var script = script
        for (name, id) in names {
            let text = try connection.query("SELECT \(id)::text").scalar(String.self)
            script = script.replacing("[\(name)]", with: "'\(text)'")
        }
        try connection.execute(
            script: "SET session_replication_role = replica; \(script);"
                + "SET session_replication_role = origin")
    }

    @Test(
        "a fault is found in the damaged row only, and repaired",
        arguments: Damage.mendable.indices)
    func mended(index: Int) throws {
        let (damage, found) = Damage.mendable[index]
        try self.damage(damage)
        let now = try faults()
        #expect(now == found)
        #expect(try repairAll() == found.count)
        #expect(try faults() == [])
        #expect(
            try house.count(
                "SELECT count(*) FROM app.audit_log WHERE action = 'doctor.repair'")
                == found.count)
    }

    @Test(
        "a fault that a person must repair is found in the damaged row only",
        arguments: Damage.forPeople.indices)
    func leftToPeople(index: Int) throws {
        let (damage, found) = Damage.forPeople[index]
        try self.damage(damage)
        let now = try faults()
        #expect(now == found)
    }

    @Test("a repair of sound data changes nothing")
    func nothingToRepair() throws {
        let kinds = [
            "child_without_guardian", "guardianship_wrong", "slot_wrong", "code_wrong",
            "emptiness_wrong", "invitation_overdue", "code_overdue", "stand_in_wrong", "unknown",
        ]
        try scene.effects().expect {
            for kind in kinds {
                for subject in [
                    nil, "child", "admin's", "neighbour's", "former's", "link", "revoked",
                    "removed child",
                ] {
                    for family in [scene.home, scene.away] {
                        let isRepaired = try repair(kind, family.id, subject.flatMap { names[$0] })
                        #expect(!isRepaired, "\(kind) \(subject ?? "")")
                    }
                }
            }
        }
    }

    @Test("a repair that names another family, or an adult as a child, repairs nothing")
    func elsewhere() throws {
        let child = try #require(names["child"]), adults = scene.homeAdult
        let sound = try #require(names["other child"])
        let removed = try #require(names["removed child"]), admins = try #require(names["admin's"])
        try damage(
            """
            UPDATE app.family_members SET parent_user_id = [former]
            WHERE id IN ([child], [removed child]);
            ALTER TABLE app.family_members DROP CONSTRAINT family_members_active_has_slot;
            UPDATE app.family_members SET slot = NULL WHERE id = [adult's];
            DELETE FROM app.guardianships WHERE member_id = [child]
            """)
        try scene.effects().expect {
            for (kind, subject) in [
                ("child_without_guardian", child), ("guardianship_wrong", child),
                ("slot_wrong", adults), ("guardianship_wrong", sound),
            ] {
                let isRepaired = try repair(kind, scene.away.id, subject)
                #expect(!isRepaired, "\(kind)")
            }
            for (kind, subject) in [
                ("child_without_guardian", adults), ("child_without_guardian", removed),
                ("slot_wrong", admins), ("unknown", adults),
            ] {
                let isRepaired = try repair(kind, scene.home.id, subject)
                #expect(!isRepaired, "\(kind)")
            }
        }
    }

    @Test("repairing a slot with two members moves the later member if another slot is free")
    func doubledSlots() throws {
        try damage(
            """
            ALTER TABLE app.family_members DROP CONSTRAINT family_members_slot_key;
            UPDATE app.family_members AS m SET slot = o.slot FROM app.family_members AS o
            WHERE m.id = [adult's] AND o.id = [admin's]
            """)
        let isAdmins = try house.membership(scene.admin, scene.home) > scene.homeAdult
        let later = isAdmins ? "admin's" : "adult's"
        #expect(try faults() == ["slot_wrong home \(later)"])
        try damage("UPDATE app.family_units SET member_limit = 1 WHERE id = [home]")
        let subject = try #require(names[later])
        #expect(try !repair("slot_wrong", scene.home.id, subject))
        try damage("UPDATE app.family_units SET member_limit = 8 WHERE id = [home]")
        #expect(try repairAll() == 1)
        #expect(try faults() == [])
    }

    @Test("a child's new guardian is the admin, else the longest-standing adult")
    func bestGuardian() throws {
        func best() throws -> String {
            let id = try connection.query("SELECT app.preferred_guardian(\(scene.home.id))")
                .scalar(UInt128?.self)
            return id.map(name) ?? "nobody"
        }
        try damage(
            """
            UPDATE app.family_members SET added_at = now() - interval '1 year' WHERE id = [adult's];
            UPDATE app.family_members SET added_at = now() - interval '2 years'
            WHERE id IN ([former's], [neighbour's]);
            UPDATE app.family_members SET household_role = 'parent_admin' WHERE id = [admin's]
            """)
        #expect(try best() == "admin")
        try damage("UPDATE app.family_members SET household_role = 'adult' WHERE id = [admin's]")
        #expect(try best() == "adult")
        try damage("UPDATE app.family_members SET household_role = 'visitor' WHERE id = [adult's]")
        #expect(try best() == "admin")
        try damage("UPDATE app.family_members SET household_role = 'visitor' WHERE id = [admin's]")
        #expect(try best() == "nobody")
    }

    @Test("a player's new family without an adult is reported only after a month")
    func newFamily() throws {
        let player = try house.person("player")
        let family = try house.family(of: player)
        #expect(try faults() == [])
        try connection.query(
            """
            UPDATE app.family_units SET created_at = now() - interval '31 days'
            WHERE id = \(family.id)
            """)
        #expect(try faults() == ["family_without_adult unknown !"])
    }

    @Test("a new family whose adult has left is reported at once")
    func lostAdult() throws {
        let (player, parent) = (try house.person("player"), try house.person())
        let family = try house.family(of: player)
        try house.join(parent, family)
        #expect(try faults() == [])
        try scene.call(parent, "SELECT app.leave_family(\(family.id), NULL)")
        #expect(try faults() == ["family_without_adult unknown !"])
    }

    @Test("pending and rejected requests don't count as adults of the family")
    func waitingAdults() throws {
        let player = try house.person("player")
        let family = try house.family(of: player)
        try connection.query(
            "UPDATE app.family_units SET approval_required = true WHERE id = \(family.id)")
        let parents = try (0..<3).map { _ in try house.person() }
        for parent in parents {
            try scene.call(
                parent, "SELECT FROM app.join_family_by_code(\(family.code), NULL, NULL)")
        }
        let refused = try house.membership(parents[0], family)
        try scene.call(player, "SELECT FROM app.remove_member(\(refused), NULL, false, false)")
        try scene.call(parents[1], "SELECT FROM app.leave_family(\(family.id), NULL)")
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.family_members
                WHERE family_unit_id = \(family.id) AND status IN ('invited', 'removed')
                """) == 3)
        #expect(try faults() == [])
        let waiting = try house.membership(parents[2], family)
        try scene.call(player, "SELECT FROM app.approve_member(\(waiting))")
        try scene.call(parents[2], "SELECT FROM app.leave_family(\(family.id), NULL)")
        #expect(try faults() == ["family_without_adult unknown !"])
    }
}
