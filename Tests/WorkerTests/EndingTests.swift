import Foundation
import MailSupport
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Shutdown of the programs")
struct EndingTests {
    private static let codeOfSecondTerm: Int32 = 128 + SIGTERM

    private let office: PostOffice
    init() throws { office = try PostOffice() }

    /// Blocks every request that reads members while `body` runs; returns the result of `body`.
    private func holdingUpMembers<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        let connection = try Connection(office.test.settings())
        return try connection.transaction { transaction in
            try transaction.query("LOCK TABLE app.family_members IN ACCESS EXCLUSIVE MODE")
            return try body(connection)
        }
    }

    /// Sends a request, and returns once it waits for the lock.
    private func waitingRequest(
        at api: APIProcess, by token: String
    ) throws -> BackgroundWork<APIProcess.Answer> {
        let answer = inBackground { try api.send("GET", "/api/family/members", token: token) }
        try eventually {
            try office.count(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND usename = 'hearth_api'
                    AND wait_event_type = 'Lock'
                """) == 1
        }
        return answer
    }

    private func member(at api: APIProcess) throws -> String {
        let token = try api.token(of: Person(name: "Ada", email: "ada@example.org"))
        let created = try api.send(
            "POST", "/api/family/create", token: token, body: ["familyName": "Terns"])
        #expect(created.status < 300)
        return token
    }

    @Test("hearth-api finishes its requests after SIGTERM, accepts no others and exits with 0")
    func drains() throws {
        let api = try APIProcess(office)
        let token = try member(at: api)
        let answer = try holdingUpMembers { _ in
            let answer = try waitingRequest(at: api, by: token)
            api.process.signal(SIGTERM)
            try eventually { (try? api.send("GET", "/healthz")) == nil }
            #expect(api.process.isRunning)
            return answer
        }
        let received = try answer.wait()
        #expect(received.status == 200 && received.text.contains("ada@example.org"))
        try api.process.awaitEnd()
        #expect(api.process.exitCode == 0)
        let log = try api.log()
        #expect(log.contains("shutting down") && log.contains("stopped"))
    }

    @Test("a second SIGTERM ends hearth-api at once, even with a request in progress")
    func endsAtOnce() throws {
        let api = try APIProcess(office)
        let token = try member(at: api)
        try holdingUpMembers { _ in
            let answer = try waitingRequest(at: api, by: token)
            api.process.signal(SIGTERM)
            try eventually { try api.log().contains("shutting down") }
            #expect(api.process.isRunning)
            // Draining would wait up to thirty seconds for the request.
            api.process.signal(SIGTERM)
            try api.process.awaitEnd(within: 28)
            #expect(throws: (any Error).self) { try answer.wait() }
        }
        #expect(api.process.exitCode == Self.codeOfSecondTerm)
    }

    @Test("a second SIGTERM ends hearth-worker at once, and another worker runs its job")
    func workerEndsAtOnce() throws {
        let slow = try MailServer(.scripted(["--at", "data=hang"]))
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let worker = try office.worker(slow, log: "first")
        try office.invite("someone@example.org", by: inviter)
        try eventually { try office.count("SELECT count(*) FROM jobs.live WHERE is_started") == 1 }
        worker.signal(SIGTERM)
        try eventually { try office.log("first").contains("shutting down") }
        #expect(worker.isRunning)
        worker.signal(SIGTERM)
        try worker.awaitEnd()
        #expect(worker.exitCode == Self.codeOfSecondTerm)
        // Let the lease expire, as fifteen seconds would.
        try office.execute(
            "UPDATE jobs.workers SET renewed_at = renewed_at - interval '16 seconds'")
        let good = try MailServer()
        let other = try office.worker(good, log: "second")
        defer { other.kill() }
        try eventually { try office.done() == 1 }
        let arrived = try good.messages().count
        #expect(arrived == 1)
    }

    @Test("hearth-api notifies the service manager when it is ready, and when it stops")
    func notifies() throws {
        let socket = try NotifySocket()
        let api = try APIProcess(
            office, ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "3000000"])
        #expect(socket.lines(before: "READY=1") != nil)
        // Ready means that requests are served.
        let ready = try api.send("GET", "/readyz").status
        #expect(ready == 200)
        #expect(socket.lines(before: "WATCHDOG=1") != nil)
        api.process.signal(SIGTERM)
        #expect(socket.lines(before: "STOPPING=1") != nil)
        try api.process.awaitEnd()
    }

    @Test("hearth-api without its database is not ready, and reports the reason")
    func notifiesObstacle() throws {
        let socket = try NotifySocket()
        let api = try APIProcess(
            office,
            [
                "NOTIFY_SOCKET": socket.name,
                "HEARTH_DATABASE_URL": "postgresql://hearth_api@127.0.0.1:1/hearth",
            ])
        #expect(socket.lines(before: "STATUS=waiting: database_away") == [])
        api.process.signal(SIGTERM)
        let lines = socket.lines(before: "STOPPING=1")
        #expect(lines?.contains("READY=1") == false)
        try api.process.awaitEnd()
    }

    @Test("hearth-worker notifies the service manager when it is ready, and when it stops")
    func workerNotifies() throws {
        let socket = try NotifySocket()
        let worker = try office.worker(
            try MailServer(), ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "3000000"])
        #expect(socket.lines(before: "READY=1") != nil)
        #expect(socket.lines(before: "WATCHDOG=1") != nil)
        worker.signal(SIGTERM)
        #expect(socket.lines(before: "STOPPING=1") != nil)
        try worker.awaitEnd()
    }
}
