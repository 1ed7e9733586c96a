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
        case name, home, approval
        case noHome = "no-home"
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
        try FormOperation(.patch, "/api/family/\(family)", try change(action, form))
            .run(visit, by: form)
        return visit.redirect(
            to: FamilyAddress.path(
                "family/settings", [("family", family.description), ("done", action.rawValue)]))
    }

    private static func change(
        _ action: Action, _ form: FormBody
    ) throws -> [(name: String, value: JSONValue?)] {
        switch action {
        case .name:
            let name = form.value("name") ?? ""
            // An empty name would keep the old one.
            guard !name.trimmed.isEmpty else {
                throw Problem.invalidField("familyName", "a name")
            }
            return [("familyName", .string(name))]
        case .approval:
            guard let choice = form.value("approval"), ["yes", "no"].contains(choice) else {
                throw Problem.invalidField("approvalRequired", "true or false")
            }
            return [("approvalRequired", .bool(choice == "yes"))]
        case .noHome: return [("homeLatitude", .null), ("homeLongitude", .null)]
        case .home:
            func degrees(_ name: String) throws -> JSONValue {
                let typed = (form.value(name) ?? "").trimmed.replacing(",", with: ".")
                guard let number = Double(typed), number.isFinite else {
                    throw Problem.invalidField(name, "a number of degrees")
                }
                return .number(number)
            }
            return [
                ("homeLatitude", try degrees("homeLatitude")),
                ("homeLongitude", try degrees("homeLongitude")),
            ]
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
        let action = form?.value("action").flatMap { SettingsPage.Action(rawValue: $0) }
        let isAtField = problem?.wrongFields.isEmpty == false && action != nil
        func error(_ section: SettingsPage.Action) -> Problem? {
            isAtField && section == action ? problem : nil
        }
        let done = problem == nil ? visit.parameter("done") : nil
        let notice = done.flatMap { SettingsPage.Action(rawValue: $0) }
        return try family.reply(
            "<bdi>\(overview.family.name)</bdi>", say(.settings), problem: problem,
            showsProblem: !isAtField, version: overview.version,
            """
            \(family.done(notice.map { _ in say(.saved) }))\
            \(try name(form, error(.name)))\(try approval(error(.approval)))\(renewal())\
            \(try home(form, error(.home)))\(family.back(to: id))
            """)
    }

    private func name(_ form: FormBody?, _ problem: Problem?) throws -> HTML {
        let field = PageParts.Field(
            name: "name", label: say(.familyName),
            value: problem == nil ? overview.family.name : form?.value("name") ?? "",
            isWrong: problem != nil, more: " maxlength=\"80\"")
        return family.section(
            "name-of-family", say(.rename),
            try family.form(
                to: "family/settings", "name", in: id,
                """
                \(family.parts.alert(problem.map { visit.sentence(of: $0) }))\
                \(family.parts.field(field))\(family.parts.button(say(.save)))
                """))
    }

    private func approval(_ problem: Problem?) throws -> HTML {
        family.section(
            "approval", say(.approval),
            try family.form(
                to: "family/settings", "approval", in: id,
                """
                \(family.parts.alert(problem.map { visit.sentence(of: $0) }))\
                \(family.options(
                    "approval", say(.approvalQuestion),
                    [
                        ("yes", say(.approvalOn)), ("no", say(.approvalOff)),
                    ], chosen: overview.family.isApprovalRequired ? "yes" : "no"))\
                \(family.parts.button(say(.save)))
                """))
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

    private func home(_ form: FormBody?, _ problem: Problem?) throws -> HTML {
        func field(_ name: String, _ label: HTML, _ stored: Double?) -> HTML {
            let value = problem == nil ? stored.map { "\($0)" } : form?.value(name)
            return family.parts.field(
                PageParts.Field(
                    name: name, label: label, value: value ?? "",
                    isWrong: problem?.wrongFields.contains { $0.pointer == "#/" + name } ?? false,
                    more: " inputmode=\"decimal\" maxlength=\"20\""))
        }
        let listed = overview.family
        let clear: HTML =
            listed.homeLatitude == nil
            ? ""
            : try family.button(
                to: "family/settings", "no-home", in: id, style: "plain",
                say(.forgetHome))
        let error = family.parts.alert(problem.map { visit.sentence(of: $0) })
        let fields = try family.form(
            to: "family/settings", "home", in: id,
            """
            \(error)\(field("homeLatitude", say(.latitude), listed.homeLatitude))\
            \(field("homeLongitude", say(.longitude), listed.homeLongitude))\
            \(family.parts.button(say(.save)))
            """)
        return family.section(
            "home", say(.home),
            "<p>\(say(.homeAdvice))</p>\n\(fields)\(clear)")
    }
}
