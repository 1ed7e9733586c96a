import Postgres
import TestSupport
import Testing

/// Who can't invite whom, because of an invitation that there is already: `app.create_invitation(`.
@Suite("Invitations beside others to the same address")
struct InvitationRefusalTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    private let second: Person
    init() throws {
        scene = try TwoFamilies()
        second = try scene.house.person()
        try scene.house.join(second, scene.home)
    }

    private func invite(_ email: String, as person: Person) throws -> String? {
        try refusal { try house.invitation(of: person, to: scene.home, email: email) }
    }

    @Test("one that waits is renewed by its sender and by whoever governs, and by nobody else")
    func others() throws {
        // To a second adult it is one that somebody else has made; too soon for the others.
        #expect(try invite("one@example.org", as: second) == "HF409 already_invited")
        for person in [scene.adult, scene.admin] {
            #expect(try invite("one@example.org", as: person) == "HF429 invitation_just_sent")
        }
    }

    @Test("one that is answered or revoked is in nobody's way, and stays what it is")
    func over() throws {
        try house.superuser().query(
            """
            UPDATE app.family_invitations SET status = 'revoked', closed_at = now(),
                expires_at = now() - interval '1 minute'
            WHERE id = \(scene.byAdult.id)
            """)
        let lines = try scene.effects().lines {
            let told = try invite("one@example.org", as: second)
            #expect(told == nil)
        }
        #expect(lines.filter { $0.hasPrefix("~") } == [])
        #expect(lines.contains { $0.hasPrefix("+ family_invitations") })
    }

    @Test("a child's own invitation is not made another by inviting its address")
    func graduation() throws {
        let child = try house.child(of: scene.admin, in: scene.home)
        try scene.call(
            scene.admin,
            """
            SELECT FROM app.start_graduation(\(child), 'kid@example.org', 'player', 'kid', 'email')
            """)
        #expect(try invite("kid@example.org", as: scene.admin) == "HF409 already_invited")
    }

    @Test("an account makes so many in an hour, and no more")
    func limit() throws {
        let limit = try house.count("SELECT app.max_invitations_made()::int8")
        for number in 0..<limit {
            #expect(try invite("guest-\(number)@example.org", as: second) == nil)
        }
        let told = try invite("guest@example.org", as: second)
        #expect(told == "HF429 too_many_invitations")
        #expect(try invite("guest@example.org", as: scene.admin) == nil)
    }
}
