import Domain
import Policy
import Repositories
import TestSupport
import Testing
import UseCaseSupport
import UseCases

/// An action in a family, with the refusals for callers without the right to it.
struct Attempt: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The refusal for strangers and for everybody else who can't see the family.
    let absence: RefusalCode
    /// The refusal for a visitor of the family; nil if a visitor is allowed.
    var visitor: RefusalCode? = .visitorsOnlyRead
    /// The refusal for a guardian acting for its child; nil if the guardian is allowed.
    var acting: RefusalCode? = .notWhileActing
    let run: @Sendable (OutsidersTests.Stage, RequestContext) throws -> Void
}

@Suite("Callers without access to a family")
struct OutsidersTests {
    /// A family with one object of each kind that a request can name.
    struct Stage: Sendable {
        let entry: UseCaseDatabase
        let family: FullFamilyFixture<UseCaseDatabase>
        let invitation: InvitationID
        let strangers: [RequestContext]

        init() throws {
            entry = try UseCaseDatabase()
            family = try entry.family()
            let database = entry.database
            invitation = try InvitationService(database, testKeys()).create(
                by: family.admin, family: family.id, to: .link, role: .parent
            ).id
            let (removed, member) = try family.joiner()
            try MemberService(database).remove(by: family.admin, member: member)
            var approval = FamilyService.Change(isApprovalRequired: true)
            _ = try FamilyService(database).update(by: family.admin, family: family.id, approval)
            let waiting = RequestContext.person()
            try entry.join(waiting, family.code)
            approval.isApprovalRequired = false
            _ = try FamilyService(database).update(by: family.admin, family: family.id, approval)
            let otherAdmin = RequestContext.person()
            _ = try entry.create(otherAdmin)
            var anonymous = RequestContext.person()
            anonymous.isAnonymous = true
            strangers = [removed, waiting, otherAdmin, anonymous, RequestContext.person()]
        }
    }

    static let stage = Result { try Stage() }

    static let attempts: [Attempt] = inFamily + onMembers + onInvitations + preferencesAndDetails

    static let inFamily: [Attempt] = [
        Attempt(
            testDescription: "reading the family", absence: .familyNotFound, visitor: nil,
            acting: nil
        ) { _ = try $0.entry.database.run(FamilyService.read(by: $1, family: $0.family.id)) },
        Attempt(
            testDescription: "reading the group", absence: .familyNotFound, visitor: nil,
            acting: nil
        ) { _ = try $0.entry.database.run(FamilyService.readGroup(by: $1, family: $0.family.id)) },
        Attempt(
            testDescription: "listing members", absence: .familyNotFound, visitor: nil, acting: nil
        ) { _ = try $0.entry.database.run(MemberService.list(by: $1, family: $0.family.id)) },
        Attempt(
            testDescription: "listing profiles", absence: .familyNotFound, visitor: nil,
            acting: nil
        ) { _ = try $0.entry.database.run(ProfileService.list(by: $1, family: $0.family.id)) },
        Attempt(testDescription: "reading the code", absence: .familyNotFound) {
            _ = try CodeService($0.entry.database).read(by: $1, family: $0.family.id)
        },
        Attempt(testDescription: "changing the family", absence: .familyNotFound) {
            _ = try FamilyService($0.entry.database).update(
                by: $1, family: $0.family.id, .init(name: FamilyName("Cuckoos")))
        },
        Attempt(testDescription: "renewing the code", absence: .familyNotFound) {
            _ = try CodeService($0.entry.database).regenerate(by: $1, family: $0.family.id)
        },
        Attempt(testDescription: "reading the audit trail", absence: .familyNotFound) {
            _ = try FamilyService($0.entry.database).readAudit(by: $1, family: $0.family.id)
        },
    ]

    static let onMembers: [Attempt] = [
        Attempt(testDescription: "removing a member", absence: .memberNotFound) {
            try MemberService($0.entry.database).remove(
                by: $1, member: try $0.family.member($0.family.player))
        },
        Attempt(testDescription: "approving a member", absence: .memberNotFound) {
            _ = try MemberService($0.entry.database).approve(
                by: $1, member: try $0.family.member($0.family.player))
        },
        Attempt(testDescription: "changing a standing", absence: .memberNotFound) {
            _ = try MemberService($0.entry.database).setHouseholdRole(
                by: $1, member: try $0.family.member($0.family.player), to: .visitor)
        },
        Attempt(testDescription: "transferring the seat", absence: .familyNotFound) {
            _ = try MemberService($0.entry.database).transferAdmin(
                by: $1, family: $0.family.id, to: try $0.family.member($0.family.adult))
        },
        Attempt(testDescription: "adding a child", absence: .familyNotFound) {
            _ = try ChildService($0.entry.database).add(
                by: $1, family: $0.family.id, name: #require(DisplayName("Chick")))
        },
        Attempt(testDescription: "changing a child", absence: .memberNotFound) {
            _ = try ChildService($0.entry.database).update(
                by: $1, member: $0.family.child, name: DisplayName("Chick"))
        },
        Attempt(testDescription: "removing a child", absence: .memberNotFound) {
            try ChildService($0.entry.database).remove(by: $1, member: $0.family.child)
        },
        Attempt(testDescription: "handing a child over", absence: .memberNotFound) {
            _ = try ChildService($0.entry.database).reassign(
                by: $1, member: $0.family.child, to: try $0.family.member($0.family.admin))
        },
    ]

    static let onInvitations: [Attempt] = [
        Attempt(testDescription: "inviting", absence: .familyNotFound) {
            _ = try InvitationService($0.entry.database, testKeys()).create(
                by: $1, family: $0.family.id, to: .link, role: .parent)
        },
        Attempt(testDescription: "listing invitations", absence: .familyNotFound) {
            _ = try $0.entry.database.run(
                InvitationService.list(by: $1, family: $0.family.id))
        },
        Attempt(
            testDescription: "sending an invitation again", absence: .invitationNotFound,
            visitor: .invitationNotFound
        ) {
            _ = try InvitationService($0.entry.database, testKeys()).resend(
                by: $1, invitation: $0.invitation)
        },
        Attempt(
            testDescription: "revoking an invitation", absence: .invitationNotFound,
            visitor: .invitationNotFound
        ) {
            try InvitationService($0.entry.database, testKeys()).revoke(
                by: $1, invitation: $0.invitation)
        },
        Attempt(
            testDescription: "asking for a link again", absence: .invitationNotFound,
            visitor: .invitationNotFound
        ) {
            _ = try InvitationService($0.entry.database, testKeys()).recallToken(
                by: $1, invitation: $0.invitation)
        },
    ]

    static let preferencesAndDetails: [Attempt] = [
        Attempt(
            testDescription: "reading another's preferences", absence: .familyNotFound,
            acting: .standingTooLow
        ) {
            _ = try MemberService($0.entry.database).readPreferences(
                by: $1, family: $0.family.id, member: try $0.family.member($0.family.player))
        },
        Attempt(
            testDescription: "writing another's preferences", absence: .familyNotFound,
            acting: .standingTooLow
        ) {
            _ = try MemberService($0.entry.database).writePreferences(
                by: $1, family: $0.family.id, member: try $0.family.member($0.family.player),
                document: Array("{}".utf8))
        },
        Attempt(testDescription: "reading player details", absence: .familyNotFound) {
            _ = try FamilyService($0.entry.database).readPlayerDetails(by: $1, family: $0.family.id)
        },
        Attempt(testDescription: "writing player details", absence: .familyNotFound) {
            _ = try FamilyService($0.entry.database).writePlayerDetails(
                by: $1, family: $0.family.id, .init(sport: .null))
        },
    ]

    @Test(
        "strangers and removed, waiting, anonymous or unknown callers find no family",
        arguments: attempts)
    func strangers(attempt: Attempt) throws {
        let stage = try Self.stage.get()
        for (index, stranger) in stage.strangers.enumerated() {
            let told = try ending { try attempt.run(stage, stranger) }
            #expect(told?.code == attempt.absence, "stranger \(index)")
            #expect(told?.underlying == nil, "only the database refused stranger \(index)")
        }
    }

    @Test("a visitor can only read", arguments: attempts)
    func visitor(attempt: Attempt) throws {
        let stage = try Self.stage.get()
        let told = try refusal { try attempt.run(stage, stage.family.visitor) }
        #expect(told == attempt.visitor)
    }

    @Test("a guardian acting for a child has the child's rights and no more", arguments: attempts)
    func acting(attempt: Attempt) throws {
        let stage = try Self.stage.get()
        let told = try refusal { try attempt.run(stage, stage.family.actingForChild) }
        #expect(told == attempt.acting)
    }

    @Test("an invalid delegation is refused for every action", arguments: attempts)
    func falseDelegation(attempt: Attempt) throws {
        let stage = try Self.stage.get()
        var pretender = stage.family.admin
        pretender.actingAs = UserID(rawValue: stage.family.child.rawValue)
        let told = try refusal { try attempt.run(stage, pretender) }
        #expect(told == .actingRefused)
    }
}
