import Domain
import Policy
import Repositories
import Testing
import UseCaseSupport
import UseCases

@Suite("Families")
struct FamilyTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    @Test("the list of families shows the caller's role in each, its own family first")
    func list() throws {
        let database = try entry.database
        let family = try entry.family()
        _ = try FamilyService(database).createAnother(
            by: family.adult, name: #require(FamilyName("Own")))
        let families = try database.run(FamilyService.list(by: family.adult))
        #expect(families.map(\.name) == ["Own", "The Terns"])
        #expect(families.map(\.householdRole) == [.parentAdmin, .adult])
        #expect(families.map(\.memberCount) == [1, 5])
        #expect(families[1].code == family.code && families[1].creator == family.admin.adoptedID)
        #expect(try database.run(FamilyService.list(by: RequestContext.person())).isEmpty)
    }

    @Test("a caller without the right to read the code gets an empty code")
    func masked() throws {
        let family = try entry.family()
        func read(by caller: RequestContext, family: FamilyID) throws -> ListedFamily {
            try entry.database.run(FamilyService.read(by: caller, family: family))
        }
        #expect(try read(by: family.player, family: family.id).code == family.code)
        for caller in [family.visitor, family.actingForChild] {
            #expect(try read(by: caller, family: family.id).code.isEmpty)
        }
    }

    @Test("only the creator and the Parent Admin can change name, home location and approval")
    func update() throws {
        let family = try entry.family()
        let families = FamilyService(try entry.database)
        let home = try #require(Coordinates(latitude: 54.5, longitude: -3.25))
        let changed = try families.update(
            by: family.admin, family: family.id,
            .init(name: FamilyName("Gulls"), home: .set(home), isApprovalRequired: true))
        #expect(changed.name == "Gulls" && changed.isApprovalRequired)
        #expect(changed.homeLatitude == 54.5 && changed.homeLongitude == -3.25)
        let kept = try families.update(by: family.admin, family: family.id, .init())
        #expect(kept.name == "Gulls" && kept.homeLatitude == 54.5 && kept.isApprovalRequired)
        let forgotten = try families.update(
            by: family.admin, family: family.id, .init(home: .forget))
        #expect(forgotten.homeLatitude == nil && forgotten.homeLongitude == nil)
        for caller in [family.adult, family.player] {
            let told = try refusal {
                try families.update(by: caller, family: family.id, .init(name: FamilyName("Mine")))
            }
            #expect(told == .standingTooLow)
        }
        #expect(try entry.auditCount(family.id, "family.update") == 3)
    }

    @Test("a parent can create a new family five times in all; a player can't")
    func another() throws {
        let service = FamilyService(try entry.database)
        let name = try #require(FamilyName("Again"))
        let parent = RequestContext.person()
        let families = try (0..<5).map { _ in try service.createAnother(by: parent, name: name).id }
        #expect(Set(families).count == 5)
        let sixth = try refusal { try service.createAnother(by: parent, name: name) }
        #expect(sixth == .tooManyFamilies)
        let player = RequestContext.person(.player)
        _ = try service.createAnother(by: player, name: name)
        let second = try refusal { try service.createAnother(by: player, name: name) }
        #expect(second == .playerHasFamily)
        var acting = parent
        acting.actingAs = .random()
        let told = try refusal { try service.createAnother(by: acting, name: name) }
        #expect(told == .notWhileActing)
    }

    @Test(
        "looking up a code shows the family's name and size, and only an unknown code is counted"
    )
    func preview() throws {
        let family = try entry.family()
        let codes = CodeService(try entry.database)
        let caller = RequestContext.person()
        for _ in 0..<6 {
            let found = try codes.preview(
                by: caller, typedCode: family.code, from: .somewhere())
            #expect(found.familyName == "The Terns" && found.memberCount == 5)
        }
        for digit in 2..<7 {
            let told = try refusal {
                try codes.preview(
                    by: caller, typedCode: "FAM-DDDDD\(digit)", from: .somewhere())
            }
            #expect(told == .codeUnknown)
        }
        let limited = try refusal {
            try codes.preview(by: caller, typedCode: family.code, from: .somewhere())
        }
        #expect(limited == .tooManyAttempts)
        let malformed = try refusal {
            try codes.preview(by: caller, typedCode: "FAM-1", from: .somewhere())
        }
        #expect(malformed == .codeMalformed)
    }

    @Test("a new code is accepted, and the old one no longer is")
    func regenerate() throws {
        let family = try entry.family()
        let codes = CodeService(try entry.database)
        let new = try codes.regenerate(by: family.player, family: family.id)
        #expect(new.code != family.code && new.expiresAt == nil)
        let told = try refusal { try entry.join(RequestContext.person(), family.code) }
        #expect(told == .codeUnknown)
        #expect(try entry.join(RequestContext.person(), new.code).family == family.id)
        let merelyJoined = try refusal { try codes.regenerate(by: family.adult, family: family.id) }
        #expect(merelyJoined == .standingTooLow)
    }

    @Test("a code lasts for the requested number of days and is then reported as expired")
    func expiry() throws {
        let family = try entry.family()
        let database = try entry.database
        let codes = CodeService(database)
        for days in [0, 366, -1, Int.max] {
            let told = try refused {
                try codes.regenerate(by: family.admin, family: family.id, expiresInDays: days)
            }
            #expect(told?.parameter == .field("expiresInDays", expected: "from 1 to 365"))
        }
        let new = try codes.regenerate(by: family.admin, family: family.id, expiresInDays: 2)
        let expiresAt = try #require(new.expiresAt)
        #expect(expiresAt.seconds - new.generatedAt.seconds == 2 * 86_400)
        #expect(try codes.read(by: family.admin, family: family.id).code == new.code)
        try entry.asSuperuser(
            """
            UPDATE app.family_units SET code_expires_at = now() - interval '1 second',
                code_generated_at = now() - interval '2 days' WHERE id = \(family.id.rawValue)
            """)
        let told = try refusal { try codes.read(by: family.admin, family: family.id) }
        #expect(told == .codeExpired)
    }
}
