import Domain
import JSON
import Postgres
import Synchronization
import TestSupport
import Testing

/// Changes between two requests of a follower, or between two steps of one request.
@Suite("Changes between two polls")
struct SyncRaceTests {
    private static let shared = Result { try Site() }
    private let site: Site
    private let fault: String

    init() throws {
        site = try Self.shared.get()
        fault = ""
    }

    /// Creates the tests on a database with a fault.
    ///
    /// - Parameter fault: SQL that injects the fault.
    init(fault: String) throws {
        self.fault = fault
        site = try Self.faulty(Site(), fault)
    }

    private static func faulty(_ site: Site, _ fault: String) throws -> Site {
        try Connection(site.test.settings()).execute(script: "SET ROLE hearth_owner;" + fault)
        return site
    }

    /// A site for a single test.
    private func newSite(changesPerPage: Int = 500) throws -> Site {
        try Self.faulty(Site(changesPerPage: changesPerPage), fault)
    }

    private func owner(of site: Site) throws -> Connection {
        let connection = try Connection(site.test.settings())
        try connection.execute(script: "SET ROLE hearth_owner")
        return connection
    }

    /// Starts `late` while the transaction of `early` is open. Ends that transaction once `late`
    /// waits for it or has ended, then waits for `late`.
    private func race(
        _ site: Site, _ early: (Transaction) throws -> Void,
        against late: @escaping @Sendable () throws -> Void,
        thenEarly: (Transaction) throws -> Void = { _ in }
    ) throws {
        let observer = try Connection(site.test.settings())
        let hasEnded = Flag()
        var work: BackgroundWork<Void>?
        try owner(of: site).transaction { transaction in
            try early(transaction)
            let holder: Int32 = try transaction.query("SELECT pg_backend_pid()").scalar()
            work = inBackground {
                defer { hasEnded.set() }
                try late()
            }
            try eventually {
                let blocked: Int = try observer.query(
                    """
                    SELECT count(*) FROM pg_stat_activity AS a
                    WHERE \(holder) = ANY (pg_blocking_pids(a.pid))
                    """
                ).scalar()
                return blocked > 0 || hasEnded.isSet
            }
            try thenEarly(transaction)
        }
        try work?.wait()
    }

    @Test("a member removed while a client fetches a family page by page is dropped from its copy")
    func removedBetweenPages() throws {
        let home = try site.home()
        let child = try home.child(of: home.admin)
        let follower = SyncFollower(home.adult)
        try follower.catchUp()
        try home.set(home.adult, to: .visitor)
        #expect(try follower.step())
        #expect(try home.admin.delete("/api/family/managed/\(child)").status == 200)
        let player = try home.member(home.player)
        #expect(try home.admin.delete("/api/family/members/\(player)").status == 200)
        try follower.requireAgreement("removed between two pages")
        #expect(follower.held.keys.filter { $0.hasPrefix("member ") }.count == 2)
    }

    @Test("a role that changes while a family is fetched page by page applies to all pages")
    func standingBetweenPages() throws {
        let site = try newSite(changesPerPage: 3)
        let home = try site.home()
        for number in 0..<4 { _ = try home.child(of: home.admin, name: "Kid \(number)") }
        _ = try home.admin.patch("/api/family/\(home.id)/attributes", #"{"pets": 2}"#)
        let invitations = try (0..<2).map { _ in try home.link().id }
        try home.set(home.adult, to: .visitor)
        let follower = SyncFollower(home.adult)
        func stepToMembers() throws {
            while !follower.held.keys.contains(where: { $0.hasPrefix("member ") }) {
                try #require(try follower.step())
            }
        }
        try stepToMembers()
        try home.set(home.adult, to: .adult)
        _ = try home.admin.delete("/api/family/invitations/\(invitations[0])")
        try follower.requireAgreement("raised while it was sent")
        follower.restart()
        try stepToMembers()
        // More changes of the follower's own than a page holds.
        for role in [HouseholdRole.visitor, .adult] { try home.set(home.adult, to: role) }
        _ = try home.adult.put("/groups/\(home.id)/preferences", #"{"a": 1}"#)
        _ = try home.adult.patch("/api/me", #"{"fullName": "Patty"}"#)
        let player = try home.member(home.player)
        #expect(try home.admin.delete("/api/family/members/\(player)").status == 200)
        try follower.requireAgreement("own changes while it was sent")
    }

    @Test("a member who leaves and returns while fetching a family in pages keeps no removed rows")
    func returnsBetweenPages() throws {
        let site = try newSite(changesPerPage: 2)
        let home = try site.home()
        let child = try home.child(of: home.admin)
        let follower = SyncFollower(home.adult)
        while !follower.held.keys.contains("member \(child) \(home.id)") {
            try #require(try follower.step())
        }
        #expect(try home.adult.delete("/api/family/members/me?familyId=\(home.id)").status == 200)
        #expect(try home.admin.delete("/api/family/managed/\(child)").status == 200)
        try site.join(home.adult, code: home.code)
        try follower.requireAgreement()
    }

    @Test("changes purged while they are read lead to a reset")
    func purged() throws {
        let site = try newSite()
        let home = try site.home()
        let follower = SyncFollower(home.adult)
        try follower.catchUp()
        #expect(
            try home.admin.patch("/api/family/\(home.id)", #"{"familyName": "Terns"}"#).status
                == 200)
        try race(site) {
            try $0.query("LOCK TABLE app.family_changes IN ACCESS EXCLUSIVE MODE")
        } against: {
            try follower.step()
        } thenEarly: {
            try $0.query("UPDATE app.family_versions SET purged_version = version")
            try $0.query("DELETE FROM app.family_changes")
        }
        try follower.requireAgreement()
    }

    @Test("changes of a person and of the person's family in one transaction come in one page")
    func oneTransaction() throws {
        let home = try site.home()
        let follower = SyncFollower(home.adult)
        try follower.catchUp()
        try race(site) {
            // A poll of the versions in more than one statement would wait here.
            try $0.query("LOCK TABLE app.family_versions IN ACCESS EXCLUSIVE MODE")
        } against: {
            let hasMore = try follower.step()
            #expect(!hasMore)
        } thenEarly: {
            try $0.query(
                "UPDATE app.users SET full_name = 'Patty' WHERE id = \(home.adult.id.rawValue)")
        }
        let fresh = try home.adult.freshView()
        #expect(follower.held == fresh)
        #expect(fresh.values.count { $0.contains("Patty") } == 2)
    }

    @Test("a follower continues from a version raised for a person who left meanwhile")
    func versionOfNobody() throws {
        let home = try site.home()
        let follower = SyncFollower(home.admin)
        try follower.catchUp()
        let (adult, family) = (home.adult.id.rawValue, FamilyID(home.id)?.rawValue ?? 0)
        let site = site
        try race(site) {
            try $0.query(
                "SELECT FROM app.family_versions WHERE family_unit_id = \(family) FOR UPDATE")
        } against: {
            // The statement has looked up the person's families when it waits.
            try owner(of: site).query(
                "UPDATE app.users SET full_name = 'Patty' WHERE id = \(adult)")
        } thenEarly: {
            try $0.query(
                """
                SELECT app.end_membership(m) FROM app.family_members AS m
                WHERE m.user_id = \(adult) AND m.family_unit_id = \(family)
                """)
        }
        let withoutChange: Int = try owner(of: site).query(
            """
            SELECT v.version - max(c.version) FROM app.family_versions AS v
            JOIN app.family_changes AS c ON c.family_unit_id = v.family_unit_id
            WHERE v.family_unit_id = \(family) GROUP BY v.version
            """
        ).scalar()
        #expect(withoutChange == 0)
        try follower.catchUp()
        let renamed = try home.admin.patch(
            "/api/family/\(home.id)", #"{"familyName": "Waders"}"#)
        #expect(renamed.status == 200)
        try follower.requireAgreement("behind a version of nobody")
        #expect(follower.resets == 1)
    }

    @Test(
        "every follower deletes a family its person left, at the version that ended the membership")
    func leftLater() throws {
        let home = try site.home()
        let follower = SyncFollower(home.adult)
        try follower.catchUp()
        let behind = SyncFollower(home.adult)
        try behind.catchUp()
        for name in ["One", "Two"] {
            _ = try home.admin.patch("/api/family/\(home.id)", #"{"familyName": "\#(name)"}"#)
            try follower.catchUp()
        }
        let member = try home.member(home.adult)
        #expect(try home.admin.delete("/api/family/members/\(member)").status == 200)
        let last = try version(of: home.id, in: home.admin.get("/api/sync"))
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"familyName": "Three"}"#)
        for follower in [follower, behind] {
            let cursor = try #require(follower.cursor)
            let page = try home.adult.get("/api/sync?cursor=\(cursor)")
            #expect(try version(of: home.id, in: page) == last)
            try follower.requireAgreement("left")
        }
    }

    @Test("asking to join a family again while the end of membership is read leads to a reset")
    func asksAgainWhileItsEndIsRead() throws {
        let site = try newSite(changesPerPage: 2)
        let home = try site.home()
        let gate: Int64 = 36_022
        // Waits at the gate and then reads with a new snapshot.
        try owner(of: site).execute(
            script: """
                ALTER FUNCTION app.versions_on_leaving(uuid[]) RENAME TO ungated;
                CREATE FUNCTION app.versions_on_leaving(p_families uuid[])
                RETURNS TABLE (family_unit_id uuid, version bigint)
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
                BEGIN
                    PERFORM pg_advisory_xact_lock(\(gate));
                    RETURN QUERY SELECT u.* FROM app.ungated(p_families) AS u;
                END $$;
                GRANT EXECUTE ON FUNCTION app.versions_on_leaving(uuid[]) TO hearth_api;
                """)
        let follower = SyncFollower(home.adult)
        try #require(try follower.step())
        // From now on pages have newer versions than the one with which the family's list began.
        for name in ["One", "Two"] {
            _ = try home.admin.patch("/api/family/\(home.id)", #"{"familyName": "\#(name)"}"#)
        }
        try #require(try follower.step())
        #expect(try home.adult.delete("/api/family/members/me?familyId=\(home.id)").status == 200)
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        try race(
            site, { try $0.query("SELECT pg_advisory_xact_lock(\(gate))") },
            against: { try follower.step() },
            thenEarly: { _ in
                let answer = try home.adult.post(
                    "/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
                #expect(answer.status == 202)
            })
        #expect(follower.resets == 2)
        try follower.requireAgreement("asked again")
    }

    /// The version of a family in a response.
    private func version(of family: String, in answer: Answer) throws -> Int64 {
        let changes = try answer.json["changes"].elements()
        let change = try #require(try changes.first { try $0["kind"].string() == "family" })
        #expect(try change["id"].string() == family)
        return try change["version"].integer()
    }

    @Test("a new family name reaches an invitee whose address is verified during the renaming")
    func addressMeetsName() throws {
        let home = try site.home()
        let guest = try site.person(.parent)
        _ = try guest.get("/api/me")
        _ = try home.invite(guest.email)
        try owner(of: site).query(
            "UPDATE app.users SET email_verified = false WHERE id = \(guest.id.rawValue)")
        let follower = SyncFollower(guest)
        try follower.requireAgreement("not verified")
        let family = FamilyID(home.id)?.rawValue ?? 0
        try race(site) {
            try $0.query(
                "UPDATE app.family_units SET family_name = 'Waders' WHERE id = \(family)")
            try $0.query("SET CONSTRAINTS ALL IMMEDIATE")
        } against: {
            try owner(of: site).query(
                "UPDATE app.users SET email_verified = true WHERE id = \(guest.id.rawValue)")
            try follower.catchUp()
        }
        try follower.requireAgreement("verified")
    }

    @Test("a new family name reaches an invitee whose account is created during the renaming")
    func newAccountMeetsName() throws {
        let home = try site.home()
        let guest = try site.person(.parent)
        _ = try home.invite(guest.email)
        let follower = SyncFollower(guest)
        let family = FamilyID(home.id)?.rawValue ?? 0
        try race(site) {
            try $0.query(
                "UPDATE app.family_units SET family_name = 'Waders' WHERE id = \(family)")
            try $0.query("SET CONSTRAINTS ALL IMMEDIATE")
        } against: {
            try follower.catchUp()
        }
        try follower.requireAgreement()
        #expect(follower.held.keys.contains { $0.hasPrefix("receivedInvitation ") })
    }

    @Test("an invitation sent to another address reaches both addressees")
    func readdressed() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let addressees = try (0..<2).map { _ in try site.person(.parent) }
        let followers = addressees.map { SyncFollower($0) }
        for follower in followers { try follower.catchUp() }
        for addressee in addressees {
            let body = #"{"email": "\#(addressee.email)", "householdRole": "adult"}"#
            let sent = try home.adult.post("/api/family/managed/\(child)/graduation", body)
            #expect(sent.status == 200, "\(sent)")
            for follower in followers { try follower.requireAgreement() }
        }
    }

    @Test("a graduated child appears only under its new id, and the old id is deleted")
    func grownUp() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let followers = [home.admin, home.adult, home.player].map { SyncFollower($0) }
        for follower in followers { try follower.catchUp() }
        // One follower has seen an earlier change of the child, another sees both changes at once.
        _ = try home.adult.patch("/api/family/managed/\(child)", #"{"displayName": "Rob"}"#)
        try followers[0].catchUp()
        let token = try home.adult.startGraduation(of: child, as: .player, .kid)
        let robin = try site.person(.player)
        let late = SyncFollower(home.player)
        try late.catchUp()
        #expect(try robin.post("/api/family/invite/\(token)/accept").status == 200)
        for follower in followers + [SyncFollower(robin)] {
            try follower.requireAgreement("grown up")
            #expect(!follower.held.keys.contains { $0.contains(child) })
        }
        _ = try robin.delete("/api/family/members/me?familyId=\(home.id)")
        for follower in followers + [late] { try follower.requireAgreement("has left") }
    }
}

/// A flag that one thread sets and another reads.
private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}
