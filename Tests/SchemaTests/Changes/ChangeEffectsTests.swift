import Postgres
import TestSupport
import Testing

/// Changes that concern an adult who belongs to two families, is a guardian in one and has invited
/// people into both; an admin; a person with a pending request; and an invited guest.
@Suite("Changes logged for devices, by audience")
struct ChangeEffectsTests {
    private let scene: TwoFamilies
    private var house: House { scene.house }
    private let log: ChangeLog
    private let owner: Connection
    /// People who were invited to both families, by the adult and by the admin, now or in the past.
    private let guest, waiting: Person
    private let child, homeAdmin: UInt128

    init() throws {
        scene = try TwoFamilies()
        let house = scene.house
        owner = try house.owner()
        guest = try house.person()
        child = try house.child(of: scene.adult, in: scene.home)
        var names = [
            "guest": guest.id, "child": child,
            "guest's from adult": try house.invite(
                guest.email, to: scene.home, by: scene.adult),
            "guest's from neighbour": try house.invite(
                guest.email, to: scene.away, by: scene.neighbour),
        ]
        // An invitation that has expired.
        names["guest's earlier"] = try owner.query(
            """
            INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email, role,
                household_role, delivery, expires_at, status, closed_at)
            VALUES (\(scene.home.id), \(scene.adult.id), \(guest.email), 'parent', 'adult', 'email',
                now(), 'expired', now()) RETURNING id
            """
        ).scalar(UInt128.self)
        waiting = try house.person()
        names["waiting"] = waiting.id
        names["waiting at home"] = try scene.waits(waiting, at: scene.home)
        // A person who was rejected, and an invitation that was revoked, since the log began.
        let rejected = try house.person()
        names["rejected at home"] = try scene.waits(rejected, at: scene.home)
        let revoked = try house.invitation(of: scene.admin, to: scene.home).id
        names["revoked"] = revoked
        try owner.query(
            """
            UPDATE app.family_members SET status = 'removed', removed_at = now()
            WHERE user_id = \(rejected.id)
            """)
        try owner.query(
            """
            UPDATE app.family_invitations SET status = 'revoked', closed_at = now()
            WHERE id = \(revoked)
            """)
        homeAdmin = try house.membership(scene.admin, scene.home)
        names["admin at home"] = homeAdmin
        names["neighbour away"] = try house.membership(scene.neighbour, scene.away)
        log = try scene.changeLog(and: names)
    }

    @Test("a person's new name is logged for families, requests, children and invited people")
    func name() throws {
        try log.expect(
            """
            adult: 1
            adult: profile adult
            away: 1
            away: member adult away for members
            guest: 1
            guest: receivedInvitation guest's from adult
            home: 1
            home: member adult at home for members
            home: member child for members, managed
            """
        ) {
            try scene.call(scene.adult, "SELECT app.update_profile('New', NULL, NULL, NULL)")
        }
        try log.expect(
            """
            home: 1
            home: member waiting at home for governors
            waiting: 1
            waiting: profile waiting
            """
        ) {
            try scene.call(waiting, "SELECT app.update_profile('New', NULL, NULL, NULL)")
        }
        try log.expect(
            """
            adult: 1
            adult: profile child, managed
            child: 1
            child: profile child, managed
            home: 1
            home: member child for members, managed
            """
        ) {
            _ = try house.asAPI(scene.adult, actingAs: child) {
                try $0.query("SELECT app.update_profile('New', NULL, NULL, NULL)")
            }
        }
    }

    @Test("a family's new name is logged for its members, invited people and pending requests")
    func familyName() throws {
        try log.expect(
            """
            guest: 1
            guest: receivedInvitation guest's from adult
            home: 1
            home: family home for members
            waiting: 1
            waiting: profile waiting
            """
        ) {
            try owner.query(
                "UPDATE app.family_units SET family_name = 'New' WHERE id = \(scene.home.id)")
        }
        try log.expect(
            """
            home: 1
            home: family home for members
            home: playerDetails home for trusting
            """
        ) {
            try owner.query(
                """
                UPDATE app.family_units SET player_details = '{"sport": "x"}'
                WHERE id = \(scene.home.id)
                """)
        }
    }

    @Test("a changed address is logged for its owner with the invitations gained and lost")
    func address() throws {
        try log.expect(
            """
            guest: 1
            guest: profile guest
            guest: receivedInvitation guest's from adult
            guest: receivedInvitation guest's from neighbour
            """
        ) {
            try owner.query(
                "UPDATE app.users SET email = 'else@example.org' WHERE id = \(guest.id)")
        }
        try log.expect(
            """
            home: 1
            home: member waiting at home for governors
            waiting: 1
            waiting: profile waiting
            waiting: receivedInvitation guest's from adult
            waiting: receivedInvitation guest's from neighbour
            """
        ) {
            try owner.query(
                "UPDATE app.users SET email = \(guest.email) WHERE id = \(waiting.id)")
        }
        try log.expect(
            """
            home: 1
            home: member waiting at home for governors
            waiting: 1
            waiting: profile waiting
            waiting: receivedInvitation guest's from adult
            waiting: receivedInvitation guest's from neighbour
            """
        ) {
            try owner.query(
                "UPDATE app.users SET email_verified = false WHERE id = \(waiting.id)")
        }
    }

    @Test("an invitation is logged for its family and for the owner of its address")
    func invitation() throws {
        try log.expect(
            """
            home: 1
            home: invitation somebody for own
            waiting: 1
            waiting: receivedInvitation somebody
            """
        ) {
            try scene.call(
                scene.adult,
                "SELECT app.create_invitation(\(scene.home.id), \(waiting.email), 'parent', NULL, 'email')"
            )
        }
        try log.expect(
            """
            home: 1
            home: invitation somebody for own
            """
        ) {
            try scene.call(
                scene.adult,
                "SELECT app.create_invitation(\(scene.home.id), 'x@example.org', 'parent', NULL, 'email')"
            )
        }
    }

    @Test(
        "inviting an unknown address writes a row too, so that it takes the same time")
    func invitationToNobody() throws {
        func rows(after address: String) throws -> Int {
            let rows: SQL = "SELECT count(*) FROM app.rate_limits WHERE bucket LIKE 'invited:%'"
            let before = try house.count(rows)
            try scene.call(
                scene.adult,
                """
                SELECT app.create_invitation(\(scene.away.id), \(address), 'parent', NULL, 'email')
                """)
            return try house.count(rows) - before
        }
        #expect(try rows(after: "nobody@example.org") == 1)
        #expect(try rows(after: waiting.email) == 0)
    }

    @Test("changes of a membership other than its role are logged only while it is active")
    func otherColumns() throws {
        try log.expect(
            """
            away: 1
            away: member adult away for members
            """
        ) {
            try owner.query(
                """
                UPDATE app.family_members SET vouched = false
                WHERE user_id = \(scene.adult.id) AND family_unit_id = \(scene.away.id)
                """)
        }
        try log.expect {
            try owner.query(
                """
                UPDATE app.family_members SET removed_at = now() - interval '1 day'
                WHERE status = 'removed'
                """)
        }
    }

    @Test("a demotion records what the member no longer sees")
    func lowered() throws {
        // The log has no entry for these, though they exist.
        try owner.query(
            """
            DELETE FROM app.family_changes WHERE id IN (\(scene.byAdmin.id),
                \(try house.membership(waiting, scene.home)))
            """)
        try log.expect(
            """
            admin: 1
            admin: attributes home [home]
            admin: family home [home]
            admin: invitation by the admin [home]
            admin: invitation by the adult [home]
            admin: invitation guest's from adult [home]
            admin: invitation revoked [home]
            admin: member rejected at home [home]
            admin: member waiting at home [home]
            admin: playerDetails home [home]
            home: 1
            home: member admin at home for members
            """
        ) {
            try owner.query(
                """
                UPDATE app.family_members SET household_role = 'visitor'
                WHERE id = \(homeAdmin)
                """)
        }
    }

    @Test("a membership's beginning and end are logged for the member and for the other members")
    func membership() throws {
        try log.expect(
            """
            home: 1
            home: member waiting at home for members
            waiting: 1
            waiting: family home [home]
            waiting: preferences waiting [home]
            waiting: profile waiting
            """
        ) {
            try owner.query(
                """
                UPDATE app.family_members SET status = 'active'
                WHERE user_id = \(waiting.id)
                """)
        }
        try log.expect(
            """
            adult: 1
            adult: family away [away]
            adult: playerDetails away [away]
            adult: preferences adult [away]
            adult: receivedInvitation to the adult
            away: 1
            away: invitation by the adult, away for own
            away: invitation to the adult for own
            away: member adult away for members
            """
        ) {
            try scene.call(scene.adult, "SELECT app.leave_family(\(scene.away.id), NULL)")
        }
    }

    @Test("a join request is logged when it is repeated and when it is rejected")
    func requests() throws {
        func change(_ columns: String) throws {
            try owner.query(
                """
                UPDATE app.family_members SET \(unsafe: columns) WHERE user_id = \(waiting.id)
                """)
        }
        try log.expect(
            """
            home: 1
            home: member waiting at home for governors
            waiting: 1
            waiting: profile waiting
            """
        ) { try change("added_at = added_at - interval '1 s'") }
        try log.expect(
            """
            home: 1
            home: member waiting at home for governors
            waiting: 1
            waiting: family home [home]
            waiting: preferences waiting [home]
            waiting: profile waiting
            """
        ) { try change("status = 'removed', removed_at = now()") }
    }

    @Test("repeated changes in a transaction are logged once, for the wider audience")
    func twice() throws {
        try log.expect(
            """
            home: 1
            home: member waiting at home for members
            waiting: 1
            waiting: family home [home]
            waiting: preferences waiting [home]
            waiting: profile waiting
            """
        ) {
            try owner.transaction { transaction in
                try transaction.query(
                    "UPDATE app.users SET full_name = 'One' WHERE id = \(waiting.id)")
                try transaction.query("SET CONSTRAINTS ALL IMMEDIATE")
                try transaction.query(
                    """
                    UPDATE app.family_members SET status = 'active'
                    WHERE user_id = \(waiting.id)
                    """)
            }
        }
    }

    @Test("a changed address locks the versions of only those families that have invited it")
    func addressLocks() throws {
        let (inviting, closed) = (scene.away, try house.family(of: try house.person()))
        try owner.query(
            """
            INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email, role,
                household_role, delivery, expires_at, status, closed_at)
            SELECT f.id, f.created_by_user_id, \(guest.email), 'parent', 'adult', 'email', now(),
                'expired', now()
            FROM app.family_units AS f WHERE f.id = \(closed.id)
            """)
        let second = try house.owner()
        func isLocked(_ family: Family) throws -> Bool {
            try second.query(
                """
                SELECT NOT EXISTS (
                    SELECT FROM (SELECT FROM app.family_versions
                        WHERE family_unit_id = \(family.id) FOR NO KEY UPDATE SKIP LOCKED) AS v)
                """
            ).scalar(Bool.self)
        }
        let found = try owner.transaction { transaction in
            try transaction.query(
                "UPDATE app.users SET email = 'else@example.org' WHERE id = \(guest.id)")
            try transaction.query("SET CONSTRAINTS ALL IMMEDIATE")
            return [try isLocked(inviting), try isLocked(closed)]
        }
        #expect(found == [true, false])
    }
}
