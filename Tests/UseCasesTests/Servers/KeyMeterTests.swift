import Basics
import Crypto
import Domain
import Repositories
import Synchronization
import Testing

@testable import UseCases

@Suite("Meter of API keys' requests")
struct KeyMeterTests {
    private static let second = 1_000_000_000

    /// A clock that the test sets, in nanoseconds.
    private final class Clock: Sendable {
        private let now = Mutex(1)
        func pass(seconds: Double) {
            now.withLock { $0 += Int(seconds * Double(KeyMeterTests.second)) }
        }
        func read() -> Int { now.withLock { $0 } }
    }

    private let clock = Clock()
    private let meter: KeyMeter
    private let key = SHA256Digest(of: "a key in use")

    init() {
        let clock = clock
        meter = KeyMeter { clock.read() }
    }

    /// Requests that the database grants.
    private func uses(_ granted: Int32, of most: Int32 = 600, endsIn seconds: Double = 60)
        -> TakenUses
    {
        TakenUses(
            granted: granted, endsInMilliseconds: Int32(seconds * 1000), most: most)
    }

    private struct Limit: Equatable {
        let name: String
        let quota: Int
        let retryAfter: Int
    }

    private enum Outcome: Equatable {
        case served
        case refused(RefusalCode)
        case limited(Limit)
    }

    private func count(_ key: SHA256Digest, _ take: (Int) -> TakenUses?) throws -> Outcome {
        do {
            try meter.count(key, taking: take)
            return .served
        } catch let refusal as Refusal {
            guard case .limit(let name, let allowance, let seconds) = refusal.parameter else {
                return .refused(refusal.code)
            }
            return .limited(Limit(name: name, quota: allowance.quota, retryAfter: seconds))
        }
    }

    /// Counts a request that must not ask the database.
    private func countAlone(_ key: SHA256Digest) throws -> Outcome {
        try count(key) { _ in
            Issue.record("the database was asked")
            return nil
        }
    }

    @Test("reserved requests are served without another query")
    func taken() throws {
        #expect(try count(key) { _ in uses(3) } == .served)
        #expect(try countAlone(key) == .served)
        #expect(try countAlone(key) == .served)
        #expect(try count(key) { _ in uses(1) } == .served)
        #expect(meter.takeServed().map(\.count) == [4])
    }

    @Test(
        "requests with unknown keys beyond the budget are refused; requests with known keys are served"
    )
    func unknown() throws {
        #expect(try count(key) { _ in uses(1, of: 5) } == .served)
        var (asked, limited) = (0, 0)
        for index in 0..<(3 * KeyMeter.unknownPerSecond) {
            let outcome = try count(SHA256Digest(of: "guess \(index)")) { _ in
                asked += 1
                return nil
            }
            if case .limited(let limit) = outcome {
                limited += 1
                #expect(
                    limit
                        == Limit(
                            name: ServerAccess.unknownLimitName,
                            quota: KeyMeter.unknownPerSecond, retryAfter: 1))
            } else {
                #expect(outcome == .refused(.invalidAPIKey))
            }
            if index.isMultiple(of: 50) {
                #expect(try count(key) { _ in uses(1) } == .served)
            }
        }
        // The key in use was unknown once itself.
        #expect(asked == KeyMeter.unknownPerSecond - 1)
        #expect(limited == 2 * KeyMeter.unknownPerSecond + 1)
        clock.pass(seconds: 1)
        #expect(try count(SHA256Digest(of: "new")) { _ in uses(1) } == .served)
    }

    @Test("a key is known for an hour after its last use, even if nothing was recorded since")
    func memory() throws {
        #expect(try count(key) { _ in uses(1) } == .served)
        _ = meter.takeServed()
        clock.pass(seconds: 3_000)
        _ = meter.takeServed()
        for index in 0...KeyMeter.unknownPerSecond {
            _ = try count(SHA256Digest(of: "guess \(index)")) { _ in nil }
        }
        #expect(try count(key) { _ in uses(1) } == .served)
        clock.pass(seconds: 3_700)
        _ = meter.takeServed()
        for index in 0...KeyMeter.unknownPerSecond {
            _ = try count(SHA256Digest(of: "guess \(index)")) { _ in nil }
        }
        #expect(
            try countAlone(key)
                == .limited(
                    Limit(
                        name: ServerAccess.unknownLimitName, quota: KeyMeter.unknownPerSecond,
                        retryAfter: 1)))
    }

    @Test("every refusal at the limit has the limit's number and the time to wait")
    func numbers() throws {
        #expect(try count(key) { _ in uses(1, of: 7) } == .served)
        func limited(_ seconds: Int) -> Outcome {
            .limited(Limit(name: ServerAccess.limitName, quota: 7, retryAfter: seconds))
        }
        #expect(try count(key) { _ in uses(0, of: 7, endsIn: 40) } == limited(40))
        #expect(try countAlone(key) == limited(40))
        clock.pass(seconds: 0.5)
        #expect(try countAlone(key) == limited(40))
    }

    @Test("a key at its limit is looked up once a second, so a revoked one is refused as invalid")
    func revokedAtLimit() throws {
        #expect(try count(key) { _ in uses(0, of: 7) } != .served)
        clock.pass(seconds: 1)
        var asked = 0
        for _ in 1...3 {
            _ = try count(key) { _ in
                asked += 1
                return uses(0, of: 7, endsIn: 59)
            }
        }
        #expect(asked == 1)
        clock.pass(seconds: 1)
        #expect(try count(key) { _ in nil } == .refused(.invalidAPIKey))
    }

    @Test("requests reserved in a minute that ends in the round trip are not added to the next")
    func acrossMinutes() throws {
        #expect(try count(key) { _ in uses(1) } == .served)
        let (clock, meter, key) = (clock, meter, key)
        #expect(
            try count(key) { _ in
                // Meanwhile another thread takes requests, of which four are left. Then the minute
                // ends, before the database answers.
                try? meter.count(key) { _ in uses(5, endsIn: 10) }
                clock.pass(seconds: 11)
                return uses(2)
            } == .served)
        #expect(try countAlone(key) == .served)
        var asked = 0
        #expect(
            try count(key) { _ in
                asked += 1
                return uses(1)
            } == .served)
        #expect(asked == 1)
    }

    @Test("a late response for the previous minute serves its request and reserves no other")
    func lateResponse() throws {
        #expect(try count(key) { _ in uses(1) } == .served)
        let (clock, meter, key) = (clock, meter, key)
        #expect(
            try count(key) { _ in
                // Meanwhile another thread takes requests of the next minute.
                clock.pass(seconds: 0.2)
                try? meter.count(key) { _ in uses(2) }
                return uses(5, endsIn: 0.1)
            } == .served)
        #expect(try countAlone(key) == .served)
        var asked = 0
        #expect(
            try count(key) { _ in
                asked += 1
                return uses(1)
            } == .served)
        #expect(asked == 1)
        #expect(meter.takeServed().map(\.count) == [5])
    }

    @Test("requests served with a key are recorded although the key is no longer valid")
    func forgotten() throws {
        #expect(try count(key) { _ in uses(2) } == .served)
        meter.forget(key)
        let served = meter.takeServed()
        #expect(served.map(\.count) == [1])
        meter.putBack(served)
        #expect(meter.takeServed().map(\.count) == [1])
        #expect(meter.takeServed().isEmpty)
    }
}
