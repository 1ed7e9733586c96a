import HearthClient
import Testing

@Suite("Contract: children, acting, preferences", .timeLimit(.minutes(10)))
struct ManagedContract {
    @Test("a guardian can add, change and remove a child", arguments: Backend.allCases)
    func children(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let hearth = home.parent.hearth
        let max = try await hearth.addManagedMember(named: "Max", avatarKey: "fox")
        #expect(max.isManaged && max.id.rawValue.hasPrefix("managed_"))
        #expect(max.displayName == "Max" && max.avatarKey == "fox" && max.householdRole == .kid)
        #expect(try await max.guardianID == hearth.profile().id)
        #expect(max.userID.rawValue == max.id.rawValue)
        let renamed = try await hearth.updateManagedMember(
            max.id, ManagedMemberChange(displayName: "Maxi", avatarKey: .clear))
        #expect(renamed.displayName == "Maxi" && renamed.avatarKey == "")
        let other = try await refusal {
            try await home.player.hearth.updateManagedMember(
                max.id, ManagedMemberChange(displayName: "X"))
        }
        #expect(other == .standingTooLow)
        let low = try await refusal { try await home.player.hearth.addManagedMember(named: "X") }
        #expect(low == .standingTooLow)
        let long = try await refusal {
            try await hearth.addManagedMember(named: String(repeating: "x", count: 31))
        }
        #expect(long == .invalidField)
        let orphan = try await refusal { try await hearth.leaveFamily() }
        #expect(orphan == .guardianHasManagedMembers)
        try await hearth.removeManagedMember(max.id)
        #expect(try await hearth.members().count == 3)
    }

    @Test("a guardian can hand a child to another guardian", arguments: Backend.allCases)
    func reassigning(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let max = try await home.parent.hearth.addManagedMember(named: "Max")
        let admin = try await home.member(home.admin)
        let moved = try await home.parent.hearth.reassignManagedMember(max.id, to: admin.id)
        #expect(moved.guardianID == admin.userID)
        #expect(try await home.parent.hearth.profiles().count == 1)
        #expect(try await home.admin.hearth.profiles().map(\.displayName) == ["Ada", "Max"])
        let player = try await home.member(home.player)
        let kid = try await refusal {
            try await home.admin.hearth.reassignManagedMember(max.id, to: player.id)
        }
        #expect(kid == .guardianNotAdult)
    }

    @Test(
        "a guardian who steps down, leaves or is removed names the adult who takes over",
        arguments: Backend.allCases)
    func successors(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let (admin, parent) = (home.admin.hearth, home.parent.hearth)
        let (ada, pat) = (try await home.member(home.admin), try await home.member(home.parent))
        let kim = try await home.member(home.player)
        let max = try await parent.addManagedMember(named: "Max")
        let alone = try await refusal { try await admin.setHouseholdRole(.visitor, of: pat.id) }
        #expect(alone == .guardianHasManagedMembers)
        let kid = try await refusal {
            try await admin.setHouseholdRole(.visitor, of: pat.id, reassigningManagedTo: kim.id)
        }
        #expect(kid == .guardianNotAdult)
        try await admin.setHouseholdRole(.kid, of: pat.id, reassigningManagedTo: ada.id)
        #expect(try await admin.managedMember(max.id).guardianID == ada.userID)

        try await admin.setHouseholdRole(.adult, of: pat.id)
        try await admin.reassignManagedMember(max.id, to: pat.id)
        try await parent.leaveFamily(reassigningManagedTo: ada.id)
        #expect(try await admin.managedMember(max.id).guardianID == ada.userID)

        try await parent.joinFamily(by: home.code)
        let again = try await home.member(home.parent)
        try await admin.addGuardian(again.id, of: max.id)
        // A child with another guardian needs no successor.
        let needless = try await refusal {
            try await admin.removeMember(again.id, reassigningManagedTo: ada.id)
        }
        #expect(needless == .oneself)
        try await admin.removeMember(again.id, rotatingCode: true)
        #expect(try await admin.managedMember(max.id).guardians.map(\.userID) == [ada.userID])
        let family = try await admin.family(home.family.id)
        #expect(family.code != nil && family.code != home.family.code)
    }

    @Test("a guardian can act for its children, and for nobody else", arguments: Backend.allCases)
    func acting(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let hearth = home.parent.hearth
        let max = try await hearth.addManagedMember(named: "Max")
        _ = try await hearth.addManagedMember(named: "Mia")
        let session = ProfileSession()
        try await hearth.refreshProfiles(of: session)
        #expect(session.availableProfiles.map(\.displayName) == ["Pat", "Max", "Mia"])
        #expect(session.activeProfile.displayName == "Pat" && !session.isActingAsManaged)
        let acting = hearth.acting(through: session)
        #expect(try await acting.profile().fullName == "Pat")
        session.switchProfile(to: session.managedProfiles[0])
        let profile = try await acting.profile()
        #expect(profile.fullName == "Max" && profile.isManaged)
        #expect(try await profile.actorID == hearth.profile().id)
        #expect(try await acting.members().count == 5)
        let refused = try await refusal { try await acting.leaveFamily() }
        #expect(refused == .standingTooLow || refused == .notWhileActing)
        let other = try await refusal { try await acting.removeMember(max.id) }
        #expect(other == .notWhileActing)

        try await hearth.removeManagedMember(max.id)
        #expect(try await refusal { _ = try await acting.profile() } == .actingRefused)
        try await acting.refreshProfiles(of: session)
        #expect(!session.isActingAsManaged)
        #expect(session.availableProfiles.map(\.displayName) == ["Pat", "Mia"])
        #expect(try await acting.profile().fullName == "Pat")
    }

    @Test("preferences can be set for oneself and one's children", arguments: Backend.allCases)
    func preferences(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let (hearth, family) = (home.parent.hearth, home.family.id)
        let liked: JSONValue = ["genres": ["comedy"], "maximumMinutes": 120, "rating": 4.5]
        #expect(try await hearth.setPreferences(liked, in: family) == liked)
        #expect(try await hearth.preferences(in: family) == liked)
        let max = try await hearth.addManagedMember(named: "Max")
        _ = try await hearth.setPreferences(["genres": []], in: family, of: max.userID)
        let session = ProfileSession()
        try await hearth.refreshProfiles(of: session)
        session.switchProfile(to: session.managedProfiles[0])
        let acting = hearth.acting(through: session)
        #expect(try await acting.preferences(in: family) == ["genres": []])
        #expect(try await hearth.preferences(in: family) == liked)
        let other = try await refusal {
            _ = try await home.admin.hearth.preferences(in: family, of: max.userID)
        }
        #expect(other == .preferencesOfAnother)
        let large: JSONValue = ["text": .string(String(repeating: "x", count: 17_000))]
        let refused = try await refusal { try await hearth.setPreferences(large, in: family) }
        #expect(refused == .preferencesTooLarge)
    }

    @Test("each player detail changes on its own", arguments: Backend.allCases)
    func details(_ backend: Backend) async throws {
        let hearth = try await ClientFamily(backend.site()).parent.hearth
        let first = try await hearth.updatePlayerDetails(
            PlayerDetailsChange(playerName: .set("Kim"), graduationYear: .set(2031)))
        #expect(first.playerName == "Kim" && first.graduationYear == 2031 && first.sport == nil)
        let second = try await hearth.updatePlayerDetails(
            PlayerDetailsChange(graduationYear: .clear, sport: .set("Sailing")))
        #expect(second.playerName == "Kim" && second.graduationYear == nil)
        #expect(try await hearth.playerDetails() == second && second.sport == "Sailing")
        let third = try await hearth.updatePlayerDetails(
            PlayerDetailsChange(gender: .set("diverse"), further: ["shoeSize": .set("39")]))
        #expect(third.gender == "diverse" && third.further == ["shoeSize": "39"])
    }
}
