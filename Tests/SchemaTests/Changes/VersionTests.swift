import Postgres
import TestSupport
import Testing

@Suite("Versions of families and people")
struct VersionTests {
    private func version(_ house: House, _ family: Family) throws -> Int {
        try house.count(
            "SELECT version FROM app.family_versions WHERE family_unit_id = \(family.id)")
    }

    private func version(_ house: House, of person: Person) throws -> Int {
        try house.count("SELECT version FROM app.user_versions WHERE user_id = \(person.id)")
    }

    /// The changes in the last version of a family.
    private func lastChanges(_ house: House, _ family: Family) throws -> [String] {
        try house.superuser().query(
            """
            SELECT DISTINCT kind || ' for ' || audience FROM app.family_changes AS c
            WHERE family_unit_id = \(family.id) AND version = (
                SELECT version FROM app.family_versions AS v
                WHERE v.family_unit_id = c.family_unit_id)
            ORDER BY 1
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    @Test("each transaction increments the version once, whoever writes")
    func writers() throws {
        let house = try House()
        let parent = try house.person()
        let family = try house.family(of: parent)
        let child = try house.child(of: parent, in: family)
        var before = try version(house, family)
        func raised(_ what: Comment, _ changes: [String], by body: () throws -> Void) throws {
            try body()
            let now = try version(house, family)
            #expect(now == before + 1, what)
            #expect(try lastChanges(house, family) == changes, what)
            before = now
        }
        try raised("a function", ["member for members"]) {
            _ = try house.asAPI(parent) {
                try $0.query("SELECT app.update_managed_member(\(child), 'Bo', NULL)")
            }
        }
        try raised("a plain statement", ["family for members"]) {
            _ = try house.asAPI(parent) {
                try $0.query("UPDATE app.family_units SET family_name = 'New'")
            }
        }
        try raised("a direct client", ["member for members"]) {
            _ = try house.asDirect(parent) {
                try $0.query("UPDATE api.users SET full_name = 'New' WHERE id = \(parent.id)")
            }
        }
        try raised("a direct client that acts", ["member for members"]) {
            _ = try house.asAPI(parent, actingAs: child) {
                try $0.query("SELECT app.update_profile('Bob', NULL, NULL, NULL)")
            }
        }
        try raised("an operator", ["family for members"]) {
            _ = try house.asOperator {
                try $0.query("SELECT app.operator_rename_family(\(family.id), 'Newer')")
            }
        }
        try raised("attributes", ["attributes for residents"]) {
            _ = try house.asAPI(parent) {
                try $0.query("SELECT app.patch_attributes(\(family.id), '{\"a\": 1}', NULL)")
            }
        }
        try raised("who owns the tables", ["family for members", "playerDetails for trusting"]) {
            _ = try house.owner().query(
                "UPDATE app.family_units SET player_details = '{\"sport\": \"x\"}'")
        }
        _ = try house.invitation(of: parent, to: family)
        before = try version(house, family)
        try raised("the worker", ["invitation for own"]) {
            try house.owner().query(
                "UPDATE app.family_invitations SET expires_at = now() - interval '1 s'")
            before += 1
            try Connection(house.test.settings(as: "hearth_worker"))
                .query("SELECT changed FROM app.expire_invitations(10, NULL)")
        }
    }

    @Test("a transaction's changes increment the version once, and a rollback never does")
    func once() throws {
        let house = try House()
        let parent = try house.person()
        let family = try house.family(of: parent)
        let before = try version(house, family)
        try house.asAPI(parent) { transaction in
            try transaction.query("UPDATE app.family_units SET family_name = 'One'")
            try transaction.query("SELECT app.update_profile('Two', NULL, NULL, NULL)")
            try transaction.query("SET CONSTRAINTS ALL IMMEDIATE")
            try transaction.query("UPDATE app.family_units SET family_name = 'Three'")
        }
        #expect(try version(house, family) == before + 1)
        #expect(try lastChanges(house, family) == ["family for members", "member for members"])
        struct Undone: Error {}
        #expect(throws: Undone.self) {
            try house.asAPI(parent) { transaction in
                try transaction.query("UPDATE app.family_units SET family_name = 'Four'")
                try transaction.query("SET CONSTRAINTS ALL IMMEDIATE")
                throw Undone()
            }
        }
        #expect(try version(house, family) == before + 1)
    }

    @Test("a rollback to a savepoint also rolls back records of changes and raised versions")
    func savepoint() throws {
        let house = try House()
        let parent = try house.person()
        let family = try house.family(of: parent)
        for isRaised in [false, true] {
            let before = try version(house, family)
            try house.asAPI(parent) { transaction in
                try transaction.query("SAVEPOINT s")
                try transaction.query("UPDATE app.family_units SET family_name = 'Undone'")
                if isRaised {
                    try transaction.query("SET CONSTRAINTS ALL IMMEDIATE")
                    try transaction.query("SET CONSTRAINTS ALL DEFERRED")
                }
                try transaction.query("ROLLBACK TO s")
            }
            #expect(try version(house, family) == before)
            try house.asAPI(parent) { transaction in
                try transaction.query(
                    "UPDATE app.family_units SET approval_required = \(!isRaised)")
                try transaction.query("SAVEPOINT s")
                try transaction.query(
                    "SELECT app.patch_attributes(\(family.id), '{\"a\": 1}', NULL)")
                if isRaised { try transaction.query("SET CONSTRAINTS ALL IMMEDIATE") }
                try transaction.query("ROLLBACK TO s")
            }
            #expect(try version(house, family) == before + 1)
            #expect(try lastChanges(house, family) == ["family for members"])
        }
        #expect(try house.count("SELECT count(*) FROM app.pending_changes") == 0)
    }

    @Test("changes of a pending request are visible only to members who can approve it")
    func waiting() throws {
        let house = try House()
        let parent = try house.person()
        let family = try house.family(of: parent)
        try house.asAPI(parent) {
            try $0.query("UPDATE app.family_units SET approval_required = true")
        }
        let stranger = try house.person()
        try house.join(stranger, family)
        #expect(try lastChanges(house, family) == ["member for governors"])
        try house.asAPI(stranger) {
            try $0.query("SELECT app.update_profile('Else', NULL, NULL, NULL)")
        }
        #expect(try lastChanges(house, family) == ["member for governors"])
    }

    @Test("preferences increment the versions of person and guardian, never the family's")
    func preferences() throws {
        let house = try House()
        let parent = try house.person()
        let other = try house.person()
        let family = try house.family(of: parent)
        try house.join(other, family)
        let child = try house.child(of: parent, in: family)
        let versions = (try version(house, family), try version(house, of: parent))
        try house.asAPI(parent, actingAs: child) {
            try $0.query(
                """
                INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                VALUES (\(family.id), \(child), '{}')
                """)
        }
        #expect(try version(house, family) == versions.0)
        #expect(try version(house, of: parent) == versions.1 + 1)
        let heir = try house.membership(other, family)
        try house.asAPI(parent) {
            try $0.query("SELECT app.reassign_managed_member(\(child), \(heir))")
        }
        let learned = try house.superuser().query(
            """
            SELECT DISTINCT user_id::text || ' ' || kind FROM app.user_changes
            WHERE id = \(child) AND user_id IN (\(parent.id), \(other.id)) ORDER BY 1
            """
        ).count
        #expect(learned == 4)
    }

    @Test("changes are removed if they are old or beyond the last thousand versions")
    func forgotten() throws {
        let house = try House()
        let parent = try house.person()
        let family = try house.family(of: parent)
        let worker = try Connection(house.test.settings(as: "hearth_worker"))
        try house.asAPI(parent) {
            try $0.query("UPDATE app.family_units SET family_name = 'Old'")
        }
        try house.owner().query(
            """
            UPDATE app.family_changes SET changed_at = now() - interval '31 days'
            WHERE version < (SELECT max(version) FROM app.family_changes)
            """)
        try house.asAPI(parent) {
            try $0.query("UPDATE app.family_units SET family_name = 'New'")
        }
        let due: Int32 = try worker.query(
            """
            SELECT changed FROM app.upkeep_batch('family_changes', '0 s', 1000, NULL)
            """
        ).scalar()
        let again: Int32 = try worker.query(
            "SELECT changed FROM app.upkeep_batch('family_changes', '0 s', 1000, NULL)"
        ).scalar()
        #expect(again == 0)
        let purged = try house.count(
            "SELECT purged_version FROM app.family_versions WHERE family_unit_id = \(family.id)")
        #expect(due > 0 && purged > 0)
        let api = try Connection(house.test.settings(as: "hearth_api"))
        for number in 0..<1_200 {
            try api.transaction { transaction in
                try parent.begin(transaction, actingAs: nil)
                try transaction.query(
                    "UPDATE app.family_units SET family_name = \("Name \(number)")")
            }
        }
        let kept = try house.count(
            """
            SELECT count(DISTINCT version) FROM app.family_changes
            WHERE family_unit_id = \(family.id)
            """)
        #expect((1_000...1_100).contains(kept), "\(kept)")
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.family_changes AS c
                JOIN app.family_versions AS v ON v.family_unit_id = c.family_unit_id
                WHERE c.version <= v.purged_version
                """) == 0)
    }

    @Test("concurrent writers get versions without gaps in commit order, and no deadlock")
    func concurrent() throws {
        let house = try House()
        let parent = try house.person()
        let families = [try house.family(of: parent), try house.family(of: try house.person())]
        let people = try (0..<4).map { _ in try house.person() }
        for person in people { for family in families { try house.join(person, family) } }
        let child = try house.child(of: people[0], in: families[0])
        _ = try onThreads(8) { thread in
            let person = people[thread % people.count]
            let family = families[thread % 2]
            for round in 0..<15 {
                switch (thread + round) % 5 {
                case 0:
                    try house.asDirect(person) {
                        try $0.query(
                            """
                            UPDATE api.users SET full_name = \("Name \(round)")
                            WHERE id = \(person.id)
                            """)
                    }
                case 1:
                    let owner = try house.owner()
                    try owner.query(
                        """
                        UPDATE app.family_members SET joined_via = joined_via
                        WHERE user_id = \(person.id) AND family_unit_id = \(family.id)
                        """)
                case 2:
                    let invited = people[(thread + 1) % people.count].email
                    try house.owner().query(
                        """
                        INSERT INTO app.family_invitations (family_unit_id, invited_by,
                            invited_email, role, household_role, delivery, expires_at)
                        VALUES (\(family.id), \(person.id), \(invited), 'parent', 'adult',
                            'email', now() - interval '1 s') ON CONFLICT DO NOTHING
                        """)
                case 3:
                    _ = try Connection(house.test.settings(as: "hearth_worker"))
                        .query("SELECT changed FROM app.expire_invitations(100, NULL)")
                default:
                    try house.asAPI(people[0], actingAs: child) {
                        try $0.query("SELECT app.update_profile('Kid', NULL, NULL, NULL)")
                    }
                }
            }
        }.map { try $0.get() }
        #expect(
            try house.count(
                """
                SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()
                """) == 0)
        for family in families {
            let gaps = try house.count(
                """
                SELECT v.version - count(DISTINCT c.version) FROM app.family_versions AS v
                JOIN app.family_changes AS c USING (family_unit_id)
                WHERE family_unit_id = \(family.id) GROUP BY v.version
                """)
            #expect(gaps == 0)
        }
    }
}
