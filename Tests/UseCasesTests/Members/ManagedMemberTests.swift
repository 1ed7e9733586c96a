import Domain
import Policy
import Testing
import UseCaseSupport
import UseCases

@Suite("Managed members")
struct ManagedMemberTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    @Test("an adult adds a child with one id for member and user, and becomes its guardian")
    func add() throws {
        let family = try entry.family()
        let children = ChildService(try entry.database)
        let child = try children.add(
            by: family.admin, family: nil, name: #require(DisplayName("Chick")),
            avatarKey: AvatarKey("owl"))
        #expect(child.id.rawValue == child.user.rawValue && child.isManaged)
        #expect(child.fullName == "Chick" && child.avatarKey == "owl" && child.email == nil)
        #expect(child.role == .player && child.householdRole == .kid)
        #expect(child.guardian == family.admin.adoptedID)
        let byPlayer = try refusal {
            try children.add(by: family.player, family: nil, name: #require(DisplayName("Chick")))
        }
        #expect(byPlayer == .standingTooLow)
        let plain = try children.add(
            by: family.admin, family: nil, name: #require(DisplayName("Plain")),
            avatarKey: AvatarKey(""))
        #expect(plain.avatarKey == nil)
    }

    @Test("a full family can't add children")
    func full() throws {
        let family = try entry.family()
        let children = ChildService(try entry.database)
        let name = try #require(DisplayName("Chick"))
        for _ in 0..<3 { _ = try children.add(by: family.adult, family: family.id, name: name) }
        let told = try refused { try children.add(by: family.adult, family: family.id, name: name) }
        #expect(told?.code == .familyFull && told?.parameter == .memberLimit(8))
    }

    @Test("a name that the database refuses is reported as it was given")
    func refusedNames() throws {
        let family = try entry.family()
        let database = try entry.database
        let name = DisplayName(unchecked: "a\u{7}b")
        let added = try refused {
            try ChildService(database).add(by: family.adult, family: family.id, name: name)
        }
        let changed = try refused {
            try ChildService(database).update(by: family.adult, member: family.child, name: name)
        }
        for told in [added, changed] {
            #expect(told?.code == .invalidField && told?.parameter == .field("displayName"))
        }
        let own = try refused {
            try ProfileService(database).update(
                by: family.adult, .init(fullName: PersonName(unchecked: name.text)))
        }
        #expect(own?.code == .invalidField && own?.parameter == .field("fullName"))
    }

    @Test(
        "a child can be changed only by a guardian; a member with an account can't be changed this way"
    )
    func update() throws {
        let family = try entry.family()
        let children = ChildService(try entry.database)
        let changed = try children.update(
            by: family.adult, member: family.child, name: DisplayName("Max"),
            avatarKey: AvatarKey("fox"))
        #expect(changed.fullName == "Max" && changed.avatarKey == "fox")
        let bare = try children.update(
            by: family.adult, member: family.child, avatarKey: AvatarKey(""))
        #expect(bare.fullName == "Max" && bare.avatarKey == nil)
        for caller in [family.admin, family.player] {
            let told = try refusal {
                try children.update(by: caller, member: family.child, name: DisplayName("Mine"))
            }
            #expect(told == .standingTooLow)
        }
        let onAccount = try refusal {
            try children.update(
                by: family.adult, member: try family.member(family.player),
                name: DisplayName("Mine"))
        }
        #expect(onAccount == .memberNotFound)
    }

    @Test("guardian and Parent Admin can remove a child, for whom nobody can act afterwards")
    func remove() throws {
        for isGuardian in [true, false] {
            let family = try entry.family()
            let children = ChildService(try entry.database)
            let byPlayer = try refusal {
                try children.remove(by: family.player, member: family.child)
            }
            #expect(byPlayer == .standingTooLow)
            try children.remove(by: isGuardian ? family.adult : family.admin, member: family.child)
            let acting = try refusal { try entry.members(family.actingForChild, family.id) }
            #expect(acting == .actingRefused)
            let again = try refusal { try children.remove(by: family.admin, member: family.child) }
            #expect(again == .memberNotFound)
            #expect(try entry.auditCount(family.id, "managed.remove") == 1)
        }
        let family = try entry.family()
        let onAccount = try refusal {
            try ChildService(try entry.database).remove(
                by: family.admin, member: try family.member(family.player))
        }
        #expect(onAccount == .memberNotFound)
    }

    @Test("a guardian who hands its child to another adult can't act for it afterwards")
    func reassign() throws {
        let family = try entry.family()
        let children = ChildService(try entry.database)
        let admin = try family.member(family.admin)
        let byAdmin = try refusal {
            try children.reassign(by: family.admin, member: family.child, to: admin)
        }
        #expect(byAdmin == .standingTooLow)
        for newGuardian in [family.player, family.visitor] {
            let told = try refusal {
                try children.reassign(
                    by: family.adult, member: family.child, to: try family.member(newGuardian))
            }
            #expect(told == .guardianNotAdult)
        }
        let child = try children.reassign(by: family.adult, member: family.child, to: admin)
        #expect(child.guardian == family.admin.adoptedID)
        let acting = try refusal { try entry.members(family.actingForChild, family.id) }
        #expect(acting == .actingRefused)
    }

    @Test("the group lists both accounts and children, and nobody with a pending request")
    func group() throws {
        let family = try entry.family()
        let database = try entry.database
        _ = try FamilyService(database).update(
            by: family.admin, family: family.id, .init(isApprovalRequired: true))
        try entry.join(RequestContext.person(), family.code)
        let group = try database.run(FamilyService.readGroup(by: family.admin, family: family.id))
        #expect(group.family.name == "The Terns")
        #expect(group.members.map(\.fullName) == ["Ada", "Pat", "Kim", "Vic", "Robin"])
        #expect(group.members.map(\.isManaged) == [false, false, false, false, true])
    }
}
