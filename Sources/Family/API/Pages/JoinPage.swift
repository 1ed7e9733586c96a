import Domain
import HTTPServer
import JSON
import QRCode
import Repositories
import UseCases

/// The page `/join`, which the links of invitations and the QR codes of families open. Here
/// somebody sees who invites them, signs in or creates an account, and accepts or declines.
enum JoinPage: Page {
    static let summary =
        "Lets people join a family, by its code or by an invitation. Opening it changes nothing."
    static let links: [any DeclaredInput] = [
        Input<String?>.query("code", .familyCode, "The family's code."),
        Input<String?>.query("token", .invitationToken, "The token from an invitation's link."),
        Input<String?>.query(
            "invitation", .anyText, "The id of an invitation to an address of the account."),
    ]
    static let refusals: [RefusalCode] = [
        .invitationNotFound, .codeMalformed, .codeUnknown, .codeExpired, .tooManyAttempts,
    ]

    static func show(_ visit: PageVisit) throws -> Reply {
        try visit.prolonging {
            if let answer = try answered(visit) { return answer }
            return try page(visit) { visit.parameter($0) }
        }
    }

    /// Returns the page of the invitation or code that the parameters or fields name.
    ///
    /// - Parameter refused: The answer that the page shows again.
    private static func page(
        _ visit: PageVisit, _ refused: JoinViews.RefusedAnswer? = nil,
        _ value: (String) -> String?
    ) throws -> Reply {
        if let token = value("token") { return try invitation(visit, token, refused) }
        if let id = value("invitation") { return try listedInvitation(visit, id, refused) }
        guard let typed = value("code") else {
            throw Problem(.missingField, "This link is not complete.")
        }
        return try family(visit, typed, refused)
    }

    /// Returns the page for an answered invitation or code; nil if the address names no outcome.
    private static func answered(_ visit: PageVisit) throws -> Reply? {
        if visit.parameter("declined") != nil {
            return try JoinViews(visit, nil, nil).declined()
        }
        let (joined, asked) = (visit.parameter("joined"), visit.parameter("asked"))
        guard let id = (joined ?? asked).flatMap({ FamilyID($0) }) else { return nil }
        guard visit.context != nil, let profile = try profile(of: visit) else {
            return visit.redirectToSignIn(.account)
        }
        let views = try JoinViews(visit, nil, profile)
        if let family = profile.families.first(where: { $0.id == id }) {
            return try views.joined(family, hasGrownUp: visit.parameter("grown") != nil)
        }
        if let request = profile.joinRequests.first(where: { $0.family == id }) {
            return try views.waiting(
                request.familyName,
                wasFull: visit.parameter("full") == "\(request.requestedAt.microseconds)")
        }
        return visit.redirect(to: ReturnPath.account.relative)
    }

    private static func invitation(
        _ visit: PageVisit, _ text: String, _ refused: JoinViews.RefusedAnswer?
    ) throws -> Reply {
        let preview = try Self.preview(visit, text, refused?.form)
        guard let token = InvitationToken(text) else { throw Refusal(.invitationNotFound) }
        let views = try JoinViews(visit, .invitation(token), Self.profile(of: visit), refused)
        return try views.invitation(
            preview, prospect(visit, of: .token(text), if: preview.isForCaller))
    }

    /// Looks up an invitation. Each lookup is counted, except the repetitions of the form on a page
    /// that this browser has opened.
    private static func preview(
        _ visit: PageVisit, _ text: String, _ form: FormBody?
    ) throws -> ReceivedInvitationService.Preview {
        var isRepeated = false
        if let form, let token = InvitationToken(text) {
            isRepeated = try LookupProof.isValid(in: form, of: token, for: visit)
        }
        return try visit.services.receivedInvitations.preview(
            by: visit.context, token: text, from: isRepeated ? nil : visit.client)
    }

    /// Returns the page of an invitation that the account page lists.
    private static func listedInvitation(
        _ visit: PageVisit, _ text: String, _ refused: JoinViews.RefusedAnswer?
    ) throws -> Reply {
        let context = try visit.signedIn()
        let listed = try visit.services.receivedInvitations.list(by: context)
        guard let invitation = listed.first(where: { $0.id == InvitationID(text) }) else {
            throw Refusal(.invitationNotFound)
        }
        let views = try JoinViews(
            visit, .listed(invitation.id), Self.profile(of: visit), refused)
        return try views.invitation(
            ReceivedInvitationService.preview(of: invitation),
            prospect(visit, of: .id(invitation.id), if: true))
    }

    private static func prospect(
        _ visit: PageVisit, of invitation: InvitationReference, if isForCaller: Bool
    ) throws -> EntryProspect? {
        guard let context = visit.context, isForCaller else { return nil }
        return try visit.services.receivedInvitations.prospect(by: context, of: invitation)
    }

    private static func family(
        _ visit: PageVisit, _ typed: String, _ refused: JoinViews.RefusedAnswer?
    ) throws -> Reply {
        guard let code = FamilyCode(typed) else { throw Refusal(.codeMalformed) }
        // Only signed-in callers may look up a code, and the attempts are counted.
        let preview = try visit.context.map { context in
            try visit.services.codes.preview(
                by: context, typedCode: code.text, from: visit.client)
        }
        let membership = try visit.context.flatMap { context in
            try visit.services.codes.ownMembership(by: context, typedCode: code.text)
        }
        let prospect = try visit.context.flatMap { context in
            try visit.services.codes.prospect(by: context, typedCode: code.text)
        }
        let views = try JoinViews(visit, .code(code), Self.profile(of: visit), refused)
        return try views.family(code, preview, membership?.status, prospect)
    }

    private static func profile(of visit: PageVisit) throws -> ProfileService.Profile? {
        try visit.context.map { try visit.services.profiles.profile(by: $0) }
    }

    /// Actions of the page's buttons.
    private enum Action: String {
        case accept, decline, join
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        let context = try visit.signedIn()
        switch form.value("action").flatMap({ Action(rawValue: $0) }) {
        case .accept: return try accept(visit, form, context)
        case .decline:
            try FormOperation(.post, path(of: invitation(of: form)) + "/decline")
                .run(visit, by: form)
            return visit.redirect(to: "join?declined")
        case .join: return try join(visit, form, context)
        case nil: return try RefusedForm.reply(visit)
        }
    }

    private static func accept(
        _ visit: PageVisit, _ form: FormBody, _ context: RequestContext
    ) throws -> Reply {
        let invitation = try invitation(of: form)
        let operation = FormOperation(.post, try path(of: invitation) + "/accept")
        if let accepted = try operation.earlierAnswer(visit, to: form) {
            return try welcome(visit, accepted, form)
        }
        if let question = try takeProfile(visit, form, context, of: invitation) { return question }
        if form.value("sure") != "yes", let page = place(of: form),
            let prospect = try prospect(visit, of: invitation, if: true), prospect.refusal == nil,
            prospect.hasConsequences
        {
            return visit.redirect(to: page.relative)
        }
        return try welcome(visit, operation.run(visit, by: form), form)
    }

    /// Redirects to the page that shows the family of an accepted invitation.
    private static func welcome(
        _ visit: PageVisit, _ accepted: JSONField, _ form: FormBody
    ) throws -> Reply {
        let grown = form.value("grows") == "yes" ? "&grown" : ""
        return visit.redirect(
            to: "join?joined=\(try accepted["familyUnitId"].string())\(grown)")
    }

    private static func join(
        _ visit: PageVisit, _ form: FormBody, _ context: RequestContext
    ) throws -> Reply {
        let operation = FormOperation(
            .post, "/api/family/code/join", [("familyCode", .string(form.value("code") ?? ""))])
        if let joined = try operation.earlierAnswer(visit, to: form) {
            return try entry(visit, joined, form)
        }
        if let question = try takeProfile(visit, form, context) { return question }
        if form.value("sure") != "yes", let page = place(of: form),
            FamilyCode(form.value("code") ?? "") != nil,
            let prospect = try countedProspect(visit, context, form.value("code") ?? ""),
            prospect.refusal == nil, prospect.hasConsequences
        {
            return visit.redirect(to: page.relative)
        }
        return try entry(visit, operation.run(visit, by: form), form)
    }

    /// Redirects to the page that shows the family that was joined, or asked to let the person in.
    private static func entry(
        _ visit: PageVisit, _ joined: JSONField, _ form: FormBody
    ) throws -> Reply {
        let family = try joined["familyId"].string()
        if try joined["status"].ifPresent == nil {
            return visit.redirect(to: "join?joined=\(family)")
        }
        var address = "join?asked=\(family)"
        // The time names the request: the family may have room at a later one.
        if form.value("full") == "yes",
            let request = try profile(of: visit)?.joinRequests
                .first(where: { $0.family == FamilyID(family) })
        {
            address += "&full=\(request.requestedAt.microseconds)"
        }
        return visit.redirect(to: address)
    }

    /// Returns the effects that joining by a code would have. The lookup is counted like an attempt
    /// to join.
    private static func countedProspect(
        _ visit: PageVisit, _ context: RequestContext, _ code: String
    ) throws -> EntryProspect? {
        _ = try visit.services.codes.preview(by: context, typedCode: code, from: visit.client)
        return try visit.services.codes.prospect(by: context, typedCode: code)
    }

    /// Stores the name and the role from the form. The family should know who is joining, and a
    /// form must say the role. A child who gets an account has the role that a guardian has chosen.
    ///
    /// - Returns: A redirect to the page that asks for the role, if it is neither known nor in
    ///   the form. The name is stored by then.
    private static func takeProfile(
        _ visit: PageVisit, _ form: FormBody, _ context: RequestContext,
        of invitation: InvitationReference? = nil
    ) throws -> Reply? {
        let profile = try visit.services.profiles.profile(by: context)
        let role = try form.role()
        if profile.own?.isRoleDefault == true {
            let offered = try invitation.flatMap { try received($0, visit, form, context) }
            if role == nil, offered?.kind != .graduation {
                if let name = try form.personName() {
                    try FormOperation.profile(name: name, role: nil).run(visit, by: form)
                }
                guard let page = place(of: form) else { throw Problem.missingRole }
                return visit.redirect(to: page.relative)
            }
            // Accepting would give the newcomer the invitation's role, not the chosen one.
            if let role, let wanted = offered?.role, wanted != role {
                throw Refusal(.roleMismatch, .invited(wanted))
            }
        }
        let name = try form.personName()
        // A form that is sent again repeats its request, although the role is known by then.
        let isOpen = profile.own?.isRoleDefault == true || profile.own?.role == role
        let chosen = isOpen ? role : nil
        if name != nil || chosen != nil {
            try FormOperation.profile(name: name, role: chosen).run(visit, by: form)
        }
        return nil
    }

    /// Returns an open invitation; nil if there is none, an error that accepting it then reports.
    private static func received(
        _ invitation: InvitationReference, _ visit: PageVisit, _ form: FormBody,
        _ context: RequestContext
    ) throws -> ReceivedInvitation? {
        switch invitation {
        case .id(let id):
            return try visit.services.receivedInvitations.list(by: context)
                .first { $0.id == id }
        case .token(let token): return try preview(visit, token, form).invitation
        }
    }

    private static func invitation(of form: FormBody) throws -> InvitationReference {
        if let id = form.value("invitation") {
            guard let id = InvitationID(id) else { throw Refusal(.invitationNotFound) }
            return .id(id)
        }
        return .token(form.value("token") ?? "")
    }

    /// Path of the invitation in the API.
    private static func path(of invitation: InvitationReference) throws(Refusal) -> String {
        switch invitation {
        case .id(let id): return "/api/me/invitations/\(id)"
        case .token(let text):
            guard InvitationToken(text) != nil else { throw Refusal(.invitationNotFound) }
            return "/api/family/invite/\(text)"
        }
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        let form = try visit.form()
        let place = form.map { Self.place(of: $0) } ?? Self.place { visit.parameter($0) }
        if ProblemPage.isSignedOut(problem), visit.session != nil {
            // The page is shown again as for somebody who is not signed in.
            guard form == nil, let place else {
                return visit.redirectToSignIn(place, hasEnded: true)
            }
            return visit.redirect(to: place.relative, cookie: visit.farewell)
        }
        if form == nil, visit.session != nil, let typed = visit.parameter("code"),
            JoinFamilyPage.isAboutCode(problem)
        {
            return try JoinFamilyPage.page(visit, typed, problem)
        }
        if let form, visit.session != nil, problem.isAboutNameOrRole {
            do {
                return try page(visit, .init(form: form, problem: problem)) { form.value($0) }
            } catch {
                // If the page can't be shown either, a separate one shows the first problem.
                visit.logUnlessRefused(error)
            }
        }
        // Somebody who is signed in may have answered with another account.
        let isAnswered = problem.code == .refusal(.invitationAnswered)
        let profile = isAnswered ? try profile(of: visit) : nil
        return try JoinViews(visit, nil, profile).failure(
            problem, of: place, canGoBack: form != nil)
    }

    /// Returns the page of the invitation or code that a form is about.
    static func place(of form: FormBody) -> ReturnPath? { place { form.value($0) } }

    /// Whether a path is that of an invitation's link or a family's code, which need no session. An
    /// invitation that the account page lists has one.
    static func isOpenToVisitors(_ path: ReturnPath) -> Bool {
        ["/join?token=", "/join?code="].contains { path.text.hasPrefix($0) }
    }

    private static func place(_ value: (String) -> String?) -> ReturnPath? {
        for name in ["token", "invitation", "code"] {
            if let text = value(name) { return ReturnPath("/join?\(name)=" + text) }
        }
        return nil
    }
}

extension Problem {
    /// Whether an answer was refused because of the name or the role in its form.
    var isAboutNameOrRole: Bool {
        ["#/name", "#/role"].contains(wrongFields.first?.pointer)
            || code == .refusal(.roleMismatch)
    }
}
