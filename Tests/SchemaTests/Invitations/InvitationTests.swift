import Postgres
import TestSupport
import Testing

@Suite("Invariants of invitations")
struct InvitationTests {
    static let house = Result { try House() }
    private var house: House { get throws { try Self.house.get() } }

    private struct Invitation {
        let id: UInt128
        let token: PostgresBytes
    }

    private func invite(
        _ email: String?, to family: Family, by inviter: Person, role: String = "parent"
    ) throws -> Invitation {
        let token = PostgresBytes((0..<32).map { _ in UInt8.random(in: 0...255) })
        let id = try house.asAPI(inviter) { transaction in
            let made = try transaction.query(
                """
                SELECT invitation_id, generation FROM app.create_invitation(\(family.id), \(email as String?),
                    \(role), NULL, \(email == nil ? "link" : "email"))
                """
            ).map { (row) throws(PostgresError) in
                (try row.read(UInt128.self), try row.read(Int32.self))
            }[0]
            try transaction.query(
                "SELECT app.add_invitation_secret(\(made.0), \(made.1), \(token))")
            return made.0
        }
        return Invitation(id: id, token: token)
    }

    private func accept(_ invitation: Invitation, by person: Person) throws -> String? {
        try refusal {
            try house.asAPI(person) {
                try $0.query(
                    "SELECT outcome FROM app.join_by_invitation(\(invitation.token), NULL)")
            }
        }
    }

    private func state(of invitation: Invitation) throws -> String {
        try Connection(house.test.settings(as: "hearth_api")).query(
            "SELECT state FROM app.preview_invitation(\(invitation.token))"
        ).scalar(String.self)
    }

    @Test("two concurrent invitations to one address become one, and only the later link works")
    func onePending() throws {
        let house = try house
        let inviter = try house.person()
        let family = try house.family(of: inviter)
        let first = try invite("new@example.com", to: family, by: inviter)
        try house.owner().query(
            """
            UPDATE app.family_invitations SET last_sent_at = now() - interval '2 minutes'
            WHERE id = \(first.id)
            """)
        let outcomes = onThreads(4) { _ in
            try invite("new@example.com", to: family, by: inviter)
        }
        let met = try outcomes.compactMap { outcome in try refusal { try outcome.get() } }
        #expect(met == [String](repeating: "HF429 invitation_just_sent", count: 3))
        let made = [first] + outcomes.compactMap { try? $0.get() }
        #expect(made.count == 2 && made[0].id == made[1].id)
        #expect(try made.map { try state(of: $0) } == ["absent", "pending"])
        // A plain INSERT that bypasses the function meets the index.
        #expect(
            try refusal {
                try house.owner().query(
                    """
                    INSERT INTO app.family_invitations
                        (family_unit_id, invited_by, invited_email, role, household_role, delivery)
                    VALUES (\(family.id), \(inviter.id), 'new@example.com', 'parent', 'adult',
                        'email')
                    """)
            } == "23505 family_invitations_one_pending")
    }

    @Test("a link opened by twenty accounts concurrently admits one")
    func acceptedOnce() throws {
        let house = try house
        let inviter = try house.person()
        let family = try house.family(of: inviter)
        let invitation = try invite(nil, to: family, by: inviter)
        let people = try (0..<20).map { _ in try house.person() }
        let met = try onThreads(20) { try accept(invitation, by: people[$0]) }.map { try $0.get() }
        #expect(met.count { $0 == nil } == 1)
        #expect(met.count { $0 == "HF409 invitation_answered" } == 19)
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.family_members
                WHERE family_unit_id = \(family.id) AND joined_via = 'invitation'
                """) == 1)
    }

    @Test("a race of acceptance and revocation has one winner, and the membership matches it")
    func acceptAgainstRevoke() throws {
        let house = try house
        for _ in 0..<10 {
            let inviter = try house.person()
            let family = try house.family(of: inviter)
            let invitation = try invite(nil, to: family, by: inviter)
            let guest = try house.person()
            let met = try onThreads(2) { index in
                index == 0
                    ? try accept(invitation, by: guest)
                    : try refusal {
                        try house.asAPI(inviter) {
                            try $0.query("SELECT app.revoke_invitation(\(invitation.id))")
                        }
                    }
            }.map { try $0.get() }
            #expect(met.count { $0 == nil } == 1)
            let members = try house.count(
                "SELECT count(*) FROM app.family_members WHERE user_id = \(guest.id)")
            #expect(members == (met[0] == nil ? 1 : 0))
            #expect(try state(of: invitation) == (met[0] == nil ? "accepted" : "absent"))
        }
    }

    @Test(
        "only the verified address can answer an e-mailed invitation; its expiry is shown to all"
    )
    func addressed() throws {
        let house = try house
        let inviter = try house.person()
        let family = try house.family(of: inviter)
        let guest = try house.person()
        let invitation = try invite(guest.email.uppercased(), to: family, by: inviter)
        #expect(
            try accept(invitation, by: try house.person())
                == "HF403 not_the_addressee")
        try house.owner().query(
            "UPDATE app.users SET email_verified = false WHERE id = \(guest.id)")
        #expect(try accept(invitation, by: guest) == "HF403 not_the_addressee")
        try house.owner().query("UPDATE app.users SET email_verified = true WHERE id = \(guest.id)")
        try house.owner().query(
            """
            UPDATE app.family_invitations SET expires_at = now() - interval '1 s'
            WHERE id = \(invitation.id)
            """)
        #expect(try accept(invitation, by: try house.person()) == "HF410 invitation_expired")
        #expect(try state(of: invitation) == "expired")
        let again = try invite(guest.email, to: family, by: inviter)
        #expect(again.id != invitation.id)
        #expect(try accept(again, by: guest) == nil)
        #expect(try accept(again, by: guest) == nil)
        #expect(try accept(again, by: inviter) == "HF409 invitation_answered")
    }

    @Test("declining an invitation and removing its sender leave no open link behind")
    func closed() throws {
        let house = try house
        let admin = try house.person()
        let family = try house.family(of: admin)
        let inviter = try house.person()
        let member = try house.join(inviter, family)
        let declined = try invite(nil, to: family, by: inviter)
        try house.asAPI(try house.person()) {
            try $0.query("SELECT app.decline_invitation(\(declined.token), NULL)")
        }
        #expect(try state(of: declined) == "declined")
        let open = try invite(nil, to: family, by: inviter)
        try house.asAPI(admin) {
            try $0.query("SELECT app.remove_member(\(member), NULL, false, false)")
        }
        #expect(try state(of: open) == "absent")
        #expect(
            try accept(open, by: try house.person()) == "HF404 invitation_not_found")
    }

    @Test("players can invite parents only; nobody can invite a Parent Admin, and visitors nobody")
    func whoInvites() throws {
        let house = try house
        let player = try house.person("player")
        let family = try house.family(of: player)
        let visitor = try house.person()
        let visiting = try house.join(visitor, family)
        try house.owner().query(
            "UPDATE app.family_members SET household_role = 'visitor' WHERE id = \(visiting)")
        let inviting = { (person: Person, role: String, householdRole: String?) throws -> String? in
            try refusal {
                try house.asAPI(person) {
                    try $0.query(
                        """
                        SELECT app.create_invitation(
                            \(family.id), NULL, \(role), \(householdRole as String?), 'link')
                        """)
                }
            }
        }
        #expect(try inviting(player, "parent", nil) == nil)
        #expect(try inviting(player, "player", nil) == "HF403 standing_too_low")
        #expect(
            try inviting(player, "parent", "parent_admin")
                == "HF403 role_too_high")
        #expect(try inviting(visitor, "parent", nil) == "HF403 standing_too_low")
        #expect(try inviting(try house.person(), "parent", nil) == "HF404 family_not_found")
    }

    @Test("an account can send ten invitations an hour, refused ones not counted")
    func limited() throws {
        let house = try house
        let inviter = try house.person()
        let family = try house.family(of: inviter)
        for _ in 0..<3 {
            _ = try refusal { try invite("not an address", to: family, by: inviter) }
        }
        for _ in 0..<10 { _ = try invite(nil, to: family, by: inviter) }
        #expect(
            try refusal { try invite(nil, to: family, by: inviter) }
                == "HF429 too_many_invitations")
    }

    @Test("the secrets' table holds no token, and an existing secret can't be replaced")
    func secrets() throws {
        let house = try house
        let inviter = try house.person()
        let family = try house.family(of: inviter)
        let invitation = try invite(nil, to: family, by: inviter)
        #expect(
            try refusal {
                try house.asAPI(inviter) { try $0.query("SELECT * FROM app.invitation_secrets") }
            } == "42501")
        let planted = PostgresBytes([UInt8](repeating: 7, count: 32))
        try house.asAPI(inviter) {
            try $0.query("SELECT app.add_invitation_secret(\(invitation.id), 1, \(planted))")
        }
        #expect(try state(of: Invitation(id: invitation.id, token: planted)) == "absent")
        #expect(try state(of: invitation) == "pending")
    }
}
