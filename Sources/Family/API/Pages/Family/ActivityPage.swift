import Basics
import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

/// The page `/family/activity`: a family's audit log in sentences, by day.
enum ActivityPage: Page {
    static let summary = "Shows a family's audit log to members who may read it."
    static let links: [any DeclaredInput] = [
        Input<String?>.query("family", .anyText, "The family; default: as on `/family`."),
        Input<String?>.query("cursor", .anyText, "The position at which the page begins."),
        Input<String?>.query("person", .anyText, "The member whose entries are shown."),
    ]
    static let refusals: [RefusalCode] = [.familyNotFound, .standingTooLow]

    /// Number of entries that a page shows.
    private static let limit = 50

    static func show(_ visit: PageVisit) throws -> Reply {
        _ = try visit.services.signInSetup()
        let context = try visit.signedIn()
        return try visit.prolonging {
            let overview = try visit.overview(named: visit.nameOfFamily(nil), by: context)
            guard overview.allows(.auditRead) else {
                throw Refusal(overview.allows(.codeRead) ? .standingTooLow : .visitorsOnlyRead)
            }
            let page = try visit.services.families.readAudit(
                by: context, family: overview.family.id, cursor: visit.parameter("cursor"),
                limit: limit, person: visit.person(in: overview))
            return try ActivityViews(shown: ShownFamily(visit, overview)).reply(page)
        }
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        try RefusedForm.reply(visit)
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        try visit.failure(problem) { _, _ in throw problem }
    }
}

extension PageVisit {
    /// The person whose entries are shown; nil for the entries of all people.
    fileprivate func person(in overview: FamilyOverview) -> UserID? {
        parameter("person").flatMap { MemberID($0) }.flatMap { overview.member($0)?.member.user }
    }
}

/// A person in an entry of the audit log, as sentences name the person.
enum ActivityPerson: Sendable {
    case reader
    case member(String)
    /// Person who left, was removed, or was erased.
    case former
    /// Child who was removed.
    case formerChild
    /// Person who asked to join or was invited, and is no member.
    case outsider
    /// The operators of the service.
    case support
    /// Hearth itself.
    case nobody
}

/// Views of `/family/activity`.
struct ActivityViews: FamilyView {
    let shown: ShownFamily

    func reply(_ page: FamilyPage<AuditEntry>) throws -> Reply {
        let entries = page.items
        let older: HTML =
            page.nextCursor.map { cursor in
                var parameters = [(name: "family", value: id.description), ("cursor", cursor)]
                if let person = visit.parameter("person").flatMap({ MemberID($0) }) {
                    parameters.append(("person", person.description))
                }
                return family.link(say(.older), to: "family/activity", parameters)
            } ?? ""
        let none: HTML = entries.isEmpty ? "<p class=\"empty\">\(say(.noActivity))</p>\n" : ""
        return try family.reply(
            "<bdi>\(overview.family.name)</bdi>", say(.activity), version: overview.version,
            """
            \(filter())<div data-part="entries">
            \(days(entries))\(none)\(older)</div>
            \(family.back(to: id))
            """)
    }

    private func filter() -> HTML {
        let people = overview.members.map {
            (value: $0.member.id.description, label: HTML("\($0.member.displayName)"))
        }
        let chosen = visit.parameter("person")
        return """
            <form method="get" action="\(family.address("family/activity"))" class="switcher">
            <input type="hidden" name="family" value="\(overview.family.id.description)">
            \(family.choice("person", say(.ofPerson), people, none: say(.everybody),
                chosen: chosen))\(family.parts.button(say(.show), style: "plain"))</form>

            """
    }

    /// Returns the entries with a heading for each day.
    private func days(_ entries: [AuditEntry]) -> HTML {
        var html: HTML = ""
        var rest = entries[...]
        while let first = rest.first {
            let day = first.at.civilDay
            let same = rest.prefix { $0.at.civilDay == day }
            rest = rest.dropFirst(same.count)
            let lines = same.map { entry -> HTML in
                let time = entry.at.description.dropFirst(11).prefix(5)
                return """
                    <div>\(sentence(entry)) <time class="hint" \
                    datetime="\(entry.at.description)">\(String(time)) UTC</time></div>
                    """
            }
            html = """
                \(html)<h2>\(language.familyTexts.day(first.at))</h2>
                \(family.list(lines))
                """
        }
        return html
    }

    private func sentence(_ entry: AuditEntry) -> HTML {
        let details = JSONField(
            (try? JSONValue(parsing: entry.details.utf8)) ?? .object(JSONObject()))
        func detail(_ name: String) -> String? { try? details[name].ifPresent?.string() }
        let isAboutRequest =
            detail("was") == MembershipStatus.invited.rawValue || detail("outcome") == "waiting"
        let isOfOutsider =
            entry.action == "invitation.decline"
            || (isAboutRequest && ["code.join", "member.leave"].contains(entry.action))
        let isAboutOutsider = isOfOutsider || (isAboutRequest && entry.action == "member.remove")
        let isAboutChild =
            entry.isSubjectManaged
            || ["managed.", "guardian.", "consent."].contains { entry.action.hasPrefix($0) }
        let actor: ActivityPerson =
            if let user = entry.actor {
                person(user) ?? (isOfOutsider ? .outsider : .former)
            } else if let label = entry.actorLabel {
                // The server of an app, by the name of its key.
                label.hasPrefix("server:") ? .member(String(label.dropFirst(7))) : .support
            } else {
                .nobody
            }
        let former: ActivityPerson =
            isAboutChild ? .formerChild : isAboutOutsider ? .outsider : .former
        return language.familyTexts.activity(
            FamilyActivity(
                action: entry.action, actor: actor,
                subject: entry.subject.map { person($0) ?? former } ?? .nobody,
                isOwn: entry.subject == nil || entry.subject == entry.actor,
                role: detail("to").flatMap { HouseholdRole(rawValue: $0) },
                side: detail("role").flatMap { MemberRole(rawValue: $0) },
                isAboutRequest: isAboutRequest))
    }

    /// Returns a member as sentences name it; nil for anybody else.
    private func person(_ user: UserID) -> ActivityPerson? {
        if user == overview.me.user { return .reader }
        let member = overview.members.first { $0.member.user == user }
        return member.map { .member($0.member.displayName) }
    }
}

/// An entry of the audit log, with the names that the reader may see.
struct FamilyActivity {
    let action: String
    let actor: ActivityPerson
    let subject: ActivityPerson
    /// Whether the action concerned nobody but the actor.
    let isOwn: Bool
    /// Household role that was given.
    let role: HouseholdRole?
    /// Whether a player or a parent was invited.
    let side: MemberRole?
    /// If true, the entry is about a request to join, not about a membership.
    let isAboutRequest: Bool
}
