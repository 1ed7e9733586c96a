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

    /// Returns the number of waits for standbys while `body` runs.
    private func waits(_ body: () throws -> Void) throws -> Int {
        let reads = try #require(site.services.reads as? CountingReads)
        let before = reads.waitCount
        try body()
        return reads.waitCount - before
    }

    private func rename(_ person: APIClient, _ headers: [String: String] = [:]) throws -> Answer {
        try person.send(
            "PATCH", "/api/family/\(home.id)", #"{"familyName": "Terns"}"#, headers: headers)
    }

    @Test("successes and refusals of changes wait for standbys, and reads do not")
    func waiting() throws {
        #expect(try waits { #expect(try rename(home.admin).status == 200) } == 1)
        #expect(try waits { #expect(try rename(home.player).status == 403) } == 1)
        let key = ["Idempotency-Key": "refused"]
        #expect(try waits { #expect(try rename(home.player, key).status == 403) } == 1)
        #expect(
            try waits {
                let stale = try rename(home.admin, ["If-Match": #""other""#])
                #expect(stale.status == 412)
            } == 1)
        #expect(try waits { #expect(try home.admin.get("/api/me").status == 200) } == 0)
    }

    @Test(
        "a change that fails for an outage or a bug does not wait for standbys",
        arguments: [[:], ["Idempotency-Key": "failed"]])
    func failing(_ headers: [String: String]) throws {
        try Connection(site.test.settings()).execute(
            script: """
                CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$;
                CREATE TRIGGER fail BEFORE UPDATE ON app.family_units
                    FOR EACH ROW EXECUTE FUNCTION public.fail()
                """)
        #expect(
            try waits { #expect(try rename(home.admin, headers).says(503, "database_away")) } == 0)
    }

    @Test("a change that PostgREST does not answer does not wait for standbys")
    func unforwarded() throws {
        let token = try site.token(.parent)
        #expect(
            try waits {
                let answer = try site.exchange("POST", "/rest/v1/a", token: token, body: "{}")
                #expect(answer.says(503, "unavailable"))
            } == 0)
    }
}
