import Domain
import Basics
import HTTPServer
import Repositories
import UseCases

/// Views of `/account` for somebody who is signed in.
struct AccountViews: LocalizedView {
    /// The data that the page shows.
    struct Account {
        let profile: ProfileService.Profile
        let invitations: [ReceivedInvitation]
        let sessions: [SessionService.Entry]
        /// The latest sign-ins to the account, failed attempts and ended sessions.
        let events: [SignInEvent]
        let ways: [ListedIdentity]
        /// The consents that the account is asked for, and those that it gave.
        let consents: [ListedConsent<OwnConsent>]
        /// Whether the person is a guardian of a child.
        let guardsChildren: Bool
        /// The obstacles to the account's erasure.
        let obstacles: [ErasureObstacle]
        /// Whether the person may change between player and parent.
        let mayChangeRole: Bool
        /// Options for a new passkey, as JSON; nil if none can be added now.
        let passkeyOptions: String?
    }

    private let visit: PageVisit
    private let parts: PageParts
    private let account: Account

    init(_ visit: PageVisit, _ account: Account) {
        self.visit = visit
        self.account = account
        parts = PageParts(visit: visit)
    }

    var language: Language { visit.language }

    func reply(done: AccountPage.Action?, problem: Problem?) throws -> Reply {
        let wrong = problem.flatMap { wrongForm($0) }
        let sections: HTML = """
            \(try missing(problem, wrong))\(try invitations())\(try you(problem, wrong))\
            \(try families())\(try consents())\(try ways(problem, wrong))\
            \(try sessions())\(events())\(try data(problem))
            """
        // The heading shows a problem that belongs to no form of the page.
        let error = wrong == nil ? problem.map { sentence(of: $0) } : nil
        let notice: HTML? = problem == nil ? done.flatMap { self.notice($0) } : nil
        let done: HTML = notice.map { "<p class=\"done\" role=\"status\">\($0)</p>\n" } ?? ""
        let own = account.profile.own
        let page = PageLayout(
            title: text(.yourAccount),
            content: """
                \(parts.heading("\(visit.site.app.name)", text(.yourAccount), error: error))
                \(done)
                <div class="who"><p>\(text(.signedInAs(own?.fullName ?? own?.email ?? "")))</p>
                \(try signOut())</div>
                \(sections)\(parts.openApp())\(parts.stores())
                """)
        var reply = try visit.reply(page, problem: problem)
        reply.headers += problem?.headers ?? []
        return reply
    }

    private func sentence(of problem: Problem) -> HTML {
        // The only password that this page asks for is the current one.
        problem.code == .refusal(.invalidCredentials)
            ? text(.wrongCurrentPassword) : visit.explanation(problem)
    }

    /// Returns the problem for the form that it belongs to; empty for any other form.
    private func alert(_ problem: Problem?, if isOwn: Bool) -> HTML {
        parts.alert(isOwn ? problem.map { sentence(of: $0) } : nil)
    }

    /// A form of the page that shows a problem with its own fields.
    private enum OwnForm {
        /// The form for a name and a role that the account does not have yet.
        case missing
        /// The form that changes the name, the picture, the role and the language.
        case you
        case address, passkey, password
    }

    /// Returns the form that shows a problem; nil if the problem is about none of its fields, or if
    /// the page has no such form.
    private func wrongForm(_ problem: Problem) -> OwnForm? {
        switch (problem.code, problem.wrongFields.first?.pointer) {
        case (.refusal(.invalidCredentials), _), (.refusal(.passwordTooWeak), _):
            mayChangePassword ? .password : nil
        case (_, "#/name"): isUnnamed ? .missing : .you
        case (_, "#/role"):
            if account.profile.own?.isRoleDefault == true {
                .missing
            } else {
                hasRoleChoice ? .you : nil
            }
        case (_, "#/avatarKey"), (_, "#/locale"): isUnnamed ? nil : .you
        case (_, "#/email"): mayChangeAddress ? .address : nil
        case (_, "#/label"): account.passkeyOptions == nil ? nil : .passkey
        default: nil
        }
    }

    private var isUnnamed: Bool { (account.profile.own?.fullName ?? "").isEmpty }

    /// Whether the page offers to change between player and parent.
    private var hasRoleChoice: Bool {
        !isUnnamed && account.mayChangeRole && account.profile.own?.isRoleDefault == false
    }

    private func offers(_ way: SignInSetup.Way) -> Bool {
        visit.services.signIn?.offers(way) ?? false
    }

    /// Whether people can sign in with an e-mail address.
    private var hasAddresses: Bool { offers(.email) || offers(.password) }

    private var mayChangeAddress: Bool { hasAddresses && visit.isSignInFresh }

    private var hasPassword: Bool { account.ways.contains { $0.kind == .password } }

    /// Whether the account can have a password, which requires an e-mail address.
    private var canHavePassword: Bool {
        offers(.password) && account.ways.contains { $0.kind == .email }
    }

    /// Whether the page has the form for a password. The first password needs a recent sign-in,
    /// another one the current password.
    private var mayChangePassword: Bool {
        canHavePassword && (hasPassword || visit.isSignInFresh)
    }

    /// Returns the refused form if it had this action; nil otherwise.
    private func refused(
        _ action: AccountPage.Action, _ problem: Problem?
    ) throws -> FormBody? {
        guard problem != nil, let form = try visit.form(),
            form.value("action") == action.rawValue
        else { return nil }
        return form
    }

    private func notice(_ action: AccountPage.Action) -> HTML? {
        switch action {
        case .name: text(.nameKept)
        case .password: text(.passwordKept)
        case .newAddress: text(.addressKept)
        case .endSession, .endOthers: text(.sessionsEnded)
        case .removeWay: text(.wayRemoved)
        case .addPasskey: text(.passkeyAdded)
        case .addProvider: text(.added)
        case .withdraw: text(.requestWithdrawn)
        case .consent: say(FamilyText.done(.consent))
        case .withdrawConsent: say(FamilyText.done(.withdraw))
        case .requestOver: text(.requestOver)
        case .wayGone: text(.wayGone)
        case .sessionOver: text(.sessionOver)
        case .unchanged: say(FamilyText.done(.unchanged))
        case .export, .erase, .address: nil
        }
    }

    /// Returns a section of the page.
    private func section(_ id: String, _ title: HTML, _ content: HTML) -> HTML {
        """
        <section class="group" id="\(id)" aria-labelledby="\(id)-title">
        <h2 id="\(id)-title">\(title)</h2>
        \(content)</section>

        """
    }

    private func list<Entry>(_ entries: [Entry], _ item: (Entry) throws -> HTML) rethrows -> HTML {
        let items = try entries.reduce(into: HTML("")) { html, entry in
            html = "\(html)<li>\(try item(entry))</li>\n"
        }
        return "<ul class=\"rows\">\n\(items)</ul>\n"
    }

    private func row(_ title: HTML, _ detail: HTML, _ button: HTML) -> HTML {
        parts.row(title, detail, button)
    }

    private func signOut() throws -> HTML {
        try parts.form(
            to: "sign-in", action: "sign-out", style: "inline",
            parts.button(text(.signOut), style: "plain"))
    }

    // MARK: Sections

    /// Returns the form for the name and the role; shown to people who have not entered them.
    private func missing(_ problem: Problem?, _ wrong: OwnForm?) throws -> HTML {
        guard let own = account.profile.own, isUnnamed || own.isRoleDefault else { return "" }
        let isWrong = wrong == .missing
        let pointer = problem?.wrongFields.first?.pointer
        let isNameWrong = isWrong && pointer == "#/name"
        let isRoleWrong = isWrong && pointer == "#/role"
        let sent = try refused(.name, problem)
        let name = parts.name(sent?.value("name") ?? "", isWrong: isNameWrong)
        let role = parts.role(
            sent?.value("role").flatMap { MemberRole(rawValue: $0) }, isWrong: isRoleWrong)
        let form = try parts.form(
            to: "account", action: "name",
            """
            \(alert(problem, if: isWrong))\
            \(isUnnamed ? name : "")\(own.isRoleDefault ? role : "")\
            \(parts.button(text(.keepName)))
            """)
        return section(
            "your-name", text(own.isRoleDefault ? .whoAreYou : .whatIsYourName),
            "<p>\(text(.nameAdvice))</p>\n\(form)")
    }

    /// Returns the name and the role, with the form that changes them.
    private func you(_ problem: Problem?, _ wrong: OwnForm?) throws -> HTML {
        guard let own = account.profile.own, let name = own.fullName, !name.isEmpty else {
            return ""
        }
        let isWrong = wrong == .you
        let pointer = isWrong ? problem?.wrongFields.first?.pointer : nil
        // The form for a missing name or role has the same action, but does not send the values
        // that it has shown.
        let form = try refused(.name, problem)
        let sent = isWrong || form?.value("was_name") != nil ? form : nil
        let role = sent?.changed("role").flatMap { MemberRole(rawValue: $0) } ?? own.role
        let pictures = FamilyParts(visit).pictures(
            stored: own.avatarKey, sent: sent?.changed("avatar"),
            isWrong: pointer == "#/avatarKey")
        let change = try parts.form(
            to: "account", action: "name", hidden: shown(own),
            """
            \(alert(problem, if: isWrong))\
            \(parts.name(sent?.changed("name") ?? name, isWrong: pointer == "#/name"))\
            \(pictures)\
            \(hasRoleChoice ? parts.role(role, isWrong: pointer == "#/role") : "")\
            \(mailLanguage(of: own, typed: sent?.changed("locale")))\
            \(parts.button(text(.keepName)))
            """)
        let email: HTML = own.email.map { "<p class=\"hint\"><bdi>\($0)</bdi></p>\n" } ?? ""
        let shownRole: HTML =
            own.isRoleDefault ? "" : "<p class=\"hint\">\(text(.yourRole(own.role)))</p>\n"
        return section(
            "you", text(.you),
            """
            <p><strong><bdi>\(name)</bdi></strong></p>
            \(email)\(shownRole)<details\(sent == nil ? "" : " open")>\
            <summary>\(text(.changeYou))</summary>
            \(change)</details>

            """)
    }

    /// Returns what the form shows at first, so that only what the person changes is sent on.
    private func shown(_ own: OwnProfile) -> [(name: String, value: String?)] {
        [
            ("was_name", own.fullName), ("was_avatar", own.avatarKey ?? ""),
            ("was_role", hasRoleChoice ? own.role.rawValue : nil),
            ("was_locale", offeredLanguage(of: own)?.tag.text),
        ]
    }

    /// Returns the account's language and the offered language that it matches; nil if Hearth can't
    /// write e-mails in it, or if none is stored.
    private func offeredLanguage(
        of own: OwnProfile
    ) -> (tag: LanguageTag, match: LanguageTag)? {
        guard let tag = own.locale.flatMap({ LanguageTag($0) }),
            let match = visit.site.languages.match(tag)
        else { return nil }
        return (tag, match)
    }

    /// Returns the field for the language of e-mails to the account. A form that is sent unchanged
    /// keeps the account's language, even one in which Hearth can't write.
    ///
    /// - Parameter typed: The choice in a refused form.
    private func mailLanguage(of own: OwnProfile, typed: String?) -> HTML {
        let current = offeredLanguage(of: own)
        let options = visit.site.languages.all.map { offered -> (value: String, label: HTML) in
            // A variety, such as `es-MX`, is kept as well.
            let value = offered == current?.match ? current?.tag ?? offered : offered
            return (value: value.text, label: ownName(of: offered))
        }
        let unmatched: HTML =
            own.locale.flatMap { LanguageTag($0) }.map { ownName(of: $0) } ?? text(.noMailLanguage)
        return FamilyParts(visit).choice(
            "locale", text(.mailLanguage), options, none: current == nil ? unmatched : nil,
            chosen: options.map(\.value).first { $0 == typed } ?? current?.tag.text,
            hint: text(.mailLanguageHint))
    }

    /// Returns a language's own name; its tag if Hearth's pages don't speak it.
    private func ownName(of tag: LanguageTag) -> HTML {
        guard let language = tag.ownLanguage else { return "\(tag.text)" }
        if tag == LanguageTag(language) { return "\(language.ownName)" }
        return "\(language.ownName) (\(tag.text))"
    }

    private func invitations() throws -> HTML {
        if account.invitations.isEmpty { return "" }
        let rows = try list(account.invitations) { try parts.received($0) }
        return section("invitations", text(.yourInvitations), rows)
    }

    private func families() throws -> HTML {
        let families = account.profile.families
        let rows = list(families) { family in
            row(
                "<a href=\"family?id=\(family.id.description)\"><bdi>\(family.name)</bdi></a>",
                text(.members(family.memberCount)),
                """
                <a class="button plain" href="family?id=\(family.id.description)&amp;ask=leave" \
                aria-label="\(text(.leaveOf(family.name)))">\(text(.leave))</a>
                """)
        }
        let isNowhere = families.isEmpty && account.profile.joinRequests.isEmpty
        let none: HTML = isNowhere ? firstFamily() : ""
        return section(
            "families", text(.yourFamilies),
            "\(families.isEmpty ? none : rows)\(try requests())")
    }

    /// Returns the ways to a family for somebody who belongs to none.
    private func firstFamily() -> HTML {
        """
        <p>\(text(account.invitations.isEmpty ? .noFamily : .noFamilyButInvited))</p>
        <ul class="stores">
        <li><a class="button" href="family/new">\(say(.newFamily))</a></li>
        <li><a class="button plain" href="family/join">\(text(.joinAFamily))</a></li>
        </ul>

        """
    }

    private func requests() throws -> HTML {
        if account.profile.joinRequests.isEmpty { return "" }
        let rows = try list(account.profile.joinRequests) { try parts.request($0) }
        return "<h3 id=\"requests\">\(text(.yourRequests))</h3>\n\(rows)"
    }

    /// Returns the consents that the account is asked for, and those that it gave.
    private func consents() throws -> HTML {
        if account.consents.isEmpty { return "" }
        let rows = try list(account.consents) { consent in
            let title = consent.title(in: language)
            let body: HTML = consent.purpose.map { "<p>\(local($0.text))</p>\n" } ?? ""
            let required: HTML =
                consent.purpose?.isNeeded == true
                ? " \(FamilyParts(visit).badge(say(.required)))" : ""
            let state: HTML =
                if let own = consent.consent {
                    consent.isGiven ? say(.consentSince(own.givenAt)) : say(.consentOutdated)
                } else {
                    say(.consentMissing)
                }
            return """
                <div><strong>\(title)</strong>\(required)
                \(body)<p class="hint">\(state)</p></div>
                \(try buttons(for: consent, title))
                """
        }
        return section("consents", say(.consents), rows)
    }

    /// Returns the button that gives a consent, and the link to the page that asks whether to
    /// withdraw a consent, even one to an earlier text.
    private func buttons(for consent: ListedConsent<OwnConsent>, _ title: String) throws -> HTML {
        let withdraw: HTML =
            consent.consent == nil
            ? ""
            : """
            <a class="button plain" href="account?consent=\(consent.name)" \
            aria-label="\(say(.withdrawConsentOf(title)))">\(say(.withdrawConsent))</a>
            """
        guard !consent.isGiven, let purpose = consent.purpose else { return withdraw }
        let give = try parts.form(
            to: "account", action: AccountPage.Action.consent.rawValue,
            hidden: [("purpose", consent.name), ("version", purpose.version)], style: "inline",
            parts.button(say(.giveConsent), name: say(.giveConsentOf(title))))
        return "\(give)\(withdraw)"
    }

    private func sessions() throws -> HTML {
        let rows = try list(account.sessions) { entry in
            let session = entry.session
            let device: HTML = session.device.map { "<bdi>\($0)</bdi>" } ?? text(.unknownDevice)
            let end = try parts.form(
                to: "account", action: "end-session",
                hidden: [("session", session.id.description)], style: "inline",
                parts.button(
                    text(.end), style: "plain", name: text(.endOf(session.device ?? ""))))
            let mark: HTML = entry.isCurrent ? " <em>\(text(.thisOne))</em>" : ""
            return row(
                "\(device)\(mark)",
                detail(of: session),
                entry.isCurrent ? "" : end)
        }
        let others = try parts.form(
            to: "account", action: "end-others",
            parts.button(text(.endOthers), style: "plain"))
        return section(
            "sessions", text(.whereSignedIn), "\(rows)\(account.sessions.count > 1 ? others : "")")
    }

    /// Returns how and when a session was last used. A session that an app has opened names the
    /// app.
    private func detail(of session: ListedSession) -> HTML {
        guard let opener = session.openedBy else {
            return text(.lastUsed(session.lastUsedAt, by: session.method))
        }
        let device = account.sessions.first { $0.session.id == opener }?.session.device
        return text(
            .openedFrom(
                app: visit.site.app.name, device: device, lastUsed: session.lastUsedAt))
    }

    /// Returns the latest sign-ins and failed attempts, so that the person notices those of
    /// somebody else.
    private func events() -> HTML {
        if account.events.isEmpty { return "" }
        let rows = list(account.events) { event in
            let browser: HTML = event.browser.map { "<bdi>\($0)</bdi> &middot; " } ?? ""
            let network: HTML = event.network.map { " &middot; <bdi>\($0)</bdi>" } ?? ""
            return row(
                text(.event(event.kind, by: event.way, more: Int(event.more))),
                "\(browser)\(text(.eventAt(event.at)))\(network)", "")
        }
        return section(
            "sign-ins", text(.latestSignIns),
            """
            <p class="hint">\(text(.latestSignInsAdvice(hasPassword: hasPassword)))</p>
            <details><summary>\(text(.showSignIns))</summary>
            \(rows)</details>

            """)
    }

    private func ways(_ problem: Problem?, _ wrong: OwnForm?) throws -> HTML {
        let rows = list(account.ways) { way in
            let name = way.shownName(visit.services)
            let remove: HTML = """
                <a class="button plain" href="account?remove=\(way.id.description)" \
                aria-label="\(text(.removeOf(way.kind, name ?? "")))">\(text(.remove))</a>
                """
            let detail: HTML = name.map { "<bdi>\($0)</bdi> &middot; " } ?? ""
            return row(
                text(.way(way.kind)), "\(detail)\(text(.since(way.since)))",
                canRemove(way) ? remove : "")
        }
        return section(
            "ways", text(.howYouSignIn),
            """
            \(rows)\(try address(problem, isWrong: wrong == .address))\
            \(try addPasskey(problem, isWrong: wrong == .passkey))\
            \(ProviderViews(visit).additions(to: account.ways))\
            \(try password(problem, isWrong: wrong == .password))
            """)
    }

    private func address(_ problem: Problem?, isWrong: Bool) throws -> HTML {
        if !hasAddresses { return "" }
        let form = try AddressViews(visit).form(
            isWrong: isWrong, typed: try refused(.address, problem)?.value("email"))
        return "\(alert(problem, if: isWrong))\(form)"
    }

    private func addPasskey(_ problem: Problem?, isWrong: Bool) throws -> HTML {
        if !offers(.passkey) { return "" }
        guard let options = account.passkeyOptions else {
            return "<p class=\"hint\">\(text(.passkeyLater))</p>\n"
        }
        let typed = try refused(.addPasskey, problem)?.value("label")
        let name = PageParts.Field(
            name: "label", label: text(.passkeyName), value: typed ?? visit.device?.text ?? "",
            hint: text(.passkeyNameHint), isRequired: false, isWrong: isWrong,
            more: " maxlength=\"80\"")
        let form = try parts.passkey(
            to: "account", action: "add-passkey", options: options, fields: parts.field(name),
            text(.addPasskey))
        return "\(alert(problem, if: isWrong))\(form)"
    }

    /// Returns true if another sign-in method remains after removing this one.
    private func canRemove(_ way: ListedIdentity) -> Bool {
        let offered = visit.services.offeredSignInMethods
        return account.ways.contains { $0.id != way.id && offered.canSignIn(with: $0) }
    }

    private func password(_ problem: Problem?, isWrong: Bool) throws -> HTML {
        if !canHavePassword { return "" }
        let current = PageParts.Field(
            name: "current", label: text(.currentPasswordLabel), type: "password",
            autocomplete: "current-password",
            isWrong: isWrong && problem?.code == .refusal(.invalidCredentials))
        // Password managers store a password together with its address.
        let username: HTML = """
            <input type="email" name="username" value="\(account.profile.own?.email ?? "")" \
            autocomplete="username" readonly hidden>

            """
        let title = hasPassword ? text(.changePassword) : text(.setPassword)
        guard mayChangePassword else {
            return """
                <details><summary>\(title)</summary>
                <p class="hint">\(text(.signInAgainFirst))</p></details>

                """
        }
        let isWeak = isWrong && problem?.code == .refusal(.passwordTooWeak)
        let form = try parts.form(
            to: "account", action: "password",
            """
            \(alert(problem, if: isWrong))\(username)\(hasPassword ? parts.field(current) : "")\
            \(parts.newPassword(isWrong: isWeak))\(parts.button(title))
            """)
        return """
            <details\(isWrong ? " open" : "")><summary>\(title)</summary>
            <p class="hint">\(text(.passwordEndsSessions))</p>
            \(form)</details>

            """
    }

    /// Returns the section of the person's data. After a refused erasure, it shows what has to be
    /// done first, to which the heading's sentence leads.
    private func data(_ problem: Problem?) throws -> HTML {
        let sent = try refused(.erase, problem)
        let export = try parts.form(
            to: "account", action: "export", parts.button(text(.download), style: "plain"))
        let children: HTML =
            account.guardsChildren
            ? """
            <label class="choice"><input type="checkbox" name="children" value="yes"\
            \(sent?.value("children") == "yes" ? " checked" : "")> \
            \(text(.childrenToo))</label>

            """ : ""
        // A child's guardianship is no obstacle if the child is erased as well.
        let isPossible = account.obstacles.allSatisfy {
            if case .child = $0 { true } else { false }
        }
        let tasks = obstacles(isPossible: isPossible)
        let erase: HTML =
            isPossible
            ? try parts.form(
                to: "account", action: "erase",
                """
                <label class="choice"><input type="checkbox" name="sure" value="yes" required> \
                \(text(.iAmSure))</label>
                \(children)\(parts.button(text(.eraseForGood), style: "danger"))
                """) : ""
        return section(
            "data", text(.yourData),
            """
            <p>\(text(.downloadAdvice))</p>
            \(export)<details id="erase"\(sent == nil ? "" : " open")>\
            <summary>\(text(.eraseAccount))</summary>
            <p>\(text(.eraseAdvice))</p>
            \(tasks)\(erase)</details>
            """)
    }

    /// Returns what has to be done before the account can be erased; empty if nothing.
    ///
    /// - Parameter isPossible: Whether the form follows, with its box for the children.
    private func obstacles(isPossible: Bool) -> HTML {
        if account.obstacles.isEmpty { return "" }
        let items = account.obstacles.reduce(into: HTML("")) { html, obstacle in
            let task: HTML =
                switch obstacle {
                case .operatorRole: text(.endOperatorRoleFirst)
                case .seat(let seat):
                    text(.giveSeatFirst(name(of: seat.family), page: "family?id=\(seat.family)"))
                case .child(let child, let name):
                    text(
                        .nameGuardianFirst(
                            name, page: "family/child?id=\(child.member)", hasBox: isPossible))
                }
            html = "\(html)<li>\(task)</li>\n"
        }
        return """
            <div class="warning"><p><strong>\(text(.beforeErasing))</strong></p>
            <ul>\(items)</ul></div>

            """
    }

    /// Returns the name of one of the person's families.
    private func name(of family: FamilyID) -> String {
        account.profile.families.first { $0.id == family }?.name ?? ""
    }
}
