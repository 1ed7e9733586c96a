import HearthClient
import Testing

@Suite("Contract: several guardians, graduation, consent", .timeLimit(.minutes(10)))
struct GraduationContract {
    @Test(
        "several guardians act for a child, and the primary guardian decides",
        arguments: Backend.allCases)
    func guardians(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let (primary, other) = (home.parent.hearth, home.admin.hearth)
        let max = try await primary.addManagedMember(named: "Max")
        let admin = try await home.member(home.admin)
        let alone = try await refusal { try await primary.declineGuardianship(of: max.id) }
        #expect(alone == .guardianHasManagedMembers)
        let two = try await primary.addGuardian(admin.id, of: max.id)
        #expect(two.guardians.map(\.displayName) == ["Pat", "Ada"])
        #expect(two.guardians.map(\.isPrimary) == [true, false])
        #expect(try await other.profiles().map(\.displayName) == ["Ada", "Max"])
        let player = try await home.member(home.player)
        let kid = try await refusal { try await primary.addGuardian(player.id, of: max.id) }
        #expect(kid == .guardianNotAdult)
        let further = try await refusal {
            try await other.makePrimaryGuardian(admin.id, of: max.id)
        }
        #expect(further == .standingTooLow)
        let sent = try await primary.startGraduation(of: max.id, to: .link)
        let promoted = try await primary.makePrimaryGuardian(admin.id, of: max.id)
        #expect(promoted.guardianID == admin.userID)
        // The former primary guardian's invitation has ended; the new one sends another.
        let ended = try await refusal { try await other.resendInvitation(sent.id) }
        #expect(ended == .invitationNotFound)
        #expect(try await primary.invitations().elements == [])
        // The other guardian remains when this one leaves.
        try await primary.leaveFamily()
        let left = try await other.members().first { $0.id == max.id }
        #expect(left?.guardians.map(\.userID) == [admin.userID])
    }

    @Test(
        "a child who accepts a link stays the same member and has an account",
        arguments: Backend.allCases)
    func graduation(_ backend: Backend) async throws {
        let site = try backend.site()
        let home = try await ClientFamily(site)
        let (hearth, family) = (home.parent.hearth, home.family.id)
        let max = try await hearth.addManagedMember(named: "Max")
        _ = try await hearth.setPreferences(["genres": ["comedy"]], in: family, of: max.userID)
        let byAdmin = try await refusal {
            try await home.admin.hearth.startGraduation(of: max.id, to: .link)
        }
        #expect(byAdmin == .standingTooLow)
        let first = try await hearth.startGraduation(of: max.id, to: .link)
        let sent = try await hearth.startGraduation(of: max.id, to: .link)
        #expect(sent.id == first.id)
        let listed = try await home.player.hearth.invitations().elements
        #expect(listed.map(\.kind) == [.graduation] && listed[0].graduateID == max.id)
        let token = try #require(sent.url?.absoluteString.split(separator: "=").last)
        #expect(try await hearth.previewInvitation(token: String(token)).kind == .graduation)
        let member = try await refusal {
            try await home.admin.hearth.acceptInvitation(token: String(token))
        }
        #expect(member == .notTheGraduate)
        let person = try site.person(.player, nil)
        #expect(try await person.hearth.acceptInvitation(token: String(token)) == family)
        let members = try await person.hearth.members()
        let profile = try await person.hearth.profile()
        let grown = try #require(members.first { $0.userID == profile.id })
        #expect("managed_" + grown.id.rawValue == max.id.rawValue)
        #expect(!grown.isManaged && grown.guardians.isEmpty && grown.displayName == "Max")
        #expect(try await person.hearth.preferences(in: family) == ["genres": ["comedy"]])
        let former = try await refusal {
            _ = try await hearth.preferences(in: family, of: max.userID)
        }
        #expect(former == .preferencesOfAnother)
        #expect(try await hearth.profiles().count == 1)
    }

    @Test(
        "a server without consent purposes lists none and accepts none",
        arguments: Backend.allCases)
    func consents(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let max = try await home.parent.hearth.addManagedMember(named: "Max")
        #expect(try await home.parent.hearth.consents(for: max.id).isEmpty)
        let unknown = try await refusal {
            try await home.parent.hearth.giveConsent(to: "profile", version: "1", for: max.id)
        }
        #expect(unknown == .purposeNotFound)
        let other = try await refusal { _ = try await home.admin.hearth.consents(for: max.id) }
        #expect(other == .standingTooLow)
    }
}
