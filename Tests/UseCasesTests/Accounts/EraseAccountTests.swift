import Domain
import Foundation
import Policy
import Postgres
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("Erasing an account")
struct EraseAccountTests {
    static let entry = Result { try UseCaseDatabase(connections: 16) }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    private static let now = Int64(Date().timeIntervalSince1970)

    /// Returns the context of the same person with a newly issued token.
    private func fresh(_ caller: RequestContext, issuedAt: Int64 = now) -> RequestContext {
        var caller = caller
        caller.tokenIssuedAt = issuedAt
        return caller
    }

    private func erase(
        _ caller: RequestContext, code: String? = nil,
        successors: AccountService.Successors = .init()
    ) throws {
        try AccountService(entry.database, entry.invitationKeys.deletionCodes).erase(
            by: caller, code: code, successors: successors, now: Self.now)
    }

    private func code(of caller: RequestContext, at seconds: Int64 = now) throws -> String {
        try entry.invitationKeys.deletionCodes.code(
            for: #require(caller.adoptedID), at: #require(caller.email).text,
            secondsSince1970: seconds)
    }

    private func isErased(_ caller: RequestContext) throws -> Bool {
        let id = try #require(caller.adoptedID).rawValue
        return try entry.count("SELECT count(*) FROM app.users WHERE id = \(id)") == 0
    }

    private func faults() throws -> [String] {
        try Connection(entry.test.settings()).query("SELECT kind FROM app.find_faults(100)")
            .map { (row) throws(PostgresError) in try row.read(String.self) }
    }

    @Test(
        "a new account is created only by a later token after an account without a family is erased"
    )
    func alone() throws {
        let person = fresh(RequestContext.person())
        _ = try ProfileService(entry.database).profile(by: person)
        try erase(person)
        #expect(try isErased(person))
        let again = try refusal { try ProfileService(entry.database).profile(by: person) }
        #expect(again == .accountRequired)
        // Sent again, as after a lost response.
        try erase(person)
        let later = fresh(person, issuedAt: Self.now + 60)
        let profile = try ProfileService(entry.database).profile(by: later)
        let id = try #require(profile.own?.id)
        #expect(id == person.adoptedID && profile.families.isEmpty)
        let before = try #require(person.adoptedID).rawValue
        let trail = try entry.count(
            """
            SELECT count(*) FROM app.audit_log
            WHERE action = 'user.erase' AND subject_user_id = \(before)
            """)
        // The audit log names the erased person by an id that leads to nobody.
        #expect(trail == 0)
    }

    @Test("erasing requires a token issued in the last ten minutes, or the e-mailed code")
    func proof() throws {
        let person = RequestContext.person()
        for caller in [person, fresh(person, issuedAt: Self.now - 601)] {
            #expect(try refusal { try erase(caller) } == .freshSignInRequired)
        }
        let old = fresh(person, issuedAt: Self.now - 3_600)
        #expect(try refusal { try erase(old, code: "000000") } == .codeWrong)
        let another = try code(of: RequestContext.person())
        #expect(try refusal { try erase(old, code: another) } == .codeWrong)
        let late = try code(of: person, at: Self.now - 1_200)
        #expect(try refusal { try erase(old, code: late) } == .codeWrong)
        #expect(try !isErased(person))
        try erase(old, code: try code(of: person))
        #expect(try isErased(person))
    }

    @Test("many concurrent guesses get five comparisons, after which the right code is refused")
    func guesses() throws {
        let person = fresh(RequestContext.person(), issuedAt: Self.now - 3_600)
        _ = try ProfileService(entry.database).profile(by: person)
        let right = try code(of: person)
        let guesses = (0..<20).map { String(format: "%06d", $0) }.filter { $0 != right }
        let outcomes = try onThreads(guesses.count) { index in
            try ending { try erase(person, code: guesses[index]) }?.code
        }.map { try $0.get() }
        #expect(outcomes.count { $0 == .codeWrong } == 5)
        #expect(outcomes.count { $0 == .tooManyAttempts } == outcomes.count - 5)
        #expect(try refusal { try erase(person, code: right) } == .tooManyAttempts)
        #expect(try !isErased(person))
    }

    @Test("children and the admin's seat block an erasure, and the refusal names each")
    func blockers() throws {
        let family = try entry.family()
        let adult = fresh(family.adult)
        let told = try refused { try erase(adult) }
        #expect(told?.code == .erasureBlocked)
        for person in [family.adult, family.admin] {
            let known = try entry.database.run(AccountService.erasureObstacles(by: person))
            let refusal = try refused { try erase(fresh(person)) }
            let blockers = known.compactMap(\.blocker)
            #expect(refusal?.parameter == .blockers(blockers), "known in advance")
        }
        let free = try entry.database.run(AccountService.erasureObstacles(by: family.player))
        #expect(free.isEmpty)
        #expect(
            told?.parameter
                == .blockers([
                    ErasureBlocker(
                        kind: .guardianHasManagedMembers, family: family.id, member: family.child)
                ]))
        let admin = try refused { try erase(fresh(family.admin)) }
        #expect(
            admin?.parameter
                == .blockers([
                    ErasureBlocker(
                        kind: .transferAdminFirst, family: family.id,
                        member: try family.member(family.admin))
                ]))
        let acting = try refusal {
            var caller = adult
            caller.actingAs = UserID(rawValue: family.child.rawValue)
            try erase(caller)
        }
        #expect(acting == .notWhileActing)
        #expect(try !isErased(adult))
        #expect(try entry.members(family.admin, nil).count == 5)
    }

    @Test("children go to the named guardian, or are erased with the account")
    func children() throws {
        let family = try entry.family()
        let adult = fresh(family.adult)
        let player = try family.member(family.player)
        #expect(
            try refusal { try erase(adult, successors: .init(guardians: [player])) }
                == .guardianNotAdult)
        let elsewhere = try entry.family()
        let stranger = try elsewhere.member(elsewhere.admin)
        #expect(
            try refusal { try erase(adult, successors: .init(guardians: [stranger])) }
                == .memberNotFound)
        let admin = try family.member(family.admin)
        try erase(adult, successors: .init(guardians: [admin], erasesChildren: true))
        let child = try #require(
            try entry.members(family.admin, nil).first { $0.id == family.child })
        #expect(child.guardian == family.admin.adoptedID && child.fullName != nil)

        let other = fresh(elsewhere.adult)
        try erase(other, successors: .init(erasesChildren: true))
        #expect(try entry.members(elsewhere.admin, nil).allSatisfy { !$0.isManaged })
        let erased = try entry.count(
            """
            SELECT count(*) FROM app.users
            WHERE id = \(elsewhere.child.rawValue) AND deleted_at IS NOT NULL
                AND full_name IS NULL AND avatar_key IS NULL
            """)
        #expect(erased == 1)
        #expect(try faults() == [])
    }

    @Test("the seat goes to the named adult, and the adults are notified by e-mail")
    func seat() throws {
        let family = try entry.family()
        let admin = fresh(family.admin)
        let player = try family.member(family.player)
        #expect(
            try refusal { try erase(admin, successors: .init(admins: [player])) } == .adminNotAdult)
        let adult = try family.member(family.adult)
        try erase(admin, successors: .init(admins: [adult]))
        let members = try entry.members(family.adult, nil)
        #expect(members.first { $0.id == adult }?.householdRole == .parentAdmin)
        let successor = try #require(family.adult.adoptedID).description
        let mails = try entry.count(
            """
            SELECT count(*) FROM jobs.live WHERE kind = 'mail.admin_changed'
                AND payload ->> 'other' = \(successor)
            """)
        #expect(mails == 1)
        #expect(try entry.auditCount(family.id, "admin.transfer") == 1)
        #expect(try faults() == [])
    }

    @Test("an erased address is kept until the confirmation is sent, but not in the job")
    func address() throws {
        let person = fresh(RequestContext.person())
        _ = try ProfileService(entry.database).profile(by: person)
        try AccountService(entry.database, entry.invitationKeys.deletionCodes).sendDeletionCode(
            by: person, from: .somewhere())
        try erase(person)
        let address = try #require(person.email).text
        let kept = try entry.count(
            "SELECT count(*) FROM app.erasures WHERE email = \(address)")
        #expect(kept == 1)
        let jobs = try entry.count(
            """
            SELECT count(*) FROM jobs.live AS j JOIN app.erasures AS e
                ON e.id::text = j.payload ->> 'erasure'
            WHERE j.kind = 'mail.account_erased' AND e.email = \(address)
                AND strpos(j.payload::text, \(address)) = 0
            """)
        #expect(jobs == 1)
        try entry.asSuperuser(
            """
            UPDATE app.erasures SET erased_at = now() - app.erasure_retention()
            WHERE email = \(address)
            """)
        try entry.asSuperuser("SELECT app.erase_removed_members('30 days', 100, NULL)")
        #expect(
            try entry.count("SELECT count(*) FROM app.erasures WHERE email = \(address)") == 0)
    }

    @Test("an account gets at most five codes an hour, only at a verified address")
    func mailedCodes() throws {
        let person = RequestContext.person()
        let client = ClientAddress.somewhere()
        let accounts = try AccountService(entry.database, entry.invitationKeys.deletionCodes)
        let outcomes = try onThreads(10) { _ in
            try ending { try accounts.sendDeletionCode(by: person, from: client) }?.code
        }.map { try $0.get() }
        #expect(outcomes.count { $0 == nil } == 5)
        #expect(outcomes.count { $0 == .tooManyAttempts } == 5)
        var unverified = RequestContext.person()
        unverified.isEmailVerified = false
        #expect(
            try refusal { try accounts.sendDeletionCode(by: unverified, from: client) }
                == .noVerifiedAddress)
    }
}
