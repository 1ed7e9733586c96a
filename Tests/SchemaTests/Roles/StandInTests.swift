import Postgres
import TestSupport
import Testing

/// Vouched adults stand in while the creator is gone and the seat is vacant.
@Suite("Stand-ins for creator and Parent Admin")
struct StandInTests {
    private let house: House
    private let creator, vouched, second, unvouched: Person
    private let family: Family
    private let waiting: UInt128

    /// Sets up a family with two vouched adults and one who came by code, and a pending request.
    init() throws {
        let house = try House()
        let (creator, vouched) = (try house.person(), try house.person())
        let (second, unvouched) = (try house.person(), try house.person())
        let family = try house.family(of: creator)
        for person in [vouched, second] {
            let link = try house.invitation(of: creator, to: family)
            try house.asAPI(person) {
                try $0.query("SELECT FROM app.join_by_invitation(\(link.token), NULL)")
            }
        }
        try house.join(unvouched, family)
        let asking = try house.person()
        try house.asAPI(creator) {
            try $0.query("SELECT app.update_family(\(family.id), NULL, NULL, NULL, false, true)")
        }
        try house.asAPI(asking) {
            try $0.query("SELECT FROM app.join_family_by_code(\(family.code), NULL, NULL)")
        }
        waiting = try house.membership(asking, family)
        (self.house, self.creator, self.vouched) = (house, creator, vouched)
        (self.second, self.unvouched, self.family) = (second, unvouched, family)
    }

    private func call(_ person: Person, _ statement: SQL) throws {
        try house.asAPI(person) { try $0.query(statement) }
    }

    /// Makes the creator hand the seat to an adult, who then leaves it.
    private func vacateSeat() throws {
        let own = try house.membership(creator, family)
        try call(creator, .changeHouseholdRole(of: own, to: "adult"))
    }

    private func removeCreator() throws {
        try vacateSeat()
        try call(creator, "SELECT app.leave_family(\(family.id), NULL)")
    }

    /// The people whom the database lets renew the code and see pending requests, without the
    /// creator.
    private func standIns() throws -> [Person] {
        let able = try [creator, vouched, second, unvouched].filter { person in
            let isRefused = try refusal {
                try call(person, "SELECT FROM app.regenerate_code(\(family.id), NULL)")
            }
            let seen = try house.asAPI(person) {
                try $0.query("SELECT FROM app.member_list WHERE id = \(waiting)").count
            }
            #expect((isRefused == nil) == (seen == 1))
            return isRefused == nil
        }
        return able.filter { $0.id != creator.id }
    }

    private func expectStandIns(
        _ people: [Person], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try standIns().map(\.id)
        #expect(found == people.map(\.id), sourceLocation: sourceLocation)
    }

    @Test("every vouched adult can approve while the creator is gone and the seat is vacant")
    func vouchedAdults() throws {
        try expectStandIns([])
        try vacateSeat()
        try expectStandIns([])
        try call(creator, "SELECT app.leave_family(\(family.id), NULL)")
        try expectStandIns([vouched, second])
        let told = try refusal {
            try call(unvouched, "SELECT app.approve_member(\(waiting))")
        }
        #expect(told == "HF404 member_not_found")
        try call(second, "SELECT app.approve_member(\(waiting))")
        // Stand-ins have no other right of the Parent Admin.
        let renamed = try refusal {
            try call(
                second, "SELECT app.update_family(\(family.id), 'X', NULL, NULL, false, NULL)")
        }
        #expect(renamed == "HF403 standing_too_low")
        // The seat is taken again.
        let own = try house.membership(vouched, family)
        try call(vouched, .changeHouseholdRole(of: own, to: "parent_admin"))
        #expect(
            try refusal { try call(second, "SELECT FROM app.regenerate_code(\(family.id), NULL)") }
                == "HF403 standing_too_low")
    }

    @Test("every adult can approve if none is vouched for")
    func anyAdult() throws {
        try removeCreator()
        for person in [vouched, second] {
            try call(person, "SELECT app.leave_family(\(family.id), NULL)")
        }
        #expect(
            try refusal { try call(unvouched, "SELECT app.approve_member(\(waiting))") } == nil)
    }

    @Test("a stand-in can reject pending requests, and remove nobody else")
    func rejects() throws {
        try removeCreator()
        let other = try house.membership(unvouched, family)
        let told = try refusal {
            try call(second, "SELECT FROM app.remove_member(\(other), NULL, false, false)")
        }
        #expect(told == "HF403 standing_too_low")
        try call(second, "SELECT FROM app.remove_member(\(waiting), NULL, false, true)")
        let mails = try house.count(
            "SELECT count(*) FROM jobs.live WHERE kind = 'mail.request_rejected'")
        #expect(mails == 1)
    }

    @Test("a creator who steps down is not treated as gone, a creator demoted by others is")
    func lowered() throws {
        try vacateSeat()
        let own = try house.membership(creator, family)
        try call(creator, .changeHouseholdRole(of: own, to: "visitor"))
        try expectStandIns([])
        try call(creator, .changeHouseholdRole(of: own, to: "adult"))
        // An admin demotes the creator, and gives up the seat.
        let admins = try house.membership(vouched, family)
        try call(vouched, .changeHouseholdRole(of: admins, to: "parent_admin"))
        try call(vouched, .changeHouseholdRole(of: own, to: "kid"))
        try call(vouched, .changeHouseholdRole(of: admins, to: "adult"))
        try expectStandIns([vouched, second])
    }

    @Test("stand-ins get an e-mail about new requests")
    func mails() throws {
        try removeCreator()
        try house.superuser().query("DELETE FROM jobs.live")
        let asking = try house.person()
        try call(asking, "SELECT FROM app.join_family_by_code(\(family.code), NULL, NULL)")
        let told = try house.superuser().query(
            """
            SELECT array_agg((payload ->> 'recipient')::uuid) FROM jobs.live
            WHERE kind = 'mail.join_requested'
            """
        ).scalar([UInt128].self)
        #expect(Set(told) == [vouched.id, second.id])
    }

    @Test("stands_in is right after every writer's change, and is written only if it changes")
    func mark() throws {
        let marked: SQL = """
            SELECT count(*) FROM app.family_members
            WHERE family_unit_id = \(family.id) AND stands_in
            """
        #expect(try house.count(marked) == 0)
        try house.owner().query(
            """
            UPDATE app.family_members SET household_role = 'adult'
            WHERE family_unit_id = \(family.id) AND household_role = 'parent_admin'
            """)
        #expect(try house.count(marked) == 0)
        try house.owner().query(
            """
            UPDATE app.family_members SET status = 'removed', removed_at = now()
            WHERE user_id = \(creator.id)
            """)
        #expect(try house.count(marked) == 2)
        try house.owner().query(
            """
            UPDATE app.family_members SET status = 'active', removed_at = NULL
            WHERE user_id = \(creator.id)
            """)
        #expect(try house.count(marked) == 0)
    }
}
