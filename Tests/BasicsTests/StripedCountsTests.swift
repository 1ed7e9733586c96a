import Basics
import Synchronization
import TestSupport
import Testing

@Suite("Counts by processor")
struct StripedCountsTests {
    @Test("each number is the sum of what all threads have added to it")
    func sums() throws {
        let counts = StripedCounts(10)
        #expect((0..<10).allSatisfy { counts.sum($0) == 0 })
        let results = onThreads(8) { thread in
            for _ in 0..<10_000 {
                counts.add(1, to: thread)
                counts.add(-2, to: 9)
            }
        }
        for result in results { try result.get() }
        #expect((0..<8).allSatisfy { counts.sum($0) == 10_000 })
        #expect(counts.sum(8) == 0)
        #expect(counts.sum(9) == -160_000)
    }

    @Test("increments of threads that race to allocate the counters are all counted")
    func first() throws {
        for _ in 0..<200 {
            let counts = StripedCounts(1)
            let results = onThreads(4) { _ in counts.add(1) }
            for result in results { try result.get() }
            #expect(counts.sum() == 4)
        }
    }

    @Test("calls on several threads return distinct values")
    func unique() throws {
        let counts = StripedCounts(1)
        let seen = Mutex<Set<UInt64>>([])
        let results = onThreads(8) { _ in
            let values = (0..<10_000).map { _ in counts.unique() }
            seen.withLock { $0.formUnion(values) }
        }
        for result in results { try result.get() }
        #expect(seen.withLock { $0.count } == 80_000)
    }
}
