import Domain
import Policy
import UseCases

/// A family as a single group, and its members' preferences.
enum GroupEndpoints {
    static let read = Operation.read(
        "readGroup", "Reads a family with its active members.",
        inputs: [Inputs.family], responses: [.ok(Shapes.group)], refusals: [.familyNotFound],
        tag: .versions { try $0[Inputs.family] }
    ) { call in
        try FamilyService.readGroup(by: call.context, family: call[Inputs.family])
            .map { .of(Shapes.group, $0, family: $0.family.id) }
    }

    static let readMine = Operation.read(
        "readMyGroup",
        "Reads the caller's group; of several, the one with other active members that the caller "
            + "joined first. If the caller may not act for the named member, the response is for "
            + "the caller's own account.",
        responses: [
            DeclaredResponse(
                status: 200, help: "The group; `{\"group\": null}` if the caller has none.",
                mediaType: "application/json",
                schema: .either([
                    .reference(Shapes.group.name), .reference(Shapes.noGroup.name),
                ]), part: Shapes.noGroup)
        ], tag: .allVersions
    ) { call in
        FamilyService.readOwnGroup(by: call.context).map { group in
            group.map { .of(Shapes.group, $0, family: $0.family.id) } ?? .of(Shapes.noGroup, ())
        }
    }.ignoringRefusedDelegation

    private static let member = Input<MemberID?>.query(
        "member_id", .shownID(), "The user or member id; default: the caller.")
    private static let refusals: [RefusalCode] = [
        .familyNotFound, .memberNotFound, .preferencesOfAnother,
    ]
    private static let answer = DeclaredResponse.ok(Shapes.preferences)

    static let readPreferences = Operation(
        "readPreferences",
        "Reads preferences: the caller's own, or those of a child whose guardian the caller is.",
        inputs: [Inputs.family, member], responses: [answer], refusals: refusals
    ) { services, call in try read(services, call) }.taggedByContent

    static let writePreferences = Operation(
        "writePreferences", "Replaces a member's preferences.",
        inputs: [Inputs.family, member], responses: [answer],
        refusals: refusals + [.consentRequired, .preferencesTooLarge, .invalidField],
        takesDocument: true,
        replay: { services, call, kept in
            // Stored preferences are replayed only to callers who may still read them.
            _ = try read(services, call)
            return kept
        }
    ) { services, call in
        try reply {
            try services.members.writePreferences(
                by: call.context, family: call[Inputs.family], member: call[member],
                document: call.request.body)
        }
    }.guarded

    private static func read(_ services: Services, _ call: Call) throws -> Reply {
        try reply {
            try services.members.readPreferences(
                by: call.context, family: call[Inputs.family], member: call[member])
        }
    }

    private static func reply(_ preferences: () throws -> MemberPreferences) throws -> Reply {
        do {
            let preferences = try preferences()
            return .of(Shapes.preferences, preferences, family: preferences.family)
        } catch let error as Refusal {
            guard RefusalCode.ofPolicy.contains(error.code), error.code != .consentRequired,
                error.parameter != .signInEnded
            else { throw error }
            throw Refusal(.preferencesOfAnother)
        }
    }
}
