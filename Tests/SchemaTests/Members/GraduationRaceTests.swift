import Postgres
import TestSupport
import Testing

/// `HEARTH_TEST_RACES=100` repeats each race a hundred times.
@Suite("Graduations that come too late")
struct GraduationRaceTests {
    private let scene: GuardianScene
    init() throws { scene = try GuardianScene() }

    private func accept(_ token: PostgresBytes, _ person: Person) throws {
        try scene.call(person, "SELECT FROM app.join_by_invitation(\(token), NULL)")
    }

    @Test("accepting a graduation invitation that expires concurrently does not graduate the child")
    func expired() throws {
        for _ in LockRecheckTests.rounds {
            // A hundred rounds start more invitations than an account may send in an hour.
            try scene.house.superuser().query("DELETE FROM app.rate_limits")
            let child = try scene.house.child(of: scene.mother, in: scene.family)
            let robin = try scene.house.person("player")
            let token = try scene.start(child)
            let met = try scene.house.race(
                { body in try scene.house.owner().transaction { try body($0) } },
                early: {
                    // It becomes due after the other transaction has begun.
                    try $0.query(
                        """
                        UPDATE app.family_invitations SET status = 'expired', closed_at = now()
                        WHERE graduate_id = \(child)
                        """)
                },
                late: { [scene] in
                    try scene.call(
                        robin, "SELECT FROM app.join_by_invitation(\(token), NULL)")
                })
            #expect(met == "HF409 invitation_answered")
            let user: UInt128 = try scene.house.superuser().query(
                "SELECT user_id FROM app.family_members WHERE id = \(child)"
            ).scalar()
            #expect(user == child)
            try scene.call(
                scene.mother, "SELECT app.remove_member(\(child), NULL, false, false)")
        }
    }

    @Test("a graduate who was removed can't return by the same link")
    func removed() throws {
        let robin = try scene.house.person("player")
        let token = try scene.start(scene.child)
        try accept(token, robin)
        try scene.call(
            scene.mother, "SELECT app.remove_member(\(scene.child), NULL, false, false)")
        let effects = try scene.effects()
        try effects.expect {
            #expect(throws: PostgresError.self) { try accept(token, robin) }
        }
        let told = try refusal { try accept(token, robin) }
        #expect(told == "HF403 removed_from_family")
    }
}
