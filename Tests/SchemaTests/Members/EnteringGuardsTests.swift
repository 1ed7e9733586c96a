import Postgres
import TestSupport
import Testing

@Suite("Checks behind every membership and invitation")
struct EnteringGuardsTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    private let owner: Connection

    init() throws {
        scene = try TwoFamilies()
        owner = try scene.house.owner()
    }

    @Test(
        "an insert with a taken family id adds no code, and one with a new id adds the first code")
    func codes() throws {
        func insert(_ id: UInt128) throws -> String? {
            try refusal {
                try owner.query(
                    """
                    INSERT INTO app.family_units (id, created_by_user_id)
                    VALUES (\(id), \(scene.admin.id))
                    """)
            }
        }
        let new = UInt128.random(in: 1 ... .max)
        #expect(try insert(new) == nil)
        #expect(
            try house.count(
                "SELECT count(*) FROM app.family_codes WHERE family_unit_id = \(new)") == 1)
        #expect(try insert(scene.home.id) == "23505 family_units_pkey")
        #expect(
            try house.count(
                "SELECT count(*) FROM app.family_codes WHERE family_unit_id = \(scene.home.id)")
                == 1)
    }

    @Test("entering a family again locks only the row of the person who enters")
    func locksAgain() throws {
        let former = try house.person()
        try house.join(former, scene.home)
        try scene.call(former, "SELECT app.leave_family(\(scene.home.id), NULL)")
        func isFree(_ person: Person) throws -> Bool {
            try house.isFree("app.users", person.id)
        }
        let free = try owner.transaction { transaction in
            try transaction.query(
                """
                UPDATE app.family_members SET status = 'active', removed_at = NULL,
                    removed_by = NULL
                WHERE user_id = \(former.id)
                """)
            return [try isFree(former), try isFree(scene.admin)]
        }
        #expect(free == [false, true])
    }

    @Test("locking an erased account's row is refused, and the account enters no family")
    func erased() throws {
        let gone = try house.person()
        try owner.query("UPDATE app.users SET deleted_at = now() WHERE id = \(gone.id)")
        #expect(
            try refusal { try owner.query("SELECT app.lock_account(\(gone.id))") }
                == "HF403 account_required")
        let role = try owner.query("SELECT app.lock_account(\(scene.player.id))")
            .scalar(String.self)
        #expect(role == "player")
        let refused = try refusal {
            try owner.query(
                """
                INSERT INTO app.family_members (family_unit_id, user_id, role, household_role)
                VALUES (\(scene.home.id), \(gone.id), 'parent', 'adult')
                """)
        }
        #expect(refused?.hasPrefix("23") == true)
    }

    @Test("a person is treated as invited while the verified address has an open invitation")
    func invited() throws {
        let (guest, other) = (try house.person(), try house.person())
        let invitation = try house.invite(guest.email, to: scene.home, by: scene.adult)
        func isInvited(_ person: Person, _ family: Family) throws -> Bool {
            try owner.query("SELECT app.has_invited(\(family.id), \(person.id))")
                .scalar(Bool.self)
        }
        #expect(try isInvited(guest, scene.home))
        #expect(try !isInvited(guest, scene.away))
        #expect(try !isInvited(other, scene.home))
        try owner.query(
            "UPDATE app.users SET email_verified = false WHERE id = \(guest.id)")
        #expect(try !isInvited(guest, scene.home))
        try owner.query("UPDATE app.users SET email_verified = true WHERE id = \(guest.id)")
        try owner.query(
            """
            UPDATE app.family_invitations SET expires_at = now() - interval '1 s'
            WHERE id = \(invitation)
            """)
        #expect(try !isInvited(guest, scene.home))
    }

    @Test(
        "the current token of an e-mailed invitation finds it, even after the invitation has ended")
    func token() throws {
        func invitation(of token: PostgresBytes) throws -> UInt128? {
            try owner.query("SELECT (app.mailed_invitation_of_token(\(token))).id")
                .scalar(UInt128?.self)
        }
        let (mailed, link) = (scene.byAdult, scene.byAdmin)
        #expect(try invitation(of: mailed.token) == mailed.id)
        #expect(try invitation(of: link.token) == nil)
        try owner.query(
            """
            UPDATE app.family_invitations SET status = 'revoked', closed_at = now()
            WHERE id = \(mailed.id)
            """)
        #expect(try invitation(of: mailed.token) == mailed.id)
        try owner.query(
            "UPDATE app.family_invitations SET generation = 2 WHERE id = \(mailed.id)")
        #expect(try invitation(of: mailed.token) == nil)
    }
}
