import Basics
import Domain
import HTTPServer
import Repositories
import UseCases

/// The search form of every page. It is sent with POST, so that no log contains the text.
enum SearchScreen {
    static let routes: [ConsoleRoute] = [
        .form("/search", search),
        // The path is opened with GET by a reload of the results, or by a link.
        .page("/search") { visit in visit.reply("Search", empty) },
    ]

    private static let empty: HTML = """
        <h1>Search</h1>
        <p>Search by a family's code or name, a person's address or name, or an id of a person, \
        family, member, invitation, job or request.</p>
        """

    private static func search(_ visit: ConsoleVisit) throws -> Response {
        guard let text = visit.field("q") else { return visit.reply("Search", empty) }
        guard text.utf8.count <= 400 else {
            throw ConsoleMistake(sentence: "Search: expected at most 200 characters.")
        }
        if let path = try visit.read({ reader in try page(of: text, reader) }) {
            return ConsoleReply.redirect(to: path)
        }
        let (families, people) = try visit.read { reader in
            (try reader.families(called: text), try reader.people(called: text))
        }
        if people.isEmpty, families.count == 1, let only = families.first {
            return ConsoleReply.redirect(to: "/families/\(only.id)")
        }
        if families.isEmpty, people.count == 1, let only = people.first {
            return ConsoleReply.redirect(to: "/people/\(only.user.id)")
        }
        // Last, because clients can choose a request id that equals the name of a family or person.
        if families.isEmpty, people.isEmpty, try visit.read({ try $0.isRequest(text) }) {
            return ConsoleReply.redirect(to: URLText.address("/audit", [("request", text)]))
        }
        let isCut =
            max(families.count, people.count) == ConsoleReader.searchLimit
        let hint: HTML =
            isCut
            ? "<p>The first \("\(ConsoleReader.searchLimit)") are shown. Type more.</p>\n" : ""
        let familyTable: HTML =
            families.isEmpty
            ? "" : "<h2>Families</h2>\n\(FamilyScreens.table(families))"
        let peopleTable: HTML =
            people.isEmpty ? "" : "<h2>People</h2>\n\(PeopleScreens.table(people))"
        let nothing: HTML =
            families.isEmpty && people.isEmpty
            ? """
            <p class="empty">Nothing found. Type the beginning of a name or address, or a whole \
            code or id.</p>
            <p class="hint">A request is found by its id. \(AuditScreen.requestsRecorded)</p>

            """ : ""
        return visit.reply(
            "Search",
            """
            <h1>Search: \(text)</h1>
            \(hint)\(nothing)\(familyTable)\(peopleTable)
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
            "/families/\($0.family)"
        }
    }
}
