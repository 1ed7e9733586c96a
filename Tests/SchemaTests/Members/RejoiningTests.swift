import Postgres
import TestSupport
import Testing

@Suite("Rejoining")
struct RejoiningTests {
    @Test("an adult demoted to kid who leaves and becomes a player rejoins as a visitor")
    func noPlayer() throws {
        let house = try House()
        let admin = try house.person()
        let family = try house.family(of: admin)
        let other = try house.person()
        let member = try house.join(other, family)
        try house.asAPI(admin) {
            try $0.query(.changeHouseholdRole(of: member, to: "kid"))
        }
        try house.asAPI(other) { try $0.query("SELECT app.leave_family(\(family.id), NULL)") }
        try house.asAPI(other) {
            try $0.query("SELECT app.update_profile(NULL, NULL, NULL, 'player')")
        }
        _ = try house.join(other, family)
        let count = try house.count(
            """
            SELECT count(*) FROM app.family_members
            WHERE id = \(member) AND status = 'active' AND role = 'player'
                AND household_role = 'visitor'
            """)
        #expect(count == 1)
    }

    @Test("an invitation from before a removal does not readmit")
    func olderInvitation() throws {
        let house = try House()
        let admin = try house.person()
        let family = try house.family(of: admin)
        let other = try house.person()
        let email: String = try house.superuser()
            .query("SELECT email FROM app.users WHERE id = \(other.id)").scalar()
        let invitation = try house.invite(email, to: family, by: admin)
        let member = try house.join(other, family)
        try house.asAPI(admin) {
            try $0.query("SELECT app.remove_member(\(member), NULL, true, false)")
        }
        let count = try house.count(
            """
            SELECT count(*) FROM app.family_invitations
            WHERE id = \(invitation) AND status = 'revoked'
            """)
        #expect(count == 1)
    }
}
