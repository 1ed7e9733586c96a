import Domain
import Policy
import Repositories
import Testing
import UseCaseSupport
import UseCases

@Suite("Profiles")
struct ProfileTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    @Test("a caller's first request creates its user, with the token's name and role")
    func firstSight() throws {
        let caller = RequestContext.person(.player, name: "Ada")
        let profile = try ProfileService(try entry.database).profile(by: caller)
        let own = try #require(profile.own)
        #expect(own.id == caller.adoptedID && own.fullName == "Ada" && own.role == .player)
        #expect(own.email == caller.email?.text)
        #expect(profile.families.isEmpty && profile.actor == nil)
    }

    @Test("a refused first request still creates the user")
    func seenWhenRefused() throws {
        let caller = RequestContext.person()
        let told = try refusal {
            try entry.database.run(FamilyService.read(by: caller, family: .random()))
        }
        #expect(told == .familyNotFound)
        let user = try #require(caller.adoptedID)
        let count = try entry.count(
            "SELECT count(*) FROM app.users WHERE id = \(user.rawValue)")
        #expect(count == 1)
    }

    @Test("a token whose name can't be stored is accepted")
    func oddName() throws {
        let caller = RequestContext.person(name: "A\0da\nLovelace")
        let own = try #require(try ProfileService(try entry.database).profile(by: caller).own)
        #expect(own.fullName == "Ada Lovelace")
    }

    @Test("an anonymous caller reads an empty profile and can't change it")
    func anonymous() throws {
        var caller = RequestContext.person()
        caller.isAnonymous = true
        let profile = try ProfileService(try entry.database).profile(by: caller)
        #expect(profile.own == nil && profile.families.isEmpty)
        let told = try refusal {
            try ProfileService(try entry.database).update(by: caller, .init(role: .player))
        }
        #expect(told == .accountRequired)
    }

    @Test("a new address in the token becomes the profile's address")
    func news() throws {
        var caller = RequestContext.person()
        let profiles = ProfileService(try entry.database)
        _ = try profiles.profile(by: caller)
        caller.email = EmailAddress("new-\(UserID.random())@example.com")
        let own = try #require(try profiles.profile(by: caller).own)
        #expect(own.email == caller.email?.text)
    }

    @Test("name, avatar and role can change; an empty avatar removes it")
    func update() throws {
        let caller = RequestContext.person(.parent)
        let profiles = ProfileService(try entry.database)
        let change = ProfileService.Change(
            fullName: PersonName("Grace"), avatarKey: AvatarKey("owl"),
            avatarURL: AvatarURL("https://pictures.example/owl.png"), role: .player)
        let own = try #require(try profiles.update(by: caller, change).own)
        #expect(own.fullName == "Grace" && own.avatarKey == "owl" && own.role == .player)
        #expect(own.avatarURL == "https://pictures.example/owl.png")
        let bare = try #require(
            try profiles.update(
                by: caller, .init(avatarKey: AvatarKey(""), avatarURL: AvatarURL(""))
            ).own)
        #expect(bare.avatarKey == nil && bare.avatarURL == nil && bare.fullName == "Grace")
    }

    @Test("the role is fixed in a family with others, and can change in a family of one's own")
    func roleFixed() throws {
        let alone = RequestContext.person(.parent)
        _ = try entry.create(alone)
        let profiles = ProfileService(try entry.database)
        #expect(try refusal { try profiles.update(by: alone, .init(role: .player)) } == nil)
        let family = try entry.family()
        let told = try refusal { try profiles.update(by: family.adult, .init(role: .player)) }
        #expect(told == .roleFixedInFamily)
        let same = try refusal { try profiles.update(by: family.adult, .init(role: .parent)) }
        #expect(same == nil)
    }

    @Test("an account may change its role in no family or alone in one, not in one with others")
    func mayChangeRole() throws {
        let alone = RequestContext.person(.parent)
        let database = try entry.database
        #expect(try database.run(ProfileService.mayChangeRole(by: alone)))
        _ = try entry.create(alone)
        #expect(try database.run(ProfileService.mayChangeRole(by: alone)))
        let family = try entry.family()
        for person in [family.admin, family.adult, family.player] {
            #expect(try !database.run(ProfileService.mayChangeRole(by: person)))
        }
    }

    @Test("the profile while acting is the child's and names the guardian")
    func acting() throws {
        let family = try entry.family()
        let database = try entry.database
        let profile = try ProfileService(database).profile(by: family.actingForChild)
        let own = try #require(profile.own)
        #expect(own.kind == .managed && own.fullName == "Robin" && own.email == nil)
        #expect(profile.actor?.user == family.adult.adoptedID && profile.actor?.name == "Pat")
        #expect(profile.families.map(\.id) == [family.id])
        #expect(profile.families.map(\.code) == [""])
        let changed = try ProfileService(database).update(
            by: family.actingForChild,
            .init(fullName: PersonName("Max"), avatarKey: AvatarKey("fox")))
        #expect(changed.own?.fullName == "Max" && changed.own?.avatarKey == "fox")
        #expect(try ProfileService(database).profile(by: family.adult).own?.fullName == "Pat")
    }

    @Test("a child has no role to choose, no external picture, and a short name")
    func actingLimits() throws {
        let family = try entry.family()
        let profiles = ProfileService(try entry.database)
        let acting = family.actingForChild
        for change in [
            ProfileService.Change(role: .parent),
            ProfileService.Change(avatarURL: AvatarURL("https://pictures.example/a.png")),
        ] {
            let told = try refusal { try profiles.update(by: acting, change) }
            #expect(told == .notWhileActing)
        }
        let long = PersonName(String(repeating: "x", count: 31))
        let told = try refused { try profiles.update(by: acting, .init(fullName: long)) }
        #expect(told?.code == .invalidField && told?.parameter == .field("fullName"))
    }

    @Test("switchable profiles are one's own, then one's children in order, even while acting")
    func switching() throws {
        let family = try entry.family()
        let database = try entry.database
        _ = try ChildService(database).add(
            by: family.adult, family: nil, name: #require(DisplayName("Second")))
        for caller in [family.adult, family.actingForChild] {
            let profiles = try database.run(ProfileService.list(by: caller, family: nil))
            #expect(profiles.map(\.name) == ["Pat", "Robin", "Second"])
            #expect(profiles.map(\.isManaged) == [false, true, true])
            #expect(profiles.allSatisfy { $0.family == family.id })
            #expect(profiles[1].guardian == family.adult.adoptedID)
        }
        let player = try database.run(ProfileService.list(by: family.player, family: family.id))
        #expect(player.map(\.name) == ["Kim"])
    }

    @Test(
        "only one's own profile is switchable without a family; of several families one must be named"
    )
    func switchingElsewhere() throws {
        let caller = RequestContext.person(name: "Solo")
        func list(by caller: RequestContext, family: FamilyID?) throws
            -> [SwitchableProfile]
        {
            try entry.database.run(ProfileService.list(by: caller, family: family))
        }
        let alone = try list(by: caller, family: nil)
        #expect(alone.map(\.name) == ["Solo"] && alone[0].family == nil)
        let families = try (0..<2).map { _ in
            try entry.create(RequestContext.person(.player))
        }
        for family in families { try entry.join(caller, family.code) }
        let told = try refusal { try list(by: caller, family: nil) }
        #expect(told == .familyRequired)
        #expect(try list(by: caller, family: families[1].id)[0].family == families[1].id)
    }
}
