import Domain
import Policy
import Testing
import UseCases

@Suite("Standing and the Parent Admin's seat")
struct StandingTests {
    static let household = Result { try Household() }
    private var household: Household { get throws { try Self.household.get() } }

    private func standing(_ person: Caller, _ family: FamilyID) throws -> HouseholdRole? {
        try household.members(person, family).first { $0.user == person.adoptedID }?.householdRole
    }

    @Test("the admin sets others' standing; nobody raises itself")
    func set() throws {
        let family = try TestFamily(in: try household)
        let set = SetHouseholdRole(try household.database)
        let changed = try set(
            by: family.admin, member: try family.member(family.player), to: .visitor)
        #expect(changed.householdRole == .visitor && changed.role == .player)
        let self1 = try refusal {
            try set(by: family.visitor, member: try family.member(family.visitor), to: .adult)
        }
        #expect(self1 == .visitorsOnlyRead)
        let other = try refusal {
            try set(by: family.adult, member: try family.member(family.player), to: .kid)
        }
        #expect(other == .standingTooLow)
        let managed = try refusal { try set(by: family.admin, member: family.child, to: .visitor) }
        #expect(managed == .targetIsManaged)
        let second = try refusal {
            try set(by: family.admin, member: try family.member(family.adult), to: .parentAdmin)
        }
        #expect(second == .parentAdminExists)
        #expect(try household.auditCount(family.id, "member.set_role") == 2)
    }

    @Test("an adult lowers itself, after it has handed its children over")
    func lower() throws {
        let family = try TestFamily(in: try household)
        let set = SetHouseholdRole(try household.database)
        let member = try family.member(family.adult)
        let told = try refusal { try set(by: family.adult, member: member, to: .kid) }
        #expect(told == .guardianHasManagedMembers)
        let lowered = try set(
            by: family.adult, member: member, to: .kid,
            reassigningTo: try family.member(family.admin))
        #expect(lowered.householdRole == .kid)
        let children = try household.members(family.admin, nil).filter(\.isManaged)
        #expect(children.map(\.guardian) == [family.admin.adoptedID])
        let raising = try refusal { try set(by: family.adult, member: member, to: .adult) }
        #expect(raising == .standingTooLow)
    }

    @Test("a demotion by the admin can name the admin itself as the new guardian")
    func demote() throws {
        let family = try TestFamily(in: try household)
        _ = try SetHouseholdRole(try household.database)(
            by: family.admin, member: try family.member(family.adult), to: .visitor,
            reassigningTo: try family.member(family.admin))
        let delegation = try refusal { try household.members(family.actingForChild, family.id) }
        #expect(delegation == .actingRefused)
    }

    @Test("the vacant seat is for the creator to give, for the invited, and not for who has a code")
    func vacantSeat() throws {
        let household = try household
        let database = household.database
        let creator = Household.person(.player)
        let family = try household.create(creator)
        let (byCode, named, invited) = (
            Household.person(), Household.person(), Household.person()
        )
        try household.join(byCode, family.code)
        try household.join(named, family.code)
        let invitation = try CreateInvitation(database, testKeys())(
            by: creator, family: nil, to: .email(#require(invited.email)), role: .parent)
        _ = try AcceptInvitation(database)(
            by: invited, .id(invitation.id), from: Household.somewhere())
        let set = SetHouseholdRole(database)
        let claim = try refusal {
            try set(by: byCode, member: try household.member(byCode), to: .parentAdmin)
        }
        #expect(claim == .seatReserved)
        let naming = try refusal {
            try set(by: byCode, member: try household.member(named), to: .parentAdmin)
        }
        #expect(naming == .standingTooLow)
        let given = try set(by: creator, member: try household.member(named), to: .parentAdmin)
        #expect(given.householdRole == .parentAdmin)
        let taken = try refusal {
            try set(by: invited, member: try household.member(invited), to: .parentAdmin)
        }
        #expect(taken == .parentAdminExists)
        _ = try set(by: named, member: try household.member(named), to: .adult)
        let claimed = try set(by: invited, member: try household.member(invited), to: .parentAdmin)
        #expect(claimed.householdRole == .parentAdmin)
    }

    @Test("with the creator gone any adult may claim the vacant seat")
    func abandonedSeat() throws {
        let household = try household
        let creator = Household.person(.player)
        let family = try household.create(creator)
        let adult = Household.person()
        try household.join(adult, family.code)
        try LeaveFamily(household.database)(by: creator, family: nil)
        let claimed = try SetHouseholdRole(household.database)(
            by: adult, member: try household.member(adult), to: .parentAdmin)
        #expect(claimed.householdRole == .parentAdmin)
    }

    @Test("the seat goes to another adult, and only from who has it")
    func transfer() throws {
        let family = try TestFamily(in: try household)
        let transfer = TransferAdmin(try household.database)
        for person in [family.player, family.visitor] {
            let told = try refusal {
                try transfer(by: family.admin, family: nil, to: try family.member(person))
            }
            #expect(told == .adminNotAdult)
        }
        let toChild = try refusal { try transfer(by: family.admin, family: nil, to: family.child) }
        #expect(toChild == .adminNotAdult)
        let toItself = try refusal {
            try transfer(by: family.admin, family: nil, to: try family.member(family.admin))
        }
        #expect(toItself == .oneself)
        let byAnother = try refusal {
            try transfer(by: family.adult, family: nil, to: try family.member(family.adult))
        }
        #expect(byAnother == .standingTooLow)
        let absent = try refusal { try transfer(by: family.admin, family: nil, to: .random()) }
        #expect(absent == .memberNotFound)
        let changed = try transfer(
            by: family.admin, family: nil, to: try family.member(family.adult))
        #expect(changed.map(\.householdRole) == [.parentAdmin, .adult])
        #expect(changed.map(\.user) == [family.adult.adoptedID, family.admin.adoptedID])
        #expect(try standing(family.adult, family.id) == .parentAdmin)
    }
}
