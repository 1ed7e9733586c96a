import Jobs
import Postgres
import TestSupport
import Testing

@Suite("A worker whose database goes away")
struct RestartTests {
    @Test("goes on by itself after a kill of PostgreSQL: every job is done, and once")
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
        // Some run, some are held, some wait.
        try eventually { gate.waiting == 4 }
        server.kill()
        // What runs ends while nobody can be told.
        gate.open()
        try eventually { tally.total >= 4 && notes.timesAway > 0 }
        try server.start()
        try eventually { try queue.ended() == 200 }
        // Where the database was away nobody's lease is ended: nothing was done a second time.
        #expect(tally.distinct == 200 && tally.most == 1 && notes.leasesLost == 0, "\(notes.text)")
        #expect(notes.refusals == 0, "\(notes.text)")
        try eventually { worker.isListening }
        try queue.enqueue()
        try eventually { try queue.ended() == 201 }
        #expect(worker.stop(deadlineSeconds: 60))
        let (live, dead) = (try queue.live(), try queue.dead())
        #expect(live == 0 && dead == 0)
    }

    @Test("waits for a server that takes no writes as for one that is away")
    func standby() throws {
        let queue = try QueueDatabase()
        let notes = Notes()
        let worker = try queue.worker([JobKind("noop") { _, _ in .done }], notes: notes)
        try queue.enqueue()
        try eventually { try queue.ended() == 1 }
        // What a standby says that was not promoted yet.
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
    /// Makes the database refuse the workers' writes, or take them again, and ends their sessions.
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
    /// How often the database was found away.
    fileprivate var timesAway: Int {
        count { if case .databaseAway = $0 { true } else { false } }
    }
}
