import Testing
import UseCases

@Suite("Turns of standbys")
struct StandbyTurnTests {
    @Test(
        "each turn has the configured length, and the order of standbys stays the same",
        arguments: [1, 2, 3])
    func order(count: Int) {
        var timing = StandbyTiming()
        timing.turnSeconds = 0.001
        let turns = (0..<6_000).map { timing.turn(of: count, at: 7_000_000_000 + $0 * 1_000) }
        for (microsecond, turn) in turns.enumerated() {
            #expect(turn == (7_000 + microsecond / 1_000) % count)
        }
    }

    @Test("a turn takes at most a fifth of the time that a standby has for a response")
    func length() {
        let timing = StandbyTiming()
        #expect(timing.turnSeconds > 0 && timing.turnSeconds <= timing.answerSeconds / 5)
    }
}
