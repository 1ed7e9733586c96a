import Domain
import Policy
import UseCases

/// A family as one group, and what its members like.
enum GroupEndpoints {
    static let read = Operation.read(
        "readGroup", "Reads a family with its active members.",
        inputs: [Inputs.family], answers: [.ok(Shapes.group)], refusals: [.familyNotFound]
    ) { call in
        try ReadGroup.reading(by: call.caller, family: call[Inputs.family])
            .map { .of(Shapes.group, $0, family: $0.id) }
    }

    private static let member = Input<MemberID?>.query(
        "member_id", .shownID(), "The user or member id; default: the caller.")
    private static let refusals: [RefusalCode] = [
        .familyNotFound, .memberNotFound, .preferencesOfAnother,
    ]
    private static let answer = DeclaredAnswer.media(
        "application/json", schema: .object, example: Glossary.document, "The preferences.")

    static let readPreferences = Operation(
        "readPreferences",
        "Reads preferences: the caller's own, or those of a child whose guardian the caller is.",
        inputs: [Inputs.family, member], answers: [answer], refusals: refusals
    ) { services, call in
        try document(of: call) {
            try ReadPreferences(services.database)(
                by: call.caller, family: call[Inputs.family], member: call[member])
        }
    }

    static let writePreferences = Operation(
        "writePreferences", "Replaces a member's preferences.",
        inputs: [Inputs.family, member], answers: [answer],
        refusals: refusals + [.preferencesTooLarge, .invalidField], takesDocument: true,
        replay: { services, call, kept in
            // The stored preferences are replayed only to callers who may still read them.
            _ = try document(of: call) {
                try ReadPreferences(services.database)(
                    by: call.caller, family: call[Inputs.family], member: call[member])
            }
            return kept
        }
    ) { services, call in
        try document(of: call) {
            try WritePreferences(services.database)(
                by: call.caller, family: call[Inputs.family], member: call[member],
                document: call.request.body)
        }
    }

    private static func document(
        of call: Call, _ preferences: () throws -> [UInt8]
    ) throws -> Reply {
        do {
            return Reply(
                status: 200, mediaType: "application/json", body: try preferences(),
                family: try call[Inputs.family])
        } catch let error as Refusal {
            guard RefusalCode.ofPolicy.contains(error.code) else { throw error }
            throw Refusal(.preferencesOfAnother)
        }
    }
}
