import Basics
import Domain
import HTTPServer
import JSON
import UseCases

/// The page `/family/new`: creates a family.
enum NewFamilyPage: Page {
    static let summary = "Creates a family for the signed-in person."
    static let links: [any DeclaredInput] = []
    static let refusals: [RefusalCode] = []

    static func show(_ visit: PageVisit) throws -> Reply {
        _ = try visit.services.signInSetup()
        let context = try visit.signedIn()
        return try visit.prolonging { try page(visit, context) }
    }

    private static func page(
        _ visit: PageVisit, _ context: RequestContext, _ form: FormBody? = nil,
        _ problem: Problem? = nil
    ) throws -> Reply {
        let family = FamilyParts(visit)
        let profile = try visit.services.profiles.profile(by: context)
        let isAtField = NewFamilyViews.field(of: problem) != nil
        return try family.reply(
            "\(visit.site.app.name)", family.say(.newFamily), problem: problem,
            showsProblem: !isAtField,
            """
            <p class="lead">\(family.say(.newFamilyAdvice))</p>
            \(try NewFamilyViews(family, profile).form(form, problem))\
            \(family.back(to: nil, family.say(.yourFamily)))
            """)
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        let context = try visit.signedIn()
        guard form.value("action") == "create" else { return try RefusedForm.reply(visit) }
        let createsAnother = try form.isTicked("another")
        // No role is preselected.
        if !createsAnother, form.value("role") == nil,
            try visit.services.profiles.profile(by: context).own?.isRoleDefault == true
        {
            throw Problem.missingRole
        }
        if let name = form.value("name"), !name.trimmed.isEmpty {
            try FormOperation(.patch, "/api/me", [("fullName", .string(name))])
                .run(visit, by: form)
        }
        let name = form.value("family_name") ?? ""
        let created: JSONField
        if createsAnother {
            created = try FormOperation(.post, "/api/families", [("familyName", .string(name))])
                .run(visit, by: form)
        } else {
            created = try FormOperation(
                .post, "/api/family/create",
                [
                    ("familyName", .string(name)),
                    ("role", form.value("role").map { .string($0) }),
                ]
            ).run(visit, by: form)
        }
        guard let id = FamilyID(try created["familyId"].string()) else {
            throw Refusal(.familyNotFound)
        }
        try visit.services.sessions.show(id, by: context)
        return visit.redirect(
            to: FamilyAddress.path("family", [("id", id.description), ("done", "create")]))
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        try visit.failure(problem) { try page(visit, $0, $1, problem) }
    }
}

/// The form that creates a family.
struct NewFamilyViews: LocalizedView {
    private let family: FamilyParts
    private let profile: ProfileService.Profile

    init(_ family: FamilyParts, _ profile: ProfileService.Profile) {
        self.family = family
        self.profile = profile
    }

    var language: Language { family.language }

    func section(problem: Problem?) throws -> HTML {
        family.section("new", say(.newFamily), try form(nil, problem))
    }

    /// Returns the field of the form that a problem is about; nil for any other problem.
    static func field(of problem: Problem?) -> String? {
        switch problem?.wrongFields.first?.pointer {
        case "#/familyName": "family_name"
        case "#/fullName": "name"
        case "#/role": "role"
        default: nil
        }
    }

    func form(_ sent: FormBody?, _ problem: Problem?) throws -> HTML {
        let own = profile.own
        let isAnother = !profile.families.isEmpty
        let wrong = Self.field(of: problem)
        let suggested =
            isAnother ? "" : own?.fullName.map { language.familyTexts.nameOfFamily(of: $0) } ?? ""
        let name = PageParts.Field(
            name: "family_name", label: say(.familyName),
            value: sent?.value("family_name") ?? suggested,
            hint: say(.familyNameHint), isWrong: wrong == "family_name",
            more: " maxlength=\"80\"")
        let yourName: HTML =
            (own?.fullName ?? "").isEmpty
            ? family.parts.name(sent?.value("name") ?? "", isWrong: wrong == "name") : ""
        let error = family.parts.alert(
            wrong == nil ? nil : problem.map { family.visit.sentence(of: $0) })
        let role: HTML =
            own?.isRoleDefault == true && !isAnother
            ? family.parts.role(
                sent?.value("role").flatMap { MemberRole(rawValue: $0) }, isWrong: wrong == "role")
            : ""
        return try family.form(
            to: "family/new", "create", in: nil, hidden: [("another", isAnother ? "yes" : nil)],
            """
            \(error)\(family.parts.field(name))\
            \(yourName)\(role)\
            \(family.parts.button(say(.create)))
            """)
    }
}

extension PageVisit {
    /// Returns the sentence for a problem with a field of a form.
    func sentence(of problem: Problem) -> HTML {
        if problem.code == .fault(.preconditionFailed) { return say(.preferencesChanged) }
        guard let pointer = problem.wrongFields.first?.pointer,
            let field = FormField(rawValue: String(pointer.dropFirst(2)))
        else { return sentence(for: problem) }
        return say(.wrong(field))
    }
}

/// A field of the API that the families' forms fill in. It selects the sentence that explains a
/// wrong value.
enum FormField: String, CaseIterable {
    case familyName, fullName, displayName, email, role, householdRole, expiresInDays
    case homeLatitude, homeLongitude, avatarKey, memberId, approvalRequired
    case preferences, newPreference
    /// A preference that an app stores in a form without a field.
    case otherPreference
}
