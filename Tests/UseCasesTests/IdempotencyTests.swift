import Crypto
import Domain
import Policy
import TestSupport
import Testing
import UseCases

@Suite("Requests that are repeated")
struct IdempotencyTests {
    static let household = Result { try Household() }
    private var household: Household { get throws { try Self.household.get() } }

    private func request(
        _ key: String = UserID.random().description, body: String = "{}",
        route: String = "POST /api/family/create"
    ) throws -> IdempotentRequest {
        try #require(
            IdempotentRequest(route: route, key: key, digest: SHA256Digest(of: body)))
    }

    private func claim(
        _ request: IdempotentRequest, by caller: Caller
    ) throws -> ClaimIdempotencyKey.Claim? {
        if case .claimed(let claim) = try ClaimIdempotencyKey(try household.database)(
            by: caller, request)
        {
            claim
        } else {
            nil
        }
    }

    @Test("the first is claimed, runs, and is replayed to who sent it")
    func replay() throws {
        let (caller, request) = (Household.person(), try request())
        let key = ClaimIdempotencyKey(try household.database)
        let claim = try #require(try claim(request, by: caller))
        #expect(try key(by: caller, request) == .running)
        let isKept = try FinishIdempotencyKey(try household.database)(
            by: caller, request, claim, status: 201, answer: #"{"a":1}"#)
        #expect(isKept)
        #expect(try key(by: caller, request) == .replay(status: 201, answer: #"{"a":1}"#))
        let other = try self.request(request.key, body: "{ }")
        #expect(try key(by: caller, other) == .otherRequest)
    }

    @Test("a key counts for its account, for whom it acts and its route alone")
    func scope() throws {
        let family = try TestFamily(in: try household)
        let request = try request()
        #expect(try claim(request, by: family.adult) != nil)
        #expect(try claim(request, by: family.actingForChild) != nil)
        #expect(try claim(request, by: family.admin) != nil)
        #expect(
            try claim(try self.request(request.key, route: "POST /other"), by: family.adult) != nil)
        #expect(try claim(request, by: family.adult) == nil)
    }

    @Test("what is given up can be tried again; a claim that lapsed finishes nothing")
    func giveUp() throws {
        let (caller, request) = (Household.person(), try request())
        let database = try household.database
        let first = try #require(try claim(request, by: caller))
        try GiveUpIdempotencyKey(database)(by: caller, request, first)
        let second = try #require(try claim(request, by: caller))
        #expect(second != first)
        try household.asSuperuser(
            """
            UPDATE app.idempotency_keys SET claimed_at = now() - interval '31 seconds'
            WHERE key = \(request.key)
            """)
        let third = try #require(try claim(request, by: caller))
        let finish = FinishIdempotencyKey(database)
        #expect(try !finish(by: caller, request, second, status: 200, answer: "late"))
        #expect(try finish(by: caller, request, third, status: 200, answer: "right"))
    }

    @Test("of fifty at once one is claimed")
    func parallel() throws {
        let household = try household
        let (caller, request) = (Household.person(), try request())
        let outcomes = try onThreads(50) { _ in
            try ClaimIdempotencyKey(household.database)(by: caller, request)
        }.map { try $0.get() }
        #expect(outcomes.count { $0 == .running } == 49)
    }

    @Test("a key has 1 to 255 characters; an anonymous caller has none")
    func limits() throws {
        let digest = SHA256Digest(of: "")
        let long = String(repeating: "é", count: 255)
        #expect(IdempotentRequest(route: "r", key: long, digest: digest) != nil)
        for wrong in ["", long + "x", "a\0b"] {
            #expect(IdempotentRequest(route: "r", key: wrong, digest: digest) == nil)
        }
        var anonymous = Household.person()
        anonymous.isAnonymous = true
        let request = try request()
        let told = try refusal { try claim(request, by: anonymous) }
        #expect(told == .refused(.notSignedIn))
    }
}
