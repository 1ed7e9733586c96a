import Crypto
import Domain
import Postgres
import Repositories
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("A caller's first request, and changed claims")
struct FirstSightTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    @Test("statements batched with the request of an unknown caller do nothing and raise no error")
    func nothingForNobody() throws {
        let entry = try UseCaseDatabase(connections: 1)
        let told = try entry.database.pool.withConnection { connection in
            var batch = Batch()
            let created = batch.add(Families.create, "Nobody's", nil, true)
            let reserved = batch.add(CodeAttempts.reserve, "FAM-ABCDEF", "a", "n")
            let joined = batch.add(CodeAttempts.join, "FAM-ABCDEF", "a", "n")
            let digest = PostgresBytes([UInt8](repeating: 0, count: 32))
            let claimed = batch.add(IdempotencyKeys.claim, "route", "key", digest, 1)
            batch.add(IdempotencyKeys.storeResponse, "route", "key", digest, 200, 1, "{}")
            batch.add(Profiles.update, "Nobody", nil, nil, nil)
            let answers = try connection.send(batch, writes: true)
            return [
                try answers.rows(created).count, try answers.rows(reserved).count,
                try answers.rows(joined).count, try answers.rows(claimed).count,
            ]
        }
        #expect(told == [0, 0, 0, 0])
        for table in ["family_units", "users", "rate_limits", "code_lookups", "idempotency_keys"] {
            #expect(try entry.count("SELECT count(*) FROM app.\(unsafe: table)") == 0)
        }
    }

    @Test("each use case can be a caller's first request")
    func first() throws {
        let entry = try entry
        let creator = RequestContext.person()
        let family = try entry.create(creator)
        try entry.join(RequestContext.person(), family.code)
        #expect(
            try CodeService(entry.database).preview(
                by: RequestContext.person(), typedCode: family.code, from: .somewhere()
            ).memberCount == 2)
        let named = try ProfileService(entry.database).update(
            by: RequestContext.person(), .init(fullName: PersonName("Ada")))
        #expect(named.own?.fullName == "Ada")
        let request = try #require(
            IdempotentRequest(
                route: "r", key: "first", digest: SHA256Digest(of: ""), latestFormat: 1))
        let told = try entry.database.once(by: RequestContext.person(), request) { caller in
            let family = try FamilyService(entry.database).create(by: caller, name: nil, role: nil)
            return (family.existed, nil)
        }
        guard case .done(false) = told else {
            Issue.record("\(told)")
            return
        }
    }

    @Test("an older token keeps the newer address, and its requests succeed")
    func olderToken() throws {
        var old = RequestContext.person()
        old.tokenIssuedAt = 100
        var new = old
        new.tokenIssuedAt = 200
        new.email = EmailAddress("new-\(UserID.random())@example.com")
        let profiles = ProfileService(try entry.database)
        #expect(try profiles.profile(by: old).own?.email == old.email?.text)
        #expect(try profiles.profile(by: new).own?.email == new.email?.text)
        for _ in 0..<2 { #expect(try profiles.profile(by: old).own?.email == new.email?.text) }
        #expect(try entry.create(old).code.isEmpty == false)
    }
}
