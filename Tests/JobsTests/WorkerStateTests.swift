import Postgres
import TestSupport
import Testing

@testable import Jobs

@Suite("Worker state")
struct WorkerStateTests {
    private static let queue = QueueConfiguration(
        name: "work", kinds: [JobKind("noop") { _, _ in .done }], threads: 2, batch: 4)

    @Test("a notification during a claim leads to another claim")
    func notifiedMeanwhile() {
        for isNotified in [false, true] {
            var state = WorkerState([Self.queue])
            let roundTrip = RoundTrip(&state, isHeartbeat: false, claims: true, epoch: 0)
            #expect(roundTrip.claims.count == 1)
            if isNotified { state.queues[0].mayHaveMore = true }
            var ended: [EndedJob] = []
            // The claim found nothing: the job was committed after the claim had read the table.
            state.queues[0].add([], limit: 4, epoch: 0, ended: &ended)
            let (looksAgain, _) = state.dispatch(nextPoll: .never)
            #expect(looksAgain == (isNotified ? true : nil))
        }
    }

    @Test("a claim that returns as many jobs as requested is followed by another")
    func more() throws {
        var queue = QueueState(Self.queue)
        let (limit, starting) = queue.claim()
        #expect(limit == 4 && starting == 2)
        var ended: [EndedJob] = []
        queue.add(try jobs(4), limit: limit, epoch: 0, ended: &ended)
        #expect(queue.mayHaveMore)
    }

    @Test("jobs whose start the claim recorded begin at once, others once their start is recorded")
    func startable() throws {
        var queue = QueueState(Self.queue)
        _ = queue.claim()
        var ended: [EndedJob] = []
        queue.add(try jobs(3, started: 2), limit: 4, epoch: 0, ended: &ended)
        #expect(queue.begin()?.job.id == 1 && queue.begin()?.job.id == 2)
        #expect(queue.begin() == nil && queue.unrecorded.map(\.job.id) == [3])
    }

    @Test("once a process has stopped starting jobs, the jobs that it claimed earlier are released")
    func claimedBeforeRest() throws {
        var queue = QueueState(Self.queue)
        let (limit, _) = queue.claim()
        #expect(queue.suspend().isEmpty)
        var ended: [EndedJob] = []
        queue.add(try jobs(3, started: 2), limit: limit, epoch: 0, ended: &ended)
        #expect(ended.map(\.id) == [1, 2, 3])
        for job in ended {
            guard case .ended(.release) = job.outcome else {
                Issue.record("job \(job.id) ended as \(job.outcome)")
                continue
            }
        }
        #expect(queue.begin() == nil && queue.heldCount == 0)
    }

    @Test("a claim starts after the jobs claimed before, and periodically from the beginning")
    func bounds() throws {
        var bounds = ClaimBounds()
        let start = bounds.next().id
        bounds.advance(past: try jobs(3), afterSeconds: 0.01)
        let behind = bounds.next()
        #expect(start == [0, 0, 0, 0] && behind.id == [0, 3, 0, 0])
        #expect(behind.at[1].microsecondsSince2000 == 3)
        bounds.reset()
        #expect(bounds.next().id == start)
        // After a claim that took no time, another from the start is due at once.
        bounds.advance(past: try jobs(3), afterSeconds: 0)
        #expect(bounds.next().id == start)
    }

    @Test("a first heartbeat begins listening, its echo proves it, and two missing echoes end it")
    func firstHeartbeat() {
        var state = WorkerState([Self.queue])
        state.wantsHeartbeat = true
        let first = RoundTrip(&state, isHeartbeat: false, claims: true, epoch: 0)
        #expect(first.isHeartbeat && first.isFirstHeartbeat)
        let second = RoundTrip(&state, isHeartbeat: true, claims: true, epoch: 0)
        #expect(second.isHeartbeat && !second.isFirstHeartbeat)
        #expect(!state.isListening)
        state.lastEchoAt = .after(seconds: 0)
        #expect(state.isListening)
        // Two missing echoes are too many.
        state.lastEchoAt = .after(seconds: -31)
        #expect(state.isListening)
        state.lastEchoAt = .after(seconds: -33)
        #expect(!state.isListening)
    }

    /// Returns jobs 1, 2, ... of priority 1, the first ones started, each due a microsecond later.
    private func jobs(_ count: Int, started: Int = 0) throws -> [Job] {
        let statement = Statement<Job, Int32, Int32>(
            """
            SELECT n::bigint, 7::bigint, 'noop'::text, NULL::uuid, 1::smallint,
                timestamptz '2000-01-01Z' + n * interval '1 microsecond', false, 0::smallint, false,
                n <= $2, '{}'::jsonb
            FROM generate_series(1, $1) AS n
            """)
        return try Connection(TestDatabase.cluster())
            .run(statement, Int32(count), Int32(started)).map(\.self)
    }
}
