import Postgres
import Synchronization
import TestSupport
import Testing

/// `HEARTH_TEST_RACES=100` repeats each race a hundred times.
@Suite("Leaving one's own family for another")
struct LeavingOwnFamilyTests {
    static let rounds = LockRecheckTests.rounds
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    /// A player alone in its family, and another family.
    private struct Scene: Sendable {
        let house: House
        let player, guest, owner: Person
        let own, other: Family

        init(_ house: House) throws {
            self.house = house
            // Rounds share a database. The wrong codes of a hundred rounds look like an attack,
            // during which joining by a code requires approval.
            try house.superuser().execute(
                script: "DELETE FROM app.wrong_codes; DELETE FROM app.automatic_approval")
            (player, guest, owner) = (
                try house.person("player"), try house.person(), try house.person()
            )
            own = try house.family(of: player)
            other = try house.family(of: owner)
        }

        /// Families with the player as an active member.
        func families() throws -> [UInt128] {
            try house.superuser().query(
                """
                SELECT family_unit_id FROM app.family_members
                WHERE user_id = \(player.id) AND status = 'active'
                """
            ).map { (row) throws(PostgresError) in try row.read() }
        }

        func approving(_ family: Family, _ person: Person) throws {
            try house.asAPI(person) {
                try $0.query(
                    "SELECT app.update_family(\(family.id), NULL, NULL, NULL, false, true)")
            }
        }
    }

    @Test(
        "a player can't leave a family while another person joins it", arguments: rounds)
    func company(round: Int) throws {
        let house = try house
        let scene = try Scene(house)
        let outcome = Mutex("")
        let met = try house.race(
            { try house.asAPI(scene.guest, $0) },
            early: {
                try $0.query("SELECT FROM app.join_family_by_code(\(scene.own.code), NULL, NULL)")
            },
            late: {
                try house.asAPI(scene.player) {
                    let told: String = try $0.query(
                        "SELECT outcome FROM app.join_family_by_code(\(scene.other.code), NULL, NULL)"
                    ).scalar()
                    outcome.withLock { $0 = told }
                }
            })
        #expect(met == nil && outcome.withLock { $0 } == "player_has_family")
        #expect(try scene.families() == [scene.own.id])
    }

    @Test(
        "a family that is given up admits nobody who waited to join it by code", arguments: rounds)
    func code(round: Int) throws {
        let house = try house
        let scene = try Scene(house)
        let outcome = Mutex("")
        let met = try house.race(
            { try house.asAPI(scene.player, $0) },
            early: {
                try $0.query("SELECT FROM app.join_family_by_code(\(scene.other.code), NULL, NULL)")
            },
            late: {
                try house.asAPI(scene.guest) {
                    let told: String = try $0.query(
                        "SELECT outcome FROM app.join_family_by_code(\(scene.own.code), NULL, NULL)"
                    ).scalar()
                    outcome.withLock { $0 = told }
                }
            })
        #expect(met == nil && outcome.withLock { $0 } == "code_unknown")
        #expect(try scene.families() == [scene.other.id])
    }

    @Test(
        "an approval fails for a player whose family another person has joined meanwhile",
        arguments: rounds)
    func approval(round: Int) throws {
        let house = try house
        let scene = try Scene(house)
        try scene.approving(scene.other, scene.owner)
        let member = try house.join(scene.player, scene.other)
        let met = try house.race(
            { try house.asAPI(scene.guest, $0) },
            early: {
                try $0.query("SELECT FROM app.join_family_by_code(\(scene.own.code), NULL, NULL)")
            },
            late: {
                try house.asAPI(scene.owner) {
                    _ = try $0.query("SELECT app.approve_member(\(member))")
                }
            })
        #expect(met == "HF409 player_has_family")
        #expect(try scene.families() == [scene.own.id])
    }

    @Test("a caller who can't approve gets not found for the request")
    func outsider() throws {
        let house = try house
        let scene = try Scene(house)
        try scene.approving(scene.other, scene.owner)
        let member = try house.join(scene.player, scene.other)
        #expect(
            try refusal {
                try house.asAPI(scene.guest) {
                    try $0.query("SELECT app.approve_member(\(member))")
                }
            } == "HF404 member_not_found")
        // The request is not found by members who can't approve either.
        let adult = try house.person()
        let joined = try house.join(adult, scene.other)
        try house.asAPI(scene.owner) { try $0.query("SELECT app.approve_member(\(joined))") }
        #expect(
            try refusal {
                try house.asAPI(adult) { try $0.query("SELECT app.approve_member(\(member))") }
            } == "HF404 member_not_found")
    }

    @Test("giving up a family adds one audit row for each ended membership and request")
    func trail() throws {
        let house = try house
        let scene = try Scene(house)
        try scene.approving(scene.own, scene.player)
        try house.join(scene.guest, scene.own)
        _ = try house.invite("a@example.org", to: scene.own, by: scene.player)
        try house.join(scene.player, scene.other)
        let actions: [String] = try house.superuser().query(
            """
            SELECT action || ' ' || (actor_user_id = \(scene.player.id)) FROM app.audit_log
            WHERE family_unit_id = \(scene.own.id) AND action LIKE 'member.%' ORDER BY action
            """
        ).map { (row) throws(PostgresError) in try row.read() }
        #expect(actions == ["member.leave true", "member.remove true"])
        let left = try house.count(
            """
            SELECT (SELECT count(*) FROM app.family_members
                    WHERE family_unit_id = \(scene.own.id) AND status <> 'removed')
                + (SELECT count(*) FROM app.family_invitations
                   WHERE family_unit_id = \(scene.own.id) AND status = 'pending')
                + (SELECT count(*) FROM app.family_units
                   WHERE id = \(scene.own.id)
                       AND (family_code IS NOT NULL OR emptied_at IS NULL))
            """)
        #expect(left == 0)
    }
}
