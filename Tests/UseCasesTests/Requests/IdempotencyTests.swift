import Crypto
import Domain
import Policy
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Requests with idempotency keys")
struct IdempotencyTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    private func request(
        _ key: String = UserID.random().description, body: String = "{}",
        route: String = "POST /api/families", latestFormat: Int16 = 1
    ) throws -> IdempotentRequest {
        try #require(
            IdempotentRequest(
                route: route, key: key, digest: SHA256Digest(of: body), latestFormat: latestFormat))
    }

    /// Creates a family; nil if the response is a replay.
    private func create(
        _ request: IdempotentRequest, by caller: RequestContext, keeping text: String = #"{"a":1}"#
    ) throws -> FamilyID? {
        let told = try entry.database.once(by: caller, request) { caller in
            let name = try #require(FamilyName("Terns"))
            let family = try FamilyService(entry.database).createAnother(by: caller, name: name)
            return (family.id, StoredResponse(status: 201, format: 1, text: text))
        }
        switch told {
        case .done(let id): return id
        case .replay(let status, let answer):
            #expect(status == 201 && answer == text)
            return nil
        }
    }

    private func families(of caller: RequestContext) throws -> Int {
        try entry.database.run(FamilyService.list(by: caller)).count
    }

    @Test("a repeated request gets the stored response; a different one under its key is refused")
    func replay() throws {
        let (caller, request) = (RequestContext.person(), try request())
        #expect(try create(request, by: caller) != nil)
        #expect(try create(request, by: caller) == nil)
        let other = try self.request(request.key, body: "{ }")
        #expect(try refusal { try create(other, by: caller) } == .idempotencyKeyReused)
        #expect(try families(of: caller) == 1)
    }

    @Test("a key is scoped to its account, the member acted for, and its route")
    func scope() throws {
        let family = try entry.family()
        let database = try entry.database
        let request = try request()
        let update = { (request: IdempotentRequest, caller: RequestContext) in
            let told = try database.once(by: caller, request) { caller in
                let profile = try ProfileService(database).update(by: caller, .init())
                return (profile.own?.id, StoredResponse(status: 200, format: 1, text: "{}"))
            }
            if case .done = told { return true }
            return false
        }
        #expect(try update(request, family.adult))
        #expect(try update(request, family.actingForChild))
        #expect(try update(request, family.admin))
        #expect(try update(try self.request(request.key, route: "POST /other"), family.adult))
        #expect(try !update(request, family.adult))
    }

    @Test("a failed request has no effect and stores no response, whenever it fails")
    func failure() throws {
        struct Failure: Error {}
        let (caller, request) = (RequestContext.person(), try request())
        let entry = try entry
        #expect(throws: Failure.self) {
            try entry.database.once(by: caller, request) { caller -> (Void, StoredResponse?) in
                let name = try #require(FamilyName("Terns"))
                _ = try FamilyService(entry.database).createAnother(by: caller, name: name)
                throw Failure()
            }
        }
        #expect(throws: StoredResponseTooLong.self) {
            try create(
                request, by: caller,
                keeping: String(repeating: "x", count: StoredResponse.maximumBytes + 1))
        }
        #expect(try families(of: caller) == 0)
        let longest = String(repeating: "x", count: StoredResponse.maximumBytes)
        #expect(try create(request, by: caller, keeping: longest) != nil)
        #expect(try create(request, by: caller, keeping: longest) == nil)
    }

    @Test("a refusal without effect can be stored and replayed")
    func refused() throws {
        let (caller, request) = (RequestContext.person(), try request())
        let database = try entry.database
        let keep = { (text: String) in
            try database.once(by: caller, request) { _ in
                ((), StoredResponse(status: 409, format: 1, text: text))
            }
        }
        guard case .done = try keep("first"),
            case .replay(409, "first") = try keep("second")
        else {
            Issue.record("the first refusal is not the one that is kept")
            return
        }
        #expect(
            try refusal {
                try create(try self.request(request.key, body: "other"), by: caller)
            } == .idempotencyKeyReused)
    }

    @Test("a response stored in a newer program's format is not replayed")
    func newer() throws {
        let (caller, request) = (RequestContext.person(), try request(latestFormat: 3))
        let database = try entry.database
        _ = try database.once(by: caller, request) { _ in
            ((), StoredResponse(status: 200, format: 3, text: "?"))
        }
        let older = try self.request(request.key, latestFormat: 2)
        let told = try refusal { try create(older, by: caller) }
        #expect(told == .retryLater)
        #expect(try families(of: caller) == 0)
    }

    @Test("fifty concurrent requests run once, and the others get its response or a conflict")
    func parallel() throws {
        let entry = try entry
        let (caller, request) = (RequestContext.person(), try request())
        let outcomes = try onThreads(50) { _ in
            do {
                return try create(request, by: caller) == nil ? "told" : "done"
            } catch let error as Refusal {
                return "\(error.code)"
            }
        }.map { try $0.get() }
        #expect(outcomes.count { $0 == "done" } == 1)
        #expect(outcomes.allSatisfy { ["done", "told", "idempotencyKeyInUse"].contains($0) })
        #expect(try entry.database.run(FamilyService.list(by: caller)).count == 1)
    }

    @Test("a key has 1 to 255 characters; an anonymous caller has none")
    func limits() throws {
        let digest = SHA256Digest(of: "")
        let known = { (key: String) in
            IdempotentRequest(route: "r", key: key, digest: digest, latestFormat: 1) != nil
        }
        let long = String(repeating: "é", count: 255)
        #expect(known(long))
        for wrong in ["", long + "x", "a\0b"] { #expect(!known(wrong)) }
        var anonymous = RequestContext.person()
        anonymous.isAnonymous = true
        let request = try request()
        let told = try refusal { try create(request, by: anonymous) }
        #expect(told == .accountRequired)
    }
}
