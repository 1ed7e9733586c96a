import HearthClient
import Testing

@Suite("Contract: household roles and sides", .timeLimit(.minutes(10)))
struct HouseholdRoleContract {
    /// Returns the household roles that a person may choose in a family, and the state of the seat.
    private func choices(
        _ person: ClientPerson, _ home: ClientFamily
    ) async throws -> (roles: [HouseholdRole]?, seat: ParentAdminSeat?) {
        let family = try await person.hearth.family(home.family.id)
        let listed = try await person.hearth.families().first { $0.id == family.id }
        #expect(listed?.selectableRoles == family.selectableRoles)
        #expect(listed?.parentAdmin == family.parentAdmin)
        return (family.selectableRoles, family.parentAdmin)
    }

    @Test("members can lower their role and return, even from visitor", arguments: Backend.allCases)
    func slip(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        for (person, all) in [
            (home.parent, [HouseholdRole.adult, .kid, .visitor]), (home.player, [.kid, .visitor]),
        ] {
            let own = try await home.member(person).id
            for role in all.reversed() + all {
                let changed = try await person.hearth.setHouseholdRole(role, of: own)
                #expect(changed.householdRole == role)
                let offered = try await choices(person, home)
                #expect(offered.roles == all && offered.seat == .taken)
            }
        }
        let kim = try await home.member(home.player).id
        let above = try await refusal {
            try await home.player.hearth.setHouseholdRole(.adult, of: kim)
        }
        #expect(above == .visitorsOnlyRead)
    }

    @Test(
        "a granted role is the ceiling, even after leaving and rejoining",
        arguments: Backend.allCases)
    func ceiling(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let hearth = home.parent.hearth
        func chooses(_ role: HouseholdRole) async throws -> ErrorCode? {
            let own = try await home.member(home.parent).id
            return try await refusal { try await hearth.setHouseholdRole(role, of: own) }
        }
        try await home.admin.hearth.setHouseholdRole(.kid, of: home.member(home.parent).id)
        #expect(try await choices(home.parent, home).roles == [.kid, .visitor])
        #expect(try await chooses(.adult) == .standingTooLow)
        #expect(try await chooses(.visitor) == nil)
        #expect(try await chooses(.adult) == .visitorsOnlyRead)
        #expect(try await chooses(.parentAdmin) == .parentAdminExists)
        try await hearth.leaveFamily()
        try await hearth.joinFamily(by: home.code)
        #expect(try await home.member(home.parent).householdRole == .kid)
        #expect(try await choices(home.parent, home).roles == [.kid, .visitor])
        // A role chosen by the member is no ceiling, and a higher granted role raises the ceiling.
        try await home.admin.hearth.setHouseholdRole(.adult, of: home.member(home.parent).id)
        #expect(try await chooses(.visitor) == nil)
        try await hearth.leaveFamily()
        try await hearth.joinFamily(by: home.code)
        #expect(try await home.member(home.parent).householdRole == .adult)
    }

    @Test(
        "a Parent Admin who steps down can take the reserved seat back",
        arguments: Backend.allCases)
    func seat(_ backend: Backend) async throws {
        let home = try await ClientFamily(backend.site())
        let own = try await home.member(home.admin).id
        let parent = try await home.member(home.parent).id
        #expect(try await choices(home.admin, home).roles == [.adult, .kid, .visitor])
        try await home.admin.hearth.setHouseholdRole(.kid, of: own)
        let lowered = try await choices(home.admin, home)
        #expect(lowered.roles == [.adult, .kid, .visitor] && lowered.seat == .reserved)
        // A creator who stepped down to kid can't change the family either.
        let renamed = try await refusal {
            _ = try await home.admin.hearth.updateFamily(
                home.family.id, FamilyChange(name: "Gulls"))
        }
        #expect(renamed == .standingTooLow)
        let low = try await refusal {
            try await home.admin.hearth.setHouseholdRole(.parentAdmin, of: own)
        }
        #expect(low == .standingTooLow)
        try await home.admin.hearth.setHouseholdRole(.adult, of: own)
        #expect(try await choices(home.admin, home).seat == .free)
        // A person who joined only by the code has no right to the seat while the creator is there.
        #expect(try await choices(home.parent, home).seat == .reserved)
        let reserved = try await refusal {
            try await home.parent.hearth.setHouseholdRole(.parentAdmin, of: parent)
        }
        #expect(reserved == .seatReserved)
        try await home.admin.hearth.setHouseholdRole(.parentAdmin, of: own)
        #expect(try await choices(home.parent, home).seat == .taken)
    }

    @Test(
        "an account alone in its family gets the invitation's role; others get role_mismatch",
        arguments: Backend.allCases)
    func sides(_ backend: Backend) async throws {
        let site = try backend.site()
        let (home, other) = (try await ClientFamily(site), try await ClientFamily(site))
        func accept(_ person: ClientPerson, _ role: MemberRole) async throws -> ErrorCode? {
            let sent = try await other.admin.hearth.invite(.email(person.email), as: role)
            return try await refusal { try await person.hearth.acceptInvitation(sent.id) }
        }
        #expect(try await accept(home.parent, .player) == .roleMismatch)
        #expect(try await accept(home.player, .parent) == .roleMismatch)
        #expect(try await home.player.hearth.families().map(\.id) == [home.family.id])
        let rival = try site.person(.player, "Rio")
        try await rival.hearth.joinFamily(by: home.code)
        #expect(try await accept(rival, .player) == .playerHasFamily)
        // One newcomer is in no family, the other alone in one.
        let newcomer = try site.person(.parent, "Noa")
        #expect(try await accept(newcomer, .player) == nil)
        #expect(try await newcomer.hearth.profile().role == .player)
        let lone = try site.person(.player, "Lou")
        try await lone.hearth.createFamily(named: "On my own")
        #expect(try await accept(lone, .parent) == nil)
        #expect(try await lone.hearth.families().map(\.id) == [other.family.id])
        #expect(try await lone.hearth.profile().role == .parent)
        let parent = try site.person(.parent, "Pat")
        try await parent.hearth.createFamily(named: "On my own, too")
        #expect(try await accept(parent, .player) == nil)
        #expect(try await parent.hearth.families().map(\.id) == [other.family.id])
        #expect(try await parent.hearth.profile().role == .player)
    }
}
