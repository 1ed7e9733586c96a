import Postgres
import TestSupport
import Testing

@Suite("Traces of an erased account in its families")
struct ErasureTracesTests {
    private let house: House
    private let connection: Connection
    /// A member of both families. The admin created the first, and another person the second.
    private let person: Person
    private let admin: Person
    private let first, second: Family

    init() throws {
        house = try House()
        connection = try house.superuser()
        (person, admin) = (try house.person("player"), try house.person())
        first = try house.family(of: admin)
        second = try house.family(of: try house.person())
        try house.join(person, first)
    }

    private func erase(_ person: Person) throws {
        _ = try house.asOperator { try $0.query("SELECT FROM app.erase_user(\(person.id), '{}')") }
    }

    private func setDetails(of family: Family, toName name: String) throws {
        try connection.query(
            """
            UPDATE app.family_units SET home_latitude = 1, home_longitude = 2,
                player_details = jsonb_build_object('playerName', \(name)::text)
            WHERE id = \(family.id)
            """)
    }

    /// The player's name in the details of a family, and whether its address is known.
    private func details(of family: Family) throws -> String {
        try connection.query(
            """
            SELECT coalesce(player_details ->> 'playerName', '-')
                || CASE WHEN home_latitude IS NULL THEN '' ELSE ' at home' END
            FROM app.family_units WHERE id = \(family.id)
            """
        ).scalar(String.self)
    }

    private func rename(_ person: Person, _ name: String) throws {
        try connection.query("UPDATE app.users SET full_name = \(name) WHERE id = \(person.id)")
    }

    @Test("an erasure removes the details about a family's only player, and only in that family")
    func onlyPlayer() throws {
        // A player elsewhere can't be the one in the details.
        try house.join(try house.person("player"), second)
        for family in [first, second] { try setDetails(of: family, toName: "Somebody") }
        try erase(person)
        #expect(try details(of: first) == "- at home")
        #expect(try details(of: second) == "Somebody at home")
    }

    @Test("an erasure keeps details about another active player unless they name the erased person")
    func otherPlayer() throws {
        let other = try house.person("player")
        try house.join(other, first)
        try rename(person, "Ann")
        try setDetails(of: first, toName: "Bob")
        try erase(person)
        #expect(try details(of: first) == "Bob at home")

        let named = try house.person("player")
        try house.join(named, first)
        try rename(named, "Bob")
        try erase(named)
        #expect(try details(of: first) == "- at home")

        let last = try house.person("player")
        try house.join(last, first)
        try setDetails(of: first, toName: "Bob")
        try house.asAPI(other) { try $0.query("SELECT app.leave_family(\(first.id), NULL)") }
        try erase(last)
        #expect(try details(of: first) == "- at home")
    }

    @Test("a parent's erasure removes only the player details that name the parent")
    func parent() throws {
        let parent = try house.person("parent")
        try house.join(parent, first)
        try house.asAPI(person) { try $0.query("SELECT app.leave_family(\(first.id), NULL)") }
        try rename(parent, "Ann")
        try setDetails(of: first, toName: "Bob")
        try erase(parent)
        #expect(try details(of: first) == "Bob at home")
    }

    @Test("an erasure deletes the address of a family that it empties; other families keep theirs")
    func emptied() throws {
        let alone = try house.person("player")
        let (own, others) = (try house.family(of: alone), try house.family(of: try house.person()))
        try connection.query(
            "UPDATE app.family_units SET emptied_at = now() WHERE id = \(others.id)")
        for family in [own, others, first] { try setDetails(of: family, toName: "Bob") }
        try erase(alone)
        #expect(try details(of: own) == "-")
        #expect(try details(of: others) == "Bob at home")
        #expect(try details(of: first) == "Bob at home")
    }

    /// Sets a family's attributes.
    private func setAttributes(of family: Family) throws {
        try connection.query(
            """
            INSERT INTO app.family_attributes (family_unit_id, attributes)
            VALUES (\(family.id), '{"theme": "dark"}')
            """)
    }

    private func hasAttributes(_ family: Family) throws -> Bool {
        try house.count(
            "SELECT count(*) FROM app.family_attributes WHERE family_unit_id = \(family.id)") == 1
    }

    private func leave(_ person: Person, _ family: Family) throws {
        try house.asAPI(person) { try $0.query("SELECT app.leave_family(\(family.id), NULL)") }
    }

    @Test(
        "attributes, address and details survive the last member's departure, but not its erasure")
    func lastMember() throws {
        let (last, earlier) = (try house.person(), try house.person())
        let family = try house.family(of: last)
        try house.join(earlier, family)
        try setAttributes(of: family)
        try setAttributes(of: first)
        try setDetails(of: family, toName: "Bob")
        // A request that was never approved makes no member.
        try house.asAPI(last) {
            try $0.query("SELECT app.update_family(\(family.id), NULL, NULL, NULL, false, true)")
        }
        let asking = try house.person()
        try house.asAPI(asking) {
            try $0.query("SELECT FROM app.join_family_by_code(\(family.code), NULL, NULL)")
        }
        try leave(earlier, family)
        try leave(last, family)
        for person in [earlier, asking] {
            try erase(person)
            #expect(try hasAttributes(family))
            #expect(try details(of: family) == "Bob at home")
        }
        try erase(last)
        #expect(try !hasAttributes(family))
        #expect(try details(of: family) == "-")
        #expect(try hasAttributes(first))
    }

    @Test("the entry of an erasure tells a request to join from a membership")
    func erasedRequest() throws {
        let (admin, asking) = (try house.person(), try house.person())
        let family = try house.family(of: admin)
        try house.asAPI(admin) {
            try $0.query("SELECT app.update_family(\(family.id), NULL, NULL, NULL, false, true)")
        }
        try house.asAPI(asking) {
            try $0.query("SELECT FROM app.join_family_by_code(\(family.code), NULL, NULL)")
        }
        // An erasure replaces the person's id in the membership, whose own id stays.
        for (person, expected) in [(asking, true), (admin, false)] {
            let member = try connection.query(
                """
                SELECT id FROM app.family_members
                WHERE user_id = \(person.id) AND family_unit_id = \(family.id)
                """
            ).scalar(UInt128.self)
            try erase(person)
            let neverWasMember = try connection.query(
                "SELECT app.never_was_member(m) FROM app.family_members AS m WHERE id = \(member)"
            ).scalar(Bool.self)
            #expect(neverWasMember == expected)
        }
    }

    @Test("attributes are deleted when the last member erases itself and when the family is purged")
    func attributesOfEmptied() throws {
        let (alone, leaving) = (try house.person(), try house.person())
        let (erased, left) = (try house.family(of: alone), try house.family(of: leaving))
        for family in [erased, left] { try setAttributes(of: family) }
        try erase(alone)
        #expect(try !hasAttributes(erased))
        try leave(leaving, left)
        #expect(try hasAttributes(left))
        try connection.query("DELETE FROM app.family_units WHERE id = \(left.id)")
        #expect(try !hasAttributes(left))
    }

    @Test("the history keeps an erased person's finished e-mails, and not whose they were")
    func finishedMails() throws {
        let other = try house.person()
        try connection.query(
            """
            INSERT INTO jobs.history (id, attempt, queue, kind, outcome, recipient) VALUES
                (1, 0, 'mail', 'mail.account_blocked', 'done', \(person.id)),
                (2, 0, 'mail', 'mail.account_blocked', 'done', \(other.id))
            """)
        try erase(person)
        let left = try connection.query(
            "SELECT count(*) || ' ' || string_agg(recipient::text, ' ') FROM jobs.history"
        ).scalar(String.self)
        #expect(left == "2 \(Person(id: other.id).subject)")
    }

    @Test("an erasure removes the person's preferences, and nobody else's")
    func preferences() throws {
        for person in [person, admin] {
            try connection.query(
                """
                INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                VALUES (\(first.id), \(person.id), '{}')
                """)
        }
        try erase(person)
        let left = try connection.query("SELECT array_agg(user_id) FROM app.member_preferences")
        #expect(try left.scalar([UInt128].self) == [admin.id])
    }

    @Test("an erased person is removed from a link that the person has accepted; the link remains")
    func acceptedLink() throws {
        let link = try house.invitation(of: admin, to: first).id
        try connection.query(
            """
            UPDATE app.family_invitations SET status = 'accepted', closed_at = now(),
                accepted_at = now(), accepted_by = \(person.id) WHERE id = \(link)
            """)
        try erase(person)
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.family_invitations
                WHERE id = \(link) AND invited_email IS NULL AND status = 'accepted'
                """) == 1)
        #expect(
            try house.count(
                "SELECT count(*) FROM app.invitation_secrets WHERE invitation_id = \(link)") == 0)
    }

    @Test("an erasure first locks families, sign-ins and the person, and no other person's rows")
    func locks() throws {
        let others = try house.family(of: try house.person())
        let free = try house.owner().transaction { transaction in
            try transaction.query("SELECT FROM app.lock_person(\(person.id))")
            return try [(first, person), (others, admin)].map { family, person in
                [
                    try house.isFree("app.family_units", family.id),
                    try house.isFree("app.user_identities", person.id, by: "user_id"),
                    try house.isFree("app.users", person.id),
                ]
            }
        }
        #expect(free == [[false, false, false], [true, true, true]])
    }

    /// Starts to lock the admin while `holder` holds the admin's row. Runs `body` once that waits,
    /// and `afterwards` in the same transaction once the row is free.
    private func lockPerson(
        whileHeldBy holder: (Transaction) throws -> Void, _ body: () throws -> Void,
        afterwards: @escaping @Sendable () throws -> Void
    ) throws {
        let (house, person) = (house, admin)
        let observer = try house.superuser()
        var waiting: BackgroundWork<Void>?
        try house.owner().transaction { transaction in
            try holder(transaction)
            try transaction.query("SELECT FROM app.users WHERE id = \(person.id) FOR UPDATE")
            waiting = inBackground {
                try house.owner().transaction {
                    try $0.query("SELECT FROM app.lock_person(\(person.id))")
                    try afterwards()
                }
            }
            try eventually {
                try observer.query(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                        AND wait_event <> 'relation'
                    """
                ).scalar(Int.self) > 0
            }
            try body()
        }
        try waiting?.wait()
    }

    @Test("an erasure locks families before the person, and families joined meanwhile after it")
    func lockOrder() throws {
        let (house, second, first) = (house, second, first)
        @Sendable func isFree(_ family: Family) throws -> Bool {
            try house.isFree("app.family_units", family.id)
        }
        try lockPerson(
            whileHeldBy: {
                try $0.query(
                    """
                    INSERT INTO app.family_members
                        (family_unit_id, user_id, user_kind, role, household_role, joined_via)
                    VALUES (\(second.id), \(admin.id), 'account', 'parent', 'adult', 'code')
                    """)
            },
            {
                let isFirstFree = try isFree(first)
                #expect(!isFirstFree)
            },
            afterwards: {
                let isSecondFree = try isFree(second)
                #expect(!isSecondFree)
            })
    }

    @Test("an erased or unknown person is not found")
    func again() throws {
        try erase(person)
        #expect(try refusal { try erase(person) } == "HF404 user_not_found")
        let unknown = Person(role: "parent")
        #expect(try refusal { try erase(unknown) } == "HF404 user_not_found")
    }
}
