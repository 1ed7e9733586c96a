import Basics
import Domain
import HTTPServer
import Repositories
import UseCases

/// The list of people, and the page of one. Looking at a person is recorded.
enum PeopleScreens {
    static let routes: [ConsoleRoute] = [
        .page("/people", list), .page("/people/:id", show),
        .page("/people/:id/sign-ins", signInLog),
    ]

    private static let (signInLimit, mailLimit, consentLimit) = (50, 20, 50)
    private static let invitationLimit = 20

    private static func list(_ visit: ConsoleVisit) throws -> Response {
        let page = try visit.page()
        let (people, count) = try visit.read { reader in
            (try reader.people(page), try reader.estimates().people)
        }
        let parts = ConsoleParts(visit)
        let pager = parts.pager("/people", [], next: people.nextCursor)
        return visit.reply(
            "People",
            """
            <h1>People</h1>
            \(parts.done())<p class="hint">\(ConsoleParts.about(count))Newest first. The search \
            above finds people by address or name.</p>
            \(table(people.items))\(pager)
            """, section: .people)
    }

    static func table(_ people: [ConsolePerson]) -> HTML {
        ConsoleParts.table(
            "People", ["Name", "Address", "Kind", "Families", "State", "Since (UTC)"],
            people.map { person in
                let user = person.user
                return [
                    ConsoleParts.link("/people/\(user.id)", person.title),
                    HTML("\(user.email ?? "")"),
                    HTML("\(user.kind == .managed ? "child" : user.role.rawValue)"),
                    HTML("\("\(user.familyCount)")"), state(person),
                    ConsoleParts.time(user.createdAt),
                ]
            }, empty: "There are no people.")
    }

    private static func state(_ person: ConsolePerson) -> HTML {
        if person.user.erasedAt != nil { return ConsoleParts.badge("erased") }
        let blocked: HTML =
            person.user.blockedAt == nil ? "" : ConsoleParts.badge("blocked", "bad")
        let role: HTML = person.isOperator ? ConsoleParts.badge("operator") : ""
        return "\(blocked)\(role)"
    }

    private static func show(_ visit: ConsoleVisit) throws -> Response {
        let id = try visit.id(User.self)
        let found = try visit.read { reader in
            try reader.person(id).map {
                let details = try reader.details(
                    of: id, signIns: signInLimit, mails: mailLimit, consents: consentLimit,
                    invitations: invitationLimit)
                return ($0, details)
            }
        }
        guard let (person, details) = found else {
            throw ConsoleAbsence(sentence: "There is no person with this id.")
        }
        try visit.recordView(of: id)
        let user = person.user
        let parts = ConsoleParts(visit)
        let subject = ConsoleSubject.person(person)
        let proof = user.isEmailVerified ? "" : " (not verified)"
        let facts = ConsoleParts.facts([
            ("Id", ConsoleParts.code(user.id.description)),
            ("Address", HTML("\(user.email.map { $0 + proof } ?? "")")),
            ("Kind", HTML("\(user.kind == .managed ? "child without an account" : "account")")),
            ("Role", HTML("\(user.role.rawValue)")), ("State", state(person)),
            ("Since", ConsoleParts.time(user.createdAt)),
            ("Erased", ConsoleParts.time(user.erasedAt)),
            ("Blocked", ConsoleParts.time(user.blockedAt)),
            ("Blocked by", HTML("\(user.blockedBy ?? "")")),
            ("Reason", HTML("\(user.blockedReason ?? "")")),
            ("Signs in by", HTML("\(ways(person, details.signInAddresses))")),
            ("History", ConsoleParts.link("/audit?user=\(user.id)", "the person's audit log")),
        ])
        return visit.reply(
            subject.title,
            """
            <h1>\(subject.title)</h1>
            \(parts.done())\(facts)
            \(parts.operations(subject))
            <h2>Families</h2>
            \(ConsoleParts.first(ConsoleReader.membershipLimit, of: details.memberships.count))\
            \(memberships(details.memberships))
            \(kin(details.guardianships, of: user))
            <h2>Open invitations</h2>
            \(ConsoleParts.cut(details.invitations.count, at: invitationLimit))\
            \(invitations(details.invitations, to: user))
            <h2>Passkeys</h2>
            \(passkeys(details.passkeys, person, parts))
            <h2>Sessions</h2>
            \(sessions(details.sessions, person, parts))
            <h2>E-mail</h2>
            \(mail(details, user, parts, pause: try MailScreens.trouble(visit)))
            <h2>Sign-ins</h2>
            \(ConsoleParts.cut(
                details.signIns.count, at: signInLimit, all: "/people/\(user.id)/sign-ins"))\
            \(signIns(details.signIns))
            <h2>Consents</h2>
            \(ConsoleParts.cut(details.consents.count, at: consentLimit))\
            \(consents(details.consents))
            <h2>Limits</h2>
            \(limits(details.limits))
            """, section: .people)
    }

    /// The whole log of a person's sign-ins, page by page.
    private static func signInLog(_ visit: ConsoleVisit) throws -> Response {
        let id = try visit.id(User.self)
        let request = try visit.page()
        let found = try visit.read { reader in
            try reader.person(id).map { ($0, try reader.signIns(of: id, request)) }
        }
        guard let (person, page) = found else {
            throw ConsoleAbsence(sentence: "There is no person with this id.")
        }
        try visit.recordView(of: id)
        let pager = ConsoleParts(visit).pager(
            "/people/\(id)/sign-ins", [], next: page.nextCursor)
        return visit.reply(
            "Sign-ins",
            """
            <h1>Sign-ins: \(ConsoleParts.link("/people/\(id)", person.title))</h1>
            \(signIns(page.items))\(pager)
            """, section: .people)
    }

    private static func ways(_ person: ConsolePerson, _ addresses: [String]) -> String {
        let passkeys = person.passkeyCount
        let ways =
            person.user.issuers + (person.hasPassword ? ["a password"] : [])
            + (passkeys == 0 ? [] : [passkeys == 1 ? "a passkey" : "\(passkeys) passkeys"])
            + addresses.map { "a code mailed to \($0)" }
        return ways.joined(separator: ", ")
    }

    private static func memberships(_ memberships: [ConsoleMember]) -> HTML {
        ConsoleParts.table(
            "Families",
            ["Family", "Role", "In the household", "State", "Joined"],
            memberships.map { one in
                let member = one.member
                return [
                    ConsoleParts.link("/families/\(member.family)", member.familyName),
                    HTML("\(member.role.rawValue)"),
                    HTML("\(member.householdRole.rawValue.replacing("_", with: " "))"),
                    one.state, HTML("\(one.entry)"),
                ]
            }, empty: "This person has never been in a family.")
    }

    /// Returns the guardians of a child without an account; of anybody else the children whose
    /// guardian the person is.
    private static func kin(_ guardianships: [ConsoleGuardianship], of user: AdminUser) -> HTML {
        let isChild = user.kind == .managed
        let (heading, column) = isChild ? ("Guardians", "Guardian") : ("Children", "Child")
        let table = ConsoleParts.table(
            heading, [column, "Family", "Guardian is", "Since (UTC)"],
            guardianships.map { one in
                [
                    isChild
                        ? person(one.guardian, one.guardianName) : person(one.child, one.childName),
                    ConsoleParts.link("/families/\(one.family)", one.familyName),
                    one.isPrimary ? "primary" : "further", ConsoleParts.time(one.since),
                ]
            },
            empty: isChild
                ? "This child has no guardian." : "This person is not a guardian of any child.")
        let cut = ConsoleParts.first(
            ConsoleReader.guardianshipLimit, of: guardianships.count)
        return "<h2>\(heading)</h2>\n\(cut)\(table)"
    }

    private static func invitations(
        _ invitations: [AdminInvitation], to user: AdminUser
    ) -> HTML {
        let empty =
            user.kind == .managed
            ? "The child is not invited to have an account."
            : "There is no open invitation to this person's address."
        return FamilyScreens.table(invitations, empty: empty)
    }

    private static func passkeys(
        _ passkeys: [AdminPasskey], _ person: ConsolePerson, _ parts: ConsoleParts
    ) -> HTML {
        ConsoleParts.table(
            "Passkeys", ["Name", "Stored on", "Added (UTC)", "Last used", ""],
            passkeys.map { passkey in
                [
                    HTML("\(passkey.label ?? "Passkey")"),
                    HTML("\(passkey.isBackedUp ? "several devices" : "one device")"),
                    ConsoleParts.time(passkey.createdAt), ConsoleParts.time(passkey.lastUsedAt),
                    parts.operations(.passkey(person, passkey)),
                ]
            }, empty: "This person has no passkey.")
    }

    private static func sessions(
        _ sessions: [ListedSession], _ person: ConsolePerson, _ parts: ConsoleParts
    ) -> HTML {
        ConsoleParts.table(
            "Sessions", ["Device", "Signed in by", "Since (UTC)", "Last used", "Ends", ""],
            sessions.map { session in
                [
                    HTML("\(session.device ?? "unknown")"), HTML("\(session.method.rawValue)"),
                    ConsoleParts.time(session.startedAt), ConsoleParts.time(session.lastUsedAt),
                    ConsoleParts.time(session.endsAt), parts.operations(.session(person, session)),
                ]
            }, empty: "This person has no session. Sign-ins with a provider's tokens have none.")
    }

    private static func mail(
        _ details: ConsoleReader.PersonDetails, _ user: AdminUser, _ parts: ConsoleParts,
        pause: HTML?
    ) -> HTML {
        let state: HTML =
            user.email == nil
            ? "<p class=\"empty\">This person has no address.</p>\n"
            : MailScreens.addresses(
                details.mailState, parts, empty: "The address gets every e-mail.")
        return """
            \(pause.map(MailScreens.notice) ?? "")\
            \(ConsoleParts.first(ConsoleReader.mailStateLimit, of: details.mailState.count))\
            \(state)\
            \(ConsoleParts.cut(details.mails.count, at: mailLimit))\
            \(MailScreens.mails(
                details.mails, "E-mails to the account", isPaused: pause != nil,
                empty: "No e-mail has been sent to the account lately."))
            """
    }

    private static func signIns(_ events: [SignInEvent]) -> HTML {
        ConsoleParts.table(
            "Sign-ins", ["Time (UTC)", "Event", "By", "Browser", "Network"],
            events.map { event in
                let isFailure = event.kind == .failed
                let word =
                    event.kind == .more
                    ? "and \(event.more) more" : event.kind.rawValue.replacing("_", with: " ")
                return [
                    ConsoleParts.time(event.at),
                    isFailure ? ConsoleParts.badge(word, "bad") : HTML("\(word)"),
                    HTML("\(event.way?.rawValue ?? "")"), HTML("\(event.browser ?? "")"),
                    HTML("\(event.network ?? "")"),
                ]
            }, empty: "Nobody has tried to sign in as this person lately.")
    }

    private static func consents(_ consents: [ConsoleConsent]) -> HTML {
        ConsoleParts.table(
            "Consents", ["Purpose", "Version", "State", "For", "By", "Given (UTC)", "Ended"],
            consents.map { consent in
                let state: HTML =
                    switch consent.state {
                    case .inForce: ConsoleParts.badge("in force", "good")
                    case .replaced: "replaced"
                    case .withdrawn: ConsoleParts.badge("withdrawn")
                    }
                let proof: HTML = consent.method == "email_code" ? " (by a mailed code)" : ""
                return [
                    HTML("\(consent.purpose)"), HTML("\(consent.version)"), state,
                    person(consent.subject, consent.subjectName),
                    "\(person(consent.giver, consent.giverName))\(proof)",
                    ConsoleParts.time(consent.givenAt), ConsoleParts.time(consent.endedAt),
                ]
            }, empty: "This person has given no consent, and nobody has given one for the person.")
    }

    private static func person(_ id: UserID, _ name: String?) -> HTML {
        ConsoleParts.link("/people/\(id)", name ?? id.description)
    }

    private static func limits(_ limits: [AdminLimit]) -> HTML {
        ConsoleParts.table(
            "Limits", ["Limit", "Attempts", "Counted since (UTC)"],
            limits.map {
                [
                    ConsoleParts.code($0.name), HTML("\("\($0.hits)")"),
                    ConsoleParts.time($0.since),
                ]
            }, empty: "No limit has counted an attempt by this person.")
    }
}
