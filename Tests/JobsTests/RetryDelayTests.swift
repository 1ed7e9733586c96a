import Jobs
import Testing

@Suite("Retry delay")
struct RetryDelayTests {
    @Test(
        "the maximum delay doubles from five seconds to an hour",
        arguments: [
            (0, 5.0), (1, 10.0), (2, 20.0), (9, 2560.0), (10, 3600.0), (19, 3600.0),
            (32000, 3600.0),
        ])
    func longest(attempt: Int, seconds: Double) {
        #expect(RetryDelay.seconds(attempt: Int16(attempt), fraction: 1) == seconds)
    }

    @Test("the delay is a random fraction of the maximum")
    func jitter() {
        #expect(RetryDelay.seconds(attempt: 3, fraction: 0) == 0)
        #expect(RetryDelay.seconds(attempt: 3, fraction: 0.25) == 10)
    }

    @Test("the delay stays within its bounds for any input")
    func bounds() {
        #expect(RetryDelay.seconds(attempt: -5, fraction: 2) == 5)
        #expect(RetryDelay.seconds(attempt: 5, fraction: -1) == 0)
    }
}
