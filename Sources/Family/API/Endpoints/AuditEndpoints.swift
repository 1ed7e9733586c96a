import UseCases

/// A family's audit log.
enum AuditEndpoints {
    private static let limit = Input<Int?>.query(
        "limit", .integer(FamilyService.auditLimits), "The maximum number of entries; default: 50.")

    static let read = Operation(
        "readAudit", "Reads a family's audit log, newest first.",
        inputs: [Inputs.familyInQuery, Inputs.cursor, limit],
        responses: [.ok(Shapes.audit)],
        refusals: .inOnlyFamily + .byStanding
    ) { services, call in
        let page = try services.families.readAudit(
            by: call.context, family: call[Inputs.familyInQuery],
            cursor: call[Inputs.cursor], limit: call[limit] ?? 50)
        return .of(Shapes.audit, page, family: page.family)
    }
}
