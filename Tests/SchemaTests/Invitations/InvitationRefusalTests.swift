import Postgres
import TestSupport
import Testing

/// Refusals of `app.create_invitation` because of an existing invitation to the same address.
@Suite("Repeated invitations to the same address")
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

    @Test("a pending invitation can be renewed only by its sender and by governing members")
    func others() throws {
        // For a second adult it is another's invitation; for the others it is too soon.
        #expect(try invite("one@example.org", as: second) == "HF409 already_invited")
        for person in [scene.adult, scene.admin] {
            #expect(try invite("one@example.org", as: person) == "HF429 invitation_just_sent")
        }
    }

    @Test("an answered or revoked invitation blocks nobody and stays unchanged")
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

    @Test("a child's graduation invitation is not replaced by inviting its address")
    func graduation() throws {
        let child = try house.child(of: scene.admin, in: scene.home)
        try scene.call(
            scene.admin,
            """
            SELECT FROM app.start_graduation(\(child), 'kid@example.org', 'player', 'kid', 'email')
            """)
        #expect(try invite("kid@example.org", as: scene.admin) == "HF409 already_invited")
    }

    @Test("an account can send a limited number of invitations an hour")
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
