import Postgres
import TestSupport
import Testing

@Suite("Processes that read from standbys")
struct StandbyReaderTests {
    private let house: House
    private let connection: Connection

    init() throws {
        house = try House()
        connection = try house.superuser()
    }

    private func renew(_ id: UInt128, _ number: Int, _ standbys: [Int64]) throws -> String {
        let api = try Connection(house.test.settings(as: "hearth_api"))
        return try api.query(
            """
            SELECT readers || ' read ' || standbys::text FROM app.renew_standby_reader(
                \(id), \(number), \(standbys))
            """
        ).scalar(String.self)
    }

    private func missing() throws -> Int32 {
        try connection.query("SELECT app.readers_missing_standbys()").scalar(Int32.self)
    }

    @Test("a renewal returns the standbys that processes named in the last minute, each once")
    func together() throws {
        #expect(try renew(1, 5, [20, 10]) == "1 read {10,20}")
        #expect(try renew(2, 1, [10]) == "2 read {10,20}")
        // An earlier renewal that arrives late changes nothing.
        #expect(try renew(1, 4, [30]) == "2 read {10,20}")
        #expect(try renew(1, 6, []) == "2 read {10}")
        try connection.query(
            """
            UPDATE app.standby_readers SET renewed_at = now() - interval '61 s' WHERE number = 1
            """)
        #expect(try renew(1, 7, []) == "1 read {}")
    }

    @Test("a process without a standby that others use is counted as long as it renews its row")
    func apart() throws {
        _ = try renew(1, 1, [10])
        _ = try renew(2, 1, [10])
        #expect(try missing() == 0)
        _ = try renew(2, 2, [10, 20])
        #expect(try missing() == 1)
        _ = try renew(3, 1, [])
        #expect(try missing() == 2)
        try connection.query(
            """
            UPDATE app.standby_readers SET renewed_at = now() - interval '61 s'
            WHERE standbys = '{}'
            """)
        #expect(try missing() == 1)
    }

    @Test(
        "an ending process deletes its row, and each thousandth renewal deletes rows an hour old")
    func gone() throws {
        for id: UInt128 in [1, 2, 3] { _ = try renew(id, 2, [10]) }
        let api = try Connection(house.test.settings(as: "hearth_api"))
        try api.query("SELECT app.end_standby_reader(\(UInt128(2)))")
        func rows() throws -> Int { try house.count("SELECT count(*) FROM app.standby_readers") }
        #expect(try rows() == 2)
        try connection.query(
            "UPDATE app.standby_readers SET renewed_at = now() - interval '61 minutes'")
        _ = try renew(1, 1000, [10])
        #expect(try rows() == 2)
        _ = try renew(1, 1001, [10])
        #expect(try rows() == 1)
    }
}
