import Postgres
import TestSupport
import Testing

/// Tests of erasing the account of a person who is Parent Admin of two families, each with a child
/// that has no other guardian, and an ordinary parent in a third.
@Suite("Successors for children and seats of an erased account")
struct ErasureHandoverTests {
    /// One of the person's families, with one other adult.
    private struct Home {
        let family: Family
        let holder, child: UInt128
        let adult: Person
        let adultsMember: UInt128

        init(of person: Person, in house: House) throws {
            family = try house.family(of: person)
            holder = try house.membership(person, family)
            child = try house.child(of: person, in: family)
            adult = try house.person()
            adultsMember = try house.join(adult, family)
        }
    }

    private let house: House
    private let connection: Connection
    private let person: Person
    private let homes: [Home]
    /// The family in which the person is an ordinary parent, its admin, and another parent in it.
    private let foreign: Family
    private let admin, parent: UInt128

    init() throws {
        house = try House()
        connection = try house.superuser()
        person = try house.person()
        let (house, person) = (house, person)
        homes = try (0..<2).map { _ in try Home(of: person, in: house) }
        let host = try house.person()
        foreign = try house.family(of: host)
        admin = try house.membership(host, foreign)
        try house.join(person, foreign)
        parent = try house.join(try house.person(), foreign)
    }

    /// The returned rows as text, with names in place of ids.
    private func erase(
        heirs: [UInt128] = [], successors: [UInt128] = [], withChildren: Bool = false
    ) throws -> [String] {
        var names = [person.id: "person"]
        for (label, home) in zip(["first", "second"], homes) {
            names[home.family.id] = label
            names[home.holder] = "\(label) holder"
            names[home.child] = "\(label) child"
            names[home.adult.id] = "\(label) adult"
            names[home.adultsMember] = "\(label) adult's"
        }
        return try house.asAPI(person) { transaction in
            try transaction.query(
                """
                SELECT outcome, family_unit_id, member_id, user_id,
                    CASE outcome WHEN 'erased' THEN NULL ELSE other_id END
                FROM app.erase_my_account(extract(epoch FROM now())::bigint, false,
                    \(heirs), \(successors), \(withChildren))
                """
            ).map { (row) throws(PostgresError) in
                var words = [try row.read(String.self)]
                for _ in 0..<4 {
                    guard let id = try row.read(UInt128?.self) else { continue }
                    words.append(names[id] ?? "unknown")
                }
                return words.joined(separator: ", ")
            }
        }.sorted()
    }

    /// User id of the first guardian of a child; nil if the child is gone.
    private func guardian(of child: UInt128) throws -> UInt128? {
        try connection.query(
            """
            SELECT m.parent_user_id FROM app.family_members AS m
            WHERE m.id = \(child) AND m.status <> 'removed'
            UNION ALL SELECT NULL LIMIT 1
            """
        ).scalar(UInt128?.self)
    }

    private func admin(of family: Family) throws -> UInt128 {
        try connection.query(
            """
            SELECT m.id FROM app.family_members AS m
            WHERE m.family_unit_id = \(family.id) AND m.status = 'active'
                AND m.household_role = 'parent_admin'
            """
        ).scalar(UInt128.self)
    }

    private var heirs: [UInt128] { homes.map(\.adultsMember) }

    @Test("a named guardian or successor takes over in the named family only")
    func handedOver() throws {
        let rows = try erase(heirs: heirs, successors: heirs + [parent])
        #expect(
            rows == [
                "admin_changed, first, first adult's, first adult, first adult",
                "admin_changed, second, second adult's, second adult, second adult",
                "erased",
            ])
        for home in homes {
            #expect(try guardian(of: home.child) == home.adult.id)
            #expect(try admin(of: home.family) == home.adultsMember)
        }
        #expect(try admin(of: foreign) == admin)
    }

    @Test("children without a named successor are erased, and no others")
    func childrenErased() throws {
        let rows = try erase(heirs: [heirs[0]], successors: heirs, withChildren: true)
        #expect(rows.last == "erased")
        #expect(try guardian(of: homes[0].child) == homes[0].adult.id)
        #expect(try guardian(of: homes[1].child) == nil)
        #expect(
            try connection.query(
                """
                SELECT array_agg(u.id) FROM app.users AS u
                WHERE u.deleted_at IS NOT NULL AND u.kind = 'managed'
                """
            ).scalar([UInt128].self) == [homes[1].child])
        #expect(
            try house.count("SELECT count(*) FROM app.users WHERE deleted_at IS NOT NULL") == 2)
    }

    @Test(
        "an erasure without successors lists the children and seats affected, and changes nothing")
    func blocked() throws {
        let both = [
            "guardian_has_managed_members, first, first child",
            "guardian_has_managed_members, second, second child",
            "transfer_admin_first, first, first holder",
            "transfer_admin_first, second, second holder",
        ]
        let effects = try Effects(house, naming: [:])
        try effects.expect {
            let found = [
                try erase(), try erase(heirs: [heirs[0]]), try erase(successors: [heirs[1]]),
                try erase(withChildren: true), try erase(heirs: [parent], successors: [parent]),
            ]
            let expected = [[0, 1, 2, 3], [1, 2, 3], [0, 1, 2], [2, 3], [0, 1, 2, 3]]
            #expect(found == expected.map { $0.map { both[$0] } })
        }
    }

    @Test("outsiders, former members, children and the erased person can't be successors")
    func nobodyElse() throws {
        let stranger = try house.person()
        let strangers = try house.membership(stranger, try house.family(of: stranger))
        let leaver = try house.person()
        let left = try house.join(leaver, homes[0].family)
        try house.asAPI(leaver) {
            try $0.query("SELECT app.leave_family(\(homes[0].family.id), NULL)")
        }
        // A successor in a family that the person has left.
        let previous = try house.family(of: stranger)
        try house.join(person, previous)
        let former = try house.join(try house.person(), previous)
        try house.asAPI(person) { try $0.query("SELECT app.leave_family(\(previous.id), NULL)") }
        func refusals(_ index: Int, _ other: UInt128) throws -> [String?] {
            var named = heirs
            named[index] = other
            return [
                try refusal { try erase(heirs: named, successors: heirs) },
                try refusal { try erase(heirs: heirs, successors: named) },
            ]
        }
        let effects = try Effects(house, naming: [:])
        try effects.expect {
            for other in [strangers, left, former] {
                let found = try refusals(0, other)
                #expect(found == ["HF404 member_not_found", "HF404 member_not_found"])
            }
            let child = try refusals(0, homes[0].child)
            #expect(child == ["HF409 guardian_not_adult", "HF409 admin_not_adult"])
            let oneself = try refusals(1, homes[1].holder)
            #expect(oneself == ["HF409 guardian_not_adult", "HF409 admin_not_adult"])
        }
    }

    @Test("an erasure does not change memberships that have already ended")
    func endedAlready() throws {
        let leaver = try house.person()
        try house.join(leaver, foreign)
        try house.asAPI(leaver) { try $0.query("SELECT app.leave_family(\(foreign.id), NULL)") }
        let other = try house.family(of: leaver)
        try house.asAPI(leaver) {
            try $0.query(
                """
                SELECT app.erase_my_account(
                    extract(epoch FROM now())::bigint, false, '{}', '{}', false)
                """)
        }
        let left = try connection.query(
            """
            SELECT array_agg(a.family_unit_id ORDER BY a.at) FROM app.audit_log AS a
            JOIN app.users AS u ON u.id = a.subject_user_id AND u.deleted_at IS NOT NULL
            WHERE a.action = 'member.leave'
            """
        ).scalar([UInt128].self)
        #expect(left == [foreign.id, other.id])
    }

    @Test("a later erasure keeps the address to which an earlier erasure's confirmation is sent")
    func earlierErasure() throws {
        let earlier = try house.person()
        for erased in [earlier, try house.person()] {
            try house.asAPI(erased) {
                try $0.query(
                    """
                    SELECT app.erase_my_account(
                        extract(epoch FROM now())::bigint, false, '{}', '{}', false)
                    """)
            }
        }
        #expect(
            try house.count(
                "SELECT count(*) FROM app.erasures WHERE email = \(earlier.email)") == 1)
    }

    @Test("a request of an account that is erased in the meantime is refused")
    func erasedMeanwhile() throws {
        let once = try house.person()
        let erase: SQL = """
            SELECT app.erase_my_account(extract(epoch FROM now())::bigint, false, '{}', '{}', false)
            """
        let house = self.house
        let refused = try house.race(
            { body in _ = try house.asAPI(once) { try body($0) } },
            early: { try $0.query(erase) },
            late: { _ = try house.asAPI(once) { try $0.query(erase) } })
        #expect(refused == "HF403 account_required")
    }

    @Test("an erasure deletes the address of an invitation that was accepted, and no other address")
    func acceptedInvitation() throws {
        let (host, guest) = (try house.person(), try house.person())
        let family = try house.family(of: host)
        let invitation = try house.invite("guest-\(guest.email)", to: family, by: host)
        let other = try house.invite("other-\(guest.email)", to: family, by: host)
        try connection.query(
            """
            UPDATE app.family_invitations SET status = 'accepted', closed_at = now(),
                accepted_at = now(), accepted_by = \(guest.id) WHERE id = \(invitation)
            """)
        try house.asAPI(guest) {
            try $0.query(
                """
                SELECT app.erase_my_account(
                    extract(epoch FROM now())::bigint, false, '{}', '{}', false)
                """)
        }
        let addresses = try connection.query(
            """
            SELECT invited_email FROM app.family_invitations
            WHERE family_unit_id = \(family.id) ORDER BY id = \(other)
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(addresses.first?.hasSuffix("@erased.invalid") == true)
        #expect(addresses.last == "other-\(guest.email)")
    }
}
