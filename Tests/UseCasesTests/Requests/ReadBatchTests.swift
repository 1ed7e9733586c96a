import Domain
import Postgres
import Repositories
import Testing
import UseCaseSupport

@testable import UseCases

@Suite("Batched reads")
struct ReadBatchTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    /// The entity tag of the path `/`.
    private func tag(by caller: RequestContext, in family: FamilyID?) -> Read<String?> {
        Read(by: caller) { ReadTag.add("/", family, to: &$0) }
    }

    /// The text of a listing, or the error in place of one.
    private func told(_ result: Result<MemberService.Listing, any Error>) throws -> String {
        switch result {
        case .success(let listing):
            listing.members.map { "\($0.id) \($0.user) \($0.email ?? "-") \($0.status)" }
                .joined(separator: "\n")
        case .failure(let error as Refusal): "\(error.code)"
        case .failure(let error): throw error
        }
    }

    @Test("a batched read returns the result of a single read, in any order")
    func asAlone() throws {
        let database = try entry.database
        let (ours, theirs) = (try entry.family(), try entry.family())
        var anonymous = RequestContext.person()
        anonymous.isAnonymous = true
        var pretender = ours.visitor
        pretender.actingAs = ours.actingForChild.actingAs
        let callers = [
            ours.admin, theirs.admin, ours.actingForChild, anonymous, ours.visitor, pretender,
            theirs.actingForChild, ours.player, theirs.player, ours.adult,
        ]
        for family in [ours.id, theirs.id] {
            let alone = try callers.map { caller in
                try told(
                    Result { try database.run(MemberService.list(by: caller, family: family)) })
            }
            #expect(Set(alone).count >= 4)
            for shift in callers.indices {
                let order = callers.indices.map { ($0 * 3 + shift) % callers.count }
                let together = try database.run(
                    batched: order.map { try MemberService.list(by: callers[$0], family: family) }
                )
                for (index, outcome) in zip(order, together) {
                    #expect(try outcome.map(told) == alone[index])
                }
            }
        }
    }

    /// Turns a read of any kind into one that returns all its values as text.
    private func text<Value>(_ read: Read<Value>) -> Read<String> {
        read.map { value in
            var text = ""
            // The description of an object shows only names.
            dump(value, to: &text)
            return text
        }
    }

    private func outcome(_ result: Result<String, any Error>) throws -> String {
        switch result {
        case .success(let text): text
        case .failure(let error as Refusal): "\(error.code)"
        case .failure(let error): throw error
        }
    }

    /// Compares the outcome of each read in a batch with that of a single read.
    private func compare(_ reads: [Read<String>], in order: [Int]) throws {
        let database = try entry.database
        let together = try database.run(batched: order.map { reads[$0] })
        for (index, found) in zip(order, together) {
            let alone = try outcome(Result { try database.run(reads[index]) })
            #expect(try found.map(outcome) == alone)
        }
    }

    @Test("batched reads of all kinds match single ones, even after a removal and a sign-out")
    func everyKind() throws {
        let database = try entry.database
        let keys = try SignInKeys([[UInt8](repeating: 9, count: 32)])
        let (ours, theirs) = (try entry.family(), try entry.family())
        func signedIn(_ caller: RequestContext) throws -> (caller: RequestContext, begun: SignedIn)
        {
            let begun = try SignInService(database, keys).exchange(by: caller, device: nil)
            let session = Caller.Session(id: begun.session, account: begun.user)
            let signedIn = Caller(session, issuer: "https://family.test", signedInAt: 0)
            return (RequestContext(signedIn), begun)
        }
        let (adult, ended) = (try signedIn(ours.adult), try signedIn(theirs.admin))
        for family in [ours, theirs] {
            _ = try InvitationService(database, testKeys()).create(
                by: family.admin, family: family.id, to: .link, role: .parent)
        }
        try SignInService(database, keys).signOut(ended.begun.refreshToken)
        let foreign = RequestContext(
            Caller(
                .init(id: adult.begun.session, account: ended.begun.user),
                issuer: "https://family.test", signedInAt: 0))
        var anonymous = RequestContext.person()
        anonymous.isAnonymous = true
        var guardian = adult.caller
        guardian.actingAs = ours.actingForChild.actingAs
        let callers = [
            ours.admin, adult.caller, ended.caller, theirs.player, anonymous, foreign, guardian,
            ours.actingForChild, ours.visitor, ours.player,
        ]
        func reads() throws -> [Read<String>] {
            try callers.flatMap { caller in
                [
                    text(try MemberService.list(by: caller, family: ours.id)),
                    text(try MemberService.list(by: caller, family: nil)),
                    text(try InvitationService.list(by: caller, family: ours.id)),
                    text(try InvitationService.list(by: caller, family: nil)),
                    text(FamilyService.list(by: caller)),
                    text(FamilyService.read(by: caller, family: ours.id)),
                    text(tag(by: caller, in: nil)),
                    text(tag(by: caller, in: ours.id)),
                ] + (caller.isAnonymous ? [] : [text(try ProfileService.read(by: caller))])
            }
        }
        func compareAll() throws {
            let reads = try reads()
            for shift in 0..<10 {
                let order = reads.indices.map { ($0 * 11 + shift * 5) % reads.count }
                #expect(Set(order).count == reads.count)
                for start in stride(from: 0, to: order.count, by: 8) {
                    try compare(reads, in: Array(order[start..<min(start + 8, order.count)]))
                }
            }
        }
        try compareAll()
        try MemberService(database).remove(by: ours.admin, member: ours.member(ours.player))
        try SignInService(database, keys).signOut(adult.begun.refreshToken)
        try compareAll()
    }

    @Test("callers who act for themselves share a pair of statements for each kind of read")
    func shared() throws {
        let family = try entry.family()
        func statements(_ reads: [Read<String>]) -> Int {
            var batch = Batch()
            _ = ReadBatch(reads, in: &batch)
            return batch.statementCount
        }
        let callers = [family.admin, family.player, family.visitor]
        let members = try callers.map {
            text(try MemberService.list(by: $0, family: family.id))
        }
        #expect(statements(members) == 2)
        #expect(statements(members + callers.map { text(FamilyService.list(by: $0)) }) == 3)
        // A single read has nothing to share.
        #expect(statements([members[0]]) == 2)
        let acting = try MemberService.list(by: family.actingForChild, family: family.id)
        #expect(statements(members + [text(acting)]) == 4)
        // A read without a shared form runs as a whole, after its own begin_request.
        let former = try MemberService.list(
            by: family.admin, family: family.id, status: .removed)
        #expect(statements(members + [text(former)]) == 2 + 4)
    }

    @Test("comparing a tag returns the tag of the read, and none if the caller's request fails")
    func compared() throws {
        let database = try entry.database
        let keys = try SignInKeys([[UInt8](repeating: 9, count: 32)])
        let (ours, theirs) = (try entry.family(), try entry.family())
        func session(_ caller: RequestContext) throws -> (caller: RequestContext, begun: SignedIn) {
            let begun = try SignInService(database, keys).exchange(by: caller, device: nil)
            let session = Caller.Session(id: begun.session, account: begun.user)
            let signedIn = Caller(session, issuer: "https://family.test", signedInAt: 0)
            return (RequestContext(signedIn), begun)
        }
        let (adult, ended) = (try session(ours.adult), try session(theirs.admin))
        try SignInService(database, keys).signOut(ended.begun.refreshToken)
        var anonymous = RequestContext.person()
        anonymous.isAnonymous = true
        var news = ours.admin
        news.email = EmailAddress("elsewhere@example.com")
        let (stranger, foreign) = (
            RequestContext.person(),
            RequestContext(
                Caller(
                    .init(id: adult.begun.session, account: ended.begun.user),
                    issuer: "https://family.test", signedInAt: 0))
        )
        let known = [
            ours.admin, ours.player, ours.visitor, theirs.admin, adult.caller, ours.actingForChild,
        ]
        let others = [anonymous, stranger, ended.caller, foreign, news]
        let scopes: [FamilyID?] = [nil, ours.id, theirs.id]
        func comparing(_ caller: RequestContext, _ scope: FamilyID?) -> Read<String?> {
            ReadTag.comparing(by: caller, of: "/", in: scope) { $0 }
        }
        /// The tags of a caller's comparison, alone and in batches.
        func compared(_ caller: RequestContext, _ scope: FamilyID?) throws -> Set<String?> {
            var tags: Set<String?> = [try? database.run(comparing(caller, scope))]
            for company in [
                [], [ours.actingForChild], [theirs.player], [theirs.player, ours.adult],
                [stranger, theirs.player, adult.caller, ended.caller, ours.adult],
            ] {
                let others = company.enumerated().map { comparing($1, scopes[$0 % 3]) }
                let read = tag(by: theirs.admin, in: nil)
                for before in [others, others + [read, read]] {
                    let together = try? database.run(batched: before + [comparing(caller, scope)])
                    tags.insert(try? together?.last??.get())
                    for (place, other) in others.enumerated() {
                        let alone: String?? = try? database.run(other)
                        let found: String?? = try? together?[place]?.get()
                        #expect((found ?? nil) == (alone ?? nil), "\(place)")
                    }
                }
            }
            return tags
        }
        var tags: Set<String> = []
        func compareAll() throws {
            for scope in scopes {
                for caller in known {
                    let read = try? database.run(tag(by: caller, in: scope))
                    #expect(try compared(caller, scope) == [read])
                    if let read { tags.insert(read) }
                }
                for caller in others { #expect(try compared(caller, scope) == [nil]) }
            }
        }
        try compareAll()
        // Six callers share what concerns all of them, and have one family each.
        #expect(tags.count == 12)
        try MemberService(database).remove(by: ours.admin, member: ours.member(ours.player))
        #expect(try compared(ours.player, ours.id) == [nil])
        try SignInService(database, keys).signOut(adult.begun.refreshToken)
        #expect(try compared(adult.caller, ours.id) == [nil])
        try compareAll()
    }

    @Test("comparing one tag takes one statement, two take two, and three or more share one")
    func comparedAlone() throws {
        let family = try entry.family()
        func statements(_ callers: [RequestContext], in scopes: [FamilyID?]) -> Int {
            var batch = Batch()
            let reads = callers.enumerated().map { number, caller in
                ReadTag.comparing(by: caller, of: "/", in: scopes[number % scopes.count]) { $0 }
            }
            _ = ReadBatch(reads, in: &batch)
            return batch.statementCount
        }
        let several = [family.admin, family.player, family.adult]
        for scopes in [[family.id], [nil, family.id]] {
            #expect(statements([family.admin], in: scopes) == 1)
            #expect(statements([family.admin, family.player], in: scopes) == 2)
            #expect(statements(several, in: scopes) == 1)
        }
        let acting = family.actingForChild
        #expect(statements([family.admin, acting], in: [family.id]) == 1 + 2)
        #expect(statements(several + [acting], in: [family.id]) == 1 + 2)
    }

    @Test("known callers share a batch, and the requests of first-time callers run one by one")
    func firstSight() throws {
        let family = try entry.family()
        let stranger = RequestContext.person()
        let outcomes = try entry.database.run(
            batched: [family.admin, stranger, family.player].map {
                try MemberService.list(by: $0, family: family.id)
            })
        #expect(outcomes.map { $0 == nil } == [false, true, false])
        #expect(try outcomes[2]?.get().members.count == 5)
    }

    @Test("after a failing statement, each read of the batch runs alone")
    func failure() throws {
        let family = try entry.family()
        let broken = Statement<Scalar<Int32>>("SELECT 1 / 0")
        let read = Read<MemberService.Listing>(by: family.admin) { batch in
            batch.add(broken)
            return { _, _ in throw Refusal(.familyNotFound) }
        }
        let outcomes = try entry.database.run(
            batched: [MemberService.list(by: family.player, family: family.id), read])
        #expect(outcomes.count == 2)
        #expect(outcomes.allSatisfy { $0 == nil })
    }
}
