import Postgres
import TestSupport
import Testing

@Suite("Expiry and purging")
struct PurgeTests {
    private func worker(_ house: House, _ call: String) throws -> Int32 {
        try Connection(house.test.settings(as: "hearth_worker"))
            .query(SQL(unsafe: "SELECT changed FROM app.\(call)")).scalar(Int32.self)
    }

    @Test("an empty family is purged with all its data; other families stay")
    func emptyFamilies() throws {
        let house = try House()
        let parent = try house.person()
        let family = try house.family(of: parent)
        let child = try house.child(of: parent, in: family)
        let stays = try house.family(of: try house.person())
        #expect(try worker(house, "purge_empty_families('0 s', 10, NULL)") == 0)
        try house.asAPI(parent) { transaction in
            try transaction.query("SELECT app.remove_member(\(child), NULL, false, false)")
            try transaction.query("SELECT app.leave_family(\(family.id), NULL)")
        }
        #expect(try worker(house, "purge_empty_families('30 days', 10, NULL)") == 0)
        #expect(try worker(house, "purge_empty_families('0 s', 10, NULL)") == 1)
        for table in ["family_members", "family_codes", "audit_log", "family_code_usage_log"] {
            let left = try house.superuser().query(
                SQL(
                    unsafe: """
                        SELECT count(DISTINCT family_unit_id) FROM app.\(table)
                        """)
            ).scalar(Int.self)
            #expect(left == 1, "\(table)")
        }
        #expect(try house.count("SELECT count(*) FROM app.users WHERE kind = 'managed'") == 0)
        #expect(
            try house.count("SELECT count(*) FROM app.family_units WHERE id = \(stays.id)") == 1)
    }

    @Test(
        "a family rejoined in time stays, and a family that nobody entered is purged once it is old"
    )
    func emptiness() throws {
        let house = try House()
        let parent = try house.person()
        let family = try house.family(of: parent)
        try house.asAPI(parent) { try $0.query("SELECT app.leave_family(\(family.id), NULL)") }
        try house.join(parent, family)
        try house.asDirect(parent) {
            try $0.query(
                "INSERT INTO api.family_units (created_by_user_id) VALUES (\(parent.id))")
        }
        #expect(try worker(house, "purge_empty_families('1 h', 10, NULL)") == 0)
        #expect(try worker(house, "purge_empty_families('0 s', 10, NULL)") == 1)
        #expect(
            try house.count("SELECT count(*) FROM app.family_units WHERE id = \(family.id)") == 1)
    }

    @Test("a removed child's name, avatar and preferences are deleted once, and its row stays")
    func erasure() throws {
        let house = try House()
        let parent = try house.person()
        let family = try house.family(of: parent)
        let child = try house.child(of: parent, in: family)
        try house.asAPI(parent, actingAs: child) {
            try $0.query(
                """
                INSERT INTO app.member_preferences (family_unit_id, user_id, preferences)
                VALUES (\(family.id), \(child), '{}')
                """)
        }
        try house.asAPI(parent) {
            try $0.query("SELECT app.remove_member(\(child), NULL, false, false)")
        }
        #expect(try worker(house, "erase_removed_members('30 days', 10, NULL)") == 0)
        #expect(try worker(house, "erase_removed_members('0 s', 10, NULL)") == 1)
        #expect(try worker(house, "erase_removed_members('0 s', 10, NULL)") == 0)
        #expect(
            try house.count(
                """
                SELECT count(*) FROM app.users
                WHERE id = \(child) AND full_name IS NULL AND avatar_key IS NULL
                """) == 1)
        #expect(try house.count("SELECT count(*) FROM app.member_preferences") == 0)
        #expect(
            try house.count(
                "SELECT count(*) FROM app.family_members WHERE id = \(child)") == 1)
    }

    @Test("concurrent workers expire each invitation once, in batches, and purge all of them")
    func invitations() throws {
        let house = try House()
        let inviter = try house.person()
        let family = try house.family(of: inviter)
        try house.owner().query(
            """
            INSERT INTO app.family_invitations
                (family_unit_id, invited_by, invited_email, role, household_role, delivery,
                 expires_at)
            SELECT \(family.id), \(inviter.id), n || '@example.com', 'parent', 'adult', 'email',
                now() - interval '1 s' FROM generate_series(1, 100) AS n
            """)
        let expired = try onThreads(4) { _ in
            try worker(house, "expire_invitations(25, NULL)")
        }.map { try $0.get() }
        #expect(expired.reduce(0, +) <= 100)
        while try worker(house, "expire_invitations(25, NULL)") > 0 {}
        #expect(
            try house.count(
                "SELECT count(*) FROM app.family_invitations WHERE status = 'expired'") == 100)
        #expect(try worker(house, "purge_invitations('7 days', 1000, NULL)") == 0)
        #expect(try worker(house, "purge_invitations('0 s', 30, NULL)") == 30)
        #expect(try worker(house, "purge_invitations('0 s', 1000, NULL)") == 70)
    }

    /// Adds the given number of ended invitations to a family; each hundred ended at the same
    /// moment.
    private func endedInvitations(_ house: House, _ count: Int) throws {
        let inviter = try house.person()
        let family = try house.family(of: inviter)
        try house.owner().query(
            """
            INSERT INTO app.family_invitations
                (family_unit_id, invited_by, role, household_role, delivery, status, expires_at,
                 closed_at)
            SELECT \(family.id), \(inviter.id), 'parent', 'adult', 'link', 'expired', now(),
                now() - (n / 100) * interval '1 s' FROM generate_series(1, \(count)) AS n
            """)
    }

    @Test("a batch continues after the previous one and misses no row with the same timestamp")
    func goesOn() throws {
        let house = try House()
        try endedInvitations(house, 1_000)
        let worker = try Connection(house.test.settings(as: "hearth_worker"))
        var reached = "-infinity"
        var counts: [Int32] = []
        repeat {
            let rows = try worker.query(
                """
                SELECT changed, reached::text
                FROM app.purge_invitations('0 s', 30, \(reached)::text::timestamptz)
                """
            ).map { (row) throws(PostgresError) in
                (try row.read(Int32.self), try row.read(String.self))
            }
            let (changed, moment) = try #require(rows.first)
            counts.append(changed)
            reached = moment
        } while counts.last == 30 && counts.count < 100
        #expect(counts == Array(repeating: 30, count: 33) + [10])
    }

    @Test("a batch reads a constant number of rows, however much was purged before it")
    func costs() throws {
        let house = try House()
        try endedInvitations(house, 2_000)
        // In one transaction: its deleted rows stay in the indexes until it ends, so neither
        // autovacuum nor a scan of ours removes them meanwhile. Index entries and rows of
        // sequential scans are counted, not pages, which also depend on caches and plans.
        try Connection(house.test.settings(as: nil)).transaction { transaction in
            func purge(_ count: Int, from moment: String) throws -> String {
                try transaction.query(
                    SQL(
                        unsafe: """
                            SELECT reached::text
                            FROM app.purge_invitations('0 s', \(count), \(moment))
                            """)
                ).scalar(String.self)
            }
            func lookedAt() throws -> Int {
                try transaction.query(
                    """
                    SELECT sum(pg_stat_get_xact_tuples_returned(r.relation))::bigint FROM (
                        SELECT 'app.family_invitations'::regclass::oid AS relation
                        UNION ALL SELECT i.indexrelid FROM pg_index AS i
                        WHERE i.indrelid = 'app.family_invitations'::regclass) AS r
                    """
                ).scalar(Int.self)
            }
            let reached = try purge(1_900, from: "NULL")
            let start = try lookedAt()
            _ = try purge(10, from: "'\(reached)'")
            let behind = try lookedAt() - start
            _ = try purge(10, from: "NULL")
            let fromStart = try lookedAt() - start - behind
            // Up to a hundred rows of the last moment are gone and read again.
            #expect((20...130).contains(behind), "\(behind)")
            #expect(fromStart > 1_900, "\(fromStart)")
        }
    }

    @Test("a purge is allowed to the worker and to operators only")
    func rights() throws {
        let house = try House()
        #expect(
            try refusal {
                try Connection(house.test.settings(as: "hearth_api"))
                    .query("SELECT app.purge_invitations('0 s', 10, NULL)")
            } == "42501")
        #expect(
            try refusal {
                try Connection(house.test.settings(as: "hearth_worker"))
                    .query("SELECT * FROM app.family_units")
            } == "42501")
    }
}
