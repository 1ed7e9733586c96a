import Domain
import Policy
import Testing
import UseCaseSupport
import UseCases

@Suite("Household roles and the Parent Admin's seat")
struct StandingTests {
    static let entry = Result { try UseCaseDatabase() }
    private var entry: UseCaseDatabase { get throws { try Self.entry.get() } }

    private func standing(_ person: RequestContext, _ family: FamilyID) throws -> HouseholdRole? {
        try entry.members(person, family).first { $0.user == person.adoptedID }?.householdRole
    }

    @Test("the admin sets others' household roles; nobody can rise above the role given by others")
    func set() throws {
        let family = try entry.family()
        let members = MemberService(try entry.database)
        let changed = try members.setHouseholdRole(
            by: family.admin, member: try family.member(family.player), to: .visitor)
        #expect(changed.householdRole == .visitor && changed.role == .player)
        let self1 = try refusal {
            try members.setHouseholdRole(
                by: family.visitor, member: try family.member(family.visitor), to: .adult)
        }
        #expect(self1 == .visitorsOnlyRead)
        let other = try refusal {
            try members.setHouseholdRole(
                by: family.adult, member: try family.member(family.player), to: .kid)
        }
        #expect(other == .standingTooLow)
        let managed = try refusal {
            try members.setHouseholdRole(by: family.admin, member: family.child, to: .visitor)
        }
        #expect(managed == .targetIsManaged)
        let second = try refusal {
            try members.setHouseholdRole(
                by: family.admin, member: try family.member(family.adult), to: .parentAdmin)
        }
        #expect(second == .parentAdminExists)
        #expect(try entry.auditCount(family.id, "member.set_role") == 2)
    }

    @Test("an adult can step down after handing over its children")
    func lower() throws {
        let family = try entry.family()
        let members = MemberService(try entry.database)
        let member = try family.member(family.adult)
        let told = try refusal {
            try members.setHouseholdRole(by: family.adult, member: member, to: .kid)
        }
        #expect(told == .guardianHasManagedMembers)
        let lowered = try members.setHouseholdRole(
            by: family.adult, member: member, to: .kid,
            reassigningTo: try family.member(family.admin))
        #expect(lowered.householdRole == .kid)
        let children = try entry.members(family.admin, nil).filter(\.isManaged)
        #expect(children.map(\.guardian) == [family.admin.adoptedID])
        let back = try members.setHouseholdRole(by: family.adult, member: member, to: .adult)
        #expect(back.householdRole == .adult)
    }

    @Test(
        "a member can undo its own step down, even from visitor, but not a role set by others"
    )
    func ceiling() throws {
        let entry = try entry
        let family = try entry.family()
        let members = MemberService(entry.database)
        let (person, member) = try family.joiner()
        for role in [HouseholdRole.visitor, .kid, .adult, .kid] {
            #expect(
                try members.setHouseholdRole(by: person, member: member, to: role).householdRole
                    == role)
        }
        #expect(try choices(person, family.id).selectableRoles == [.adult, .kid, .visitor])
        _ = try members.setHouseholdRole(by: family.admin, member: member, to: .kid)
        #expect(try choices(person, family.id).selectableRoles == [.kid, .visitor])
        let raising = try refusal {
            try members.setHouseholdRole(by: person, member: member, to: .adult)
        }
        #expect(raising == .standingTooLow)
        _ = try members.setHouseholdRole(by: person, member: member, to: .visitor)
        let stillRaising = try refusal {
            try members.setHouseholdRole(by: person, member: member, to: .adult)
        }
        #expect(stillRaising == .visitorsOnlyRead)
        // The admin raises the role again, and with it the ceiling.
        _ = try members.setHouseholdRole(by: family.admin, member: member, to: .adult)
        _ = try members.setHouseholdRole(by: person, member: member, to: .visitor)
        #expect(
            try members.setHouseholdRole(by: person, member: member, to: .adult).householdRole
                == .adult)
        // A player is a kid, or an adult if the admin decides so.
        let player = try family.member(family.player)
        let own = try refusal {
            try members.setHouseholdRole(by: family.player, member: player, to: .adult)
        }
        #expect(own == .standingTooLow)
        _ = try members.setHouseholdRole(by: family.admin, member: player, to: .adult)
        _ = try members.setHouseholdRole(by: family.player, member: player, to: .kid)
        #expect(
            try members.setHouseholdRole(by: family.player, member: player, to: .adult)
                .householdRole == .adult)
    }

    @Test("a ceiling survives leaving and rejoining; a lower role that the member chose does not")
    func comingBack() throws {
        let entry = try entry
        let family = try entry.family()
        let members = MemberService(entry.database)
        let (own, ownMember) = try family.joiner()
        let (lowered, loweredMember) = try family.joiner()
        _ = try members.setHouseholdRole(by: own, member: ownMember, to: .visitor)
        _ = try members.setHouseholdRole(by: family.admin, member: loweredMember, to: .kid)
        _ = try members.setHouseholdRole(by: lowered, member: loweredMember, to: .visitor)
        let link = try entry.link(by: family.admin)
        for person in [own, lowered] { try members.leave(by: person, family: family.id) }
        try entry.join(own, family.code)
        try entry.join(lowered, family.code)
        #expect(try standing(own, family.id) == .adult)
        #expect(try standing(lowered, family.id) == .kid)
        #expect(try choices(lowered, family.id).selectableRoles == [.kid, .visitor])
        // A link from before can't raise it either.
        try members.leave(by: lowered, family: family.id)
        try entry.accept(lowered, link)
        #expect(try standing(lowered, family.id) == .kid)
    }

    @Test("claiming a taken seat is refused in every household role, and changes no role")
    func takenSeat() throws {
        let entry = try entry
        let family = try entry.family()
        let members = MemberService(entry.database)
        let (kid, kidMember) = try family.joiner()
        _ = try members.setHouseholdRole(by: kid, member: kidMember, to: .kid)
        let claimants: [(RequestContext, HouseholdRole)] = [
            (family.visitor, .visitor), (kid, .kid), (family.player, .kid), (family.adult, .adult),
        ]
        for (person, role) in claimants {
            let member = try entry.member(person, family.id)
            let told = try refusal {
                try members.setHouseholdRole(by: person, member: member, to: .parentAdmin)
            }
            #expect(told == .parentAdminExists)
            #expect(try standing(person, family.id) == role)
            #expect(try choices(person, family.id).parentAdmin == .taken)
        }
        #expect(
            try choices(family.admin, family.id)
                == choices(family.adult, family.id))
        #expect(try choices(family.admin, family.id).selectableRoles == [.adult, .kid, .visitor])
        let acting = try choices(family.actingForChild, family.id)
        #expect(acting.selectableRoles == [] && acting.parentAdmin == .taken)
    }

    @Test("members and families list the same choices for the caller, the vacant seat included")
    func vacancy() throws {
        let entry = try entry
        let creator = RequestContext.person(.player)
        let family = try entry.create(creator)
        let (byCode, invited) = (RequestContext.person(), RequestContext.person())
        try entry.join(byCode, family.code)
        try entry.accept(invited, try entry.link(by: creator))
        #expect(try choices(creator, family.id).parentAdmin == .reserved)
        #expect(try choices(byCode, family.id).parentAdmin == .reserved)
        #expect(try choices(invited, family.id).parentAdmin == .free)
        let members = MemberService(entry.database)
        _ = try members.setHouseholdRole(by: invited, member: entry.member(invited), to: .kid)
        #expect(try choices(invited, family.id).parentAdmin == .reserved)
        try MemberService(entry.database).leave(by: creator, family: nil)
        #expect(try choices(byCode, family.id).parentAdmin == .free)
    }

    /// The caller's choices, equal in the list of members and in the list of families.
    private func choices(_ person: RequestContext, _ family: FamilyID) throws -> OwnRoleChoices {
        let database = try entry.database
        let listed = try database.run(MemberService.list(by: person, family: family)).choices
        let read = try database.run(FamilyService.read(by: person, family: family)).choices
        #expect(listed == read)
        return listed
    }

    @Test("a demotion by the admin can name the admin itself as the new guardian")
    func demote() throws {
        let family = try entry.family()
        _ = try MemberService(try entry.database).setHouseholdRole(
            by: family.admin, member: try family.member(family.adult), to: .visitor,
            reassigningTo: try family.member(family.admin))
        let delegation = try refusal { try entry.members(family.actingForChild, family.id) }
        #expect(delegation == .actingRefused)
    }

    @Test(
        "a creator who steps down keeps its claim to the seat over members who came by code",
        arguments: [
            (MemberRole.parent, HouseholdRole.kid), (.parent, .visitor), (.player, .visitor),
        ])
    func restingCreator(role: MemberRole, slip: HouseholdRole) throws {
        let entry = try entry
        let database = entry.database
        let creator = RequestContext.person(role)
        let family = try entry.create(creator)
        let byCode = RequestContext.person()
        try entry.join(byCode, family.code)
        let members = MemberService(database)
        let (own, other) = (try entry.member(creator), try entry.member(byCode))
        _ = try members.setHouseholdRole(by: creator, member: own, to: slip)
        let claim = try refusal {
            try members.setHouseholdRole(by: byCode, member: other, to: .parentAdmin)
        }
        #expect(claim == .seatReserved)
        let choices = try #require(
            try database.run(FamilyService.list(by: byCode)).first
        ).choices
        #expect(choices.parentAdmin == .reserved)
        // A slip can be corrected.
        let back: [HouseholdRole] = role == .player ? [.kid] : [.adult, .parentAdmin]
        for role in back {
            #expect(
                try members.setHouseholdRole(by: creator, member: own, to: role).householdRole
                    == role)
        }
    }

    @Test(
        "the creator and invited adults can claim the vacant seat; members who joined by code can't"
    )
    func vacantSeat() throws {
        let entry = try entry
        let database = entry.database
        let creator = RequestContext.person(.player)
        let family = try entry.create(creator)
        let (byCode, named, invited) = (
            RequestContext.person(), RequestContext.person(), RequestContext.person()
        )
        try entry.join(byCode, family.code)
        try entry.join(named, family.code)
        let invitation = try InvitationService(database, testKeys()).create(
            by: creator, family: nil, to: .email(#require(invited.email)), role: .parent)
        _ = try ReceivedInvitationService(database).accept(
            by: invited, .id(invitation.id), from: .somewhere())
        let members = MemberService(database)
        let claim = try refusal {
            try members.setHouseholdRole(
                by: byCode, member: try entry.member(byCode), to: .parentAdmin)
        }
        #expect(claim == .seatReserved)
        let naming = try refusal {
            try members.setHouseholdRole(
                by: byCode, member: try entry.member(named), to: .parentAdmin)
        }
        #expect(naming == .standingTooLow)
        let given = try members.setHouseholdRole(
            by: creator, member: try entry.member(named), to: .parentAdmin)
        #expect(given.householdRole == .parentAdmin)
        let taken = try refusal {
            try members.setHouseholdRole(
                by: invited, member: try entry.member(invited), to: .parentAdmin)
        }
        #expect(taken == .parentAdminExists)
        _ = try members.setHouseholdRole(by: named, member: try entry.member(named), to: .adult)
        let claimed = try members.setHouseholdRole(
            by: invited, member: try entry.member(invited), to: .parentAdmin)
        #expect(claimed.householdRole == .parentAdmin)
    }

    @Test("any adult can claim the vacant seat once the creator has left")
    func abandonedSeat() throws {
        let entry = try entry
        let creator = RequestContext.person(.player)
        let family = try entry.create(creator)
        let adult = RequestContext.person()
        try entry.join(adult, family.code)
        try MemberService(entry.database).leave(by: creator, family: nil)
        let claimed = try MemberService(entry.database).setHouseholdRole(
            by: adult, member: try entry.member(adult), to: .parentAdmin)
        #expect(claimed.householdRole == .parentAdmin)
    }

    @Test("only the Parent Admin can hand the seat to another adult")
    func transfer() throws {
        let family = try entry.family()
        let members = MemberService(try entry.database)
        for person in [family.player, family.visitor] {
            let told = try refusal {
                try members.transferAdmin(
                    by: family.admin, family: nil, to: try family.member(person))
            }
            #expect(told == .adminNotAdult)
        }
        let toChild = try refusal {
            try members.transferAdmin(by: family.admin, family: nil, to: family.child)
        }
        #expect(toChild == .adminNotAdult)
        let toItself = try refusal {
            try members.transferAdmin(
                by: family.admin, family: nil, to: try family.member(family.admin))
        }
        #expect(toItself == .oneself)
        let byAnother = try refusal {
            try members.transferAdmin(
                by: family.adult, family: nil, to: try family.member(family.adult))
        }
        #expect(byAnother == .standingTooLow)
        let absent = try refusal {
            try members.transferAdmin(by: family.admin, family: nil, to: .random())
        }
        #expect(absent == .memberNotFound)
        let changed = try members.transferAdmin(
            by: family.admin, family: nil, to: try family.member(family.adult))
        #expect(changed.map(\.householdRole) == [.parentAdmin, .adult])
        #expect(changed.map(\.user) == [family.adult.adoptedID, family.admin.adoptedID])
        #expect(try standing(family.adult, family.id) == .parentAdmin)
    }
}
