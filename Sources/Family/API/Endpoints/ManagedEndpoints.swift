import Domain
import UseCases

/// Children without accounts.
enum ManagedEndpoints {
    private static let name = Input<DisplayName>.required("displayName", .text)
    private static let optionalName = Input<DisplayName?>.optional(
        "displayName", .text.orEmpty, "If missing or empty, it stays unchanged.")
    private static let answer = DeclaredResponse.json(201, Shapes.member, "The member.")
    private static let refusals: [RefusalCode] =
        [.memberNotFound, .notWhileActing] + .byStanding

    static let add = Operation(
        "addManagedMember", "Adds a child without an account; the caller becomes its guardian.",
        inputs: [Inputs.familyInBody, name, Inputs.avatarKey], responses: [answer],
        refusals: .inOnlyFamily + .byStanding + [.familyFull]
    ) { services, call in try add(to: call[Inputs.familyInBody], services, call) }

    static let addToGroup = Operation(
        "addManagedMemberToGroup", "Like addManagedMember, for the family in the path.",
        inputs: [Inputs.family, name, Inputs.avatarKey], responses: [answer],
        refusals: .inFamily + .byStanding + [.familyFull]
    ) { services, call in try add(to: call[Inputs.family], services, call) }

    private static func add(
        to family: FamilyID?, _ services: Services, _ call: Call
    ) throws -> Reply {
        let member = try services.children.add(
            by: call.context, family: family, name: call[name],
            avatarKey: call[Inputs.avatarKey].change)
        return .of(
            Shapes.member, member, status: 201, family: member.family,
            location: "/api/family/managed/\(member.id.shown(isManaged: true))")
    }

    static let read = Operation.read(
        "readManagedMember", "Reads one managed member of a family.",
        inputs: [Inputs.managedMember], responses: [.ok(Shapes.member)],
        refusals: [.memberNotFound], tag: .content
    ) { call in
        MemberService.read(
            by: call.context, member: try call[Inputs.managedMember], isManaged: true
        )
        .map { .of(Shapes.member, $0, family: $0.family) }
    }

    static let update = Operation(
        "updateManagedMember",
        "Changes the name or avatar of a child whose guardian the caller is.",
        inputs: [Inputs.managedMember, optionalName, Inputs.avatarKey],
        responses: [.ok(Shapes.member)], refusals: refusals
    ) { services, call in
        let member = try services.children.update(
            by: call.context, member: call[Inputs.managedMember],
            name: call[optionalName], avatarKey: call[Inputs.avatarKey].change)
        return .of(Shapes.member, member, family: member.family)
    }.guarded

    static let remove = Operation(
        "removeManagedMember", "Removes a child without an account from its family.",
        inputs: [Inputs.managedMember], responses: [.success], refusals: refusals
    ) { services, call in
        try services.children.remove(
            by: call.context, member: call[Inputs.managedMember])
        return .of(Shapes.success, ())
    }

    private static let guardian = Input<MemberID>.required("memberId", .shownID())

    static let reassign = Operation(
        "reassignManagedMember",
        "Makes another adult the guardian of one of the caller's children.",
        inputs: [Inputs.managedMember, guardian], responses: [.ok(Shapes.member)],
        refusals: refusals + [.guardianNotAdult, .oneself]
    ) { services, call in
        let member = try services.children.reassign(
            by: call.context, member: call[Inputs.managedMember], to: call[guardian])
        return .of(Shapes.member, member, family: member.family)
    }
}
