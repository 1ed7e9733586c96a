import Domain
import JSON
import Repositories
import UseCases

/// Members and their household roles.
enum MemberEndpoints {
    private static let status = Input<MembershipStatus?>.query(
        "status", .word,
        "Only members with this status. Default: active members and, for callers who may approve "
            + "them, people who wait for approval. Former members are listed only for the creator "
            + "and the Parent Admin.")

    static let list = Operation.read(
        "listMembers", "Lists the members of a family.",
        inputs: [Inputs.familyInQuery, status, Inputs.cursor], responses: [.ok(Shapes.members)],
        refusals: .inOnlyFamily + .byStanding, tag: .versions { try $0[Inputs.familyInQuery] }
    ) { call in
        try MemberService.list(
            by: call.context, family: call[Inputs.familyInQuery], status: call[status],
            cursor: call[Inputs.cursor]
        ).map { listing in
            var reply = Reply.of(Shapes.members, listing, family: listing.family)
            // Former members may change in families that the caller is not in, so the tag does not
            // cover them.
            reply.isUntagged = listing.isFormer
            return reply
        }
    }

    static let read = Operation.read(
        "readMember", "Reads one member of a family.",
        inputs: [Inputs.member], responses: [.ok(Shapes.member)],
        refusals: [.memberNotFound], tag: .content
    ) { call in
        MemberService.read(by: call.context, member: try call[Inputs.member])
            .map { .of(Shapes.member, $0, family: $0.family) }
    }

    private static let householdRole = Input<HouseholdRole>.required("householdRole", .word)
    private static let newGuardian = Input<MemberID?>.optional(
        "reassignManagedTo", .shownID(),
        "The new guardian of the children, if the member is a guardian and stops being an adult.")

    static let setHouseholdRole = Operation(
        "setHouseholdRole",
        "Changes a member's household role, or claims the vacant seat. An allowed change that is "
            + "older than another person's also returns 200; it changes nothing, and the response "
            + "has the `conflict`.",
        inputs: [Inputs.member, householdRole, newGuardian, Inputs.changedAt, Inputs.baseVersion],
        responses: [.ok(Shapes.member)],
        refusals: [
            .memberNotFound, .notWhileActing, .oneself, .parentAdminExists, .seatReserved,
            .targetIsManaged, .targetIsParentAdmin, .roleTooHigh, .adminNotAdult, .memberIsWaiting,
        ] + .byStanding + .ofHandover,
        replay: replayOfRoleChange
    ) { services, call in
        let member = try services.members.setHouseholdRole(
            by: call.context, member: call[Inputs.member], to: call[householdRole],
            reassigningTo: call[newGuardian],
            offlineEdit: .init(
                at: call[Inputs.changedAt],
                baseVersion: call[Inputs.baseVersion].map { Int64($0) }))
        var reply = Reply.of(Shapes.member, member, family: member.family)
        if member.conflict != nil {
            // Only this response shows the conflict; reading the member does not.
            let shown = MemberWithGuardians(member, conflict: nil)
            reply.representation = Reply.of(Shapes.member, shown).body
        }
        return reply
    }.guarded

    /// Replays the response to a change of role. A caller whom the change has deprived of a
    /// permission may no longer see everything in the stored response: it gets the member's current
    /// state, with the stored conflict.
    private static let replayOfRoleChange: @Sendable (Services, Call, Reply) throws -> Reply = {
        services, call, stored in
        guard let family = stored.family else { throw Problem.internalFault }
        do {
            try services.families.require(.emailRead, in: family, by: call.context)
            return stored
        } catch is Refusal {
            let member = try services.database.run(
                MemberService.read(by: call.context, member: call[Inputs.member]))
            // The tag is of the current content, like that of a read.
            var reply = Reply.of(Shapes.member, member, family: family)
                .tagged(at: call.request, for: call.context)
            let conflict = try JSONField(JSONValue(parsing: stored.body))["conflict"].value
            if let conflict { try reply.add(JSONObject.Member(name: "conflict", value: conflict)) }
            return reply
        }
    }

    private static let rotateCode = Input<Bool?>.query(
        "rotateCode", .flag, "Whether the family also gets a new code.")

    static let remove = Operation(
        "removeMember", "Removes a member, or rejects a person who waits for approval.",
        inputs: [Inputs.member, Inputs.newGuardian, rotateCode], responses: [.success],
        refusals: [
            .memberNotFound, .notWhileActing, .oneself, .targetIsManaged, .targetIsParentAdmin,
        ] + .byStanding + .ofHandover
    ) { services, call in
        try services.members.remove(
            by: call.context, member: call[Inputs.member],
            reassigningTo: call[Inputs.newGuardian], rotatingCode: call[rotateCode] ?? false)
        return .of(Shapes.success, ())
    }

    static let leave = Operation(
        "leaveFamily",
        "Ends the caller's own membership, or withdraws the request to join the named family.",
        inputs: [Inputs.familyInQuery, Inputs.newGuardian], responses: [.success],
        refusals: .inOnlyFamily + [.memberNotFound, .transferAdminFirst, .standingTooLow]
            + .ofHandover
    ) { services, call in
        try services.members.leave(
            by: call.context, family: call[Inputs.familyInQuery],
            reassigningTo: call[Inputs.newGuardian])
        return .of(Shapes.success, ())
    }

    static let withdraw = Operation(
        "withdrawRequest", "Withdraws the caller's request to join; never ends a membership.",
        inputs: [Inputs.family], responses: [.success],
        refusals: .inFamily + [.memberIsNotWaiting, .standingTooLow]
    ) { services, call in
        try services.members.withdraw(by: call.context, from: call[Inputs.family])
        return .of(Shapes.success, ())
    }

    static let approve = Operation(
        "approveMember", "Approves a person who asked to join by code.",
        inputs: [Inputs.member], responses: [.ok(Shapes.member)],
        refusals: [
            .memberNotFound, .notWhileActing, .memberIsNotWaiting, .familyFull, .playerHasFamily,
            .roleMismatch,
        ] + .byStanding,
        replayNeeds: [.emailRead]
    ) { services, call in
        let member = try services.members.approve(
            by: call.context, member: call[Inputs.member])
        return .of(Shapes.member, member, family: member.family)
    }

    static let reject = Operation(
        "rejectMember",
        "Rejects the request of a person who asked to join by code; never ends a membership.",
        inputs: [Inputs.member], responses: [.success],
        refusals: [
            .memberNotFound, .notWhileActing, .memberIsNotWaiting, .oneself, .targetIsManaged,
            .targetIsParentAdmin,
        ] + .byStanding
    ) { services, call in
        try services.members.remove(
            by: call.context, member: call[Inputs.member], onlyIfWaiting: true)
        return .of(Shapes.success, ())
    }

    private static let successor = Input<MemberID>.required("memberId", .shownID())

    static let transferAdmin = Operation(
        "transferAdmin", "Transfers the caller's seat as Parent Admin to another adult.",
        inputs: [Inputs.familyInBody, successor], responses: [.ok(Shapes.changedMembers)],
        refusals: .inOnlyFamily + .byStanding + [.memberNotFound, .oneself, .adminNotAdult],
        replayNeeds: [.emailRead]
    ) { services, call in
        let members = try services.members.transferAdmin(
            by: call.context, family: call[Inputs.familyInBody], to: call[successor])
        return .of(Shapes.changedMembers, members, family: members.first?.family)
    }
}
