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

    @Test("streams that end early count as failures, and one that stayed open counts as success")
    func streams() {
        let settings = SyncSettings(pollSeconds: 30)
        var failures = 0
        for _ in 1...9 { failures = settings.streamFailures(after: failures, openFor: .zero) }
        #expect(settings.pauseSeconds(afterFailures: failures, chance: 1) == 60)
        #expect(settings.streamFailures(after: failures, openFor: .seconds(29)) == 10)
        #expect(settings.streamFailures(after: failures, openFor: .seconds(30)) == 0)
    }
}
