import Postgres
import TestSupport
import Testing

@Suite("A PostgreSQL server whose files were replaced while it ran")
struct UpgradedServerTests {
    @Test("readiness and log ask for a restart of PostgreSQL, and requests get 503")
    func restartNeeded() throws {
        let server = try PrivateServer(isRelocated: true)
        let site = try Site(on: try TestDatabase(.migrated, on: server.settings))
        try eventually { try site.send("GET", "/readyz").status == 200 }
        let person = try site.person(.parent)
        #expect(try person.get("/api/me").status == 200)
        try server.replaceLanguage(true)
        site.services.database.pool.discardIdle()
        let joined = try site.person(.parent).post(
            "/api/family/code/join", #"{"familyCode": "FAM-ABC234"}"#)
        #expect(joined.says(503, "unavailable"), "\(joined)")
        #expect(joined.headers["retry-after"] != nil)
        site.services.log.flush()
        #expect(site.lines.text.contains("restart PostgreSQL"))
        try eventually(within: 30) {
            let ready = try site.send("GET", "/readyz")
            return ready.says(503, "database_restart_needed")
                && ready.text("message")?.contains("restart PostgreSQL") == true
        }
        try server.replaceLanguage(false)
        server.kill()
        try server.start()
        try eventually(within: 30) { try site.send("GET", "/readyz").status == 200 }
        #expect(try site.person(.parent).get("/api/me").status == 200)
    }
}
