import Domain
import Postgres
import TestSupport
import Testing

/// After a change, the server reads the streams' versions in batches: once for all streams of a
/// token, and in one round trip for many people.
@Suite("Batched reads for event streams")
struct SharedReadTests {
    private func owner(of site: Site) throws -> Connection {
        let connection = try Connection(site.test.settings())
        try connection.execute(script: "SET ROLE hearth_owner")
        return connection
    }

    private func id(of home: FamilyFixture<Site>) throws -> UInt128 {
        try #require(FamilyID(home.id)).rawValue
    }

    @Test("each stream is sent only what its caller may see, whatever other callers may see")
    func eachItsOwn() throws {
        let site = try Site()
        let (ours, theirs) = (try site.home("Gulls"), try site.home("Terns"))
        let session = try site.session(of: ours.player)
        let stayed = try EventStream(ours.admin)
        let removed = try EventStream(ours.adult)
        let ended = try EventStream(ours.player, token: session.access)
        let token = try EventStream(ours.player)
        let stranger = try EventStream(theirs.adult)
        let renamed = try EventStream(theirs.player)
        let streams = [stayed, removed, ended, token, stranger, renamed]
        for stream in streams { _ = try stream.begin() }
        try eventually { site.services.changes.count == streams.count }
        let (family, other) = try (id(of: ours), id(of: theirs))
        try owner(of: site).transaction { transaction in
            try transaction.query(
                """
                UPDATE app.sessions SET ended_at = now(), end_reason = 'signed_out'
                WHERE user_id = \(ours.player.id.rawValue)
                """)
            try transaction.query(
                "UPDATE app.users SET full_name = 'Tern' WHERE id = \(theirs.player.id.rawValue)")
            try transaction.query(
                """
                UPDATE app.family_members SET status = 'removed', removed_at = now()
                WHERE family_unit_id = \(family) AND user_id = \(ours.adult.id.rawValue)
                """)
        }
        let (own, foreign) = (#""families":["\#(ours.id)"]"#, #""families":["\#(theirs.id)"]"#)
        #expect(try stayed.next()?.contains(own + #","self":false"#) == true)
        #expect(try removed.next()?.contains(own + #","self":true"#) == true)
        #expect(try ended.next()?.contains("event: expired") == true)
        #expect(try token.next()?.contains(own + #","self":false"#) == true)
        #expect(try stranger.next()?.contains(foreign + #","self":false"#) == true)
        #expect(try renamed.next()?.contains(foreign + #","self":true"#) == true)
        // The next event names no family that the caller was removed from.
        try owner(of: site).query(
            "UPDATE app.family_units SET family_name = 'Auks' WHERE id IN (\(family), \(other))")
        #expect(try stayed.next()?.contains(own) == true)
        #expect(try stranger.next()?.contains(foreign) == true)
        try owner(of: site).query(
            "UPDATE app.users SET full_name = 'Gone' WHERE id = \(ours.adult.id.rawValue)")
        #expect(try removed.next()?.contains(#""families":[],"self":true"#) == true)
    }

    @Test("the database is queried once for all streams of a token, and once for each session")
    func onceForToken() throws {
        let site = try Site()
        let home = try site.home()
        let sessions = try (0..<2).map { _ in try site.session(of: home.adult) }
        // A sequence counts reads of a person's versions, alone and together with others'.
        try owner(of: site).execute(
            script: """
                CREATE SEQUENCE app.reads;
                GRANT USAGE ON SEQUENCE app.reads TO hearth_api, hearth_authz;
                ALTER POLICY user_versions_self_reads ON app.user_versions USING (
                    user_id = (SELECT app.user_id()) AND nextval('app.reads') > 0);
                ALTER POLICY user_versions_authz ON app.user_versions USING (
                    nextval('app.reads') > 0)
                """)
        let streams =
            try (0..<5).map { _ in try EventStream(home.adult) }
            + sessions.map { try EventStream(home.adult, token: $0.access) }
            + [EventStream(home.player)]
        for stream in streams { _ = try stream.begin() }
        for number in 0..<3 {
            try eventually { site.services.changes.count == streams.count }
            let before = try reads(in: site)
            #expect(number > 0 || before >= Int64(streams.count))
            try owner(of: site).query(
                "UPDATE app.family_units SET family_name = \("N\(number)")")
            for stream in streams { #expect(try stream.next()?.contains(home.id) == true) }
            #expect(try reads(in: site) - before == 4)
        }
    }

    private func reads(in site: Site) throws -> Int64 {
        try owner(of: site).query("SELECT last_value FROM app.reads").scalar()
    }
}
