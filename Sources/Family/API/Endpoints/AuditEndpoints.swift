import UseCases

/// What was done in a family.
enum AuditEndpoints {
    private static let limit = Input<Int?>.query(
        "limit", .integer(ReadAudit.allowedLimits), "How many entries at most; 50 when left out.")

    static let read = Operation(
        "readAudit", "Reads what was done in a family, the newest first.",
        inputs: [Inputs.familyInQuery, Inputs.cursor, limit],
        answers: [.ok(Shapes.audit)],
        refusals: .inOnlyFamily + .byStanding
    ) { services, call in
        let page = try ReadAudit(services.database)(
            by: call.caller, family: call[Inputs.familyInQuery],
            cursor: call[Inputs.cursor], limit: call[limit] ?? 50)
        return .of(Shapes.audit, page, family: page.family)
    }
}
