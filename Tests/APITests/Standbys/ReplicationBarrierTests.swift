import API
import Postgres
import Synchronization
import TestSupport
import Testing
import UseCases

@Suite("Responses that wait for standbys")
struct ReplicationBarrierTests {
    /// Reads from the primary, and counts the waits for standbys.
    private final class CountingReads: ReadRouter {
        private let reads: PrimaryReads
        private let waits = Atomic(0)

        init(_ database: Database) { reads = PrimaryReads(database) }

        var waitCount: Int { waits.load(ordering: .sequentiallyConsistent) }

        func run<Value>(_ read: Read<Value>) throws -> Value { try reads.run(read) }
        func run<Value>(batched reads: [Read<Value>]) throws -> [Result<Value, any Error>?] {
            try self.reads.run(batched: reads)
        }
        func runInOrder<Value>(_ body: (any ReadServer) throws -> Value?) throws -> Value {
            try reads.runInOrder(body)
        }
        var longestLagSeconds: Double { reads.longestLagSeconds }
        func awaitReplication() {
            waits.add(1, ordering: .sequentiallyConsistent)
            reads.awaitReplication()
        }
        var timedOutWaits: Int { reads.timedOutWaits }
        func start() -> Bool { reads.start() }
        func stop() { reads.stop() }
    }

    private let site: Site
    private let home: FamilyFixture<Site>

    init() throws {
        // Nobody listens on the port of PostgREST.
        site = try Site(
            reads: { CountingReads($0) }, rest: RestForwarder(base: "http://127.0.0.1:1", limit: 4))
        home = try site.home()
    }

    /// Expects this number of waits for standbys while a request is made.
    private func expectWaits(_ count: Int, _ request: () throws -> Answer) throws -> Answer {
        let reads = try #require(site.services.reads as? CountingReads)
        let before = reads.waitCount
        let answer = try request()
        #expect(reads.waitCount - before == count, "\(answer)")
        return answer
    }

    private func rename(_ person: APIClient, _ headers: [String: String] = [:]) throws -> Answer {
        try person.send(
            "PATCH", "/api/family/\(home.id)", #"{"familyName": "Terns"}"#, headers: headers)
    }

    @Test("successes and refusals of changes wait for standbys, and reads do not")
    func waiting() throws {
        #expect(try expectWaits(1) { try rename(home.admin) }.status == 200)
        #expect(try expectWaits(1) { try rename(home.player) }.status == 403)
        let key = ["Idempotency-Key": "refused"]
        #expect(try expectWaits(1) { try rename(home.player, key) }.status == 403)
        let stale = ["If-Match": #""other""#]
        #expect(try expectWaits(1) { try rename(home.admin, stale) }.status == 412)
        #expect(try expectWaits(0) { try home.admin.get("/api/me") }.status == 200)
    }

    @Test(
        "a change that fails because of an outage does not wait for standbys",
        arguments: [[:], ["Idempotency-Key": "failed"]])
    func failing(_ headers: [String: String]) throws {
        try Connection(site.test.settings()).execute(
            script: """
                CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$;
                CREATE TRIGGER fail BEFORE UPDATE ON app.family_units
                    FOR EACH ROW EXECUTE FUNCTION public.fail()
                """)
        let failed = try expectWaits(0) { try rename(home.admin, headers) }
        #expect(failed.says(503, "database_away"), "\(failed)")
    }

    @Test("a change that PostgREST does not answer does not wait for standbys")
    func unforwarded() throws {
        let token = try site.token(.parent)
        let failed = try expectWaits(0) {
            try site.exchange("POST", "/rest/v1/a", token: token, body: "{}")
        }
        #expect(failed.says(503, "unavailable"), "\(failed)")
    }
}
