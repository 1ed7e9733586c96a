import Domain
import UseCases

/// Family codes: lookup, joining and renewal.
enum CodeEndpoints {
    private static let anyForm =
        "The family's code in any letter case, with or without `FAM-`, with blanks or dashes "
        + "anywhere; or the link in the family's QR code."
    private static let typedCode = Input<String>.required("familyCode", .familyCode, anyForm)
    private static let codeInPath = Input<String>.path(
        "code", .familyCode, absent: .routeNotFound, anyForm)
    private static let refusals: [RefusalCode] =
        .byAccount + [.codeMalformed, .codeUnknown, .codeExpired]

    static let preview = Operation(
        "previewFamilyCode", "Shows which family a code belongs to, before joining.",
        inputs: [codeInPath], responses: [.ok(Shapes.codePreview)], refusals: refusals
    ) { services, call in
        let preview = try services.codes.preview(
            by: call.context, typedCode: services.site.typedCode(call[codeInPath]),
            from: call.client)
        return .of(Shapes.codePreview, preview)
    }

    static let join = joining("joinFamily", "Joins a family by its code.")

    /// Alias for apps that call this operation by the name of a Supabase edge function.
    static let joinByFunction = joining("joinFamilyByFunction", "Does the same as joinFamily.")

    private static func joining(_ name: String, _ summary: String) -> Operation {
        Operation(
            name, summary, inputs: [typedCode],
            responses: [
                .ok(Shapes.joinedFamily, "The caller is a member."),
                .json(202, Shapes.awaitedApproval, "The caller waits for the family's approval.")
                    .outsideFamilies,
            ],
            refusals: refusals + [
                .alreadyMember, .removedFromFamily, .playerHasFamily, .familyFull,
                .tooManyFamilies,
            ]
        ) { services, call in
            let joined = try services.codes.join(
                by: call.context, typedCode: services.site.typedCode(call[typedCode]),
                from: call.client)
            services.meters.count(joined)
            // A waiting person is not in the family yet, so the response names no family and may be
            // replayed.
            return joined.isWaiting
                ? .of(Shapes.awaitedApproval, joined, status: 202)
                : .of(Shapes.joinedFamily, joined, family: joined.family)
        }
    }

    private static let family = Input<FamilyID>.required("familyId", .id())
    private static let days = Input<Int?>.optional(
        "expiresInDays", .integer(CodeService.allowedDays),
        "The number of days for which the new code is valid; default: until it is replaced.")

    static let regenerate = Operation(
        "regenerateFamilyCode", "Gives a family a new code; the old one stops working at once.",
        inputs: [family, days], responses: [.ok(Shapes.regeneratedCode)],
        refusals: .inFamily + .byStanding, replayNeeds: [.codeRead]
    ) { services, call in
        let family = try call[family]
        let code = try services.codes.regenerate(
            by: call.context, family: family, expiresInDays: call[days])
        return .of(Shapes.regeneratedCode, code, family: family)
    }
}
