import Domain
import JSON
import Repositories
import UseCases

extension Shapes {
    static let serverFamilies = Shape<ServerService.Page<ServerFamily>>(
        "ServerFamilies",
        [.list("families", serverFamily, \.items), .textOrNull("nextCursor", \.nextCursor)])

    static let serverFamily = Shape<ServerFamily>(
        "ServerFamily",
        [
            .id("id", \.id),
            .text("familyName", \.name),
            .id("createdByUserId", \.createdBy),
            .count("memberLimit") { Int($0.memberLimit) },
            .flag("approvalRequired", \.isApprovalRequired),
            .time("createdAt", \.createdAt),
            .time("updatedAt", \.updatedAt),
        ])

    static let serverMembers = Shape<[ServerMember]>(
        "ServerMembers", [.list("members", serverMember) { $0 }])

    static let serverMember = Shape<ServerMember>(
        "ServerMember",
        [
            .shownID("id", \.id, isManaged: \.isManaged),
            .id("familyId", \.family),
            .shownID("userId", \.user, isManaged: \.isManaged),
            .text("displayName", \.displayName),
            .flag("isManaged", \.isManaged),
            .list("guardians", guardian, \.guardians),
            .word("role", \.role),
            .word("householdRole", \.householdRole),
            .text("email", as: addressText, \.email),
            .flag("emailVerified", \.isEmailVerified),
            .time("addedAt", \.addedAt),
        ])

    static let serverPeople = Shape<[ServerService.Person]>(
        "ServerPeople", [.list("people", serverPerson) { $0 }])

    static let serverPerson = Shape<ServerService.Person>(
        "ServerPerson",
        [
            .shownID("id", { $0.person.id }, isManaged: { $0.person.isManaged }),
            .text("displayName") { $0.person.displayName },
            .flag("isManaged") { $0.person.isManaged },
            .list("guardians", guardian) { $0.person.guardians },
            .word("role") { $0.person.role },
            .text("email", as: addressText) { $0.person.email },
            .flag("emailVerified") { $0.person.isEmailVerified },
            .time("createdAt") { $0.person.createdAt },
            .list("memberships", serverMember, \.memberships),
        ])

    private static let addressText = Schema.string.described(
        "The e-mail address; empty without the scope `people:addresses`.")

    static let serverEvents = Shape<ServerService.Page<ServerEvent>>(
        "ServerEvents",
        [.list("events", serverEvent, \.items), .textOrNull("nextCursor", \.nextCursor)])

    /// An event, with the fields of a webhook's request.
    static let serverEvent = Shape<ServerEvent>(
        "ServerEvent",
        [
            .text("id") { "evt_\($0.id)" },
            .text("type", as: .word(WebhookEventType.allCases.map(\.rawValue)), \.type),
            .time("timestamp", \.occurredAt),
            .count("sequence") { Int($0.number) },
            .document("data") { $0.data.utf8 },
        ])
}
