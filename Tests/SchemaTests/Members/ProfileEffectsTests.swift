import Postgres
import TestSupport
import Testing

@Suite("Rows written by changes of a profile")
struct ProfileEffectsTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    private let child: UInt128
    private let effects: Effects

    init() throws {
        scene = try TwoFamilies()
        child = try scene.house.child(of: scene.adult, in: scene.home)
        for id in [scene.adult.id, scene.admin.id] {
            try scene.house.superuser().query(
                """
                UPDATE app.users SET avatar_key = 'fox', avatar_url = 'https://a.test/1'
                WHERE id = \(id)
                """)
        }
        effects = try scene.effects(and: ["child": child])
    }

    @Test("an omitted profile field stays, and an empty one is cleared")
    func keepsAndClears() throws {
        try effects.expect(
            """
            + audit_log: action=profile.update, actor_user_id=adult, details={}, subject_user_id=adult,
                target_id=adult
            ~ users adult: full_name=New, updated_at=now
            """
        ) {
            try scene.call(scene.adult, "SELECT app.update_profile('New', NULL, NULL, NULL)")
        }
        try effects.expect(
            """
            + audit_log: action=profile.update, actor_user_id=adult, details={}, subject_user_id=adult,
                target_id=adult
            ~ users adult: avatar_key=null, avatar_url=null, updated_at=now
            """
        ) {
            try scene.call(scene.adult, "SELECT app.update_profile(NULL, '', '', NULL)")
        }
        try effects.expect(
            """
            + audit_log: action=profile.update, actor_user_id=admin, details={}, subject_user_id=admin,
                target_id=admin
            ~ users admin: avatar_key=owl, avatar_url=https://a.test/2, updated_at=now
            """
        ) {
            try scene.call(
                scene.admin, "SELECT app.update_profile(NULL, 'owl', 'https://a.test/2', NULL)")
        }
    }

    @Test("a change of a child is in its family's audit log, a change of an adult is not")
    func childsTrail() throws {
        try effects.expect(
            """
            + audit_log: action=profile.update, actor_user_id=adult, details={}, family_unit_id=home,
                subject_user_id=child, target_id=child
            ~ users child: updated_at=now
            """
        ) {
            _ = try house.asAPI(scene.adult, actingAs: child) {
                try $0.query("SELECT app.update_profile('Kid', NULL, NULL, NULL)")
            }
        }
    }

    @Test(
        "an account's role is player or parent, and fixed while it has other members or a request")
    func role() throws {
        func change(_ person: Person, _ role: String) throws -> String? {
            try refusal {
                try scene.call(person, "SELECT app.update_profile(NULL, NULL, NULL, \(role))")
            }
        }
        #expect(try change(scene.adult, "coach") == "HF400 invalid_field")
        #expect(try change(scene.adult, "player") == "HF409 role_fixed_in_family")
        #expect(try change(scene.adult, "parent") == nil)
        let waiting = try house.person()
        _ = try scene.waits(waiting, at: scene.home)
        #expect(try change(waiting, "player") == "HF409 role_fixed_in_family")
        let former = try house.person()
        try house.join(former, scene.away)
        try house.asAPI(former) {
            try $0.query("SELECT app.leave_family(\(scene.away.id), NULL)")
        }
        try effects.expect(
            """
            + audit_log: action=profile.update, actor_user_id=new, details={}, subject_user_id=new,
                target_id=new
            ~ users new: role=player, updated_at=now
            """
        ) {
            let refused = try change(former, "player")
            #expect(refused == nil)
        }
    }
}
