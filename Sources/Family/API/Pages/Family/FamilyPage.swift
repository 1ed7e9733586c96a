import Basics
import Domain
import HTTPServer
import JSON
import UseCases

/// The page `/family`: a family's code, members, invitations, and what the person may do there.
enum FamilyMainPage: Page {
    static let summary =
        "Shows one of the signed-in person's families, with its code, members and invitations."
    static let links: [any DeclaredInput] = [
        Input<String?>.query(
            "id", .anyText, "The family; default: the one that was chosen last."),
        Input<String?>.query("member", .anyText, "The member to show."),
    ]
    static let refusals: [RefusalCode] = [.familyNotFound, .memberNotFound]

    /// Actions of the page's buttons.
    enum Action: String {
        case choose, approve, reject, role, seat, transfer, remove, leave, renew
        /// Hides the present conflicts about roles.
        case hide
    }

    /// Confirmations that the page asks for before actions that can't be undone.
    enum Question: String {
        case reject, seat, transfer, remove, leave, renew
        /// The page with all actions on a member. Its form changes the household role, which can be
        /// changed back.
        case member
        /// The code with its QR code, to be shown or printed.
        case code
    }

    static func show(_ visit: PageVisit) throws -> Reply {
        // E-mails link to this page, even if families are only in the app.
        if visit.services.signIn == nil { return try WelcomeViews(visit).familyInApp() }
        let context = try visit.signedIn()
        return try visit.prolonging { try page(visit, context, visit.nameOfFamily(nil)) }
    }

    private static func page(
        _ visit: PageVisit, _ context: RequestContext, _ name: String?, _ problem: Problem? = nil,
        _ form: FormBody? = nil
    ) throws -> Reply {
        let reading = try visit.family(named: name, by: context)
        guard let overview = reading.overview else {
            let invitations = try visit.services.receivedInvitations.list(by: context)
            return try WelcomeViews(visit).noFamily(
                reading.profile, invitations, version: reading.version,
                done: problem == nil ? visit.parameter("done") : nil, problem)
        }
        if problem == nil,
            let question = visit.parameter("ask").flatMap({ Question(rawValue: $0) })
        {
            return try FamilyQuestions(shown: ShownFamily(visit, overview)).ask(
                question, about: visit.parameter("member").flatMap { MemberID($0) })
        }
        let shown = ShownFamily(visit, overview)
        if let problem, !problem.wrongFields.isEmpty,
            form?.value("action") == Action.renew.rawValue
        {
            return try FamilyQuestions(shown: shown).renew(form, problem)
        }
        // The question is shown again, because it has the choice of the next guardian.
        if problem?.code == .refusal(.guardianHasManagedMembers), let form,
            let question = Self.question(of: form).flatMap({ Question(rawValue: $0) })
        {
            let member = form.member("member")
            if question == .leave || member.flatMap({ overview.member($0) }) != nil {
                return try FamilyQuestions(shown: shown).ask(question, about: member, form, problem)
            }
        }
        return try FamilyViews(shown: shown, profile: reading.profile).reply(
            done: problem == nil ? visit.parameter("done") : nil, problem)
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        let context = try visit.signedIn()
        guard let action = form.value("action").flatMap({ Action(rawValue: $0) }),
            let family = form.value("family").flatMap({ FamilyID($0) })
        else { return try RefusedForm.reply(visit) }
        var outcome = [(name: "id", value: family.description)]
        if action == .choose || action == .hide {
            if action == .choose {
                try visit.services.sessions.show(family, by: context)
            } else {
                try visit.services.sessions.hideRoleConflicts(by: context)
            }
            return visit.redirect(to: FamilyAddress.path("family", outcome))
        }
        let answer = try operation(action, family, form).run(visit, by: form)
        // After leaving, the person gets another family's page.
        if action == .leave { outcome = [] }
        let isRenewed = action == .remove && form.value("rotate") != nil
        outcome.append(
            ("done", isRenewed ? FamilyNotice.removeAndRenew.rawValue : action.rawValue))
        if [.approve, .seat, .transfer].contains(action), let member = form.member("member") {
            outcome.append(("member", member.description))
        }
        if action == .role, let member = form.member("member"),
            let before = form.value("was").flatMap({ HouseholdRole(rawValue: $0) })
        {
            outcome += [("member", member.description), ("undo", before.rawValue)]
            outcome += try OverwrittenRole.parameters(of: answer)
        }
        return visit.redirect(to: FamilyAddress.path("family", outcome))
    }

    private static func operation(
        _ action: Action, _ family: FamilyID, _ form: FormBody
    ) throws -> FormOperation {
        let heir = try form.optionalMember("heir")
        func path(_ rest: String = "") throws -> String {
            guard let member = form.member("member") else { throw Refusal(.memberNotFound) }
            return "/api/family/members/\(member)\(rest)"
        }
        switch action {
        case .choose, .hide: preconditionFailure("it changes nothing that the API knows")
        case .approve: return FormOperation(.post, try path("/approve"))
        case .reject: return FormOperation(.post, try path("/reject"))
        case .role, .seat:
            return FormOperation(
                .patch, try path(),
                [
                    ("householdRole", .string(form.value("role") ?? "")),
                    ("reassignManagedTo", heir.map { .string($0.description) }),
                ], baseVersion: form.value("base").flatMap { Int64($0) })
        case .transfer:
            guard let member = form.member("member") else { throw Refusal(.memberNotFound) }
            return FormOperation(
                .post, "/api/family/admin/transfer",
                [
                    ("familyId", .string(family.description)),
                    ("memberId", .string(member.description)),
                ])
        case .remove:
            var query = heir.map { ["reassignManagedTo=\($0)"] } ?? []
            if try form.isTicked("rotate") { query.append("rotateCode=true") }
            let rest = query.isEmpty ? "" : "?" + query.joined(separator: "&")
            return FormOperation(.delete, try path(rest))
        case .leave: return .leaving(family, form)
        case .renew: return SettingsPage.renewal(of: family, form)
        }
    }

    /// Returns the question that a form answers; nil for a form of the family's page itself.
    static func question(of form: FormBody) -> String? {
        guard let action = form.value("action") else { return nil }
        return action == Action.role.rawValue
            ? Question.member.rawValue : Question(rawValue: action)?.rawValue
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        try visit.failure(problem) { context, form in
            if form == nil,
                let closed = try visit.closedQuestion(
                    problem, in: visit.nameOfFamily(nil), by: context)
            {
                return closed
            }
            do {
                return try page(visit, context, visit.nameOfFamily(form), problem, form)
            } catch let refusal as Refusal where refusal.code == .familyNotFound {
                // The person does not belong to this family, so another one is shown.
                return try page(visit, context, nil, problem)
            }
        }
    }
}
