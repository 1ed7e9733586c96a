import Domain
import UseCases

/// Attributes of a family: a JSON object that apps define.
enum AttributeEndpoints {
    private static let answer = DeclaredResponse.media(
        "application/json", schema: .object, example: ["streaming_services": ["netflix"]],
        "The attributes.")

    static let read = Operation.read(
        "readAttributes", "Reads a family's attributes, a JSON object that only apps understand.",
        inputs: [Inputs.family], responses: [answer],
        refusals: [.familyNotFound, .visitorsOnlyRead], tag: .content
    ) { call in
        let family = try call[Inputs.family]
        return FamilyService.readAttributes(by: call.context, family: family).map {
            reply($0, family)
        }
    }

    static let patch = Operation(
        "patchAttributes", "Changes a family's attributes by a JSON merge patch (RFC 7396).",
        inputs: [Inputs.family], responses: [answer],
        refusals: .inFamily + .byStanding + [.attributesTooLarge, .invalidField],
        takesDocument: true, replayNeeds: [.attributesRead]
    ) { services, call in
        let family = try call[Inputs.family]
        let patched = try services.families.patchAttributes(
            by: call.context, family: family, patch: call.request.body)
        return reply(patched, family)
    }.guarded.taking("application/merge-patch+json")

    private static func reply(_ attributes: [UInt8], _ family: FamilyID) -> Reply {
        Reply(status: 200, mediaType: "application/json", body: attributes, family: family)
    }
}
