import Basics
import Domain
import HTTPServer
import Policy
import Repositories
import UseCases

/// Confirmation pages of operations, and the forms that perform them.
enum OperationScreens {
    static let routes: [ConsoleRoute] =
        ["/people", "/families", "/members", "/invitations"]
        .flatMap { routes(below: $0 + "/:id") }
        + routes(below: "/jobs/:number") + routes(below: "/queues/:name")
        + routes(below: "/schedules/:name")
        + ["/dead-jobs", "/webhooks/:id", "/mail", "/addresses", "/doctor", "/issuers"]
        .flatMap { routes(below: $0) }

    private static func routes(below path: String) -> [ConsoleRoute] {
        [
            .page(path + "/:operation") { visit in
                let (subject, operation) = try find(visit, below: path)
                return try ask(visit, subject, operation)
            },
            .form(path + "/:operation") { visit in
                let (subject, operation) = try find(visit, below: path)
                return try run(visit, subject, operation)
            },
        ]
    }

    /// Finds the object and the operation that the path names.
    private static func find(
        _ visit: ConsoleVisit, below path: String
    ) throws -> (ConsoleSubject, ConsoleOperation) {
        let subject = try subject(visit, below: path)
        guard
            let operation = subject.operations.first(where: {
                $0.name == visit.parameters["operation"]
            })
        else { throw ConsoleAbsence(sentence: "There is no such action.") }
        return (subject, operation)
    }

    private static func subject(
        _ visit: ConsoleVisit, below path: String
    ) throws -> ConsoleSubject {
        func found<Value>(_ value: Value?, _ what: String) throws -> Value {
            guard let value else { throw ConsoleAbsence(sentence: "There is no such \(what).") }
            return value
        }
        func text(_ name: String) -> String? {
            visit.form?.value(name) ?? visit.parameter(name)
        }
        return try visit.read { reader in
            switch path {
            case "/people/:id":
                let person = try found(try reader.person(visit.id(User.self)), "person")
                switch visit.parameters["operation"] {
                case "remove-passkey":
                    let id = try found(text("passkey").flatMap { PasskeyID($0) }, "passkey")
                    let passkeys = try reader.passkeys(of: person.user.id)
                    return .passkey(person, try found(passkeys.first { $0.id == id }, "passkey"))
                case "end-session":
                    let id = try found(text("session").flatMap { SessionID($0) }, "session")
                    let sessions = try reader.sessions(of: person.user.id)
                    return .session(person, try found(sessions.first { $0.id == id }, "session"))
                default: return .person(person)
                }
            case "/families/:id":
                let family = try found(try reader.family(visit.id(Family.self)), "family")
                return .family(family, try reader.details(of: family.id, invitations: 1).members)
            case "/members/:id":
                let member = try found(try reader.member(visit.id(Member.self)), "member")
                let members = try reader.details(
                    of: member.member.family, invitations: 1
                ).members
                let operation = visit.parameters["operation"] ?? ""
                guard visit.may(.changeGuardians),
                    ["add-guardian", "remove-guardian", "primary-guardian"].contains(operation)
                else { return .member(member, members) }
                // The first of these operations offers only members who are not guardians of the
                // child, and the others only its guardians.
                let offersGuardians = operation != "add-guardian"
                let guardians = Set(try reader.guardians(of: member.member.id).map(\.id))
                return .member(
                    member,
                    members.filter { guardians.contains($0.member.id) == offersGuardians })
            case "/invitations/:id":
                let invitation = try found(
                    try reader.invitation(visit.id(Invitation.self)), "invitation")
                return .invitation(
                    invitation,
                    to: try reader.operators(invitedBy: [invitation])[invitation.id] ?? [])
            case "/jobs/:number":
                let number = try found(visit.parameters["number"].flatMap { Int64($0) }, "job")
                guard case .live(let job, _) = try reader.job(number, attempts: 1) else {
                    throw ConsoleAbsence(sentence: "There is no such job, or it has finished.")
                }
                return .job(job)
            case "/queues/:name":
                let queues = try reader.jobOverview(groups: 1).queues
                let name = visit.parameters["name"]
                return .queue(try found(queues.first { $0.name == name }, "queue"))
            case "/schedules/:name":
                let schedules = try reader.jobOverview(groups: 1).schedules
                let name = visit.parameters["name"]
                return .schedule(try found(schedules.first { $0.name == name }, "schedule"))
            case "/webhooks/:id":
                let endpoint = try found(
                    try reader.endpoint(visit.id(Webhook.self)), "webhook")
                guard visit.parameters["operation"] == "replay-event" else {
                    return .webhook(endpoint)
                }
                let event = try found(
                    visit.field("event").flatMap { WebhookEventID($0) }, "event")
                return .webhookEvent(
                    endpoint,
                    try found(try reader.delivery(to: endpoint.id, of: event), "event"))
            case "/mail": return .mail
            // Only from a form: addresses get into no log.
            case "/addresses": return .address(try found(visit.field("email"), "address"))
            case "/doctor": return .doctor(isRunning: visit.services.doctor.isRunning)
            case "/issuers": return .issuers
            default:
                return .deadJobs(
                    queue: try found(text("queue"), "queue"), kind: try found(text("kind"), "kind"),
                    error: try found(text("error"), "error"))
            }
        }
    }

    /// Returns a page if the operation is not possible, or the operator must re-authenticate first;
    /// otherwise nil.
    private static func obstacle(
        _ visit: ConsoleVisit, _ subject: ConsoleSubject, _ operation: ConsoleOperation
    ) throws -> Response? {
        let current = try visit.signedIn()
        let target = subject.target(of: current)
        guard visit.may(operation.action, on: target) else {
            throw ConsoleProhibition(operation.action, by: current.role, on: target)
        }
        guard operation.isOffered(subject) else {
            return try visit.refused(
                "This is not possible, or has already been done.", status: 409)
        }
        if let reason = try hindrance(visit, subject, operation) { return reason }
        if operation.action.needsFreshProof, !current.isProofStrong {
            if current.isProxied { return try ProxyScreens.staleProof(visit) }
            let path = "\(subject.path)/\(operation.name)"
            return ConsoleReply.redirect(to: "/confirm?return=\(URLText.encoded(path))")
        }
        return nil
    }

    /// Returns a page with what stands in the way of the operation; nil if nothing is known.
    private static func hindrance(
        _ visit: ConsoleVisit, _ subject: ConsoleSubject, _ operation: ConsoleOperation
    ) throws -> Response? {
        guard let find = operation.hindrance,
            let found = try visit.read({ reader in try find(subject, reader) })
        else { return nil }
        visit.record(found.refusal)
        if let person = subject.shownPerson { try visit.recordView(of: person) }
        return visit.reply(
            operation.label,
            """
            <h1>\(heading(operation, subject))</h1>
            <p class="alert" role="alert">\(found.sentence) \
            <code>\(found.refusal.reason)</code></p>
            <p><a class="button plain" href="\(subject.page)">Back</a></p>

            """, section: subject.section, status: 409)
    }

    private static func ask(
        _ visit: ConsoleVisit, _ subject: ConsoleSubject, _ operation: ConsoleOperation,
        problem: HTML = "", status: Int = 200
    ) throws -> Response {
        if let obstacle = try obstacle(visit, subject, operation) { return obstacle }
        if let person = subject.shownPerson { try visit.recordView(of: person) }
        let current = try visit.signedIn()
        let selectable = subject.selectable { member in
            visit.may(
                operation.action,
                on: OperatorTarget(member.member.user, isOperator: member.isOperator, of: current))
        }
        let asked = operation.fields(selectable)
        let first = asked.first { field in
            if case .hidden = field.kind { return false }
            return true
        }
        let fields = asked.reduce(into: HTML("")) { html, field in
            html = "\(html)\(self.field(field, visit, hasFocus: field.name == first?.name))"
        }
        let facts: HTML = subject.facts.isEmpty ? "" : ConsoleParts.facts(subject.facts)
        let style = operation.isDangerous ? "danger" : ""
        let back: HTML = "<a class=\"button plain\" href=\"\(subject.page)\">Back</a>"
        let form: HTML
        if let missing = asked.first(where: \.lacksChoices) {
            form = """
                <p class="empty">\(reason(missing, operation.fields(subject)))</p>
                <p>\(back)</p>

                """
        } else {
            form = ConsoleParts(visit).form(
                to: "\(subject.path)/\(operation.name)", hidden: subject.hidden,
                """
                \(fields)<button type="submit" class="\(style)">\(operation.label)</button>
                \(back)
                """, style: "question")
        }
        return visit.reply(
            operation.label,
            """
            <h1>\(heading(operation, subject))</h1>
            \(problem)\(facts)<p>\(operation.explanation)</p>
            \(form)
            """, section: subject.section, status: status)
    }

    /// Returns the heading of an operation's pages, which names its object if there are several.
    private static func heading(
        _ operation: ConsoleOperation, _ subject: ConsoleSubject
    ) -> String {
        switch subject {
        case .mail, .doctor, .issuers: operation.label
        case .queue(let queue): "\(operation.label) the queue \(queue.name)"
        default: "\(operation.label): \(subject.title)"
        }
    }

    /// Returns the name of a changed queue or address, for the message after the operation.
    private static func changedName(_ visit: ConsoleVisit, _ subject: ConsoleSubject) -> String? {
        switch subject {
        case .queue(let queue): queue.name
        case .address(let email): email
        case .mail: visit.field("email")
        default: nil
        }
    }

    /// Returns why a field has no choices.
    ///
    /// - Parameter all: The fields with all choices, also with those that the operator may not
    ///   choose.
    private static func reason(
        _ field: ConsoleOperation.Field, _ all: [ConsoleOperation.Field]
    ) -> String {
        all.contains { $0.name == field.name && $0.lacksChoices }
            ? field.withoutChoices
            : "Only your own account could be chosen. Another admin has to do this."
    }

    private static func run(
        _ visit: ConsoleVisit, _ subject: ConsoleSubject, _ operation: ConsoleOperation
    ) throws -> Response {
        if let obstacle = try obstacle(visit, subject, operation) { return obstacle }
        func work(_ session: OperatorSession) -> ConsoleOperation.Work {
            .init(session: session, subject: subject, visit: visit, action: operation.action)
        }
        func change<Value>(_ body: (OperatorSession) throws -> Value) throws -> Value {
            try visit.change(atLeast: operation.action.role, body)
        }
        do {
            if let reveal = operation.reveal {
                let shown = try change { try reveal(work($0)) }
                return visit.reply(
                    operation.label,
                    """
                    <h1>\(heading(operation, subject))</h1>
                    \(shown)
                    <p><a href="\(subject.page)">Back</a></p>
                    """, section: subject.section)
            }
            if let download = operation.download {
                let file = try change { try download(work($0)) }
                return ConsoleReply.download(
                    file.json, named: file.name, type: "application/json")
            }
            let count = try change { try operation.run(work($0)) }
            let name = operation.doneNamed == nil ? nil : changedName(visit, subject)
            // Sealed, because addresses get into no log.
            let sealed = try name.flatMap {
                try visit.token?.sealedSearch($0, now: visit.services.now())
            }
            return ConsoleReply.redirect(
                to: URLText.address(
                    operation.next ?? subject.page,
                    [
                        ("done", operation.name), ("n", count.map { "\($0)" }),
                        ("about", sealed),
                    ]))
        } catch let refusal as OperatorRefusal where !refusal.isBarred {
            visit.record(refusal)
            let sentence = refusal.advisedSentence(operation.guardianSentence)
            let lines = refusal.details.reduce(into: HTML("")) { $0 = "\($0)<li>\($1)</li>" }
            let list: HTML = refusal.details.isEmpty ? "" : "<ul>\(lines)</ul>\n"
            return try ask(
                visit, subject, operation,
                problem: """
                    <p class="alert" role="alert">\(sentence) \
                    <code>\(refusal.reason)</code></p>
                    \(list)
                    """, status: 409)
        } catch let mistake as ConsoleMistake {
            return try ask(
                visit, subject, operation, problem: SignInScreens.alert(mistake.sentence),
                status: 400)
        }
    }

    /// Returns a field of a form.
    ///
    /// - Parameter hasFocus: Whether the focus is in the field when the page opens.
    private static func field(
        _ field: ConsoleOperation.Field, _ visit: ConsoleVisit, hasFocus: Bool
    ) -> HTML {
        let value = visit.field(field.name) ?? field.value
        let required: HTML = field.isRequired ? " required" : ""
        let focus: HTML = hasFocus ? " autofocus" : ""
        let described: HTML =
            field.hint.isEmpty ? "" : " aria-describedby=\"\(field.name)-hint\""
        let hint: HTML =
            field.hint.isEmpty
            ? "" : "<p class=\"hint\" id=\"\(field.name)-hint\">\(field.hint)</p>"
        let attributes: HTML =
            """
            id="\(field.name)" name="\(field.name)" \
            autocomplete="off"\(required)\(described)\(focus)
            """
        let input: HTML
        switch field.kind {
        case .hidden:
            // The current value: the one sent before may be why the operation was refused.
            return "<input type=\"hidden\" name=\"\(field.name)\" value=\"\(field.value)\">"
        case .text(let longest):
            input = """
                <input \(attributes) type="text" maxlength="\("\(longest)")" value="\(value)">
                """
        case .email: input = "<input \(attributes) type=\"email\" value=\"\(value)\">"
        case .number(let range):
            input = """
                <input \(attributes) type="number" min="\("\(range.lowerBound)")" \
                max="\("\(range.upperBound)")" value="\(value)">
                """
        case .choice(let choices, let none):
            let empty: HTML =
                none.map { "<option value=\"\">\($0)</option>" }
                ?? "<option value=\"\">Choose</option>"
            let options = choices.reduce(into: empty) { html, choice in
                let mark: HTML = choice.value == value ? " selected" : ""
                html = "\(html)<option value=\"\(choice.value)\"\(mark)>\(choice.label)</option>"
            }
            input = "<select \(attributes)>\(options)</select>"
        case .check:
            let mark: HTML = value.isEmpty ? "" : " checked"
            return """
                <div class="field"><label class="check">\
                <input \(attributes) type="checkbox" value="on"\(mark)> \(field.label)</label></div>

                """
        }
        return """
            <div class="field"><label for="\(field.name)">\(field.label)</label>
            \(input)\(hint)</div>

            """
    }
}
