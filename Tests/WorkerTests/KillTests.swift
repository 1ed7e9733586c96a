import Domain
import Foundation
import MailSupport
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Workers that are killed or stopped", .serialized)
struct KillTests {
    private let office: PostOffice
    init() throws { office = try PostOffice() }

    /// Ends the lease of a process that is known to be dead, as fifteen seconds would.
    private func endLease(of worker: ChildProgram, in office: PostOffice? = nil) throws {
        try (office ?? self.office).execute(
            """
            UPDATE jobs.workers SET renewed_at = renewed_at - interval '16 seconds'
            WHERE label LIKE \("%:\(worker.id)")
            """)
    }

    @Test(
        "killed workers lose no invitation, and send none more than twice, always with the same id")
    func killed() throws {
        let wanted = 60
        let server = try MailServer()
        var workers = try (0..<3).map { try office.worker(server, log: "log\($0)") }
        defer { for worker in workers { worker.kill() } }
        let database = office.database
        let inviting = inBackground { [office] in
            // An account may send ten invitations an hour.
            for batch in 0..<(wanted + 9) / 10 {
                let inviter = RequestContext.person()
                _ = try FamilyService(database).create(by: inviter, name: nil, role: nil)
                for number in batch * 10..<min(wanted, batch * 10 + 10) {
                    try office.invite("person\(number)@example.org", by: inviter)
                }
            }
        }
        let deadline = Date(timeIntervalSinceNow: 300)
        while try office.done() < wanted, Date() < deadline {
            let before = try office.done()
            // Kill a worker only after a few more messages have been sent: a job whose worker
            // vanishes for the third time while it runs is discarded. And only once every job that
            // an earlier kill interrupted is done.
            try eventually(within: 60) {
                try office.done() >= min(wanted, before + 5)
                    && office.count("SELECT count(*) FROM jobs.live WHERE crashes > 0") == 0
            }
            let index = Int.random(in: 0..<3)
            workers[index].kill()
            try endLease(of: workers[index])
            workers[index] = try office.worker(server, log: "log\(index)")
        }
        try inviting.wait()
        let done = try office.done()
        #expect(done == wanted)
        let messages = try server.messages().map {
            String(decoding: $0, as: UTF8.self).replacing("\r\n", with: "\n")
        }
        var ids: [String: [String]] = [:]
        for message in messages {
            let to = message.firstMatch(of: /\nTo: (.*)\n/).map { String($0.output.1) } ?? ""
            let id = message.firstMatch(of: /\nMessage-ID: (.*)\n/).map { String($0.output.1) }
            ids[to, default: []].append(id ?? "")
        }
        #expect(ids.count == wanted)
        #expect(ids.values.allSatisfy { Set($0).count == 1 })
        let most = ids.values.map(\.count).max() ?? 0
        #expect(most <= 2)
        let dead = try office.count("SELECT count(*) FROM jobs.dead")
        #expect(dead == 0)
    }

    @Test("a worker stopped for longer than its lease changes nothing when it continues")
    func stopped() throws {
        let slow = try MailServer(.scripted(["--at", "data=hang"]))
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        let first = try office.worker(slow, log: "first")
        defer { first.kill() }
        try office.invite("someone@example.org", by: inviter)
        try eventually { try office.count("SELECT count(*) FROM jobs.live WHERE is_started") == 1 }
        first.signal(SIGSTOP)
        let good = try MailServer()
        let second = try office.worker(good, log: "second")
        defer { second.kill() }
        try eventually(within: 60) { try office.done() == 1 }
        let arrived = try good.messages().count
        #expect(arrived == 1)
        first.signal(SIGCONT)
        try eventually { try office.log("first").contains("the lease was lost") }
        // The second worker has done the job; the first worker has reported nothing about it.
        let (done, dead, live) = (
            try office.done(), try office.count("SELECT count(*) FROM jobs.dead"),
            try office.jobsLeft
        )
        #expect(done == 1 && dead == 0 && live == 0)
        let none = try slow.messages().count
        #expect(none == 0)
    }

    @Test("a worker whose lease has ended stops purging after the current batch")
    func purgesNoFurther() throws {
        let office = try PostOffice()
        try office.execute(
            """
            INSERT INTO app.family_code_usage_log (action, at)
                SELECT 'rejected', now() - interval '91 days' FROM generate_series(1, 1000)
            """)
        let gate = try DeletionGate(office.test, table: "app.family_code_usage_log")
        let worker = try office.worker()
        defer { worker.kill() }
        try eventually { try office.count("SELECT count(*) FROM jobs.schedules") == 4 }
        try office.execute(
            "UPDATE jobs.schedules SET next_at = clock_timestamp() WHERE name = 'purge'")
        try gate.awaitArrival()
        worker.signal(SIGSTOP)
        try endLease(of: worker, in: office)
        try eventually {
            let other = try office.count("SELECT jobs.acquire_lease('by-hand')")
            return try office.count(
                "SELECT reclaimed FROM jobs.heartbeat(\(other)::integer, '{upkeep}', NULL)") > 0
        }
        // Keep other workers from taking the job for now.
        try office.execute(
            "UPDATE jobs.live SET run_at = run_at + interval '1 day' WHERE queue = 'upkeep'")
        // Also at the full hour, when the schedule's tick moves waiting jobs forward.
        try office.execute("UPDATE jobs.schedules SET next_at = next_at + interval '12 hours'")
        worker.signal(SIGCONT)
        try eventually { try office.log().contains("the lease was lost") }
        try gate.open()
        try eventually { try office.log().contains("job returned to the queue") }
        // At most the batch that had begun was deleted: the first batch has one row.
        let left = try office.count("SELECT count(*) FROM app.family_code_usage_log")
        #expect(left >= 999)
    }
}

@Suite("hearth-worker")
struct ProgramTests {
    @Test("invalid settings are reported without a database")
    func settings() throws {
        let office = try PostOffice()
        let checked = try office.worker(nil, log: "log", ["HEARTH_MAIL_FROM": "not an address"])
        checked.signal(0)
        try checked.awaitEnd()
        #expect(checked.exitCode == 78)
        let log = try office.log()
        #expect(log.contains("HEARTH_MAIL_FROM"))
    }

    @Test("a worker expires and purges invitations, and serves metrics at the configured address")
    func upkeep() throws {
        let office = try PostOffice()
        let inviter = RequestContext.person()
        try office.createFamily(by: inviter)
        for number in 1...3 { try office.invite("p\(number)@example.org", by: inviter) }
        try office.execute(
            "UPDATE app.family_invitations SET expires_at = now() - interval '1 second'")
        let port = try FreePort.find()
        let worker = try office.worker(
            nil, log: "log", ["HEARTH_METRICS_LISTEN": "127.0.0.1:\(port)"])
        defer { worker.kill() }
        try eventually { try office.count("SELECT count(*) FROM jobs.schedules") == 4 }
        try office.execute("UPDATE jobs.schedules SET next_at = clock_timestamp()")
        try eventually {
            try office.count(
                "SELECT count(*) FROM app.family_invitations WHERE status = 'expired'") == 3
        }
        // While the schedule's last job is unfinished, a tick enqueues none.
        try eventually {
            try office.count("SELECT count(*) FROM jobs.live WHERE queue = 'upkeep'") == 0
        }
        try office.execute(
            "UPDATE app.family_invitations SET closed_at = now() - interval '8 days'")
        try office.execute("UPDATE jobs.schedules SET next_at = clock_timestamp()")
        try eventually {
            try office.count("SELECT count(*) FROM app.family_invitations") == 0
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/metrics"))
        try eventually {
            let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
            return text.contains("hearth_purged_total{object=\"closed_invitations\"} 3")
                && text.contains("hearth_jobs_oldest_ready_seconds")
        }
        // Making partitions is the last step of a purge. If jobs had ended on the first day before,
        // its partition remains as well.
        try eventually {
            try office.count(
                "SELECT count(*) FROM pg_inherits WHERE inhparent = 'jobs.history'::regclass") >= 3
        }
    }
}
