import Domain
import Policy
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Joining a family by its code")
struct JoinFamilyByCodeTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    @Test("a parent joins a player's family with a carelessly typed code, and each sees the other")
    func joins() throws {
        let player = RequestContext.person(.player)
        let family = try entry.create(player, name: "Storks")
        let parent = RequestContext.person(.parent)
        let joined = try entry.join(parent, "  \(family.code.lowercased().dropFirst(4)) ")
        #expect(joined.family == family.id && joined.familyName == "Storks" && !joined.isWaiting)
        for caller in [player, parent] {
            let listing = try entry.database.run(MemberService.list(by: caller, family: nil))
            #expect(listing.members.map(\.householdRole) == [.kid, .adult])
        }
    }

    @Test("a malformed code and an unknown code get different errors")
    func unknown() throws {
        let parent = RequestContext.person()
        #expect(try refusal { try entry.join(parent, "FAM-12") } == .codeMalformed)
        #expect(try refusal { try entry.join(parent, "FAM-ZZZZZ0") } == .codeUnknown)
    }

    @Test("an expired code is reported as expired")
    func expired() throws {
        let family = try entry.create(RequestContext.person(.player))
        try entry.asSuperuser(
            """
            UPDATE app.family_units
            SET code_generated_at = now() - interval '2 days',
                code_expires_at = now() - interval '1 day'
            WHERE id = \(family.id.rawValue)
            """)
        #expect(
            try refusal { try entry.join(RequestContext.person(), family.code) } == .codeExpired)
    }

    @Test("a member, or a player in another family with others, can't join")
    func refused() throws {
        let family = try entry.create(RequestContext.person(.player))
        let parent = RequestContext.person()
        try entry.join(parent, family.code)
        #expect(try refusal { try entry.join(parent, family.code) } == .alreadyMember)
        let player = RequestContext.person(.player)
        try entry.join(RequestContext.person(), entry.create(player).code)
        #expect(try refusal { try entry.join(player, family.code) } == .playerHasFamily)
    }

    @Test("twenty concurrent joins into a family of seven admit one")
    func lastPlace() throws {
        let entry = try entry
        let family = try entry.create(RequestContext.person(.player))
        for _ in 0..<6 { try entry.join(RequestContext.person(), family.code) }
        let outcomes = try onThreads(20) { _ in
            try ending { try entry.join(RequestContext.person(), family.code) }
        }.map { try $0.get() }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0?.code == .familyFull } == 19)
        #expect(outcomes.count { $0?.parameter == .memberLimit(8) } == 19)
    }

    @Test("even the right code is refused after five failures in a row, with the time to wait")
    func bruteForce() throws {
        let family = try entry.create(RequestContext.person(.player))
        let attacker = RequestContext.person()
        for digit in 2..<7 {
            #expect(
                try refusal { try entry.join(attacker, "FAM-AAAAA\(digit)") } == .codeUnknown)
        }
        let limited = try ending {
            try entry.join(attacker, family.code)
        }
        #expect(limited?.code == .tooManyAttempts)
        #expect(try (1...300).contains(#require(limited?.seconds)))
    }

    @Test("concurrent failures allow five look-ups altogether")
    func bruteForceInParallel() throws {
        let entry = try entry
        let attacker = RequestContext.person()
        _ = try refusal { try entry.join(attacker, "FAM-AAAAA9") }
        let outcomes = try onThreads(24) { index in
            try refusal {
                try entry.join(attacker, "FAM-BBBB\(index / 5 + 2)\(index % 5 + 2)")
            }
        }.map { try $0.get() }
        #expect(outcomes.count { $0 == .codeUnknown } == 4)
        #expect(
            outcomes.allSatisfy { [.tooManyAttempts, .codeUnknown].contains($0) })
    }

    @Test("a client address can fail twenty times, across all accounts")
    func perAddress() throws {
        let client = ClientAddress.somewhere()
        for index in 0..<20 {
            let outcome = try refusal {
                try entry.join(RequestContext.person(), "FAM-CC\(1000 + index)", from: client)
            }
            #expect(outcome == .codeUnknown)
        }
        let limited = try refusal {
            try entry.join(RequestContext.person(), "FAM-CCCCCC", from: client)
        }
        #expect(limited == .tooManyAttempts)
    }
}
