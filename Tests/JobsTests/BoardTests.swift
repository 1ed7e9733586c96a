import Postgres
import TestSupport
import Testing

@testable import Jobs

@Suite("What a worker knows of its queues")
struct BoardTests {
    private static let lane = Lane(
        queue: "work", kinds: [JobKind("noop") { _, _ in .done }], threads: 2, batch: 4)

    @Test("a notification that comes while a claim is under way leads to another claim")
    func notifiedMeanwhile() {
        for isNotified in [false, true] {
            var board = Board([Self.lane])
            let exchange = Exchange(&board, isBeat: false, claims: true, epoch: 0)
            #expect(exchange.claims.count == 1)
            if isNotified { board.lanes[0].mayHaveMore = true }
            var ended: [EndedJob] = []
            // The claim saw nothing: the job was committed after it had looked.
            board.lanes[0].take([], limit: 4, epoch: 0, ended: &ended)
            let (looksAgain, _) = board.dispatch(nextPoll: .never)
            #expect(looksAgain == (isNotified ? true : nil))
        }
    }

    @Test("a claim that brings all it asked for is followed by another")
    func more() throws {
        var lane = LaneState(Self.lane)
        let (limit, starting) = lane.claim()
        #expect(limit == 4 && starting == 2)
        var ended: [EndedJob] = []
        lane.take(try jobs(4), limit: limit, epoch: 0, ended: &ended)
        #expect(lane.mayHaveMore)
    }

    @Test("jobs whose start the claim has noted begin at once, others when it is noted")
    func startable() throws {
        var lane = LaneState(Self.lane)
        _ = lane.claim()
        var ended: [EndedJob] = []
        lane.take(try jobs(3, started: 2), limit: 4, epoch: 0, ended: &ended)
        #expect(lane.begin()?.job.id == 1 && lane.begin()?.job.id == 2)
        #expect(lane.begin() == nil && lane.unnoted.map(\.job.id) == [3])
    }

    @Test("a claim goes on behind the jobs that are taken, and from the start now and then")
    func bounds() throws {
        var bounds = ClaimBounds()
        let start = bounds.next().id
        bounds.advance(past: try jobs(3), afterSeconds: 0.01)
        let behind = bounds.next()
        #expect(start == [0, 0, 0, 0] && behind.id == [0, 3, 0, 0])
        #expect(behind.at[1].microsecondsSince2000 == 3)
        bounds.reset()
        #expect(bounds.next().id == start)
        // One that cost nothing is due again at once.
        bounds.advance(past: try jobs(3), afterSeconds: 0)
        #expect(bounds.next().id == start)
    }

    @Test("whether notifications arrive is tried as soon as listening has begun")
    func firstBeat() {
        var board = Board([Self.lane])
        board.wantsBeat = true
        let first = Exchange(&board, isBeat: false, claims: true, epoch: 0)
        #expect(first.isBeat && first.isFirstBeat)
        let second = Exchange(&board, isBeat: true, claims: true, epoch: 0)
        #expect(second.isBeat && !second.isFirstBeat)
        #expect(!board.isListening)
        board.heardAt = .after(seconds: 0)
        #expect(board.isListening)
        // Two that are missing are too many.
        board.heardAt = .after(seconds: -31)
        #expect(board.isListening)
        board.heardAt = .after(seconds: -33)
        #expect(!board.isListening)
    }

    /// Jobs 1, 2, ... of priority 1, the first of them started, each due a microsecond later.
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
