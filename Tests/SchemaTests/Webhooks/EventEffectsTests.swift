import Postgres
import TestSupport
import Testing

/// One endpoint for all event types, and another for a single type.
@Suite("Webhook events of changes")
struct EventEffectsTests {
    let scene: TwoFamilies
    var house: House { scene.house }
    let owner: Connection
    private let child: UInt128
    let all = UInt128.random(in: 0 ... .max), some = UInt128.random(in: 0 ... .max)

    init() throws {
        scene = try TwoFamilies()
        owner = try scene.house.owner()
        child = try scene.house.child(of: scene.adult, in: scene.home)
        for (endpoint, types) in [(all, "{}"), (some, "{member.left,family.updated}")] {
            try scene.house.superuser().query(
                """
                INSERT INTO app.webhook_endpoints (id, url, description, event_types, secret_hash)
                VALUES (\(endpoint), 'https://x.test', '', \(types)::text::text[], sha256('1'))
                """)
        }
    }

    /// Expects these rows of events, deliveries and jobs among those that `body` writes.
    private func expect(
        _ text: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) throws {
        let expected = text.replacing(/\n +/, with: " ").split(separator: "\n").map(String.init)
        let effects = try scene.effects(and: ["child": child, "all": all, "some": some])
        let found = try effects.lines(body).filter {
            $0.wholeMatch(of: /[-+~] (webhook_.*|live.*)/) != nil
        }
        expectLines(found, toBe: expected, sourceLocation: sourceLocation)
    }

    @Test("members cause events when they join, rejoin, change role, leave or are removed")
    func members() throws {
        let person = try house.person()
        try expect(
            """
            + live: family_unit_id=away, kind=webhook.deliver, payload={event: 1, endpoint: all},
                unique_key=all:1
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=1, family_unit_id=away
            + webhook_events: data={role: parent, userId: new, familyId: away, memberId: new,
                isManaged: false, joinedVia: code, actorUserId: new, householdRole: adult,
                guardianUserId: null}, event_type=member.joined, family_unit_id=away, number=1,
                occurred_at=now
            """
        ) { try house.join(person, scene.away) }
        try expect(
            """
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=2, family_unit_id=away
            + webhook_events: data={role: parent, userId: new, familyId: away, memberId: new,
                isManaged: false, joinedVia: code, actorUserId: null, previousRole: parent,
                householdRole: visitor, guardianUserId: null, previousHouseholdRole: adult},
                event_type=member.role_changed, family_unit_id=away, number=2, occurred_at=now
            """
        ) {
            try owner.query(
                """
                UPDATE app.family_members SET household_role = 'visitor'
                WHERE user_id = \(person.id)
                """)
        }
        try expect(
            """
            + live: family_unit_id=away, kind=webhook.deliver, payload={event: 3, endpoint: some},
                unique_key=some:3
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=3, family_unit_id=away
            + webhook_deliveries: attempts=0, endpoint_id=some, event_number=3,
                family_unit_id=away
            + webhook_events: data={role: parent, userId: new, familyId: away, memberId: new,
                isManaged: false, joinedVia: code, actorUserId: new, householdRole: visitor,
                guardianUserId: null}, event_type=member.left, family_unit_id=away, number=3,
                occurred_at=now
            """
        ) {
            try scene.call(person, "SELECT app.leave_family(\(scene.away.id), NULL)")
        }
        try expect(
            """
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=4, family_unit_id=away
            + webhook_events: data={role: parent, userId: new, familyId: away, memberId: new,
                isManaged: false, joinedVia: code, actorUserId: new, householdRole: adult,
                guardianUserId: null}, event_type=member.joined, family_unit_id=away, number=4,
                occurred_at=now
            """
        ) { try house.join(person, scene.away) }
        try expect(
            """
            + live: family_unit_id=away, kind=mail.member_removed, payload={date: now, family: away,
                messageId: random, recipient: new}
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=5, family_unit_id=away
            + webhook_events: data={role: parent, userId: new, familyId: away, memberId: new,
                isManaged: false, joinedVia: code, actorUserId: neighbour, householdRole: adult,
                guardianUserId: null}, event_type=member.removed, family_unit_id=away, number=5,
                occurred_at=now
            """
        ) {
            try scene.call(
                scene.neighbour,
                """
                SELECT app.remove_member(
                    \(try house.membership(person, scene.away)), NULL, false, false)
                """)
        }
        try expect("") {
            try owner.query(
                "UPDATE app.family_members SET vouched = false WHERE user_id = \(person.id)")
        }
    }

    @Test("children cause events when they are added, removed and deleted")
    func children() throws {
        try expect(
            """
            + live: family_unit_id=home, kind=webhook.deliver, payload={event: 1, endpoint: all},
                unique_key=all:1
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=1, family_unit_id=home
            + webhook_events: data={role: player, userId: managed_new, familyId: home, memberId:
                managed_new, isManaged: true, joinedVia: created, actorUserId: adult,
                householdRole: kid, guardianUserId: adult}, event_type=managed.created,
                family_unit_id=home, number=1, occurred_at=now
            """
        ) { _ = try house.child(of: scene.adult, in: scene.home) }
        try expect(
            """
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=2, family_unit_id=home
            + webhook_events: data={role: player, userId: managed_child, familyId: home, memberId:
                managed_child, isManaged: true, joinedVia: created, actorUserId: null,
                householdRole: kid, guardianUserId: adult}, event_type=member.removed,
                family_unit_id=home, number=2, occurred_at=now
            """
        ) {
            try owner.query(
                """
                UPDATE app.family_members SET status = 'removed', removed_at = now(),
                    removed_by = \(scene.admin.id) WHERE id = \(child)
                """)
        }
        try expect(
            """
            + live: kind=webhook.deliver, payload={event: 3, endpoint: all}, unique_key=all:3
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=3
            + webhook_events: data={userId: managed_child, isManaged: true, actorUserId: null},
                event_type=account.erased, number=3, occurred_at=now
            """
        ) {
            try owner.query("UPDATE app.users SET deleted_at = now() WHERE id = \(child)")
        }
    }

    @Test("a graduated child's old id causes no event when it is deleted")
    func growsUp() throws {
        try owner.query(
            """
            INSERT INTO app.user_aliases (alias_id, account_id)
            VALUES (\(child), \(scene.player.id))
            """)
        try expect("") {
            try owner.query("UPDATE app.users SET deleted_at = now() WHERE id = \(child)")
        }
    }

    @Test("an erased account causes an event")
    func erased() throws {
        let person = try house.person()
        try expect(
            """
            + live: kind=webhook.deliver, payload={event: 1, endpoint: all}, unique_key=all:1
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=1
            + webhook_events: data={userId: new, isManaged: false, actorUserId: null},
                event_type=account.erased, number=1, occurred_at=now
            """
        ) {
            try owner.query("UPDATE app.users SET deleted_at = now() WHERE id = \(person.id)")
        }
    }

    @Test("invitations cause events when created and answered, not when they end otherwise")
    func invitations() throws {
        try expect(
            """
            + live: family_unit_id=home, kind=webhook.deliver, payload={event: 1, endpoint: all},
                unique_key=all:1
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=1, family_unit_id=home
            + webhook_events: data={role: parent, delivery: email, familyId: home, actorUserId:
                adult, invitationId: new, householdRole: adult, invitedByUserId: adult,
                acceptedByUserId: null}, event_type=invitation.created, family_unit_id=home,
                number=1, occurred_at=now
            """
        ) {
            _ = try house.invite("new@example.org", to: scene.home, by: scene.adult)
        }
        let other = try house.person()
        try expect(
            """
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=2, family_unit_id=home
            + webhook_events: data={role: parent, delivery: email, familyId: home, actorUserId:
                null, invitationId: by the adult, householdRole: adult, invitedByUserId: adult,
                acceptedByUserId: new}, event_type=invitation.accepted, family_unit_id=home,
                number=2, occurred_at=now
            """
        ) {
            try owner.query(
                """
                UPDATE app.family_invitations SET status = 'accepted', closed_at = now(),
                    accepted_at = now(), accepted_by = \(other.id) WHERE id = \(scene.byAdult.id)
                """)
        }
        try expect(
            """
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=3, family_unit_id=home
            + webhook_events: data={role: parent, delivery: link, familyId: home, actorUserId:
                null, invitationId: by the admin, householdRole: adult, invitedByUserId: admin,
                acceptedByUserId: null}, event_type=invitation.declined, family_unit_id=home,
                number=3, occurred_at=now
            """
        ) {
            try owner.query(
                """
                UPDATE app.family_invitations SET status = 'declined', closed_at = now()
                WHERE id = \(scene.byAdmin.id)
                """)
        }
        try expect("") {
            try owner.query(
                """
                UPDATE app.family_invitations SET status = 'expired', closed_at = now()
                WHERE invited_email = 'new@example.org'
                """)
        }
    }

    @Test("families cause events when created, and with the changed fields' names, never a code")
    func families() throws {
        try expect(
            """
            + live: family_unit_id=new, kind=webhook.deliver, payload={event: 1, endpoint: all},
                unique_key=all:1
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=1, family_unit_id=new
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=2, family_unit_id=new
            + webhook_events: data={familyId: new, actorUserId: new, createdByUserId: new},
                event_type=family.created, family_unit_id=new, number=1, occurred_at=now
            + webhook_events: data={role: parent, userId: new, familyId: new, memberId: new,
                isManaged: false, joinedVia: created, actorUserId: new, householdRole:
                parent_admin, guardianUserId: null}, event_type=member.joined, family_unit_id=new,
                number=2, occurred_at=now
            """
        ) { _ = try house.family(of: try house.person()) }
        func change(_ columns: String) throws {
            try owner.query(
                "UPDATE app.family_units SET \(unsafe: columns) WHERE id = \(scene.home.id)")
        }
        try expect(
            """
            + live: family_unit_id=home, kind=webhook.deliver, payload={event: 3, endpoint: all},
                unique_key=all:3
            + live: family_unit_id=home, kind=webhook.deliver, payload={event: 3, endpoint: some},
                unique_key=some:3
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=3, family_unit_id=home
            + webhook_deliveries: attempts=0, endpoint_id=some, event_number=3,
                family_unit_id=home
            + webhook_events: data={changed: [familyName, memberLimit], familyId: home,
                actorUserId: null, createdByUserId: admin}, event_type=family.updated,
                family_unit_id=home, number=3, occurred_at=now
            """
        ) { try change("family_name = 'New', member_limit = 9") }
        try expect(
            """
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=4, family_unit_id=home
            + webhook_deliveries: attempts=0, endpoint_id=some, event_number=4,
                family_unit_id=home
            + webhook_events: data={changed: [approvalRequired], familyId: home, actorUserId:
                null, createdByUserId: admin}, event_type=family.updated, family_unit_id=home,
                number=4, occurred_at=now
            """
        ) { try change("approval_required = NOT approval_required") }
        try expect(
            """
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=5, family_unit_id=home
            + webhook_deliveries: attempts=0, endpoint_id=some, event_number=5,
                family_unit_id=home
            + webhook_events: data={changed: [home], familyId: home, actorUserId: null,
                createdByUserId: admin}, event_type=family.updated, family_unit_id=home, number=5,
                occurred_at=now
            """
        ) { try change("home_latitude = 1, home_longitude = 2") }
        try expect(
            """
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=6, family_unit_id=home
            + webhook_deliveries: attempts=0, endpoint_id=some, event_number=6,
                family_unit_id=home
            + webhook_events: data={changed: [playerDetails], familyId: home, actorUserId: null,
                createdByUserId: admin}, event_type=family.updated, family_unit_id=home, number=6,
                occurred_at=now
            """
        ) { try change("player_details = '{\"sport\": \"x\"}'") }
        try expect("") {
            try scene.call(
                scene.admin, "SELECT app.regenerate_code(\(scene.home.id), NULL)")
        }
    }

    @Test("a family's next event waits for the event before it, at the same endpoint only")
    func oneAtATime() throws {
        func rename(_ name: String) throws {
            try owner.query(
                """
                UPDATE app.family_units SET family_name = \(name) WHERE id = \(scene.home.id)
                """)
        }
        try expect(
            """
            + live: family_unit_id=home, kind=webhook.deliver, payload={event: 1, endpoint: all},
                unique_key=all:1
            + live: family_unit_id=home, kind=webhook.deliver, payload={event: 1, endpoint: some},
                unique_key=some:1
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=1, family_unit_id=home
            + webhook_deliveries: attempts=0, endpoint_id=some, event_number=1,
                family_unit_id=home
            + webhook_events: data={changed: [familyName], familyId: home, actorUserId: null,
                createdByUserId: admin}, event_type=family.updated, family_unit_id=home, number=1,
                occurred_at=now
            """
        ) { try rename("One") }
        try owner.query(
            """
            UPDATE app.webhook_deliveries SET state = 'delivered', settled_at = now()
            WHERE endpoint_id = \(some)
            """)
        try expect(
            """
            + live: family_unit_id=home, kind=webhook.deliver, payload={event: 2, endpoint: some},
                unique_key=some:2
            + webhook_deliveries: attempts=0, endpoint_id=all, event_number=2, family_unit_id=home
            + webhook_deliveries: attempts=0, endpoint_id=some, event_number=2,
                family_unit_id=home
            + webhook_events: data={changed: [familyName], familyId: home, actorUserId: null,
                createdByUserId: admin}, event_type=family.updated, family_unit_id=home, number=2,
                occurred_at=now
            """
        ) { try rename("Two") }
    }
}
