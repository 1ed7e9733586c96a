import Postgres
import TestSupport
import Testing

/// Repeated join requests by code, of a person whose membership or request others have ended.
@Suite("Joining again by code")
struct RejoinRequestTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    private let person: Person
    private let member: UInt128

    /// Sets up a person whom the admin of the first family has removed.
    init() throws {
        scene = try TwoFamilies()
        person = try scene.house.person()
        member = try scene.house.join(person, scene.home)
        try remove()
    }

    private func remove() throws {
        try scene.call(
            scene.admin, "SELECT FROM app.remove_member(\(member), NULL, false, false)")
    }

    private func ask() throws -> String {
        try scene.call(
            person,
            "SELECT outcome FROM app.join_family_by_code(\(scene.home.code), NULL, NULL)"
        ).scalar()
    }

    private func withdraw() throws {
        try scene.call(person, "SELECT app.withdraw_request(\(scene.home.id))")
    }

    /// Moves the stored times about the person into the past or the future.
    private func shift(_ interval: String) throws {
        try house.superuser().query(
            """
            UPDATE app.family_members SET barred_at = barred_at + \(interval)::interval,
                rejected_at = rejected_at + \(interval)::interval,
                requests_blocked_at = requests_blocked_at + \(interval)::interval
            WHERE id = \(member)
            """)
    }

    @Test("a removed person has to wait for approval, even after withdrawing its request")
    func withdrawn() throws {
        for _ in 0..<4 {
            #expect(try ask() == "waiting")
            try withdraw()
        }
        #expect(try ask() == "waiting")
        // Asking again while a request is pending admits nobody either.
        #expect(try ask() == "waiting")
    }

    @Test("an approved person can leave and rejoin as before")
    func approved() throws {
        #expect(try ask() == "waiting")
        try scene.call(scene.admin, "SELECT app.approve_member(\(member))")
        try scene.call(person, "SELECT app.leave_family(\(scene.home.id), NULL)")
        #expect(try ask() == "joined")
    }

    @Test("two rejections within 30 days block a person for 30 days, fewer or older ones don't")
    func blocked() throws {
        #expect(try ask() == "waiting")
        try remove()
        try shift("-31 days")
        #expect(try ask() == "waiting")
        try remove()
        #expect(try ask() == "waiting")
        try remove()
        #expect(try ask() == "removed_from_family")
        try shift("-29 days")
        #expect(try ask() == "removed_from_family")
        try shift("-1 days")
        #expect(try ask() == "waiting")
    }

    @Test("a rejection or block in the future, from a wrong clock, is ignored")
    func future() throws {
        #expect(try ask() == "waiting")
        try remove()
        try shift("40 days")
        #expect(try ask() == "waiting")
        try remove()
        #expect(try ask() == "waiting")
        try remove()
        try shift("40 days")
        #expect(try ask() == "waiting")
    }

    @Test("an invitation by a member not vouched for readmits no removed person")
    func unvouched() throws {
        let second = try house.person()
        try house.join(second, scene.home)
        let link = try house.invitation(of: second, to: scene.home)
        let accept: SQL = "SELECT FROM app.join_by_invitation(\(link.token), NULL)"
        #expect(try ask() == "waiting")
        #expect(try refusal { try scene.call(person, accept) } == "HF403 removed_from_family")
        try withdraw()
        #expect(try refusal { try scene.call(person, accept) } == "HF403 removed_from_family")
        let vouched = try house.invitation(of: scene.admin, to: scene.home)
        try scene.call(person, "SELECT FROM app.join_by_invitation(\(vouched.token), NULL)")
        #expect(try house.membership(person, scene.home) == member)
    }

    @Test("a blocked person can enter by invitation, and the count starts again")
    func invited() throws {
        for _ in 0..<2 {
            #expect(try ask() == "waiting")
            try remove()
        }
        #expect(try ask() == "removed_from_family")
        let link = try house.invitation(of: scene.admin, to: scene.home)
        try scene.call(person, "SELECT FROM app.join_by_invitation(\(link.token), NULL)")
        try remove()
        #expect(try ask() == "waiting")
        try remove()
        #expect(try ask() == "waiting")
    }
}
