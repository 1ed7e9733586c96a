import Domain
import UseCases

/// Guardians of a child without an account.
enum GuardianEndpoints {
    private static let guardian = Input<MemberID>.required(
        "memberId", .shownID(), "The adult who becomes a guardian.")
    private static let refusals: [RefusalCode] =
        [.memberNotFound, .notWhileActing] + .byStanding

    static let add = Operation(
        "addGuardian",
        "Makes another adult of the family an additional guardian of a child.",
        inputs: [Inputs.managedMember, guardian], responses: [.ok(Shapes.member)],
        refusals: refusals + [.guardianNotAdult, .tooManyGuardians]
    ) { services, call in
        let member = try services.guardians.add(
            by: call.context, member: call[Inputs.managedMember], guardian: call[guardian])
        return .of(Shapes.member, member, family: member.family)
    }

    private static let isPrimary = Input<Bool>.required(
        "isPrimary", .flag, "Always true: the primary guardian names its successor.")

    static let promote = Operation(
        "promoteGuardian",
        "Makes a guardian the primary guardian of a child; the previous one stays a guardian.",
        inputs: [Inputs.managedMember, Inputs.member, isPrimary], responses: [.ok(Shapes.member)],
        refusals: refusals + [.invalidField]
    ) { services, call in
        guard try call[isPrimary] else {
            throw Refusal(.invalidField, .field("isPrimary", expected: "true"))
        }
        let member = try services.guardians.makePrimary(
            by: call.context, member: call[Inputs.managedMember], guardian: call[Inputs.member])
        return .of(Shapes.member, member, family: member.family)
    }

    static let remove = Operation(
        "removeGuardian", "Ends another adult's guardianship of a child.",
        inputs: [Inputs.managedMember, Inputs.member], responses: [.ok(Shapes.member)],
        refusals: refusals + [.guardianHasManagedMembers]
    ) { services, call in
        let member = try services.guardians.remove(
            by: call.context, member: call[Inputs.managedMember], guardian: call[Inputs.member])
        return .of(Shapes.member, member, family: member.family)
    }

    static let decline = Operation(
        "declineGuardianship",
        "Ends the caller's own guardianship of a child that has another guardian.",
        inputs: [Inputs.managedMember], responses: [.ok(Shapes.member)],
        refusals: refusals + [.guardianHasManagedMembers]
    ) { services, call in
        let member = try services.guardians.remove(
            by: call.context, member: call[Inputs.managedMember])
        return .of(Shapes.member, member, family: member.family)
    }
}
