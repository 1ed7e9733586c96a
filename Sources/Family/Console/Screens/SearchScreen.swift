import Basics
import Domain
import HTTPServer
import Repositories
import UseCases

/// The search of every page.
///
/// The text is sent with POST, and the address of the results contains it encrypted for the
/// operator's session. So no log contains the text, and the browser can reload the results and go
/// back to them.
enum SearchScreen {
    static let routes: [ConsoleRoute] = [.form("/search", seal), .page("/search", results)]

    /// Maximum length of the text, in the units in which browsers count it.
    private static let longest = 200

    /// Redirects to the results of the text in the form.
    private static func seal(_ visit: ConsoleVisit) throws -> Response {
        guard let text = visit.field("q"), let token = visit.token else {
            return ConsoleReply.redirect(to: "/search")
        }
        guard text.utf16.count <= longest else {
            throw ConsoleMistake(sentence: "Search: expected at most \(longest) characters.")
        }
        let sealed = try token.sealedSearch(text, now: visit.services.now())
        return ConsoleReply.redirect(to: URLText.address("/search", [("sealed", sealed)]))
    }

    /// Returns the description of what the operator can search for.
    private static func scope(_ visit: ConsoleVisit) throws -> HTML {
        let isViewer = try visit.signedIn().role == .viewer
        let address = isViewer ? "a person's whole address" : "the beginning of a person's address"
        let children: HTML = isViewer ? " Children are not found by name." : ""
        return """
            <p class="hint">Type the beginning of a person's name (at least two characters) or of \
            a family's name, \(address), a family's code, the whole address of an open \
            invitation, or the id of a person, family, member, invitation, job or request. \
            Later words of a name are not searched: 'Ann F' finds Ann Fisher, 'Fisher' does \
            not.\(children)</p>

            """
    }

    private static func results(_ visit: ConsoleVisit) throws -> Response {
        let scope = try scope(visit)
        guard let sealed = visit.parameter("sealed") else {
            return visit.reply("Search", "<h1>Search</h1>\n\(scope)")
        }
        guard let text = try visit.token?.search(sealed, now: visit.services.now()) else {
            return visit.reply(
                "Search",
                """
                <h1>Search</h1>
                <p class="alert" role="alert">This search has expired: its results can be shown \
                for an hour, until you sign out. Search again.</p>
                \(scope)
                """, status: 410)
        }
        return try show(text, visit, scope)
    }

    /// Returns the results of a text, or redirects to the only one.
    private static func show(
        _ text: String, _ visit: ConsoleVisit, _ scope: HTML
    ) throws -> Response {
        var visit = visit
        visit.searchText = text
        if let path = try visit.read({ reader in try page(of: text, reader) }) {
            return ConsoleReply.redirect(to: path)
        }
        let (families, people, invitations) = try visit.read { reader in
            (
                try reader.families(called: text), try reader.people(called: text),
                try reader.invitations(to: text)
            )
        }
        let paths: [String] =
            families.map { "/families/\($0.id)" } + people.map { "/people/\($0.user.id)" }
            + invitations.map { FamilyScreens.path(of: $0) }
        if paths.count == 1 { return ConsoleReply.redirect(to: paths[0]) }
        // Last, because clients can choose a request id that equals the name of a family or person.
        if paths.isEmpty, try visit.read({ try $0.isRequest(text) }) {
            return ConsoleReply.redirect(to: URLText.address("/audit", [("request", text)]))
        }
        let isCut =
            max(families.count, people.count, invitations.count) == ConsoleReader.searchLimit
        let hint: HTML =
            isCut
            ? "<p>The first \("\(ConsoleReader.searchLimit)") are shown. Type more.</p>\n" : ""
        let short: HTML =
            text.unicodeScalars.count < 2
            ? """
            <p class="hint">A single character finds no people: type at least two.</p>

            """ : ""
        let familyTable: HTML =
            families.isEmpty
            ? "" : "<h2>Families</h2>\n\(FamilyScreens.table(families))"
        let peopleTable: HTML =
            people.isEmpty ? "" : "<h2>People</h2>\n\(PeopleScreens.table(people))"
        let invitationTable: HTML =
            invitations.isEmpty
            ? ""
            : "<h2>Open invitations</h2>\n\(FamilyScreens.table(invitations, empty: ""))"
        let nothing: HTML =
            paths.isEmpty
            ? """
            <p class="empty">Nothing found. Perhaps it is mistyped, or not the beginning of the \
            name.</p>
            \(scope)
            <p class="hint">A request is found by its id. \(AuditScreen.requestsRecorded)</p>

            """ : ""
        return visit.reply(
            "Search",
            """
            <h1>Search: \(text)</h1>
            \(hint)\(short)\(nothing)\(familyTable)\(peopleTable)\(invitationTable)
            """)
    }

    /// Returns the page of the object with an id or number; nil if there is no such object.
    private static func page(of text: String, _ reader: borrowing ConsoleReader) throws -> String? {
        if let number = Int64(text), number > 0, try reader.job(number, attempts: 1) != nil {
            return "/jobs/\(number)"
        }
        let bare = text.hasPrefix("managed_") ? String(text.dropFirst(8)) : text
        guard let id = ID<User>(bare.lowercased()) else { return nil }
        if try reader.person(id) != nil { return "/people/\(id)" }
        if try reader.family(FamilyID(rawValue: id.rawValue)) != nil { return "/families/\(id)" }
        if let member = try reader.member(MemberID(rawValue: id.rawValue)) {
            return "/families/\(member.member.family)"
        }
        return try reader.invitation(InvitationID(rawValue: id.rawValue)).map {
            FamilyScreens.path(of: $0)
        }
    }
}
