import Basics
import Domain
import HTTPServer
import JSON
import UseCases

/// The page `/family/settings`: the name, the home, and how people join.
enum SettingsPage: Page {
    static let summary = "Changes a family's name, its home, and how people join by its code."
    static let links: [any DeclaredInput] = [
        Input<String?>.query("family", .anyText, "The family; default: as on `/family`.")
    ]
    static let refusals: [RefusalCode] = [.familyNotFound, .standingTooLow]

    enum Action: String {
        case save
    }

    static func show(_ visit: PageVisit) throws -> Reply {
        _ = try visit.services.signInSetup()
        let context = try visit.signedIn()
        return try visit.prolonging { try page(visit, context, nil, nil) }
    }

    private static func page(
        _ visit: PageVisit, _ context: RequestContext, _ form: FormBody?, _ problem: Problem?
    ) throws -> Reply {
        let overview = try visit.overview(named: visit.nameOfFamily(form), by: context)
        guard overview.allows(.familyUpdate) else {
            throw Refusal(overview.allows(.codeRead) ? .standingTooLow : .visitorsOnlyRead)
        }
        return try SettingsViews(shown: ShownFamily(visit, overview)).reply(form, problem)
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        _ = try visit.signedIn()
        guard let action = form.value("action").flatMap({ Action(rawValue: $0) }),
            let family = form.value("family").flatMap({ FamilyID($0) })
        else { return try RefusedForm.reply(visit) }
        let changes = try Self.changes(form)
        if !changes.isEmpty {
            try FormOperation(.patch, "/api/family/\(family)", changes).run(visit, by: form)
        }
        let done = changes.isEmpty ? FamilyNotice.unchanged.rawValue : action.rawValue
        return visit.redirect(
            to: FamilyAddress.path(
                "family/settings", [("family", family.description), ("done", done)]))
    }

    /// Returns what the person has changed. What was left as it was shown stays, because somebody
    /// else may have changed it meanwhile.
    private static func changes(_ form: FormBody) throws -> [(name: String, value: JSONValue?)] {
        func isChanged(_ name: String) -> Bool { form.value(name) != form.value("was_" + name) }
        var changes: [(name: String, value: JSONValue?)] = []
        if isChanged("name") {
            let name = form.value("name") ?? ""
            // An empty name would keep the old one.
            guard !name.trimmed.isEmpty else {
                throw Problem.invalidField("familyName", "a name")
            }
            changes.append(("familyName", .string(name)))
        }
        guard let choice = form.value("approval"), ["yes", "no"].contains(choice) else {
            throw Problem.invalidField("approvalRequired", "true or false")
        }
        if isChanged("approval") { changes.append(("approvalRequired", .bool(choice == "yes"))) }
        if homeFields.contains(where: isChanged) { changes += try home(form) }
        return changes
    }

    /// The fields of the home, in the form and in the API.
    fileprivate static let homeFields = ["homeLatitude", "homeLongitude"]

    /// Returns the home from a form; two empty fields remove it.
    private static func home(_ form: FormBody) throws -> [(name: String, value: JSONValue?)] {
        func typed(_ name: String) -> String { (form.value(name) ?? "").trimmed }
        if homeFields.allSatisfy({ typed($0).isEmpty }) {
            return homeFields.map { (name: $0, value: JSONValue.null) }
        }
        return try homeFields.map { name -> (name: String, value: JSONValue?) in
            guard let number = Double(typed(name).replacing(",", with: ".")), number.isFinite else {
                throw Problem.invalidField(name, "a number of degrees")
            }
            return (name: name, value: JSONValue.number(number))
        }
    }

    /// Returns the renewal of a family's code that a form asks for.
    static func renewal(of family: FamilyID, _ form: FormBody) -> FormOperation {
        let typed = (form.value("days") ?? "").trimmed
        // Text that is not a number is passed to the API unchanged, which refuses it.
        let days: JSONValue? =
            typed.isEmpty ? nil : Int64(typed).map { .integer($0) } ?? .string(typed)
        return FormOperation(
            .post, "/api/family/code/regenerate",
            [("familyId", .string(family.description)), ("expiresInDays", days)])
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        try visit.failure(problem) { try page(visit, $0, $1, problem) }
    }
}

/// Views of `/family/settings`.
struct SettingsViews: FamilyView {
    let shown: ShownFamily

    /// Returns the field for the number of days for which a new code is valid.
    static func days(_ label: HTML, _ hint: HTML) -> PageParts.Field {
        PageParts.Field(
            name: "days", label: label, hint: hint, isRequired: false,
            more: " inputmode=\"numeric\" maxlength=\"3\"")
    }

    func reply(_ form: FormBody?, _ problem: Problem?) throws -> Reply {
        let wrong = problem?.wrongFields.first?.pointer ?? ""
        let isAtField = form != nil && Self.pointers.contains(wrong)
        let sent = problem == nil ? nil : form
        let done = problem == nil ? visit.parameter("done") : nil
        let notice: HTML? =
            switch done {
            case SettingsPage.Action.save.rawValue: say(.saved)
            case FamilyNotice.unchanged.rawValue: say(.done(.unchanged))
            default: nil
            }
        return try family.reply(
            "<bdi>\(overview.family.name)</bdi>", say(.settings), problem: problem,
            showsProblem: !isAtField, version: overview.version,
            """
            \(family.done(notice))\
            \(try settings(sent, isAtField ? problem : nil))\(renewal())\(family.back(to: id))
            """)
    }

    private static let ofHome = SettingsPage.homeFields.map { "#/" + $0 }
    /// The fields of the API that the form fills in.
    private static let pointers = ["#/familyName", "#/approvalRequired"] + ofHome

    /// Returns the form with all settings: one button saves them, so that none that was typed is
    /// lost.
    ///
    /// - Parameter sent: The form that was refused.
    private func settings(_ sent: FormBody?, _ problem: Problem?) throws -> HTML {
        let listed = overview.family
        let approval = listed.isApprovalRequired ? "yes" : "no"
        let hidden: [(name: String, value: String?)] = [
            ("family", id.description), ("was_name", listed.name), ("was_approval", approval),
            ("was_homeLatitude", Self.degrees(listed.homeLatitude)),
            ("was_homeLongitude", Self.degrees(listed.homeLongitude)),
        ]
        let choice = family.options(
            "approval", say(.approvalQuestion),
            [("yes", say(.approvalOn)), ("no", say(.approvalOff))],
            chosen: sent?.changed("approval") ?? approval)
        let choiceAlert = alert(problem, at: ["#/approvalRequired"])
        return try family.parts.form(
            to: "family/settings", action: SettingsPage.Action.save.rawValue, hidden: hidden,
            attributes: " data-part=\"settings\"",
            """
            \(name(sent, problem))\
            \(family.section("approval", say(.approval), "\(choiceAlert)\(choice)"))\
            \(home(sent, problem))\(family.parts.button(say(.save)))
            """)
    }

    /// Returns a number of degrees as the form shows it; empty for none.
    private static func degrees(_ number: Double?) -> String { number.map { "\($0)" } ?? "" }

    /// Returns the problem with one of some fields, to be shown before them; empty for any other.
    private func alert(_ problem: Problem?, at pointers: [String]) -> HTML {
        guard let problem, let wrong = problem.wrongFields.first?.pointer,
            pointers.contains(wrong)
        else { return "" }
        return family.parts.alert(visit.sentence(of: problem))
    }

    private func name(_ sent: FormBody?, _ problem: Problem?) -> HTML {
        let alert = self.alert(problem, at: ["#/familyName"])
        let field = PageParts.Field(
            name: "name", label: say(.familyName),
            value: sent?.changed("name") ?? overview.family.name,
            isWrong: !alert.text.isEmpty,
            more: " maxlength=\"80\"")
        return family.section(
            "name-of-family", say(.rename), "\(alert)\(family.parts.field(field))")
    }

    private func renewal() -> HTML {
        guard overview.allows(.codeRegenerate) else { return "" }
        return family.section(
            "family-code", say(.code),
            """
            <p>\(say(.renewAdvice))</p>
            \(family.link(
                say(.renewCode), to: "family",
                [("id", id.description), ("ask", "renew")]))
            """)
    }

    private func home(_ sent: FormBody?, _ problem: Problem?) -> HTML {
        // Both fields are one place: a latitude that was typed keeps the longitude beside it.
        let typedHome = SettingsPage.homeFields.contains { sent?.changed($0) != nil } ? sent : nil
        func field(_ name: String, _ label: HTML, _ stored: Double?) -> HTML {
            family.parts.field(
                PageParts.Field(
                    name: name, label: label,
                    value: typedHome.map { $0.value(name) ?? "" } ?? Self.degrees(stored),
                    isRequired: false,
                    isWrong: problem?.wrongFields.contains { $0.pointer == "#/" + name } ?? false,
                    more: " inputmode=\"decimal\" maxlength=\"20\""))
        }
        let listed = overview.family
        return family.section(
            "home", say(.home),
            """
            <p>\(say(.homeAdvice))</p>
            \(alert(problem, at: Self.ofHome))\
            \(field("homeLatitude", say(.latitude), listed.homeLatitude))\
            \(field("homeLongitude", say(.longitude), listed.homeLongitude))\
            <p class="hint">\(say(.noHomeHint))</p>

            """)
    }
}
