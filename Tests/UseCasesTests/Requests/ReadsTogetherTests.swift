import Domain
import Postgres
import Repositories
import Testing
import UseCaseSupport

@testable import UseCases

@Suite("Reads that share a round trip")
struct ReadsTogetherTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    /// What a listing shows, or why there is none.
    private func told(_ result: Result<ListMembers.Listing, any Error>) throws -> String {
        switch result {
        case .success(let listing):
            listing.members.map { "\($0.id) \($0.user) \($0.email ?? "-") \($0.status)" }
                .joined(separator: "\n")
        case .failure(let error as Refusal): "\(error.code)"
        case .failure(let error): throw error
        }
    }

    @Test("each sees what it sees alone, whoever stands before and behind it")
    func asAlone() throws {
        let database = try entry.database
        let (ours, theirs) = (try entry.family(), try entry.family())
        var anonymous = Caller.person()
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
                    Result { try database.run(ListMembers.reading(by: caller, family: family)) })
            }
            #expect(Set(alone).count >= 4)
            for shift in callers.indices {
                let order = callers.indices.map { ($0 * 3 + shift) % callers.count }
                let together = try database.run(
                    together: order.map { try ListMembers.reading(by: callers[$0], family: family) }
                )
                for (index, outcome) in zip(order, together) {
                    #expect(try outcome.map(told) == alone[index])
                }
            }
        }
    }

    @Test("whoever is seen for the first time is left to be written down; the others are answered")
    func firstSight() throws {
        let family = try entry.family()
        let stranger = Caller.person()
        let outcomes = try entry.database.run(
            together: [family.admin, stranger, family.player].map {
                try ListMembers.reading(by: $0, family: family.id)
            })
        #expect(outcomes.map { $0 == nil } == [false, true, false])
        #expect(try outcomes[2]?.get().members.count == 5)
    }

    @Test("when a statement fails, each is left to be run alone")
    func failure() throws {
        let family = try entry.family()
        let broken = Statement<Scalar<Int32>>("SELECT 1 / 0")
        let read = Read<ListMembers.Listing>(by: family.admin) { batch in
            batch.add(broken)
            return { _, _ in throw Refusal(.familyNotFound) }
        }
        let outcomes = try entry.database.run(
            together: [ListMembers.reading(by: family.player, family: family.id), read])
        #expect(outcomes.count == 2)
        #expect(outcomes.allSatisfy { $0 == nil })
    }
}
