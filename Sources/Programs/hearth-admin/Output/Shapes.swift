import Domain
import JSON
import Repositories
import CommandLine
import UseCases

// The JSON that docs/operations.md promises, and the rows of tables.

extension AdminFamily {
    static let columns: [TerminalTable.Column] = [
        .fixed("ID"), .fixed("CODE"), .text("NAME"), .number("MEMBERS"), .fixed("CREATED"),
    ]

    var row: [String] {
        [id.description, code ?? "-", name, "\(memberCount)/\(memberLimit)", createdAt.date]
    }

    func write(to json: inout JSONWriter) {
        json.member("id", id.description)
        json.member("name", name)
        json.member("code", code)
        json.member("codeGeneratedAt", codeGeneratedAt?.description)
        json.member("codeExpiresAt", codeExpiresAt?.description)
        json.member("createdByUserId", creator.description)
        json.member("memberCount", memberCount)
        json.member("memberLimit", memberLimit)
        json.member("approvalRequired", isApprovalRequired)
        json.member("createdAt", createdAt.description)
    }
}

extension RecordedConsent {
    static let columns: [TerminalTable.Column] = [
        .fixed("PURPOSE"), .fixed("VERSION"), .fixed("METHOD"), .fixed("GIVEN BY"),
        .fixed("GIVEN"), .fixed("ENDED"),
    ]

    var row: [String] {
        [
            consent.purpose, consent.version, consent.method.rawValue,
            consent.givenBy.description, consent.givenAt.description, endedAt?.description ?? "",
        ]
    }

    func write(to json: inout JSONWriter) {
        json.member("memberId", member.description)
        json.member("purpose", consent.purpose)
        json.member("version", consent.version)
        json.member("method", consent.method.rawValue)
        json.member("givenBy", consent.givenBy.description)
        json.member("givenAt", consent.givenAt.description)
        json.member("endedBy", endedBy?.description)
        json.member("endedAt", endedAt?.description)
    }
}

extension RecordedOwnConsent {
    static let columns: [TerminalTable.Column] = [
        .fixed("PURPOSE"), .fixed("VERSION"), .fixed("GIVEN"), .fixed("ENDED"),
    ]

    var row: [String] {
        [
            consent.purpose, consent.version, consent.givenAt.description,
            endedAt?.description ?? "",
        ]
    }

    func write(to json: inout JSONWriter) {
        json.member("purpose", consent.purpose)
        json.member("version", consent.version)
        json.member("givenAt", consent.givenAt.description)
        json.member("endedAt", endedAt?.description)
    }
}

extension AdminMember {
    static let columns: [TerminalTable.Column] = [
        .fixed("ID"), .text("NAME"), .text("E-MAIL"), .fixed("ROLE"), .fixed("HOUSEHOLD ROLE"),
        .text("NOTE"),
    ]

    var row: [String] {
        [id.description, fullName ?? "-", email ?? "", role.rawValue, householdRole.rawValue, note]
    }

    /// Columns for the memberships of one person: a row for each family.
    static let familyColumns: [TerminalTable.Column] = [
        .fixed("FAMILY"), .text("NAME"), .fixed("ROLE"), .fixed("HOUSEHOLD ROLE"), .text("NOTE"),
    ]

    var familyRow: [String] {
        [family.description, familyName, role.rawValue, householdRole.rawValue, note]
    }

    private var note: String {
        switch status {
        case .active:
            isManaged ? guardianName.map { "managed by \($0)" } ?? "managed" : ""
        case .invited: "waits"
        case .removed: "removed"
        }
    }

    func write(to json: inout JSONWriter) {
        json.member("id", id.description)
        json.member("familyId", family.description)
        json.member("familyName", familyName)
        json.member("userId", user.description)
        json.member("fullName", fullName)
        json.member("email", email)
        json.member("role", role.rawValue)
        json.member("householdRole", householdRole.rawValue)
        json.member("status", status.rawValue)
        json.member("isManaged", isManaged)
        json.member("guardianUserId", guardian?.description)
        json.member("joinedVia", joinedVia.rawValue)
        json.member("isVouched", isVouched)
        json.member("addedAt", addedAt.description)
        json.member("removedAt", removedAt?.description)
    }
}

extension AdminUser {
    static let columns: [TerminalTable.Column] = [
        .fixed("ID"), .text("NAME"), .text("E-MAIL"), .fixed("ROLE"), .number("FAMILIES"),
        .fixed("NOTE"),
    ]

    var row: [String] {
        let note =
            erasedAt != nil
            ? "erased" : blockedAt != nil ? "blocked" : kind == .managed ? "managed" : ""
        return [
            id.description, fullName ?? "-", email ?? "", role.rawValue, "\(familyCount)", note,
        ]
    }

    func write(to json: inout JSONWriter) {
        json.member("id", id.description)
        json.member("kind", kind.rawValue)
        json.member("fullName", fullName)
        json.member("email", email)
        json.member("emailVerified", isEmailVerified)
        json.member("role", role.rawValue)
        json.array("issuers") { for issuer in issuers { $0.element(issuer) } }
        json.member("familyCount", familyCount)
        json.member("createdAt", createdAt.description)
        json.member("erasedAt", erasedAt?.description)
        json.member("blockedAt", blockedAt?.description)
        json.member("blockedBy", blockedBy)
        json.member("blockedReason", blockedReason)
    }
}

extension AdminInvitation {
    static let columns: [TerminalTable.Column] = [
        .fixed("ID"), .text("FAMILY"), .text("TO"), .fixed("ROLE"), .fixed("STATUS"),
        .fixed("MAIL"), .fixed("EXPIRES"),
    ]

    var row: [String] {
        [
            id.description, familyName, email ?? "(link)", role.rawValue, status.rawValue,
            deliveryStatus ?? "", expiresAt.date,
        ]
    }

    func write(to json: inout JSONWriter) {
        json.member("id", id.description)
        json.member("familyId", family.description)
        json.member("familyName", familyName)
        json.member("invitedByUserId", invitedBy?.description)
        json.member("inviterName", inviterName)
        json.member("email", email)
        json.member("role", role.rawValue)
        json.member("householdRole", householdRole.rawValue)
        json.member("status", status.rawValue)
        json.member("delivery", delivery.rawValue)
        json.member("createdAt", createdAt.description)
        json.member("expiresAt", expiresAt.description)
        json.member("sentCount", sentCount)
        json.member("lastSentAt", lastSentAt?.description)
        json.member("deliveryStatus", deliveryStatus)
    }
}

extension NamedAuditEntry {
    static let columns: [TerminalTable.Column] = [
        .fixed("AT"), .text("ACTOR"), .fixed("ACTION"), .fixed("FAMILY"), .text("SUBJECT"),
        .text("DETAILS"),
    ]

    var row: [String] {
        let (entry, family) = (entry.entry, entry.family)
        let details = String(decoding: entry.details.utf8, as: UTF8.self)
        return [
            entry.at.description,
            entry.actorLabel ?? Self.named(entry.actor?.description, actorName) ?? "-",
            entry.action, Self.named(family?.description, familyName) ?? "-",
            Self.named(entry.subject?.description, subjectName) ?? "",
            details == "{}" ? "" : details,
        ]
    }

    /// Returns an id with the name beside it.
    private static func named(_ id: String?, _ name: String?) -> String? {
        id.map { id in name.map { "\(id) (\($0))" } ?? id }
    }

    func write(to json: inout JSONWriter) {
        entry.write(to: &json)
        json.member("actorName", actorName)
        json.member("subjectName", subjectName)
        json.member("familyName", familyName)
    }
}

extension AdminAuditEntry {
    func write(to json: inout JSONWriter) {
        json.member("id", entry.id.description)
        json.member("at", entry.at.description)
        json.member("familyId", family?.description)
        json.member("actorUserId", entry.actor?.description)
        json.member("actorLabel", entry.actorLabel)
        json.member("subjectUserId", entry.subject?.description)
        json.member("action", entry.action)
        json.member("targetId", entry.target.map { FamilyID(rawValue: $0).description })
        json.member("details", raw: entry.details.utf8)
        json.member("requestId", requestID)
    }
}

extension Timestamp {
    /// Date without the time.
    var date: String { String(description.prefix(10)) }
}
