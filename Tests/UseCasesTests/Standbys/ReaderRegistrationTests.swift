import Postgres
import Repositories
import TestSupport
import Testing
import Basics

@testable import UseCases

@Suite("Registration of processes that read from standbys")
struct ReaderRegistrationTests {
    /// Timing without a wait for other processes.
    private static func timing() -> StandbyTiming {
        var timing = StandbyTiming()
        timing.announcementSeconds = 0
        return timing
    }

    /// The state that standby 7 shows for a process's registration with the given number.
    private func shown(_ number: Int64, _ connection: Connection) throws -> StandbyState {
        let statement = Statement<StandbyState, Int64>("SELECT true, 7::bigint, $1::bigint")
        return try #require(try connection.run(statement, number).first)
    }

    @Test(
        "a process reads from a standby only with the renewal after the one that named the standby"
    )
    func naming() throws {
        try TestDatabase.with(.migrated) { test in
            let pool = Pool(test.settings(as: "hearth_api"))
            defer { pool.close() }
            let connection = try Connection(test.settings())
            let registration = ReaderRegistration(pool, Self.timing())
            func refusal(_ number: Int64) throws -> StandbyRefusal? {
                registration.refusal(
                    of: try shown(number, connection), readAt: MonotonicClock.nanoseconds())
            }
            for _ in 1...2 { _ = try registration.renew() }
            registration.name(7)
            let naming = try registration.renew()
            #expect(naming.inUse.standbys == [7])
            // Another process that looked meanwhile may not have seen this renewal, and the standby
            // may lack what was committed before that look.
            #expect(try refusal(naming.number) == .notAnnounced)
            let next = try registration.renew()
            #expect(try refusal(naming.number) == .notAnnounced)
            #expect(try refusal(next.number) == nil)
            registration.release(7)
            _ = try registration.renew()
            registration.name(7)
            let again = try registration.renew()
            #expect(try refusal(again.number) == .notAnnounced)
            #expect(try refusal(try registration.renew().number) == nil)
        }
    }

    @Test("the registration starts again after a failover to a primary that may lack its row")
    func failover() throws {
        let server = try PrivateServer()
        let test = try TestDatabase(.migrated, on: server.settings)
        let pool = Pool(test.settings(as: "hearth_api"))
        defer { pool.close() }
        let registration = ReaderRegistration(pool, Self.timing())
        let elsewhere = try Connection(TestDatabase.cluster())
        func refusal(_ number: Int64) throws -> StandbyRefusal? {
            registration.refusal(
                of: try shown(number, elsewhere), readAt: MonotonicClock.nanoseconds())
        }
        registration.name(7)
        for _ in 1...2 { _ = try registration.renew() }
        #expect(try refusal(2) == nil)
        server.kill()
        try server.start()
        var number: Int64 = 0
        try eventually {
            number = (try? registration.renew())?.number ?? 0
            return number > 0
        }
        #expect(try refusal(2) == .notAnnounced)
        #expect(try refusal(number) == .notAnnounced)
        #expect(try refusal(try registration.renew().number) == nil)
    }

    @Test("a webhook waits until the standby leases that began before its change have ended")
    func webhooks() throws {
        try TestDatabase.with(.migrated) { test in
            let connection = try Connection(test.settings())
            func delay() throws -> Double {
                try connection.query("SELECT extract(epoch FROM app.standby_delay())::float8")
                    .scalar(Double.self)
            }
            #expect(try delay() == 0)
            let pool = Pool(test.settings(as: "hearth_api"))
            defer { pool.close() }
            let registration = ReaderRegistration(pool, Self.timing())
            _ = try registration.renew()
            // The remainder applies to the rest of the transaction that makes the change.
            #expect(try delay() >= StandbyTiming().leaseSeconds + 2)
            try registration.end()
            #expect(try delay() == 0)
        }
    }
}
