import Basics
import Domain
import HTTPServer
import Repositories
import UseCases

/// The list of families, and the page of one.
enum FamilyScreens {
    static let routes: [ConsoleRoute] = [.page("/families", list), .page("/families/:id", show)]

    private static let invitationLimit = 50

    private static func list(_ visit: ConsoleVisit) throws -> Response {
        let page = try visit.page()
        let families = try visit.read { try $0.families(page) }
        let pager = ConsoleParts(visit).pager("/families", [], next: families.nextCursor)
        return visit.reply(
            "Families",
            """
            <h1>Families</h1>
            <p class="hint">The newest first. The search above finds a family by its code or \
            name.</p>
            \(table(families.items))\(pager)
            """, section: .families)
    }

    static func table(_ families: [AdminFamily]) -> HTML {
        ConsoleParts.table(
            "Families", ["Name", "Code", "Members", "Approval", "Since (UTC)"],
            families.map { family in
                [
                    ConsoleParts.link("/families/\(family.id)", family.name),
                    ConsoleParts.code(family.code ?? "-"),
                    HTML("\("\(family.memberCount) of \(family.memberLimit)")"),
                    HTML("\(family.isApprovalRequired ? "asked" : "not asked")"),
                    ConsoleParts.time(family.createdAt),
                ]
            }, empty: "There is no family.")
    }

    private static func show(_ visit: ConsoleVisit) throws -> Response {
        let id = try visit.id(Family.self)
        let found = try visit.read { reader in
            try reader.family(id).map {
                ($0, try reader.details(of: id, invitations: invitationLimit))
            }
        }
        guard let (family, details) = found else {
            throw ConsoleAbsence(sentence: "There is no family with this id.")
        }
        let parts = ConsoleParts(visit)
        let facts = ConsoleParts.facts([
            ("Id", ConsoleParts.code(family.id.description)),
            ("Code", ConsoleParts.code(family.code ?? "none that works")),
            ("Code since", ConsoleParts.time(family.codeGeneratedAt)),
            ("Code expires", ConsoleParts.time(family.codeExpiresAt)),
            ("Members", HTML("\("\(family.memberCount) of \(family.memberLimit)")")),
            (
                "New members",
                HTML("\(family.isApprovalRequired ? "wait for approval" : "join at once")")
            ),
            ("Created", ConsoleParts.time(family.createdAt)),
            ("Created by", ConsoleParts.link("/people/\(family.creator)", "the creator")),
            (
                "History",
                ConsoleParts.link("/audit?family=\(family.id)", "the audit log of the family")
            ),
            ("Jobs", ConsoleParts.link("/jobs/list?family=\(family.id)", "jobs of the family")),
        ])
        return visit.reply(
            family.name,
            """
            <h1>\(family.name)</h1>
            \(parts.done())\(facts)
            \(parts.operations(.family(family, details.members)))
            <h2>Members</h2>
            \(members(details.members, parts))
            <h2>Invitations</h2>
            \(invitations(details.invitations, parts))
            """, section: .families)
    }

    private static func members(_ members: [ConsoleMember], _ parts: ConsoleParts) -> HTML {
        ConsoleParts.table(
            "Members", ["Name", "Address", "Role", "In the household", "State", "Guardian", ""],
            members.map { one in
                let member = one.member
                let state: HTML =
                    switch member.status {
                    case .active: "\(ConsoleParts.time(member.addedAt))"
                    case .invited: "\(ConsoleParts.badge("waits for approval", "bad"))"
                    case .removed: "removed \(ConsoleParts.time(member.removedAt))"
                    }
                return [
                    ConsoleParts.link("/people/\(member.user)", one.title),
                    HTML("\(member.email ?? (member.isManaged ? "a child" : ""))"),
                    HTML("\(member.role.rawValue)"),
                    HTML("\(member.householdRole.rawValue.replacing("_", with: " "))"),
                    state, HTML("\(member.guardianName ?? "")"),
                    parts.operations(.member(one, members)),
                ]
            }, empty: "The family has no member.")
    }

    private static func invitations(
        _ invitations: [AdminInvitation], _ parts: ConsoleParts
    ) -> HTML {
        ConsoleParts.table(
            "Invitations", ["To", "By", "As", "State", "E-mail", "Sent (UTC)", "Until", ""],
            invitations.map { invitation in
                let outcome = invitation.deliveryStatus ?? "a link"
                return [
                    HTML("\(invitation.email ?? "anyone with the link")"),
                    HTML("\(invitation.inviterName ?? "")"),
                    HTML("\("\(invitation.role.rawValue), \(invitation.householdRole.rawValue)")"),
                    HTML("\(invitation.status.rawValue)"),
                    outcome == "failed"
                        ? ConsoleParts.badge("failed", "bad") : HTML("\(outcome)"),
                    ConsoleParts.time(invitation.lastSentAt ?? invitation.createdAt),
                    ConsoleParts.time(invitation.expiresAt),
                    parts.operations(.invitation(invitation)),
                ]
            }, empty: "Nobody was invited.")
    }
}
