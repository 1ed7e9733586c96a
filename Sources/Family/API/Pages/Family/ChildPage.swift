import Basics
import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

/// The page `/family/child`: a child without an account, its guardians and their consents. If no id
/// is given, it adds a child.
enum ChildPage: Page {
    static let summary = "Shows and changes a child without an account, or adds one."
    static let links: [any DeclaredInput] = [
        Input<String?>.query("id", .anyText, "The child; without it, one is added."),
        Input<String?>.query("family", .anyText, "The family; default: as on `/family`."),
    ]
    static let refusals: [RefusalCode] = [.familyNotFound, .memberNotFound, .standingTooLow]

    /// Actions of the page's buttons.
    enum Action: String {
        case add, edit, decline, consent, withdraw, grow, remove, preferences
        /// E-mails the code that proves a consent.
        case consentCode = "consent-code"
        case addGuardian = "add-guardian"
        case removeGuardian = "remove-guardian"
        case promote
    }

    /// Questions before changes that can't be undone, and forms that are rarely needed.
    enum Question: String {
        case remove, decline, withdraw, grow, preferences
        case consentCode = "consent-code"
        case removeGuardian = "remove-guardian"
    }

    static func show(_ visit: PageVisit) throws -> Reply {
        _ = try visit.services.signInSetup()
        let context = try visit.signedIn()
        return try visit.prolonging { try page(visit, context, nil, nil) }
    }

    private static func page(
        _ visit: PageVisit, _ context: RequestContext, _ form: FormBody?, _ problem: Problem?
    ) throws -> Reply {
        guard let name = form?.value("child") ?? visit.parameter("id") else {
            let overview = try visit.overview(named: visit.nameOfFamily(form), by: context)
            guard overview.allows(.managedCreate) else {
                throw Refusal(overview.allows(.codeRead) ? .standingTooLow : .visitorsOnlyRead)
            }
            return try ChildViews(shown: ShownFamily(visit, overview)).add(form, problem)
        }
        guard let id = MemberID(name) else { throw Refusal(.memberNotFound) }
        let family = try visit.services.database.run(
            MemberService.read(by: context, member: id, isManaged: true)
        ).family
        let overview = try visit.overview(named: family.description, by: context)
        guard let child = overview.member(id) else { throw Refusal(.memberNotFound) }
        let consents =
            overview.allows(.consentRead, about: child.member)
            ? try visit.services.consents.list(by: context, member: id) : []
        let views = ChildViews(
            shown: ShownFamily(visit, overview), child: child, consents: consents)
        if let question = question(visit, form, problem) {
            if question == .preferences {
                let preferences = try visit.services.members.readPreferences(
                    by: context, family: family, member: id)
                return try views.preferences(
                    PreferenceForm(preferences.document), problem == nil ? nil : form, problem)
            }
            return try views.ask(question, purpose: form?.value("purpose"), problem)
        }
        if let problem, form?.value("action") == Action.grow.rawValue,
            !problem.wrongFields.isEmpty || form?.value("email")?.isEmpty == false,
            overview.allows(.managedGraduate, about: child.member)
        {
            return try views.ask(.grow, form, problem)
        }
        let link = problem == nil ? try ShownLink.link(visit, context) : nil
        return try views.reply(form, problem, link: link)
    }

    /// Returns the question that the address names, or whose form was refused because of its input;
    /// nil for the child's page.
    private static func question(
        _ visit: PageVisit, _ form: FormBody?, _ problem: Problem?
    ) -> Question? {
        if problem == nil { return visit.parameter("ask").flatMap { Question(rawValue: $0) } }
        switch form?.value("action").flatMap({ Action(rawValue: $0) }) {
        case .consent where form?.value("code") != nil: return .consentCode
        case .consentCode
        where form?.value("again") != nil && problem?.code == .refusal(.tooManyAttempts):
            return .consentCode
        case .preferences where problem.map(isAboutPreferences) == true: return .preferences
        default: return nil
        }
    }

    /// Returns the question that a form answers; nil for a form of the child's page itself.
    static func question(of form: FormBody) -> String? {
        switch form.value("action").flatMap({ Action(rawValue: $0) }) {
        case .consent:
            return form.value("code") == nil ? nil : Question.consentCode.rawValue
        // The page says that a code was mailed.
        case .consentCode where form.value("again") == nil: return nil
        case let action: return action.flatMap { Question(rawValue: $0.rawValue) }?.rawValue
        }
    }

    /// Whether a problem is about the preferences as typed, so that their form is shown again.
    private static func isAboutPreferences(_ problem: Problem) -> Bool {
        !problem.wrongFields.isEmpty || problem.code == .fault(.preconditionFailed)
            || problem.code == .refusal(.preferencesTooLarge)
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        _ = try visit.signedIn()
        guard let action = form.value("action").flatMap({ Action(rawValue: $0) }),
            let family = form.value("family").flatMap({ FamilyID($0) })
        else { return try RefusedForm.reply(visit) }
        if action == .add {
            let added = try FormOperation(
                .post, "/api/family/managed",
                [
                    ("familyId", .string(family.description)),
                    ("displayName", .string(form.value("child_name") ?? "")),
                ]
            ).run(visit, by: form)
            let id = try added["id"].string().replacing("managed_", with: "")
            return visit.redirect(
                to: FamilyAddress.path(
                    "family/child", [("id", id), ("done", action.rawValue)]))
        }
        guard let child = form.member("child") else { throw Refusal(.memberNotFound) }
        func page(_ done: FamilyNotice) -> Reply {
            visit.redirect(
                to: FamilyAddress.path(
                    "family/child", [("id", child.description), ("done", done.rawValue)]))
        }
        if action == .preferences {
            let isChanged = try savePreferences(of: child, in: family, visit, form)
            return page(isChanged ? .preferences : .unchanged)
        }
        if action == .edit, try edits(form).isEmpty { return page(.unchanged) }
        let (answer, _, isReplay) = try operation(action, child, form).reply(visit, to: form)
        if action == .consentCode {
            var question = [(name: "id", value: child.description), ("ask", action.rawValue)]
            question.append(("purpose", form.value("purpose") ?? ""))
            // A form that is sent twice has mailed one code.
            if form.value("again") != nil, !isReplay { question.append(("again", "yes")) }
            return visit.redirect(to: FamilyAddress.path("family/child", question))
        }
        if action == .remove || (action == .decline) {
            return visit.redirect(
                to: FamilyAddress.path(
                    "family",
                    [
                        ("id", family.description),
                        ("done", action == .remove ? "remove-child" : "decline"),
                    ]))
        }
        var outcome = [(name: "id", value: child.description), ("done", action.rawValue)]
        if action == .grow { outcome += try ShownLink.parameters(of: answer, visit) }
        return visit.redirect(to: FamilyAddress.path("family/child", outcome))
    }

    /// Stores the preferences with the changes of a form; returns false if the form changes none.
    ///
    /// The operation replaces all of them, so it depends on the state that the changes were applied
    /// to. If somebody else changes a preference in between, the changes are applied once more.
    ///
    /// - Throws: ``Problem`` with status 412 if the preferences have changed twice meanwhile.
    private static func savePreferences(
        of child: MemberID, in family: FamilyID, _ visit: PageVisit, _ form: FormBody
    ) throws -> Bool {
        let path = "/groups/\(family)/preferences?member_id=\(child)"
        func save() throws -> Bool {
            let stored = try FormOperation(.get, path).reply(visit, to: form)
            let document = try stored.content["preferences"].object()
            var operation = FormOperation(.put, path)
            operation.sentValues = PreferenceForm.sentValues(of: form)
            let changed: JSONObject
            do {
                changed = try PreferenceForm(.object(document)).changed(by: form)
            } catch {
                // A repeated form gets its first response, not a problem with what it has stored.
                if try operation.earlierAnswer(visit, to: form) != nil { return true }
                throw error
            }
            // A repeated form that has stored them already has not been without effect.
            if changed == document {
                return try operation.earlierAnswer(visit, to: form) != nil
            }
            operation.body = changed.members.map { (name: $0.name, value: $0.value) }
            operation.expectedTag = stored.tag
            try operation.run(visit, by: form)
            return true
        }
        do {
            return try save()
        } catch let problem as Problem where problem.code == .fault(.preconditionFailed) {
            return try save()
        }
    }

    /// Returns the name and the picture that the person has changed. What was left as it was shown
    /// stays, because another guardian may have changed it meanwhile.
    private static func edits(_ form: FormBody) throws -> [(name: String, value: JSONValue?)] {
        var edits: [(name: String, value: JSONValue?)] = []
        let name = form.value("child_name") ?? ""
        if name != form.value("was_child_name") {
            // An empty name would keep the old one.
            guard !name.trimmed.isEmpty else {
                throw Problem.invalidField("displayName", "a name")
            }
            edits.append(("displayName", .string(name)))
        }
        if let picture = try form.picture(), picture != form.value("was_avatar") {
            edits.append(("avatarKey", .string(picture)))
        }
        return edits
    }

    private static func operation(
        _ action: Action, _ child: MemberID, _ form: FormBody
    ) throws -> FormOperation {
        let path = "/api/family/managed/\(child)"
        func guardian() throws(Refusal) -> MemberID {
            guard let guardian = form.member("guardian") else { throw Refusal(.memberNotFound) }
            return guardian
        }
        switch action {
        case .add, .preferences:
            preconditionFailure("a child that is added has no path yet; preferences are read first")
        case .edit: return FormOperation(.patch, path, try edits(form))
        case .remove: return FormOperation(.delete, path)
        case .addGuardian:
            return FormOperation(
                .post, path + "/guardians", [("memberId", .string(try guardian().description))])
        case .promote:
            return FormOperation(
                .patch, path + "/guardians/\(try guardian())", [("isPrimary", .bool(true))])
        case .removeGuardian: return FormOperation(.delete, path + "/guardians/\(try guardian())")
        case .decline: return FormOperation(.delete, path + "/guardians/me")
        case .consent, .consentCode:
            let code = form.value("code")
            let method: ConsentMethod =
                action == .consentCode || code != nil ? .emailCode : .signedIn
            return FormOperation(
                .put, path + "/consents/\(try form.purpose())",
                [
                    ("version", .string(form.value("version") ?? "")),
                    ("method", .string(method.rawValue)),
                    ("code", code.map { .string($0.trimmed) }),
                ])
        case .withdraw: return FormOperation(.delete, path + "/consents/\(try form.purpose())")
        case .grow:
            let email = (form.value("email") ?? "").trimmed
            return FormOperation(
                .post, path + "/graduation",
                [
                    ("role", .string(form.value("role") ?? "")),
                    ("email", email.isEmpty ? nil : .string(email)),
                    ("delivery", .string(email.isEmpty ? "link" : "email")),
                ])
        }
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        try visit.failure(problem) { context, form in
            guard let id = (form?.value("child") ?? visit.parameter("id")).flatMap({ MemberID($0) })
            else { return try page(visit, context, form, problem) }
            guard let member = try activeMember(id, visit, context) else {
                return try FamilyParts(visit).closed(in: nil, Problem(.memberNotFound))
            }
            if !member.isManaged { return try grownUp(member.member, visit, context) }
            if form == nil,
                let closed = try visit.closedQuestion(
                    problem, in: member.family.description, by: context)
            {
                return closed
            }
            return try page(visit, context, form, problem)
        }
    }

    /// Returns an active member of one of the person's families; nil if there is none with this id.
    private static func activeMember(
        _ id: MemberID, _ visit: PageVisit, _ context: RequestContext
    ) throws -> MemberWithGuardians? {
        do {
            let listed = try visit.services.database.run(
                MemberService.read(by: context, member: id))
            return listed.status == .active ? listed : nil
        } catch let refusal as Refusal where refusal.code == .memberNotFound {
            return nil
        }
    }

    /// Returns the page at the address of a child who has an account by now. The child's former id
    /// is its membership's, which stays.
    private static func grownUp(
        _ member: FamilyMember, _ visit: PageVisit, _ context: RequestContext
    ) throws -> Reply {
        let overview = try visit.overview(named: member.family.description, by: context)
        let parts = FamilyParts(visit)
        return try parts.closed(
            in: overview.family, Problem(.memberNotFound),
            title: parts.say(.grownUp(member.displayName)), advice: parts.say(.grownUpAdvice))
    }
}

extension FormBody {
    /// Returns the purpose of a consent that a form names.
    ///
    /// - Throws: ``Refusal``: `purposeNotFound` for a text that can't be one.
    func purpose() throws(Refusal) -> String {
        let name = value("purpose") ?? ""
        let isWord = name.utf8.allSatisfy {
            (97...122).contains($0) || (48...57).contains($0) || $0 == 95 || $0 == 45
        }
        guard isWord, !name.isEmpty else { throw Refusal(.purposeNotFound) }
        return name
    }
}
