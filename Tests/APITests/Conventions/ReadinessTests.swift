import Domain
import Postgres
import TestSupport
import Testing

@Suite("Readiness with wrong settings")
struct ReadinessTests {
    @Test("a process without the secret key of the newest link is not ready and logs the reason")
    func secretKey() throws {
        let site = try Site()
        let other = try Site(on: site.test, secret: 8)
        for each in [site, other] {
            try eventually { try each.send("GET", "/readyz").status == 200 }
        }
        let home = try site.home()
        _ = try home.link()
        #expect(try site.send("GET", "/readyz").status == 200)
        let answer = try other.send("GET", "/readyz")
        #expect(answer.says(503, "secret_key_differs") && answer.headers["retry-after"] != nil)
        #expect(try other.send("GET", "/readyz").status == 503)
        // The line of each request contains the code as well.
        let message = #""message":"this process is not ready from now on: "#
        try eventually { other.lines.text.contains(message) }
        #expect(other.lines.text.split(separator: message).count == 2)
    }

    @Test("replaying a link invitation gets 503 from a process that can't compute its link")
    func replay() throws {
        let site = try Site()
        let other = try Site(on: site.test, secret: 8)
        let home = try site.home()
        func invite(at site: Site) throws -> Answer {
            try site.same(home.admin).send(
                "POST", "/api/family/invite",
                #"{"role": "parent", "delivery": "link", "familyUnitId": "\#(home.id)"}"#,
                headers: ["Idempotency-Key": "invite"])
        }
        let first = try invite(at: site)
        #expect(first.text("inviteUrl") != nil)
        #expect(try invite(at: other).says(503, "unavailable"))
        #expect(try invite(at: site).text("inviteUrl") == first.text("inviteUrl"))
    }

    @Test(
        "a process behind a pooler is ready only if the pooler keeps prepared statements",
        .enabled(if: PgBouncer.isInstalled), arguments: PgBouncer.Mode.allCases)
    func pooler(_ mode: PgBouncer.Mode) throws {
        let test = try TestDatabase(.migrated)
        let direct = test.settings(as: "hearth_api")
        let pooler = try PgBouncer(direct, mode: mode)
        let site = try Site(databaseURL: pooler.settings(direct).url, on: test)
        if mode == .session {
            try eventually { try site.send("GET", "/readyz").status == 200 }
        } else {
            try eventually { try site.send("GET", "/readyz").says(503, "pooler_unfit") }
            #expect(try site.send("GET", "/readyz").says(503, "pooler_unfit"))
            // The pooler hands it statements that the first process has prepared.
            let second = try Site(databaseURL: pooler.settings(direct).url, on: test)
            try eventually { try second.send("GET", "/readyz").says(503, "pooler_unfit") }
        }
    }
}
