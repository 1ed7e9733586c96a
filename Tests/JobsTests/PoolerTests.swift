import Foundation
import Jobs
import Postgres
import TestSupport
import Testing

@Suite("Queue behind PgBouncer in transaction mode")
struct PoolerTests {
    @Test(
        "jobs run without prepared statements and without LISTEN",
        .enabled(if: PgBouncer.isInstalled))
    func works() throws {
        let queue = try QueueDatabase()
        let pooler = try PgBouncer(queue.settings)
        var pooled = try pooler.settings(queue.settings)
        pooled.preparesStatements = false
        let settings = pooled
        let (tally, notes) = (Tally(), Notes())
        try queue.enqueue(300)
        // Two workers, so that server sessions are shared between them.
        let workers = try (1...2).map { _ in
            try Worker(
                settings,
                queues: [
                    QueueConfiguration(
                        name: "work",
                        kinds: [
                            JobKind("noop") { job, _ in
                                tally.add(job.id)
                                return job.attempt == 0 && job.id % 50 == 0 ? .retry("once") : .done
                            }
                        ], threads: 2, batch: 10)
                ], label: "pooled", observe: { notes.add($0) })
        }
        do {
            try eventually { try queue.ended() == 300 }
        } catch is TimedOut {
            Issue.record("\(try queue.ended()) of 300 have ended: \(notes.text)")
        }
        for worker in workers { #expect(worker.stop(deadlineSeconds: 60)) }
        #expect(tally.distinct == 300 && notes.leasesLost == 0, "\(notes.text)")
        #expect(notes.refusals == 0, "\(notes.text)")
    }
}
