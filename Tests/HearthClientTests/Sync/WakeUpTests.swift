import Testing

@testable import HearthClient

@Suite("Wake-up signal", .timeLimit(.minutes(10)))
struct WakeUpTests {
    @Test("several calls before the wait resume it once")
    func remembered() async {
        let wake = WakeSignal()
        wake.call()
        wake.call()
        await wake.waitForCall()
        // No second call is remembered, so the wait times out.
        await wake.wait(atMostSeconds: 0.01)
    }

    @Test("a waiting task is resumed by a call, a timeout or its cancellation")
    func woken() async {
        let wake = WakeSignal()
        let waiting = Task { await wake.waitForCall() }
        wake.call()
        await waiting.value
        let cancelled = Task { await wake.waitForCall() }
        cancelled.cancel()
        await cancelled.value
        await wake.wait(atMostSeconds: 0)
    }

    @Test("sync pauses grow with each failure up to a bound, and are at least half of it")
    func pauses() {
        let settings = SyncSettings()
        #expect(settings.pauseSeconds(afterFailures: 1, chance: 1) == 1)
        #expect(settings.pauseSeconds(afterFailures: 3, chance: 1) == 4)
        #expect(settings.pauseSeconds(afterFailures: 3, chance: 0) == 2)
        #expect(settings.pauseSeconds(afterFailures: 1_000, chance: 1) == 60)
    }
}
