import HearthClient
import Testing

@Suite("Contract: families, codes and members", .timeLimit(.minutes(10)))
struct FamilyContract {
    @Test("a newcomer has a profile and no family", arguments: Backend.allCases)
    func newcomer(_ backend: Backend) async throws {
        let person = try backend.site().person(.player, "Kim")
        let profile = try await person.hearth.profile()
        #expect(profile.fullName == "Kim" && profile.role == .player && profile.families == [])
        #expect(profile.email == person.email && !profile.isManaged && profile.actorID == nil)
        #expect(try await person.hearth.families() == [])
        #expect(try await refusal { _ = try await person.hearth.members() } == .familyRequired)
    }

    @Test("each profile field changes on its own", arguments: Backend.allCases)
    func profile(_ backend: Backend) async throws {
        let site = try backend.site()
        let hearth = try site.person().hearth
        _ = try await hearth.updateProfile(ProfileChange(avatarKey: .set("fox")))
        let changed = try await hearth.updateProfile(ProfileChange(fullName: "Zoë"))
        #expect(changed.fullName == "Zoë" && changed.avatarKey == "fox")
        let cleared = try await hearth.updateProfile(
            ProfileChange(role: .player, avatarKey: .clear))
        #expect(cleared.avatarKey == "" && cleared.role == .player)
        let speaking = try await hearth.updateProfile(ProfileChange(locale: "es-MX"))
        #expect(speaking.locale == "es-MX" && speaking.fullName == "Zoë")
        let family = try await hearth.createFamily()
        let inFamily = try await hearth.updateProfile(ProfileChange(role: .parent))
        #expect(inFamily.role == .parent)
        let listed = try await hearth.families().first
        #expect(listed?.role == .parent && listed?.householdRole == .parentAdmin)
        try await site.person(.parent, "Noa").hearth
            .joinFamily(by: try #require(family.code.flatMap(FamilyCode.init(typed:))))
        let fixed = try await refusal {
            _ = try await hearth.updateProfile(ProfileChange(role: .player))
        }
        #expect(fixed == .roleFixedInFamily)
    }

    @Test(
        "a default role can be chosen once, even in a family", arguments: Backend.allCases)
    func defaultRole(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let child = try site.person(.unknown(""), "Sam").hearth
        let profile = try await child.profile()
        #expect(profile.role == .parent && profile.isRoleDefault)
        try await child.joinFamily(by: home.code)
        #expect(try await child.profile().isRoleDefault)
        let said = try await child.updateProfile(ProfileChange(role: .player))
        #expect(said.role == .player && !said.isRoleDefault)
        #expect(said.families[0].role == .player && said.families[0].householdRole == .kid)
        let again = try await refusal {
            _ = try await child.updateProfile(ProfileChange(role: .parent))
        }
        #expect(again == .roleFixedInFamily)
        let guardian = try site.person(.unknown("")).hearth
        try await guardian.createFamily()
        _ = try await guardian.addManagedMember(named: "Wren")
        let refused = try await refusal {
            _ = try await guardian.updateProfile(ProfileChange(role: .player))
        }
        #expect(refused == .guardianHasManagedMembers)
        #expect(try await !guardian.updateProfile(ProfileChange(role: .parent)).isRoleDefault)
    }

    @Test("creating a family returns the existing one", arguments: Backend.allCases)
    func creating(_ backend: Backend) async throws {
        let hearth = try backend.site().person().hearth
        let made = try await hearth.createFamily(named: "The Terns")
        #expect(!made.existedBefore && made.name == "The Terns")
        #expect(made.code.flatMap(FamilyCode.init(typed:)) != nil)
        let again = try await hearth.createFamily(named: "Others")
        #expect(again.id == made.id && again.existedBefore && again.code == made.code)
        let other = try await hearth.createAnotherFamily(named: "Others")
        #expect(try await Set(hearth.families().map(\.id)) == [made.id, other.id])
        let family = try await hearth.family(made.id)
        #expect(family.householdRole == .parentAdmin && family.role == .parent)
        #expect(family.memberCount == 1 && !family.isApprovalRequired && family.home == nil)
        #expect(family.code == made.code && family.codeGeneratedAt != nil)
        #expect(try await family.createdByUserID == hearth.profile().id)
    }

    @Test(
        "a family's name, home location and approval setting can be changed",
        arguments: Backend.allCases)
    func updating(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let id = home.family.id
        var change = FamilyChange(name: "Gulls", home: .set(Home(latitude: 54.25, longitude: 8)))
        change.isApprovalRequired = true
        let changed = try await home.admin.hearth.updateFamily(id, change)
        #expect(changed.name == "Gulls" && changed.isApprovalRequired)
        #expect(changed.home == Home(latitude: 54.25, longitude: 8))
        let cleared = try await home.admin.hearth.updateFamily(id, FamilyChange(home: .clear))
        #expect(cleared.name == "Gulls" && cleared.home == nil && cleared.isApprovalRequired)
    }

    @Test("a code previews its family, and joining again is refused", arguments: Backend.allCases)
    func joining(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let aunt = try site.person(.parent, "Aunt")
        let preview = try await aunt.hearth.previewCode(home.code)
        #expect(preview == (try await home.parent.hearth.previewCode(home.code)))
        #expect(preview.familyName == "The Terns" && preview.memberCount == 3)
        #expect(!preview.isApprovalRequired)
        let joined = try await aunt.hearth.joinFamily(by: home.code)
        #expect(joined.familyID == home.family.id && !joined.isAwaitingApproval)
        #expect(joined.message == "Successfully joined family")
        let again = try await refusal { try await aunt.hearth.joinFamily(by: home.code) }
        #expect(again == .alreadyMember)
        let nowhere = try #require(FamilyCode(typed: "QQQQQ1"))
        let unknown = try await refusal { try await aunt.hearth.joinFamily(by: nowhere) }
        #expect(unknown == .codeUnknown)
    }

    @Test("a player can't join a second family", arguments: Backend.allCases)
    func onePlayer(_ backend: Backend) async throws {
        let site = try backend.site()
        let (home, other) = (try await ClientFamily(site), try await ClientFamily(site))
        let refused = try await refusal { try await home.player.hearth.joinFamily(by: other.code) }
        #expect(refused == .playerHasFamily)
    }

    @Test(
        "a player's family without other members ends when the player joins another",
        arguments: Backend.allCases)
    func givingWay(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let lone = try site.person(.player, "Lou")
        let own = try await lone.hearth.createFamily(named: "On my own")
        _ = try await lone.hearth.invite(.link, as: .parent)
        try await lone.hearth.joinFamily(by: home.code)
        #expect(try await lone.hearth.families().map(\.id) == [home.family.id])
        #expect(try await refusal { _ = try await lone.hearth.family(own.id) } == .familyNotFound)

        let waiting = try site.person(.player, "Max")
        let kept = try await waiting.hearth.createFamily(named: "For now")
        try await home.admin.hearth.updateFamily(
            home.family.id, FamilyChange(isApprovalRequired: true))
        #expect(try await waiting.hearth.joinFamily(by: home.code).isAwaitingApproval)
        #expect(try await waiting.hearth.families().map(\.id) == [kept.id])
        try await home.admin.hearth.approveMember(try await home.member(waiting).id)
        #expect(try await waiting.hearth.families().map(\.id) == [home.family.id])
    }

    @Test("members are listed with their household roles", arguments: Backend.allCases)
    func members(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let members = try await home.parent.hearth.members()
        #expect(members.count == 3 && members.allSatisfy { $0.familyID == home.family.id })
        let admin = try await home.member(home.admin)
        #expect(admin.displayName == "Ada" && admin.householdRole == .parentAdmin)
        #expect(admin.role == .parent && admin.status == .active && !admin.isManaged)
        let player = try await home.member(home.player)
        #expect(player.role == .player && player.householdRole == .kid && player.addedAt != nil)
        let group = try await home.player.hearth.group(home.family.id)
        #expect(
            group.name == "The Terns"
                && Set(group.members.map(\.displayName)) == ["Ada", "Pat", "Kim"])
        #expect(group.memberCount == 3 && group.createdByUserID == admin.userID)
        #expect(group.createdAt != nil && group.streamingServices.isEmpty)
        #expect(group.members.filter(\.isCreator).map(\.displayName) == ["Ada"])
        #expect(group.members.allSatisfy { $0.joinedAt != nil && $0.guardians.isEmpty })
        try await home.admin.hearth.updateAttributes(
            ["streaming_services": ["netflix"]], of: home.family.id)
        try await home.admin.hearth.addManagedMember(named: "Max")
        let later = try #require(try await home.parent.hearth.ownGroup())
        #expect(later.id == group.id && later.streamingServices == ["netflix"])
        let max = try #require(later.members.first { $0.isManaged })
        #expect(max.guardians.map(\.userID) == [admin.userID] && max.guardianID == admin.userID)
        let seen = try await home.admin.hearth.group(home.family.id).members
        let listed = try await home.admin.hearth.members()
        #expect(
            Dictionary(uniqueKeysWithValues: seen.map { ($0.userID, $0.email) })
                == Dictionary(uniqueKeysWithValues: listed.map { ($0.userID, $0.email) }))
    }

    @Test(
        "people who join have to wait if the family requires approval", arguments: Backend.allCases)
    func approval(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let id = home.family.id
        try await home.admin.hearth.updateFamily(id, FamilyChange(isApprovalRequired: true))
        let aunt = try site.person(.parent, "Aunt")
        #expect(try await aunt.hearth.previewCode(home.code).isApprovalRequired)
        #expect(try await aunt.hearth.joinFamily(by: home.code).isAwaitingApproval)
        #expect(try await refusal { _ = try await aunt.hearth.family(id) } == .familyNotFound)
        #expect(try await home.parent.hearth.members().count == 3)
        let request = try #require(try await aunt.hearth.profile().joinRequests.first)
        #expect(request.familyID == id && request.familyName == "The Terns")
        #expect(request.role == .parent && request.requestedAt != nil)
        #expect(try await aunt.hearth.joinFamily(by: home.code).isAwaitingApproval)
        try await aunt.hearth.withdrawRequest(to: request.familyID)
        let gone = try await refusal { try await aunt.hearth.withdrawRequest(to: id) }
        #expect(gone == .familyNotFound)
        let uncle = try site.person(.parent, "Uncle")
        try await uncle.hearth.joinFamily(by: home.code)
        try await home.admin.hearth.rejectMember(try await home.member(uncle).id)
        #expect(try await uncle.hearth.profile().joinRequests.isEmpty)
        #expect(try await aunt.hearth.profile().joinRequests.isEmpty)
        try await aunt.hearth.joinFamily(by: home.code)
        let waiting = try await home.member(aunt)
        #expect(waiting.status == .invited)
        let let_in = try await home.admin.hearth.approveMember(waiting.id)
        #expect(let_in.status == .active && let_in.householdRole == .adult)
        #expect(try await aunt.hearth.profile().joinRequests.isEmpty)
        #expect(try await aunt.hearth.family(id).memberCount == 4)
        let twice = try await refusal { try await home.admin.hearth.approveMember(waiting.id) }
        #expect(twice == .memberIsNotWaiting)
        let late = try await refusal { try await aunt.hearth.withdrawRequest(to: id) }
        #expect(late == .memberIsNotWaiting)
        let rejected = try await refusal { try await home.admin.hearth.rejectMember(waiting.id) }
        #expect(rejected == .memberIsNotWaiting)
        #expect(try await aunt.hearth.family(id).memberCount == 4)
    }

    @Test("a new code replaces the old one", arguments: Backend.allCases)
    func regenerating(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let made = try await home.admin.hearth.regenerateCode(of: home.family.id, expiringInDays: 3)
        #expect(made.code != home.family.code && made.expiresAt != nil)
        let aunt = try site.person()
        let old = try await refusal { try await aunt.hearth.joinFamily(by: home.code) }
        #expect(old == .codeUnknown)
        let code = try #require(FamilyCode(typed: made.code))
        _ = try await aunt.hearth.joinFamily(by: code)
    }

    @Test("the Parent Admin changes household roles, others can't", arguments: Backend.allCases)
    func roles(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let parent = try await home.member(home.parent).id
        let taken = try await refusal {
            try await home.parent.hearth.setHouseholdRole(.parentAdmin, of: parent)
        }
        #expect(taken == .parentAdminExists)
        let player = try await home.member(home.player).id
        let low = try await refusal {
            try await home.parent.hearth.setHouseholdRole(.visitor, of: player)
        }
        #expect(low == .standingTooLow)
        let hearth = home.admin.hearth
        #expect(try await hearth.setHouseholdRole(.visitor, of: parent).householdRole == .visitor)
        let visitor = try await refusal {
            try await home.parent.hearth.invite(.link, as: .parent)
        }
        #expect(visitor == .visitorsOnlyRead)
        #expect(try await hearth.setHouseholdRole(.adult, of: parent).householdRole == .adult)
        let both = try await hearth.transferAdmin(to: parent)
        #expect(Set(both.map(\.householdRole)) == [.parentAdmin, .adult])
        #expect(try await home.member(home.parent).householdRole == .parentAdmin)
    }

    @Test(
        "a removed member sees nothing, may ask to join again, and is blocked after two rejections",
        arguments: Backend.allCases)
    func removing(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let hearth = home.admin.hearth
        let (own, parent) = (try await home.member(home.admin), try await home.member(home.parent))
        #expect(try await refusal { try await hearth.removeMember(own.id) } == .oneself)
        let low = try await refusal { try await home.player.hearth.removeMember(parent.id) }
        #expect(low == .standingTooLow)
        try await hearth.removeMember(parent.id)
        #expect(try await hearth.members().count == 2)
        #expect(try await home.parent.hearth.families() == [])
        let gone = try await refusal { _ = try await home.parent.hearth.family(home.family.id) }
        #expect(gone == .familyNotFound)
        for _ in 0..<2 {
            let asked = try await home.parent.hearth.joinFamily(by: home.code)
            #expect(asked.isAwaitingApproval)
            try await hearth.rejectMember(parent.id)
        }
        let blocked = try await refusal { try await home.parent.hearth.joinFamily(by: home.code) }
        #expect(blocked == .removedFromFamily)
        let twice = try await refusal { try await hearth.removeMember(parent.id) }
        #expect(twice == .memberNotFound)
    }

    @Test("members can leave; the Parent Admin must hand over first", arguments: Backend.allCases)
    func leaving(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let first = try await refusal { try await home.admin.hearth.leaveFamily() }
        #expect(first == .transferAdminFirst)
        try await home.admin.hearth.transferAdmin(to: try await home.member(home.parent).id)
        try await home.admin.hearth.leaveFamily(home.family.id)
        #expect(try await home.admin.hearth.families() == [])
        #expect(try await home.player.hearth.members().count == 2)
    }

    @Test("strangers get family_not_found or member_not_found", arguments: Backend.allCases)
    func strangers(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let stranger = try site.person().hearth
        let id = home.family.id
        let member = try await home.member(home.player).id
        #expect(try await refusal { _ = try await stranger.family(id) } == .familyNotFound)
        #expect(try await refusal { _ = try await stranger.members(of: id) } == .familyNotFound)
        #expect(try await refusal { _ = try await stranger.group(id) } == .familyNotFound)
        #expect(try await refusal { _ = try await stranger.invitations(of: id) } == .familyNotFound)
        #expect(try await refusal { _ = try await stranger.preferences(in: id) } == .familyNotFound)
        #expect(try await refusal { try await stranger.removeMember(member) } == .memberNotFound)
        #expect(
            try await refusal { try await stranger.setHouseholdRole(.kid, of: member) }
                == .memberNotFound)
        #expect(
            try await refusal { try await stranger.updateFamily(id, FamilyChange(name: "X")) }
                == .familyNotFound)
    }
}
