import Domain
import HTTPServer
import UseCases

/// The page `/account`: the caller's families and requests to join, its sessions, its sign-in
/// methods, the export of its data, and its erasure.
enum AccountPage: Page {
    static let summary =
        "Shows the account of the signed-in person: its sign-in methods, its sessions, and its "
        + "erasure."
    static let links: [any DeclaredInput] = []
    static let refusals: [RefusalCode] = []

    static func show(_ visit: PageVisit) throws -> Reply {
        _ = try visit.services.signInSetup()
        let done = visit.parameter("done").flatMap { Action(rawValue: $0) }
        if done == .erase, visit.session == nil { return try ErasureViews(visit).done() }
        if visit.parameter("erase") != nil {
            _ = try visit.signedIn()
            // If no code was mailed, there is none to enter.
            guard PendingMail(visit)?.purpose == .erasure else {
                return visit.redirect(to: "account#data")
            }
            let children = visit.parameter("erase") == "children"
            return try ErasureViews(visit, erasesChildren: children).code()
        }
        if visit.parameter("address") != nil {
            _ = try visit.signedIn()
            guard let mail = PendingMail(visit), mail.purpose == .newAddress else {
                return visit.redirect(to: "account#ways")
            }
            return try AddressViews(visit).code(mail)
        }
        return try visit.prolonging {
            if let question = try question(visit) { return question }
            return try account(visit, done: done)
        }
    }

    /// Returns the page that asks for confirmation before something is removed; nil if the address
    /// names nothing to remove.
    private static func question(_ visit: PageVisit) throws -> Reply? {
        if let id = visit.parameter("remove") {
            let context = try visit.signedIn()
            let ways = try visit.services.database.run(IdentityService.list(by: context))
            guard let way = ways.first(where: { $0.id == IdentityID(id) }) else {
                return visit.redirect(to: "account?done=" + Action.wayGone.rawValue)
            }
            return try AccountQuestions(visit).removal(of: way, among: ways)
        }
        if let name = visit.parameter("consent") {
            let context = try visit.signedIn()
            let consents = try visit.services.consents.listOwn(by: context)
            guard let consent = consents.first(where: { $0.name == name }), consent.consent != nil
            else { return visit.redirect(to: "account#consents") }
            return try AccountQuestions(visit).withdrawal(of: consent)
        }
        return nil
    }

    /// Actions of the page's buttons.
    enum Action: String {
        case name, password, export, erase, withdraw, address, consent
        case withdrawConsent = "withdraw-consent"
        case newAddress = "new-address"
        case addPasskey = "add-passkey"
        case addProvider = "add-provider"
        case endSession = "end-session"
        case endOthers = "end-others"
        case removeWay = "remove-way"
        // Outcomes that the page shows if there was nothing to do; no button sends these actions.
        /// An invitation or a request to join was answered or withdrawn.
        case requestOver = "request-over"
        case wayGone = "way-gone"
        case sessionOver = "session-over"
        /// A form was sent as it had been shown.
        case unchanged
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        let context = try visit.signedIn()
        guard let action = form.value("action").flatMap({ Action(rawValue: $0) }) else {
            return try RefusedForm.reply(visit)
        }
        switch action {
        case .name:
            if try !changeProfile(visit, form) {
                return visit.redirect(to: "account?done=" + Action.unchanged.rawValue)
            }
        case .password: try changePassword(visit, form, context)
        case .address: return try requestAddress(visit, form, context)
        case .newAddress:
            try visit.services.addressChanges().change(
                emailToken: form.value("ticket") ?? "", code: form.value("code") ?? "", by: context)
        case .endSession:
            guard let session = SessionID(form.value("session") ?? "") else {
                throw Refusal(.sessionNotFound)
            }
            do {
                try FormOperation(.delete, "/api/me/sessions/\(session)").run(visit, by: form)
            } catch  where error.refusalCode == .sessionNotFound {
                return visit.redirect(to: "account?done=" + Action.sessionOver.rawValue)
            }
        case .endOthers: try FormOperation(.delete, "/api/me/sessions").run(visit, by: form)
        case .removeWay: return try removeWay(visit, form)
        case .addPasskey: try addPasskey(visit, form, context)
        case .addProvider: try ProviderSignIn.add(visit, form, context)
        case .withdraw:
            guard let family = FamilyID(form.value("family") ?? "") else {
                throw Refusal(.familyNotFound)
            }
            do {
                try FormOperation(.delete, "/api/me/requests/\(family)").run(visit, by: form)
            } catch
                where [.memberIsNotWaiting, .familyNotFound].contains(error.refusalCode)
            {
                return visit.redirect(to: "account?done=" + Action.requestOver.rawValue)
            }
        case .consent:
            try FormOperation(
                .put, "/api/me/consents/\(form.purpose())",
                [
                    ("version", .string(form.value("version") ?? "")),
                    ("method", .string(OwnConsentMethod.oneself.rawValue)),
                ]
            ).run(visit, by: form)
        case .withdrawConsent:
            let purpose = try form.purpose()
            if form.value("sure") != "yes" {
                return visit.redirect(to: "account?consent=" + purpose)
            }
            try FormOperation(.delete, "/api/me/consents/\(purpose)").run(visit, by: form)
        case .requestOver, .wayGone, .sessionOver, .unchanged:
            return try RefusedForm.reply(visit)
        case .export: return try export(visit, context)
        case .erase: return try erase(visit, form, context)
        }
        return visit.redirect(to: "account?done=" + action.rawValue)
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        if ProblemPage.isSignedOut(problem) {
            return visit.redirectToSignIn(.account, hasEnded: visit.session != nil)
        }
        guard let form = try visit.form(), visit.session != nil else {
            return try ProblemPage.reply(visit, problem)
        }
        do {
            if form.value("action") == Action.newAddress.rawValue,
                ![.refusal(.codeExpired), .refusal(.identityInUse)].contains(problem.code),
                problem.attemptsLeft != 0
            {
                return try AddressViews(visit).code(Self.newAddress(form), problem)
            }
            if form.value("action") == Action.address.rawValue, form.value("again") != nil,
                problem.leavesMailedCode
            {
                return try AddressViews(visit).code(Self.newAddress(form), problem)
            }
            // No code helps before the tasks that the account's page names.
            if form.value("action") == Action.erase.rawValue,
                ![.refusal(.erasureBlocked), .refusal(.operatorRoleStands)].contains(problem.code),
                form.value("code") != nil
                    || (form.value("again") != nil && problem.leavesMailedCode)
            {
                return try ErasureViews(visit, erasesChildren: form.value("children") == "yes")
                    .code(problem)
            }
            return try account(visit, problem: problem)
        } catch {
            // If the account can't be read either, the page shows the first problem.
            visit.logUnlessRefused(error)
            return try ProblemPage.reply(visit, problem)
        }
    }

    /// Returns the e-mail to the new address whose code the form contains or requests again.
    private static func newAddress(_ form: FormBody) -> PendingMail {
        PendingMail(
            .newAddress, emailToken: form.value("ticket") ?? "", email: form.value("email") ?? "")
    }

    private static func account(
        _ visit: PageVisit, done: Action? = nil, problem: Problem? = nil
    ) throws -> Reply {
        let context = try visit.signedIn()
        let database = visit.services.database
        let account = AccountViews.Account(
            profile: try visit.services.profiles.profile(by: context),
            invitations: try visit.services.receivedInvitations.list(by: context),
            sessions: try database.run(SessionService.list(by: context)),
            events: try database.run(SessionService.events(by: context)),
            ways: try database.run(IdentityService.list(by: context)),
            consents: try visit.services.consents.listOwn(by: context),
            guardsChildren: try database.run(ProfileService.guardsChildren(by: context)),
            obstacles: try database.run(AccountService.erasureObstacles(by: context)),
            mayChangeRole: try database.run(ProfileService.mayChangeRole(by: context)),
            passkeyOptions: try passkeyOptions(visit, context))
        return try AccountViews(visit, account).reply(done: done, problem: problem)
    }

    /// Stores what the person has changed in the form; returns false if that is nothing.
    private static func changeProfile(_ visit: PageVisit, _ form: FormBody) throws -> Bool {
        // A field that the person left as it was stays: it may have changed elsewhere.
        func isChanged(_ name: String) -> Bool {
            guard let shown = form.value("was_" + name) else { return true }
            return form.value(name) != shown
        }
        let name = isChanged("name") ? try form.personName() : nil
        let role = isChanged("role") ? try form.role() : nil
        if form.value("name") != nil, isChanged("name"), name == nil {
            throw Problem.invalidField("name", "a name of at most 80 characters")
        }
        let avatar = isChanged("avatar") ? try form.picture() : nil
        let locale = isChanged("locale") ? try locale(of: form, visit.site) : nil
        if name == nil, avatar == nil, locale == nil, role == nil {
            if form.value("was_name") != nil { return false }
            throw Problem.missingRole
        }
        try FormOperation.profile(name: name, role: role, avatar: avatar, locale: locale)
            .run(visit, by: form)
        return true
    }

    /// Returns the chosen language; nil if the form leaves it as it is.
    ///
    /// - Throws: ``Problem`` for a language in which Hearth writes no e-mails.
    private static func locale(
        of form: FormBody, _ site: PublicSite
    ) throws(Problem) -> LanguageTag? {
        guard let text = form.value("locale"), !text.isEmpty else { return nil }
        guard let tag = LanguageTag(text), site.languages.match(tag) != nil else {
            throw .invalidField("locale", "one of the offered languages")
        }
        return tag
    }

    private static func changePassword(
        _ visit: PageVisit, _ form: FormBody, _ context: RequestContext
    ) throws {
        let signIn = try visit.services.signIn(by: .password)
        let current = form.value("current") ?? ""
        try visit.services.recordingPasswordChange(by: context, visit.request) {
            try signIn.changePassword(
                by: context, current: current.isEmpty ? nil : current,
                new: form.value("password") ?? "", from: visit.client)
        }
    }

    /// Refuses a form that the page offers only after a recent sign-in. The check comes before that
    /// of the fields: otherwise the page would report a wrong field and have no form to correct it.
    private static func requireFreshSignIn(_ visit: PageVisit) throws(Refusal) {
        if !visit.isSignInFresh { throw Refusal(.signInAgain) }
    }

    /// Mails a code to the new address, and redirects to the page on which the person enters it.
    private static func requestAddress(
        _ visit: PageVisit, _ form: FormBody, _ context: RequestContext
    ) throws -> Reply {
        try requireFreshSignIn(visit)
        let email = try form.email()
        let token = try visit.services.addressChanges().sendCode(
            to: email, by: context, from: visit.client, language: visit.wantedLanguage)
        let mail = PendingMail(.newAddress, emailToken: token.token, email: email.text)
        return visit.redirect(
            to: "account?address", cookie: mail.header(isSecure: visit.site.isSecure))
    }

    /// Removes a sign-in method, or redirects to the page that asks for confirmation.
    private static func removeWay(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        guard let identity = IdentityID(form.value("identity") ?? "") else {
            throw Refusal(.identityNotFound)
        }
        if form.value("sure") != "yes" { return visit.redirect(to: "account?remove=\(identity)") }
        do {
            try FormOperation(.delete, "/api/me/identities/\(identity)").run(visit, by: form)
        } catch  where error.refusalCode == .identityNotFound {
            return visit.redirect(to: "account?done=" + Action.wayGone.rawValue)
        }
        return visit.redirect(to: "account?done=" + Action.removeWay.rawValue)
    }

    /// Returns the options for a new passkey; nil if the sign-in is not recent enough to add one.
    private static func passkeyOptions(_ visit: PageVisit, _ context: RequestContext) throws
        -> String?
    {
        let setup = try visit.services.signInSetup()
        guard setup.offers(.passkey) else { return nil }
        do {
            let registration = try visit.services.passkeys()
                .registration(by: context, now: Int64(visit.services.clock.now() / 1_000))
            let reply = Reply.of(
                Shapes.passkeyOptions, .registration(registration, setup.party))
            return String(decoding: reply.body, as: UTF8.self)
        } catch let refusal as Refusal where refusal.code == .signInAgain {
            return nil
        }
    }

    private static func addPasskey(
        _ visit: PageVisit, _ form: FormBody, _ context: RequestContext
    ) throws {
        try requireFreshSignIn(visit)
        var label = visit.device
        if let typed = form.value("label"), !typed.trimmed.isEmpty {
            label = Label(typed)
            if label == nil { throw Problem.invalidField("label", "at most 80 characters") }
        }
        _ = try visit.services.passkeys().add(
            form.credential(), label: label, by: context,
            now: Int64(visit.services.clock.now() / 1_000))
    }

    private static func export(_ visit: PageVisit, _ context: RequestContext) throws -> Reply {
        Reply(
            status: 200, mediaType: "application/json",
            body: try visit.services.accounts.export(by: context),
            headers: [("Content-Disposition", "attachment; filename=\"hearth-account.json\"")])
    }

    /// Erases the account at once if the sign-in is recent, and otherwise by a mailed code.
    private static func erase(
        _ visit: PageVisit, _ form: FormBody, _ context: RequestContext
    ) throws -> Reply {
        let views = ErasureViews(visit, erasesChildren: try form.isTicked("children"))
        guard form.value("sure") == "yes" else { return try views.notSure() }
        // The button mails a code, even if a recent sign-in would do: it never erases.
        if try form.isTicked("again") { return try mailErasureCode(visit, context, views) }
        // The current id comes from the database, because the cookie may contain a former one.
        let traced = RequestContext(context.caller, trace: RequestTrace())
        do {
            try visit.services.accounts.erase(
                by: traced, code: form.value("code"),
                successors: .init(erasesChildren: views.erasesChildren),
                now: Int64(visit.services.clock.now() / 1_000))
        } catch let refusal as Refusal where refusal.code == .freshSignInRequired {
            return try mailErasureCode(visit, context, views)
        }
        visit.services.dropCachedReads(of: traced)
        return visit.redirect(to: "account?done=erase", cookie: visit.farewell)
    }

    /// Mails the code that confirms the erasure, unless the erasure would be refused. Sending the
    /// code refuses an operator's account by itself.
    private static func mailErasureCode(
        _ visit: PageVisit, _ context: RequestContext, _ views: ErasureViews
    ) throws -> Reply {
        let obstacles = try visit.services.database.run(
            AccountService.erasureObstacles(by: context)
        ).compactMap(\.blocker).filter {
            $0.kind != .guardianHasManagedMembers || !views.erasesChildren
        }
        if !obstacles.isEmpty { throw Refusal(.erasureBlocked, .blockers(obstacles)) }
        try visit.services.accounts.sendDeletionCode(by: context, from: visit.client)
        return visit.redirect(
            to: "account?erase=" + (views.erasesChildren ? "children" : "account"),
            cookie: PendingMail(.erasure).header(isSecure: visit.site.isSecure))
    }
}
