import Testing

@testable import HearthClient

@Suite("Waking up", .timeLimit(.minutes(10)))
struct WakeUpTests {
    @Test("a call before anybody waits is remembered once")
    func remembered() async {
        let wake = WakeUp()
        wake.call()
        wake.call()
        await wake.waitForCall()
        // The second is none: the time runs out.
        await wake.wait(atMostSeconds: 0.01)
    }

    @Test("one who waits is woken by a call, by the end of the time, and by being cancelled")
    func woken() async {
        let wake = WakeUp()
        let waiting = Task { await wake.waitForCall() }
        wake.call()
        await waiting.value
        let cancelled = Task { await wake.waitForCall() }
        cancelled.cancel()
        await cancelled.value
        await wake.wait(atMostSeconds: 0)
    }

    @Test("pauses after failures grow to their bound, and are never short")
    func pauses() {
        let settings = SyncSettings()
        #expect(settings.pauseSeconds(afterFailures: 1, chance: 1) == 1)
        #expect(settings.pauseSeconds(afterFailures: 3, chance: 1) == 4)
        #expect(settings.pauseSeconds(afterFailures: 3, chance: 0) == 2)
        #expect(settings.pauseSeconds(afterFailures: 1_000, chance: 1) == 60)
    }
}
