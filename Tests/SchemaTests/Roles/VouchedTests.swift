import Postgres
import TestSupport
import Testing

@Suite("Vouching for members")
struct VouchedTests {
    private let house: House
    init() throws { house = try House() }

    private func accept(_ token: PostgresBytes, by person: Person) throws {
        try house.asAPI(person) {
            _ = try $0.query("SELECT outcome FROM app.join_by_invitation(\(token), NULL)")
        }
    }

    /// Adds `guest` by a link of `inviter`'s.
    private func invite(_ guest: Person, by inviter: Person, to family: Family) throws {
        try accept(try house.invitation(of: inviter, to: family).token, by: guest)
    }

    private func claim(_ person: Person, _ family: Family) throws -> String? {
        let member = try house.membership(person, family)
        return try refusal {
            try house.asAPI(person) {
                try $0.query(
                    .changeHouseholdRole(of: member, to: "parent_admin"))
            }
        }
    }

    private func isVouched(_ person: Person, _ family: Family) throws -> Bool {
        try house.superuser().query(
            """
            SELECT vouched FROM app.family_members
            WHERE family_unit_id = \(family.id) AND user_id = \(person.id)
            """
        ).scalar()
    }

    @Test(
        "a member who joined by code is not vouched for, and neither are its guests and their guests",
        arguments: ["parent", "player"])
    func chain(side: String) throws {
        let creator = try house.person("player")
        let family = try house.family(of: creator)
        let first = try house.person(side)
        try house.join(first, family)
        let second = try house.person()
        try invite(second, by: first, to: family)
        #expect(try claim(second, family) == "HF403 standing_too_low")
        let third = try house.person()
        try invite(third, by: second, to: family)
        #expect(try claim(third, family) == "HF403 standing_too_low")
        let member = try house.membership(creator, family)
        #expect(
            try refusal {
                try house.asAPI(second) {
                    try $0.query("SELECT app.remove_member(\(member), NULL, false, false)")
                }
            } == "HF403 standing_too_low")
        for person in [first, second, third] { #expect(try !isVouched(person, family)) }
        #expect(try isVouched(creator, family))
    }

    @Test(
        "a creator (even by direct access) and members added by operators are vouched for")
    func entered() throws {
        let creator = try house.person()
        let family = UInt128.random(in: 0...UInt128.max)
        let direct = Family(id: family, code: "")
        try house.asDirect(creator) { transaction in
            try transaction.query(
                """
                INSERT INTO api.family_units (id, created_by_user_id)
                VALUES (\(family), \(creator.id))
                """)
            try transaction.query(
                """
                INSERT INTO api.family_members (family_unit_id, user_id, role)
                VALUES (\(family), \(creator.id), 'parent')
                """)
        }
        #expect(try isVouched(creator, direct))
        let added = try house.person()
        try house.asOperator {
            try $0.query(
                "SELECT app.operator_add_member(\(family), \(added.id), 'parent', NULL)")
        }
        #expect(try isVouched(added, direct))
    }

    @Test("an invitation vouches if its sender could vouch when it was sent")
    func whenSent() throws {
        let creator = try house.person("player")
        let family = try house.family(of: creator)
        let inviter = try house.person()
        let member = try house.join(inviter, family)
        let before = try house.invitation(of: inviter, to: family)
        try house.asAPI(creator) {
            try $0.query(.changeHouseholdRole(of: member, to: "parent_admin"))
        }
        let after = try house.invitation(of: inviter, to: family)
        let (early, late) = (try house.person(), try house.person())
        try accept(before.token, by: early)
        try accept(after.token, by: late)
        #expect(try !isVouched(early, family))
        #expect(try isVouched(late, family))
    }

    @Test("vouching survives leaving and rejoining, but not a removal")
    func comingBack() throws {
        let creator = try house.person()
        let family = try house.family(of: creator)
        let (guest, byCode) = (try house.person(), try house.person())
        try house.join(byCode, family)
        try invite(guest, by: creator, to: family)
        let leave: SQL = "SELECT app.leave_family(\(family.id), NULL)"
        try house.asAPI(guest) { try $0.query(leave) }
        try house.join(guest, family)
        #expect(try isVouched(guest, family))
        try house.asAPI(guest) { try $0.query(leave) }
        try invite(guest, by: byCode, to: family)
        #expect(try isVouched(guest, family))
        let member = try house.membership(guest, family)
        try house.asAPI(creator) {
            try $0.query("SELECT app.remove_member(\(member), NULL, false, false)")
        }
        #expect(try !isVouched(guest, family))
        #expect(
            try refusal { try invite(guest, by: byCode, to: family) }
                == "HF403 removed_from_family")
        // In the seat, which nobody else had a right to, a member who came by code governs.
        let seated = try house.membership(creator, family)
        try house.asAPI(creator) {
            try $0.query(.changeHouseholdRole(of: seated, to: "adult"))
            try $0.query(leave)
        }
        let own = try house.membership(byCode, family)
        try house.asAPI(byCode) {
            try $0.query(.changeHouseholdRole(of: own, to: "parent_admin"))
        }
        try invite(guest, by: byCode, to: family)
        #expect(try !isVouched(guest, family))
    }

    @Test(
        "storing an unvouched creator, an operator's unvouched member or a vouched child is refused"
    )
    func constraint() throws {
        let creator = try house.person()
        let family = try house.family(of: creator)
        let (other, child) = (try house.person(), try house.child(of: creator, in: family))
        let member = try house.join(other, family)
        let refused = "23514 family_members_vouched_form"
        let own = try house.membership(creator, family)
        for statement: SQL in [
            "UPDATE app.family_members SET vouched = false WHERE id = \(own)",
            "UPDATE app.family_members SET vouched = true WHERE id = \(child)",
            "UPDATE app.family_members SET joined_via = 'operator' WHERE id = \(member)",
        ] {
            #expect(try refusal { try house.owner().query(statement) } == refused)
        }
    }
}
