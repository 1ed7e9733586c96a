import Domain
import Postgres
import TestSupport
import Testing

/// Following changes after a backup was restored, or a standby without the last commits was
/// promoted. Versions of lost changes are then assigned again, to other changes.
@Suite("Following after a restored backup")
struct LostHistoryTests {
    /// SQL that injects a fault into the database.
    var fault = ""

    @Test("a follower starts over, however far the versions have advanced since", arguments: 1...4)
    func followed(changesSince: Int) throws {
        let (site, home) = try siteWithHome()
        let followers = [home.adult, home.player].map { SyncFollower($0) }
        for follower in followers { try follower.catchUp() }
        let backup = try Backup(of: site)
        try rename(home.adult, "Lost")
        _ = try home.admin.patch("/api/family/\(home.id)", #"{"familyName": "Lost"}"#)
        for follower in followers { try follower.requireAgreement("before") }
        try backup.restore()
        for number in 0..<changesSince { try rename(home.admin, "Since \(number)") }
        for follower in followers { try follower.requireAgreement("after \(changesSince)") }
    }

    @Test("a follower starts over if its own data reached the same version through other changes")
    func ownThings() throws {
        let (site, home) = try siteWithHome()
        let follower = SyncFollower(home.adult)
        try follower.catchUp()
        let backup = try Backup(of: site)
        let path = "/groups/\(home.id)/preferences"
        #expect(try home.adult.put(path, #"{"lost": true}"#).status == 200)
        try follower.requireAgreement("before")
        try backup.restore()
        for number in 0..<2 {
            #expect(try home.adult.put(path, #"{"n": \#(number)}"#).status == 200)
            try follower.requireAgreement("after")
        }
    }

    @Test("a follower that saw no lost change continues, even after a purge of changes")
    func unconcerned() throws {
        let (site, home) = try siteWithHome()
        let follower = SyncFollower(home.adult)
        try follower.catchUp()
        let backup = try Backup(of: site)
        try rename(home.adult, "Lost")
        try backup.restore()
        try rename(home.adult, "Since")
        try follower.requireAgreement("restored")
        try owner(of: site).execute(
            script: """
                SELECT app.purge_family_changes(interval '0', 1000, NULL);
                SELECT app.purge_user_changes(interval '0', 1000, NULL);
                """)
        try rename(home.adult, "Once more")
        try follower.requireAgreement("forgotten")
        #expect(follower.resets == 1)
    }

    @Test("a tag of data lost in a restore does not match")
    func tags() throws {
        let (site, home) = try siteWithHome()
        let backup = try Backup(of: site)
        for path in ["/api/family/members?familyId=\(home.id)", "/api/me"] {
            try rename(home.adult, "Lost")
            let lost = try #require(try home.adult.get(path).headers["etag"])
            try backup.restore()
            try rename(home.adult, "Since")
            let answer = try home.adult.send("GET", path, nil, headers: ["If-None-Match": lost])
            #expect(answer.status == 200, "\(path)")
            try backup.restore()
        }
    }

    @Test("a stream sends a reset, even if versions have the same numbers as before")
    func streams() throws {
        let (site, home) = try siteWithHome()
        let backup = try Backup(of: site)
        try rename(home.adult, "Lost")
        let stream = try EventStream(home.player)
        let id = try stream.begin()
        let family = FamilyID(home.id)?.rawValue ?? 0
        // In one transaction, so that no poll of the server comes between.
        try backup.restore { transaction in
            try transaction.query(
                "UPDATE app.family_units SET family_name = 'Since' WHERE id = \(family)")
        }
        #expect(try stream.next()?.contains(home.id) == true)
        let later = try EventStream(home.player, lastEventID: id)
        _ = try later.next()
        #expect(try later.next()?.contains("event: reset") == true)
    }

    @Test("a stream sends a change that is committed long after it was made")
    func lateCommit() throws {
        let (site, home) = try siteWithHome()
        let stream = try EventStream(home.player)
        _ = try stream.begin()
        let family = FamilyID(home.id)?.rawValue ?? 0
        try owner(of: site).transaction { transaction in
            try transaction.query(
                "UPDATE app.family_units SET family_name = 'Late' WHERE id = \(family)")
            try transaction.query("SET CONSTRAINTS ALL IMMEDIATE")
            try transaction.query(
                "UPDATE app.family_changes SET changed_at = changed_at - interval '1 hour'")
        }
        #expect(try stream.next()?.contains(home.id) == true)
    }

    /// A site for a single test.
    private func siteWithHome() throws -> (Site, FamilyFixture<Site>) {
        let site = try Site()
        try owner(of: site).execute(script: "SELECT;" + fault)
        return (site, try site.home())
    }

    private func rename(_ client: APIClient, _ name: String) throws {
        let answer = try client.patch("/api/me", #"{"fullName": "\#(name)"}"#)
        try #require(answer.status == 200, "\(answer)")
    }

    private func owner(of site: Site) throws -> Connection {
        let connection = try Connection(site.test.settings())
        try connection.execute(script: "SET ROLE hearth_owner")
        return connection
    }
}

/// Copies of names, versions and changes, for a restore.
private struct Backup {
    private static let tables = [
        "family_versions", "user_versions", "family_changes", "user_changes",
    ]
    private let site: Site

    init(of site: Site) throws {
        self.site = site
        let copies = (Self.tables + ["family_units", "users"])
            .map { "CREATE TABLE backup.\($0) AS TABLE app.\($0);" }.joined()
        try Connection(site.test.settings()).execute(script: "CREATE SCHEMA backup;" + copies)
    }

    /// Restores the copies without running triggers, as a restored backup does, and then makes
    /// another change.
    func restore(_ change: (Transaction) throws -> Void = { _ in }) throws {
        try Connection(site.test.settings()).transaction { transaction in
            try transaction.query("SET LOCAL session_replication_role = replica")
            for table in Self.tables {
                try transaction.query("DELETE FROM app.\(identifier: table)")
                try transaction.query(
                    "INSERT INTO app.\(identifier: table) TABLE backup.\(identifier: table)")
            }
            try transaction.query(
                """
                UPDATE app.family_units AS f SET family_name = b.family_name
                FROM backup.family_units AS b WHERE b.id = f.id
                """)
            try transaction.query(
                """
                UPDATE app.users AS u SET full_name = b.full_name
                FROM backup.users AS b WHERE b.id = u.id
                """)
            try transaction.query("SET LOCAL session_replication_role = origin")
            try change(transaction)
        }
    }
}
