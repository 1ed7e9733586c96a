import Postgres
import TestSupport
import Testing

/// Data that the worker reads before it sends an e-mail. They contain nothing that is outdated or
/// belongs to another person.
@Suite("Data of e-mails")
struct MailDataTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    private let connection: Connection, worker: Connection
    /// The adult's child, in the family at home.
    private let child: UInt128
    private let waiting, former: Person

    init() throws {
        scene = try TwoFamilies()
        let house = scene.house
        connection = try house.superuser()
        worker = try Connection(house.test.settings(as: "hearth_worker"))
        child = try house.child(of: scene.adult, in: scene.home)
        former = try house.person()
        try house.join(former, scene.home)
        try scene.call(former, "SELECT app.leave_family(\(scene.home.id), NULL)")
        waiting = try house.person()
        _ = try scene.waits(waiting, at: scene.home)
        for (person, name) in [
            (scene.admin, "Ada"), (scene.adult, "Ed"), (scene.neighbour, "Nell"),
            (former, "Flo"), (waiting, "Wim"),
        ] {
            try connection.query(
                "UPDATE app.users SET full_name = \(name) WHERE id = \(person.id)")
        }
        try connection.query(
            "UPDATE app.family_units SET family_name = 'Home' WHERE id = \(scene.home.id)")
    }

    private func row(_ statement: SQL, columns: Int) throws -> String {
        try worker.query(statement).map { (row) throws(PostgresError) in
            var words: [String] = []
            for _ in 0..<columns { words.append(try row.read(String.self)) }
            if words[0] == "gone" { return words[0] }
            return words.filter { !$0.isEmpty }.joined(separator: ", ")
        }[0]
    }

    // MARK: Invitations

    private func ofInvitation(_ id: UInt128, _ generation: Int32 = 1) throws -> String {
        try row(
            """
            SELECT state, email, family_name, inviter_name, role,
                CASE token_hash WHEN '' THEN '' ELSE 'token' END
            FROM app.mail_of_invitation(\(id), \(generation))
            """, columns: 6)
    }

    @Test("only the last generation of a pending invitation to an address is sent")
    func invitation() throws {
        let id = scene.byAdult.id
        let due = "due, one@example.org, Home, Ed, parent, token"
        #expect(try ofInvitation(id) == due)
        #expect(try ofInvitation(id, 2) == "gone")
        #expect(try ofInvitation(scene.byAdmin.id) == "gone", "a link")
        #expect(try ofInvitation(scene.home.id) == "gone", "none")
        func whileSet(_ change: String) throws -> String {
            try connection.query(
                "UPDATE app.family_invitations SET \(unsafe: change) WHERE id = \(id)")
            return try ofInvitation(id)
        }
        #expect(try whileSet("expires_at = now() - interval '1 s'") == "gone")
        #expect(try whileSet("expires_at = now() + interval '1 h'") == due)
        try connection.query(
            "INSERT INTO app.suppressed_addresses (email, reason) VALUES ('two@example.org', 'x')")
        #expect(try ofInvitation(id) == due)
        try connection.query("UPDATE app.suppressed_addresses SET email = 'one@example.org'")
        #expect(try ofInvitation(id) == "suppressed" + due.dropFirst(3))
        try connection.query("DELETE FROM app.suppressed_addresses")
        try connection.query(
            """
            SELECT app.record_mail_rejection('one@example.org', 'x') FROM generate_series(1, 3)
            """)
        #expect(try ofInvitation(id) == "held_off" + due.dropFirst(3))
        try connection.query("UPDATE app.mail_verdicts SET held_since = now() - interval '1 day'")
        #expect(try ofInvitation(id) == due)
        // Written by a clock that was ahead.
        try connection.query("UPDATE app.mail_verdicts SET held_since = now() + interval '40 days'")
        #expect(try ofInvitation(id) == due)
        #expect(try whileSet("status = 'revoked', closed_at = now()") == "gone")
    }

    @Test("the inviter of an API key's invitation is the key's name")
    func invitationByKey() throws {
        let id = scene.byAdult.id
        try connection.query(
            """
            UPDATE app.family_invitations
            SET invited_by = NULL, invited_by_key = 'Compass', vouched = false WHERE id = \(id)
            """)
        #expect(try ofInvitation(id) == "due, one@example.org, Home, Compass, parent, token")
    }

    @Test("the delivery status is stored only for the current generation of an invitation")
    func delivery() throws {
        let id = scene.byAdult.id
        func note(_ generation: Int32) throws {
            try worker.query("SELECT app.record_delivery(\(id), \(generation), 'sent')")
        }
        try scene.effects().expect { try note(2) }
        try scene.effects().expect(
            "~ family_invitations by the adult: delivery_generation=1, delivery_status=sent"
        ) { try note(1) }
    }

    // MARK: Changes of a family

    private func ofChange(
        _ reason: String, to person: Person, about other: UInt128? = nil, in family: Family? = nil
    ) throws -> String {
        try row(
            """
            SELECT state, recipient_name, family_name, other_name FROM app.mail_of_change(
                \(reason), \((family ?? scene.home).id), \(person.id), \(other as UInt128?))
            """, columns: 4)
    }

    @Test("a removed person is notified unless it is a member again")
    func removed() throws {
        // A person who chose to leave gets no notice of a removal.
        for reason in ["member_removed", "request_rejected"] {
            #expect(try ofChange(reason, to: former) == "gone")
        }
        try connection.query(
            """
            UPDATE app.family_members SET removed_by = \(scene.admin.id)
            WHERE user_id = \(former.id)
            """)
        for reason in ["member_removed", "request_rejected", "waiting_ended"] {
            #expect(try ofChange(reason, to: former) == "due, Flo, Home")
            for person in [scene.adult, waiting, scene.neighbour] {
                #expect(try ofChange(reason, to: person) == "gone")
            }
        }
        #expect(try ofChange("unknown", to: former) == "gone")
    }

    @Test("a pending join request is sent to the members who can approve it")
    func requested() throws {
        let (admin, asks) = (scene.admin, waiting.id)
        let reason = "join_requested"
        #expect(try ofChange(reason, to: admin, about: asks) == "due, Ada, Home, Wim")
        for (person, other) in [
            (scene.adult, asks), (former, asks), (waiting, asks), (admin, scene.adult.id),
            (admin, former.id), (admin, scene.neighbour.id),
        ] {
            #expect(try ofChange(reason, to: person, about: other) == "gone")
        }
        #expect(
            try ofChange(reason, to: scene.neighbour, about: asks, in: scene.away) == "gone")
        // A person without a name is shown as in the list of members.
        try connection.query("UPDATE app.users SET full_name = NULL WHERE id = \(asks)")
        let part = try #require(waiting.email.split(separator: "@").first)
        #expect(try ofChange(reason, to: admin, about: asks) == "due, Ada, Home, \(part)")
        try connection.query("UPDATE app.users SET full_name = 'Wim' WHERE id = \(asks)")
        #expect(try ofChange("request_approved", to: waiting) == "gone")
        let member = try house.membership(waiting, scene.home)
        try scene.call(admin, "SELECT app.approve_member(\(member))")
        #expect(try ofChange(reason, to: admin, about: asks) == "gone")
        #expect(try ofChange("request_approved", to: waiting) == "due, Wim, Home")
        #expect(try ofChange("request_approved", to: former) == "gone")
        // A member who no longer governs gets no mail.
        let second = try house.person()
        _ = try scene.waits(second, at: scene.home)
        #expect(try ofChange(reason, to: admin, about: second.id).hasPrefix("due"))
        try connection.query(
            """
            UPDATE app.family_members SET status = 'removed', removed_at = now()
            WHERE user_id = \(admin.id) AND family_unit_id = \(scene.home.id)
            """)
        #expect(try ofChange(reason, to: admin, about: second.id) == "gone")
    }

    @Test("a new admin is announced to members as long as that person is the admin")
    func admin() throws {
        let admin = scene.admin.id
        let reason = "admin_changed"
        #expect(try ofChange(reason, to: scene.adult, about: admin) == "due, Ed, Home, Ada")
        for (person, other) in [
            (former, admin), (waiting, admin), (scene.adult, scene.adult.id),
            (scene.adult, scene.neighbour.id), (scene.neighbour, admin),
        ] {
            #expect(try ofChange(reason, to: person, about: other) == "gone")
        }
        try connection.query(
            """
            UPDATE app.family_members SET status = 'removed', removed_at = now()
            WHERE user_id = \(admin)
            """)
        #expect(try ofChange(reason, to: scene.adult, about: admin) == "gone")
    }

    @Test("mails about guardians depend on the current guardians")
    func guardians() throws {
        let (adult, admin) = (scene.adult, scene.admin)
        #expect(try ofChange("guardian_named", to: adult, about: child) == "due, Ed, Home, Kid")
        #expect(try ofChange("guardian_named", to: admin, about: child) == "gone")
        #expect(try ofChange("guardian_named", to: adult, about: child, in: scene.away) == "gone")
        #expect(try ofChange("guardian_removed", to: admin, about: child) == "due, Ada, Home, Kid")
        #expect(try ofChange("guardian_removed", to: former, about: child) == "due, Flo, Home, Kid")
        #expect(try ofChange("guardian_removed", to: adult, about: child) == "gone")
        #expect(try ofChange("guardian_removed", to: adult, about: child, in: scene.away) == "gone")
        #expect(
            try ofChange("guardian_replaced", to: former, about: adult.id) == "due, Flo, Home, Ed")
        for other in [former.id, waiting.id, scene.neighbour.id] {
            #expect(try ofChange("guardian_replaced", to: adult, about: other) == "gone")
        }
        try scene.call(adult, "SELECT FROM app.remove_member(\(child), NULL, false, false)")
        #expect(try ofChange("guardian_removed", to: admin, about: child) == "gone")
    }

    @Test("a graduation's start is sent to the guardians, and its end to the members")
    func growsUp() throws {
        let (adult, admin) = (scene.adult, scene.admin)
        #expect(try ofChange("graduation_started", to: adult, about: child) == "gone")
        try connection.query(
            """
            INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email, role,
                household_role, delivery, kind, graduate_id)
            VALUES (\(scene.home.id), \(adult.id), 'kid@example.org', 'player', 'kid', 'email',
                'graduation', \(child))
            """)
        #expect(try ofChange("graduation_started", to: adult, about: child) == "due, Ed, Home, Kid")
        for person in [admin, former] {
            #expect(try ofChange("graduation_started", to: person, about: child) == "gone")
        }
        #expect(
            try ofChange("graduation_started", to: adult, about: child, in: scene.away) == "gone")
        try connection.query(
            """
            UPDATE app.family_invitations SET status = 'revoked', closed_at = now()
            WHERE kind = 'graduation'
            """)
        #expect(try ofChange("graduation_started", to: adult, about: child) == "gone")

        let grown = scene.homeAdult
        #expect(try ofChange("graduated", to: admin, about: grown).hasPrefix("due, Ada, Home"))
        #expect(try ofChange("graduated", to: former, about: grown) == "gone")
        #expect(try ofChange("graduated", to: admin, about: child) == "gone")
        #expect(try ofChange("graduated", to: scene.neighbour, about: grown) == "gone")
        #expect(
            try ofChange("graduated", to: adult, about: grown, in: scene.away) == "gone")
    }

    @Test("no mail goes to an unverified, suppressed or deleted address")
    func addresses() throws {
        func ofAccount() throws -> String {
            try row(
                """
                SELECT state, recipient_name FROM app.mail_of_account(\(former.id))
                """, columns: 2)
        }
        func both() throws -> [String] {
            [try ofChange("member_removed", to: former), try ofAccount()]
        }
        func set(_ change: String) throws {
            try connection.query(
                "UPDATE app.users SET \(unsafe: change) WHERE id = \(former.id)")
        }
        try connection.query(
            """
            UPDATE app.family_members SET removed_by = \(scene.admin.id)
            WHERE user_id = \(former.id)
            """)
        #expect(try both() == ["due, Flo, Home", "due, Flo"])
        try connection.query(
            """
            INSERT INTO app.suppressed_addresses (email, reason)
            VALUES (\(scene.adult.email), 'x')
            """)
        #expect(try both() == ["due, Flo, Home", "due, Flo"])
        try connection.query(
            """
            INSERT INTO app.suppressed_addresses (email, reason) VALUES (\(former.email), 'x')
            """)
        #expect(try both() == ["suppressed, Flo, Home", "suppressed, Flo"])
        try connection.query("DELETE FROM app.suppressed_addresses")
        try set("email_verified = false")
        #expect(try both() == ["gone", "gone"])
        try set("email_verified = true, deleted_at = now()")
        #expect(try both() == ["gone", "gone"])
        let ofChild = try row(
            "SELECT state, email FROM app.mail_of_account(\(child))", columns: 2)
        #expect(ofChild == "gone")
    }

    @Test(
        "the address of an erasure is deleted once the confirmation is sent, and no other address")
    func erasure() throws {
        func erasure(_ address: String) throws -> UInt128 {
            try connection.query(
                """
                INSERT INTO app.erasures (sign_ins, email, locale) VALUES ('{}', \(address), 'de')
                RETURNING id
                """
            ).scalar(UInt128.self)
        }
        let (first, second) = (try erasure("a@example.org"), try erasure("b@example.org"))
        func ofErasure(_ id: UInt128) throws -> String {
            try row("SELECT state, email FROM app.mail_of_erasure(\(id))", columns: 2)
        }
        #expect(try ofErasure(first) == "due, a@example.org")
        #expect(try ofErasure(scene.home.id) == "gone")
        try worker.query("SELECT app.delete_erasure_address(\(first))")
        #expect(try ofErasure(first) == "gone")
        #expect(try ofErasure(second) == "due, b@example.org")
        #expect(
            try house.count("SELECT count(*) FROM app.erasures WHERE locale IS NULL") == 1)
    }
}
