import Postgres
import TestSupport
import Testing

@Suite("Replaced primary")
struct ReplacedPrimaryTests {
    private let former: PrivateServer
    private let standby: PrivateServer
    private let pool: Pool
    /// The hosts of both servers.
    private let hosts: [String]

    init() throws {
        former = try PrivateServer()
        standby = try PrivateServer(following: former)
        var settings = try former.settings
        hosts = [
            try #require(settings.parameters["host"]),
            try #require(try standby.settings.parameters["host"]),
        ]
        settings.set("host", hosts.joined(separator: ","))
        settings.set("target_session_attrs", "read-write")
        pool = Pool(settings)
    }

    /// The host of the pool's next session.
    private func host() throws -> String {
        try pool.withConnection {
            try $0.query("SHOW unix_socket_directories").scalar(String.self)
        }
    }

    /// Makes a change that no standby confirms.
    private func missConfirmation() {
        let error = #expect(throws: PostgresError.self) {
            try pool.withConnection { connection in
                _ = try connection.query(
                    "SELECT pg_logical_emit_message(true, 'test', '')", deadline: .after(seconds: 1)
                )
            }
        }
        #expect(error?.code == .deadlineExceeded)
    }

    /// The former primary is cut off from its standby, which is promoted: it accepts connections,
    /// and commits that nobody confirms.
    @Test("a pool leaves a primary for the promoted one after a commit that no standby confirms")
    func leaves() throws {
        let away = AwayStandby(of: try former.settings)
        try pool.withConnection { leased in
            #expect(try host() == hosts[0])
            try away.set(away: true, givesUp: false)
            try standby.promote()
            // Nothing has shown yet that there is another one.
            #expect(try host() == hosts[0])
            missConfirmation()
            #expect(try host() == hosts[1])
            #expect(!leased.isBroken)
        }
        // The session with the former primary, returned since, is not lent again.
        for _ in 0..<3 { #expect(try host() == hosts[1]) }
    }

    @Test("an idle session with the former primary is not lent after another pool has left it")
    func leavesWithOtherPool() throws {
        let away = AwayStandby(of: try former.settings)
        let second = Pool(pool.connectionSettings)
        func hostOfSecond() throws -> String {
            try second.withConnection {
                try $0.query("SHOW unix_socket_directories").scalar(String.self)
            }
        }
        #expect(try hostOfSecond() == hosts[0])
        try away.set(away: true, givesUp: false)
        try standby.promote()
        missConfirmation()
        #expect(try host() == hosts[1])
        #expect(try hostOfSecond() == hosts[1])
    }

    @Test("a pool stays with the primary if a standby is away but no other server was promoted")
    func stays() throws {
        let away = AwayStandby(of: try former.settings)
        #expect(try host() == hosts[0])
        try away.set(away: true, givesUp: false)
        missConfirmation()
        for _ in 0..<3 { #expect(try host() == hosts[0]) }
    }
}
