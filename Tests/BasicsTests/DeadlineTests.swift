import Testing
import Basics

@Suite("Deadlines")
struct DeadlineTests {
    @Test("a deadline can be in the past, by the given number of seconds")
    func past() {
        let past = Deadline.after(seconds: -10)
        #expect(past.hasPassed && past < .after(seconds: -9))
        #expect(past.remainingSeconds == 0 && past.pollMilliseconds == 0)
        // Ten seconds ago plus eleven is in the future, plus nine is not.
        #expect(!past.adding(seconds: 11).hasPassed)
        #expect(past.adding(seconds: 9).hasPassed)
        #expect(past.adding(seconds: 10).nanoseconds == past.nanoseconds + 10_000_000_000)
    }

    @Test("a deadline returns the time left in seconds, and in milliseconds rounded up for poll")
    func future() {
        let far = Deadline.after(seconds: 100)
        #expect(!far.hasPassed)
        #expect(far.remainingSeconds > 0 && far.remainingSeconds <= 100)
        #expect(far.pollMilliseconds > 0 && far.pollMilliseconds <= 100_000)
        #expect(far.adding(seconds: -200).hasPassed)
    }

    @Test("the deadline `never` neither passes nor moves")
    func never() {
        #expect(!Deadline.never.hasPassed && Deadline.never.pollMilliseconds == -1)
        #expect(Deadline.never.remainingSeconds == .infinity)
        #expect(Deadline.never.adding(seconds: -1e9) == .never)
        #expect(Deadline.after(seconds: 1e9) < .never)
    }

    @Test(
        "extreme deadlines don't overflow",
        arguments: [Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude, -1e300])
    func extremes(seconds: Double) {
        var deadline = Deadline.after(seconds: seconds)
        #expect(deadline.hasPassed == !(seconds > 0))
        for _ in 0..<20 { deadline = deadline.adding(seconds: seconds) }
        #expect(deadline.hasPassed == !(seconds > 0))
        #expect((deadline == .never) == (seconds > 0))
    }

    @Test("measured time moves forward, and a pause lasts at least as long as requested")
    func pauses() {
        let start = MonotonicClock.nanoseconds()
        MonotonicClock.pause(seconds: 0.02)
        #expect(MonotonicClock.seconds(since: start) >= 0.02)
    }

    @Test("a wait for a change ends at its deadline, even if the deadline passed long ago")
    func waits() {
        let monitor = Monitor(0)
        let soon = Deadline.after(seconds: 0.01)
        let result: Int? = monitor.wait { _ in (nil, soon) }
        #expect(result == nil && soon.hasPassed)
        let late: Int? = monitor.wait { _ in (nil, .after(seconds: -5)) }
        #expect(late == nil)
    }
}
