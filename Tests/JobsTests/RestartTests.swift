import Jobs
import Postgres
import TestSupport
import Testing

@Suite("Worker whose database fails")
struct RestartTests {
    @Test("a worker survives a kill of PostgreSQL, and every job runs exactly once")
    func restarted() throws {
        let server = try PrivateServer()
        let queue = try QueueDatabase(on: server.settings)
        let (tally, notes, gate) = (Tally(), Notes(), Gate())
        try queue.enqueue(200)
        let worker = try queue.worker(
            [
                JobKind("noop") { job, _ in
                    gate.pass()
                    tally.add(job.id)
                    return .done
                }
            ], threads: 4, batch: 20, notes: notes)
        // Some run, some are claimed, some wait.
        try eventually { gate.waiting == 4 }
        server.kill()
        // Running jobs end while the database is away.
        gate.open()
        try eventually { tally.total >= 4 && notes.timesAway > 0 }
        try server.start()
        try eventually { try queue.ended() == 200 }
        // No lease is ended while the database is away, so no job runs twice.
        #expect(tally.distinct == 200 && tally.most == 1 && notes.leasesLost == 0, "\(notes.text)")
        #expect(notes.refusals == 0, "\(notes.text)")
        try eventually { worker.isListening }
        try queue.enqueue()
        try eventually { try queue.ended() == 201 }
        #expect(worker.stop(deadlineSeconds: 60))
        let (live, dead) = (try queue.live(), try queue.dead())
        #expect(live == 0 && dead == 0)
    }

    @Test("a read-only server counts as an unreachable database until it accepts writes")
    func standby() throws {
        let queue = try QueueDatabase()
        let notes = Notes()
        let worker = try queue.worker([JobKind("noop") { _, _ in .done }], notes: notes)
        try queue.enqueue()
        try eventually { try queue.ended() == 1 }
        // A standby that has not been promoted yet gives this error too.
        try queue.setReadOnly(true)
        try eventually { notes.timesAway > 1 }
        #expect(notes.refusals == 0, "\(notes.text)")
        try queue.setReadOnly(false)
        try queue.enqueue()
        try eventually { try queue.ended() == 2 }
        #expect(worker.stop(deadlineSeconds: 60))
        #expect(notes.leasesLost == 0, "\(notes.text)")
    }
}

extension QueueDatabase {
    /// Makes the database refuse or accept the workers' writes, and ends their sessions.
    fileprivate func setReadOnly(_ isReadOnly: Bool) throws {
        try execute(
            """
            ALTER ROLE hearth_worker IN DATABASE \(identifier: test.name)
            SET default_transaction_read_only = \(unsafe: isReadOnly ? "on" : "off")
            """)
        try execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = \(test.name) AND usename = 'hearth_worker'
            """)
    }
}

extension Notes {
    /// Number of times that the database was reported as away.
    fileprivate var timesAway: Int {
        count { if case .databaseUnreachable = $0 { true } else { false } }
    }
}
