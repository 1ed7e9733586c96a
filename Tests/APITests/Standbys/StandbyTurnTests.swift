import Testing
import UseCases

@Suite("Turns of standbys")
struct StandbyTurnTests {
    @Test(
        "each turn has the configured length, and the order of standbys stays the same",
        arguments: [1, 2, 3])
    func order(count: Int) {
        var timing = StandbyTiming()
        timing.rotationSeconds = 0.001
        let turns = (0..<6_000).map {
            timing.standbyIndex(of: count, at: 7_000_000_000 + $0 * 1_000)
        }
        for (microsecond, turn) in turns.enumerated() {
            #expect(turn == (7_000 + microsecond / 1_000) % count)
        }
    }

    @Test("a turn takes at most a fifth of the time that a standby has for a response")
    func length() {
        let timing = StandbyTiming()
        #expect(timing.rotationSeconds > 0 && timing.rotationSeconds <= timing.responseSeconds / 5)
    }
}
