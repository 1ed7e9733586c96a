import Postgres
import TestSupport
import Testing

@Suite("Demoting a member")
struct RoleLoweringTests {
    private let house: House
    init() throws { house = try House() }

    private func status(_ invitation: UInt128) throws -> String {
        try house.superuser().query(
            "SELECT status FROM app.family_invitations WHERE id = \(invitation)"
        ).scalar(String.self)
    }

    private func secrets(_ invitation: UInt128) throws -> Int {
        try house.count(
            "SELECT count(*) FROM app.invitation_secrets WHERE invitation_id = \(invitation)")
    }

    /// Changes a household role, as the admin or as an operator.
    private func set(
        _ member: UInt128, _ role: String, by admin: Person?
    ) throws {
        if let admin {
            try house.asAPI(admin) {
                try $0.query(.changeHouseholdRole(of: member, to: role))
            }
        } else {
            try Connection(house.test.settings(as: "hearth_admin")).transaction { transaction in
                try transaction.query("SELECT app.begin_operation('jo')")
                try transaction.query(
                    "SELECT app.operator_set_household_role(\(member), \(role), NULL)")
            }
        }
    }

    @Test(
        "a member whose new role may not invite loses its pending invitations",
        arguments: [
            ("parent", "kid", false), ("parent", "visitor", false), ("player", "visitor", false),
            ("parent", "kid", true), ("player", "visitor", true),
        ])
    func revoked(side: String, role: String, byOperator: Bool) throws {
        let (admin, other) = (try house.person(), try house.person(side))
        let family = try house.family(of: admin)
        let elsewhere = try house.family(of: other)
        let member = try house.membership(other, elsewhere)
        let sent = try house.invite("a@example.org", to: elsewhere, by: other)
        try house.superuser().query(
            "INSERT INTO app.invitation_secrets VALUES (\(sent), 1, sha256('x'))")
        // A player belongs to one family.
        if side == "parent" {
            let joined = try house.join(other, family)
            let here = try house.invite("a@example.org", to: family, by: other)
            let another = try house.invite("b@example.org", to: family, by: admin)
            try set(joined, role, by: byOperator ? nil : admin)
            #expect(try status(here) == "revoked" && status(another) == "pending")
            #expect(try status(sent) == "pending" && secrets(sent) == 1)
        } else {
            try set(member, role, by: byOperator ? nil : other)
            #expect(try status(sent) == "revoked" && secrets(sent) == 0)
        }
    }

    @Test("a demoted member who may still invite keeps its invitations")
    func kept() throws {
        let (admin, other) = (try house.person(), try house.person())
        let family = try house.family(of: admin)
        let member = try house.join(other, family)
        let sent = try house.invite("a@example.org", to: family, by: admin)
        try house.asAPI(admin) {
            try $0.query("SELECT app.transfer_admin(\(family.id), \(member))")
        }
        let seat = try house.membership(admin, family)
        try set(seat, "adult", by: admin)
        #expect(try status(sent) == "pending")
    }
}

@Suite("Erasing an account during its request")
struct ErasedMeanwhileTests {
    @Test("an account erased during its request can't write its name")
    func name() throws {
        let house = try House()
        let person = try house.person()
        try house.asAPI(person) { transaction in
            try house.owner().query(
                """
                UPDATE app.users SET full_name = NULL, email = NULL, email_verified = false,
                    deleted_at = now() WHERE id = \(person.id)
                """)
            try transaction.query(
                "UPDATE app.users SET full_name = 'Still here' WHERE id = \(person.id)")
        }
        let named = try house.count(
            "SELECT count(*) FROM app.users WHERE id = \(person.id) AND full_name IS NOT NULL")
        #expect(named == 0)
    }
}
