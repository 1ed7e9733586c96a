import Domain
import JSON
import Repositories
import UseCases

extension Shapes {
    static let audit = Shape<FamilyPage<AuditEntry>>(
        "AuditPage",
        [
            .list("entries", auditEntry, \.items),
            .textOrNull("nextCursor", \.nextCursor),
        ])

    private static let auditEntry = Shape<AuditEntry>(
        "AuditEntry",
        [
            .id("id", \.id),
            .time("at", \.at),
            .idOrNull("actorUserId", \.actor),
            .textOrNull(
                "actorLabel", as: Schema.string.described("The actor, if it was not an account."),
                \.actorLabel),
            .textOrNull("subjectUserId", as: .shownID) { entry in
                entry.subject?.shown(isManaged: entry.isSubjectManaged)
            },
            .text("action", \.action),
            .textOrNull("targetId", as: .shownID) { entry in
                entry.target.map { MemberID(rawValue: $0) }?
                    .shown(isManaged: entry.isTargetManaged)
            },
            .document("details", \.details.utf8),
        ])
}
