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
    /// Maximum number of e-mails to an address that are shown.
    private static let mailLimit = 20

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
        let children: HTML =
            isViewer
            ? " By name, children are not found, nor anybody whose name has an address in it." : ""
        return """
            <p class="hint">Type the beginning of a person's name (at least two characters) or of \
            a family's name, \(address), a family's code, the whole address of an open \
            invitation, a whole address without an account to see which codes were mailed to it \
            and what stops e-mail to it, or the id of a person, family, member, invitation, job \
            or request. \
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
        let (families, people, invitations, mail) = try visit.read { reader in
            (
                try reader.families(called: text), try reader.people(called: text),
                try reader.invitations(to: text),
                try EmailAddress(text).map { try reader.mail(to: $0, limit: mailLimit) }
            )
        }
        // The page of a person tells what stops e-mail to the person's address. But the people may
        // be found by the beginning of theirs, and a viewer sees no whole address.
        let mailbox = EmailAddress(text)?.mailbox
        let isOwnerFound = people.contains { person in
            person.user.email.flatMap { EmailAddress($0)?.mailbox } == mailbox
        }
        let isMailFound =
            mail.map { !$0.mails.isEmpty || (!$0.state.isEmpty && !isOwnerFound) } ?? false
        let paths: [String] =
            families.map { "/families/\($0.id)" } + people.map { "/people/\($0.user.id)" }
            + invitations.map { FamilyScreens.path(of: $0) }
        if paths.count == 1, !isMailFound { return ConsoleReply.redirect(to: paths[0]) }
        // Last, because clients can choose a request id that equals the name of a family or person.
        if paths.isEmpty, !isMailFound, try visit.read({ try $0.isRequest(text) }) {
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
        let mailSection: HTML = try mail.map { try section(about: $0, visit) } ?? ""
        let nothing: HTML =
            paths.isEmpty && !isMailFound
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
            \(hint)\(short)\(nothing)\(familyTable)\(peopleTable)\(invitationTable)\
            \(mailSection)
            """)
    }

    /// Returns what stops e-mail to the address that was typed, and the latest e-mails to it.
    private static func section(
        about mail: ConsoleReader.AddressMail, _ visit: ConsoleVisit
    ) throws -> HTML {
        let pause = try MailScreens.trouble(visit)
        return """
            <h2>E-mail to this address</h2>
            \(pause.map(MailScreens.notice) ?? "")\
            \(ConsoleParts.first(ConsoleReader.mailStateLimit, of: mail.state.count))\
            \(MailScreens.addresses(
                mail.state, ConsoleParts(visit), empty: "The address gets every e-mail."))\
            \(ConsoleParts.cut(mail.mails.count, at: mailLimit))\
            \(MailScreens.mails(
                mail.mails, "E-mails to this address", isPaused: pause != nil,
                empty: "No code or link was lately mailed to this address while it belonged to no "
                    + "account."))
            <p class="hint">Codes and links to an address without an account are found until a day \
            after they have expired. An invitation shows the outcome of its e-mail, and the page \
            of a person the e-mails to the account. \(ConsoleParts.link("/mail", "Mail")) shows \
            the outcomes of all e-mails.</p>

            """
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
