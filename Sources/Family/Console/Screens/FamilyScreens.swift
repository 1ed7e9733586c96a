import Basics
import Domain
import HTTPServer
import QRCode
import Repositories
import UseCases

/// The list of families, and the page of one.
enum FamilyScreens {
    static let routes: [ConsoleRoute] = [
        .page("/families", list), .page("/families/:id", show),
        .page("/families/:id/invitations", allInvitations),
    ]

    private static let (invitationLimit, eventLimit) = (50, 20)

    private static let lists: [(list: ConsoleReader.FamilyList, label: String)] = [
        (.newest, "Newest first"), (.oldest, "Oldest first"), (.name, "By name"),
        (.waiting, "Somebody waits for approval"),
    ]

    private static func list(_ visit: ConsoleVisit) throws -> Response {
        let name = visit.parameter("list") ?? ConsoleReader.FamilyList.newest.rawValue
        guard let list = ConsoleReader.FamilyList(rawValue: name) else {
            let names = ConsoleReader.FamilyList.allCases.map(\.rawValue).joined(separator: ", ")
            throw ConsoleMistake(sentence: "list: expected one of \(names).")
        }
        let (families, count) = try visit.read { reader in
            let page = try reader.families(
                list, after: visit.parameter("after"), limit: ConsoleVisit.rowsPerPage)
            return (page, try reader.estimates().families)
        }
        let links = lists.reduce(into: HTML("")) { html, one in
            let mark: HTML = one.list == list ? " aria-current=\"true\"" : ""
            let path = URLText.address("/families", [("list", one.list.rawValue)])
            html = "\(html)<li><a href=\"\(path)\"\(mark)>\(one.label)</a></li>\n"
        }
        let pager = ConsoleParts(visit).pager(
            "/families", [("list", visit.parameter("list"))], next: families.nextCursor)
        return visit.reply(
            "Families",
            """
            <h1>Families</h1>
            <p class="hint">\(ConsoleParts.about(count))The search above finds a family by its \
            code or name.</p>
            <ul class="actions">
            \(links)</ul>
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
                    HTML("\(family.isApprovalRequired ? "required" : "not required")"),
                    ConsoleParts.time(family.createdAt),
                ]
            }, empty: "There is no family.")
    }

    private static func show(_ visit: ConsoleVisit) throws -> Response {
        let id = try visit.id(Family.self)
        let found = try visit.read { reader in
            try reader.family(id).map { family in
                let details = try reader.details(of: id, invitations: invitationLimit)
                let events = try latestEvents(of: id, reader)
                let people = AuditScreen.nameless(events).union(nameless(details))
                let operators = try reader.operators(invitedBy: details.invitations)
                return (family, details, events, try reader.erased(among: people), operators)
            }
        }
        guard let (family, details, events, erased, operators) = found else {
            throw ConsoleAbsence(sentence: "There is no family with this id.")
        }
        let parts = ConsoleParts(visit)
        let admin = details.members.first {
            $0.member.status == .active && $0.member.householdRole == .parentAdmin
        }
        let adminLink: HTML =
            admin.map { ConsoleParts.link("/people/\($0.member.user)", $0.title) } ?? "none"
        let creator = details.members.first { $0.member.user == family.creator }
        let facts = ConsoleParts.facts([
            ("Id", ConsoleParts.code(family.id.description)),
            ("Parent Admin", adminLink),
            ("Code", ConsoleParts.code(family.code ?? "none in force")),
            ("Code since", ConsoleParts.time(family.codeGeneratedAt)),
            ("Code expires", ConsoleParts.time(family.codeExpiresAt)),
            ("Members", HTML("\("\(family.memberCount) of \(family.memberLimit)")")),
            (
                "New members",
                HTML("\(family.isApprovalRequired ? "wait for approval" : "join at once")")
            ),
            ("Created", ConsoleParts.time(family.createdAt)),
            (
                "Created by",
                ConsoleParts.link("/people/\(family.creator)", creator?.title ?? "the creator")
            ),
            (
                "History",
                ConsoleParts.link("/audit?family=\(family.id)", "the family's audit log")
            ),
            ("Jobs", ConsoleParts.link("/jobs/list?family=\(family.id)", "the family's jobs")),
        ])
        return visit.reply(
            family.name,
            """
            <h1>\(family.name)</h1>
            \(parts.done())\(facts)\(try code(family, visit))
            \(parts.operations(.family(family, details.members)))
            <h2>Members</h2>
            \(ConsoleParts.first(ConsoleReader.memberLimit, of: details.members.count))\
            \(members(details.members, details.guardians, erased, parts))
            <h2>Invitations</h2>
            \(ConsoleParts.cut(
                details.invitations.count, at: invitationLimit,
                all: "/families/\(family.id)/invitations"))\
            \(invitations(details.invitations, operators, erased, parts))
            <h2>Latest events</h2>
            \(ConsoleParts.cut(events.count, at: eventLimit))\
            \(AuditScreen.table(
                events, erased, isOfFamily: true,
                empty: "The audit log has no entry about this family."))
            """, section: .families)
    }

    /// All invitations of a family, page by page.
    private static func allInvitations(_ visit: ConsoleVisit) throws -> Response {
        let id = try visit.id(Family.self)
        let request = try visit.page()
        let found = try visit.read { reader in
            try reader.family(id).map { family in
                let page = try reader.invitations(of: id, request)
                let operators = try reader.operators(invitedBy: page.items)
                let erased = try reader.erased(among: namelessInviters(page.items))
                return (family, page, operators, erased)
            }
        }
        guard let (family, page, operators, erased) = found else {
            throw ConsoleAbsence(sentence: "There is no family with this id.")
        }
        let parts = ConsoleParts(visit)
        let pager = parts.pager("/families/\(id)/invitations", [], next: page.nextCursor)
        return visit.reply(
            "Invitations",
            """
            <h1>Invitations: \(ConsoleParts.link("/families/\(id)", family.name))</h1>
            \(invitations(page.items, operators, erased, parts))\(pager)
            """, section: .families)
    }

    /// Returns the members and inviters of a family who have no name, such as erased ones.
    private static func nameless(_ details: ConsoleReader.FamilyDetails) -> Set<UserID> {
        let members = details.members.map(\.member).filter {
            $0.fullName == nil && $0.email == nil
        }
        return namelessInviters(details.invitations).union(members.map(\.user))
    }

    private static func namelessInviters(_ invitations: [AdminInvitation]) -> Set<UserID> {
        Set(invitations.filter { $0.inviterName == nil }.compactMap(\.invitedBy))
    }

    /// Returns the latest entries of a family's audit log.
    private static func latestEvents(
        of family: FamilyID, _ reader: borrowing ConsoleReader
    ) throws -> [NamedAuditEntry] {
        var filter = ConsoleReader.AuditFilter()
        filter.family = family
        return try reader.audit(filter, OperatorPageRequest(cursor: nil, limit: eventLimit)).items
    }

    /// Returns the QR code of the family's link; empty if the operator may not see the code, or the
    /// console does not know the address of the pages.
    private static func code(_ family: AdminFamily, _ visit: ConsoleVisit) throws -> HTML {
        guard let code = family.code, let publicURL = visit.services.system.publicURL,
            try visit.signedIn().role != .viewer
        else { return "" }
        let link = "\(publicURL)/join?code=\(code)"
        return """
            <details><summary>QR code</summary>
            <p>Whoever scans it can join, as with the code: \(link)</p>
            <div class="qr" role="img" aria-label="QR code of the family">\
            \(HTML(markup: try QRCode(link).svg))</div></details>

            """
    }

    private static func members(
        _ members: [ConsoleMember], _ guardians: [ConsoleGuardians],
        _ erased: [UserID: UserKind], _ parts: ConsoleParts
    ) -> HTML {
        let names = Dictionary(
            guardians.map { ($0.child, $0.names) }, uniquingKeysWith: { first, _ in first })
        return ConsoleParts.table(
            "Members",
            ["Name", "Address", "Role", "In the household", "State", "Joined", "Guardians", ""],
            members.map { one in
                let member = one.member
                return [
                    person(member.user, member.fullName, erased),
                    HTML("\(member.email ?? (member.isManaged ? "a child" : ""))"),
                    HTML("\(member.role.rawValue)"),
                    HTML("\(member.householdRole.rawValue.replacing("_", with: " "))"),
                    one.state, HTML("\(one.entry)"),
                    HTML("\(names[member.id]?.joined(separator: ", ") ?? "")"),
                    parts.operations(.member(one, members), inRowOf: one.title),
                ]
            }, empty: "The family has no member.")
    }

    /// Returns a link to the page of a person, who may have no name.
    private static func person(
        _ id: UserID, _ name: String?, _ erased: [UserID: UserKind]
    ) -> HTML {
        ConsoleParts.person(id, name ?? (erased[id] == nil ? "no name" : nil), erased)
    }

    /// Returns the path of an invitation's row on the page of its family.
    static func path(of invitation: AdminInvitation) -> String {
        "/families/\(invitation.family)#\(rowID(of: invitation))"
    }

    private static func rowID(of invitation: AdminInvitation) -> String {
        "invitation-\(invitation.id)"
    }

    /// Returns a table of invitations that leads to the pages of their families.
    static func table(_ invitations: [AdminInvitation], empty: String) -> HTML {
        ConsoleParts.table(
            "Open invitations", ["Family", "To"] + columns,
            invitations.map { invitation in
                [
                    ConsoleParts.link(path(of: invitation), invitation.familyName),
                    HTML("\(addressee(invitation))"),
                ] + cells(invitation, [:])
            }, empty: empty)
    }

    private static func invitations(
        _ invitations: [AdminInvitation], _ operators: [InvitationID: [UserID]],
        _ erased: [UserID: UserKind], _ parts: ConsoleParts
    ) -> HTML {
        ConsoleParts.table(
            "Invitations", ["To"] + columns + [""],
            invitations.map { invitation in
                let row: HTML = """
                    <span id="\(rowID(of: invitation))">\(addressee(invitation))</span>
                    """
                let subject = ConsoleSubject.invitation(
                    invitation, to: operators[invitation.id] ?? [])
                return [row] + cells(invitation, erased) + [parts.operations(subject)]
            }, empty: "Nobody was invited.")
    }

    private static func addressee(_ invitation: AdminInvitation) -> String {
        invitation.email ?? "anyone with the link"
    }

    /// The columns of an invitation in every table of invitations.
    private static let columns = ["By", "As", "State", "E-mail", "Sent (UTC)", "Until"]

    private static func cells(
        _ invitation: AdminInvitation, _ erased: [UserID: UserKind]
    ) -> [HTML] {
        let outcome = invitation.deliveryStatus ?? "a link"
        return [
            invitation.invitedBy.map { person($0, invitation.inviterName, erased) }
                ?? HTML("\(invitation.inviterName ?? "no name")"),
            HTML("\("\(invitation.role.rawValue), \(invitation.householdRole.rawValue)")"),
            HTML("\(invitation.status.rawValue)"),
            outcome == "failed" ? ConsoleParts.badge("failed", "bad") : HTML("\(outcome)"),
            ConsoleParts.time(invitation.lastSentAt ?? invitation.createdAt),
            ConsoleParts.time(invitation.expiresAt),
        ]
    }
}

extension ConsoleMember {
    /// The state of the membership, since when, and who ended it.
    var state: HTML {
        switch member.status {
        case .active: "member since \(ConsoleParts.time(member.addedAt))"
        case .invited: "\(ConsoleParts.badge("waits for approval", "bad"))"
        case .removed: "\(ending) \(ConsoleParts.time(member.removedAt))"
        }
    }

    /// The person's latest way into the family, or to a request to be let in.
    var entry: String {
        switch member.joinedVia {
        case .created where isCreator: "created the family"
        case .created where member.isManaged: "added by a parent"
        // A child without an account that has got one.
        case .created: "added as a child"
        case .code: member.status == .invited || isRequest ? "asked by code" : "by code"
        case .invitation: "by invitation"
        case .operator: "added by an operator"
        }
    }

    /// Whether the membership has ended while the person waited for approval.
    private var isRequest: Bool { wasWaiting == true }

    /// Words for the end of the membership, or of the request to join: what ended, and by whom.
    private var ending: String {
        if hasLeft == true { return isRequest ? "request ended" : "left" }
        return (isRequest ? "rejected" : "removed") + (remover.map { " by \($0)" } ?? "")
    }
}
