import Domain
import HTTPServer
import Basics
import QRCode
import Repositories
import UseCases

/// Views of `/join`.
struct JoinViews: LocalizedView {
    /// The subject of the page's link.
    enum LinkTarget {
        case invitation(InvitationToken)
        /// An invitation to an address of the signed-in account.
        case listed(InvitationID)
        case code(FamilyCode)
    }

    /// An answer that was refused because of the name or the role.
    struct RefusedAnswer {
        let form: FormBody
        let problem: Problem
    }

    private let visit: PageVisit
    private let parts: PageParts
    private let subject: LinkTarget?
    /// The caller's profile; nil for somebody who is not signed in.
    private let profile: ProfileService.Profile?
    private let refused: RefusedAnswer?

    /// - Parameter refused: The answer that the form shows again.
    init(
        _ visit: PageVisit, _ subject: LinkTarget?, _ profile: ProfileService.Profile?,
        _ refused: RefusedAnswer? = nil
    ) throws {
        self.visit = visit
        self.subject = subject
        self.profile = profile
        self.refused = refused
        parts = PageParts(visit: visit)
    }

    var language: Language { visit.language }

    private func reply(
        _ title: HTML, summary: HTML? = nil, problem: Problem? = nil,
        _ content: HTML
    ) throws -> Reply {
        let page = PageLayout(
            title: title, summary: summary, content: content,
            hasForms: visit.services.signIn != nil)
        return try visit.reply(page, problem: problem ?? refused?.problem)
    }

    /// Whether the page is about a family's code, which has perhaps been typed, not about a link.
    private var hasCode: Bool {
        if case .code = subject { true } else { false }
    }

    /// Whether the page offers to sign in with a passkey.
    private var offersPasskeys: Bool {
        profile == nil && place != nil && visit.services.signIn?.offers(.passkey) == true
    }

    // MARK: Before the answer

    /// - Parameter prospect: The effect of accepting; nil if nobody is signed in, or if the
    ///   invitation is for another person.
    func invitation(
        _ invitation: ReceivedInvitationService.Preview, _ prospect: EntryProspect?
    ) throws -> Reply {
        let (family, inviter) = (invitation.familyName, invitation.inviterName)
        let address: HTML? =
            invitation.email.isEmpty ? nil : text(.invitedAddress(invitation.email))
        let growsUp = invitation.kind == .graduation
        return try reply(
            growsUp ? text(.growUpTitle(family)) : text(.joinTitle(family)),
            summary: growsUp
                ? text(.growsUpPlainly(inviter: inviter))
                : text(.invitesYouPlainly(inviter: inviter, as: invitation.role)),
            """
            <p class="eyebrow">\(text(.invitation))</p>
            <h1>\(growsUp ? text(.growUp(family)) : text(.joinFamily(family)))</h1>
            <p class="lead">\(growsUp
                ? text(.growsUp(inviter: inviter))
                : text(.invitesYou(inviter: inviter, as: invitation.role)))</p>
            \(try profile.map { try answer($0, invitation, prospect) }
                ?? signIn(address, title: text(.signInToAnswer)))
            <p class="note">\(text(.validUntil(invitation.expiresAt)))</p>
            \(try handover())
            """)
    }

    private func answer(
        _ profile: ProfileService.Profile, _ invitation: ReceivedInvitationService.Preview,
        _ prospect: EntryProspect?
    ) throws -> HTML {
        if invitation.isOfOwnFamily { return try standing(profile, text(.alreadyIn)) }
        guard invitation.isForCaller else {
            return try standing(
                profile, text(.sentToAddress(invitation.email)), offersAccount: false)
        }
        if let refusal = prospect?.refusal {
            let obstacle = try standing(profile, reason(refusal, profile, kind: invitation.kind))
            return "\(obstacle)\(try declining())"
        }
        return """
            \(consequences(prospect, text(.ifYouAccept)) { .endsFamily($0) })\
            \(try answer(
                profile, accept: text(.accept), isDeclinable: true,
                isSure: prospect?.hasConsequences == true, to: invitation.invitation))
            """
    }

    /// Returns the reason why the caller can't enter now.
    ///
    /// - Parameter kind: Kind of the invitation; nil for a family's code.
    private func reason(
        _ refusal: RefusalCode, _ profile: ProfileService.Profile, kind: InvitationKind? = nil
    ) -> HTML {
        if refusal == .playerHasFamily { return text(.hasFamily(profile.families.first?.name)) }
        if refusal == .roleMismatch, kind == .graduation { return text(.withdrawRequestFirst) }
        return visit.explanation(Problem(Refusal(refusal)))
    }

    /// Returns the form of somebody who can only decline.
    private func declining() throws -> HTML {
        try parts.form(
            to: "join", action: "decline", hidden: hidden,
            parts.button(text(.decline), style: "plain"))
    }

    /// Returns the warning of what the caller would lose; empty if nothing.
    private func consequences(
        _ prospect: EntryProspect?, _ title: HTML, _ ending: (String) -> JoinText
    ) -> HTML {
        guard let prospect, prospect.hasConsequences else { return "" }
        let role: HTML = prospect.newRole.map { "<li>\(text(.becomes($0)))</li>\n" } ?? ""
        let families = prospect.familiesLeft.reduce(into: HTML("")) { html, family in
            html = "\(html)<li>\(text(ending(family)))</li>\n"
        }
        return """
            <div class="warning"><p><strong>\(title)</strong></p>
            <ul>\(families)\(role)</ul></div>

            """
    }

    /// Returns the text for a signed-in person who can't answer: the reason, and the account.
    private func standing(
        _ profile: ProfileService.Profile, _ reason: HTML, offersAccount: Bool = true
    ) throws -> HTML {
        let account: HTML =
            offersAccount
            ? "<p><a class=\"button\" href=\"account\">\(text(.yourAccount))</a></p>\n" : ""
        return "<p class=\"note\">\(reason)</p>\n\(account)\(try whoIsSignedIn(profile))"
    }

    /// Returns the page of a family's code.
    ///
    /// - Parameters:
    ///   - preview: The family's preview; nil for somebody who is not signed in.
    ///   - status: Status of the caller's membership in the family, if it has one.
    ///   - prospect: What joining would do; nil for somebody who is not signed in.
    func family(
        _ code: FamilyCode, _ preview: CodeService.Preview?, _ status: MembershipStatus?,
        _ prospect: EntryProspect?
    ) throws -> Reply {
        let title: HTML = preview.map { text(.joinFamily($0.familyName)) } ?? text(.joinAFamily)
        let lead = preview.map { JoinText.codeLeadsTo(members: $0.memberCount) } ?? .givenACode
        let waits =
            status == nil && prospect?.refusal == nil && preview?.isApprovalRequired ?? false
        let isFull = prospect?.waitsForRoom ?? false
        let accept = waits ? text(.askToJoin) : text(.joinNow)
        let answer: HTML? = try profile.map { profile in
            switch status {
            case .active: try standing(profile, text(.alreadyIn))
            case .invited: try standing(profile, text(.alreadyAsked))
            default:
                if let refusal = prospect?.refusal {
                    try standing(profile, reason(refusal, profile))
                } else {
                    """
                    \(consequences(prospect, text(.ifYouJoin)) {
                        waits ? .endsFamilyOnceIn($0) : .endsFamily($0)
                    })\
                    \(try self.answer(
                        profile, accept: accept, isDeclinable: false,
                        isSure: prospect?.hasConsequences == true,
                        more: [("full", waits && isFull ? "yes" : nil)]))
                    """
                }
            }
        }
        return try reply(
            text(.joinAFamily), summary: text(.givenACode),
            """
            <p class="eyebrow">\(text(.familyCode))</p>
            <h1>\(title)</h1>
            <p class="lead">\(text(lead))</p>
            <p class="code"><code>\(code.text)</code></p>
            \(waits ? "<p>\(text(.familyApproves))</p>" : "")
            \(waits && isFull ? "<p class=\"note\">\(text(.fullForNow))</p>" : "")
            \(try answer ?? signIn(nil, title: text(.signInToJoin)))
            \(try handover())
            """)
    }

    /// Returns the form with which a signed-in person answers.
    ///
    /// - Parameters:
    ///   - isSure: Whether the page has warned of what the person loses.
    ///   - invitation: The invitation that the form answers; nil for a family's code.
    ///   - fields: Further fields that people don't see.
    private func answer(
        _ profile: ProfileService.Profile, accept: HTML, isDeclinable: Bool, isSure: Bool,
        to invitation: ReceivedInvitation? = nil, more fields: [(name: String, value: String?)] = []
    ) throws -> HTML {
        let decline = parts.button(
            text(.decline), style: "plain", action: "decline", skipsChecks: true)
        let form = try parts.form(
            to: "join",
            hidden: hidden + [
                ("sure", isSure ? "yes" : nil),
                ("grows", invitation?.kind == .graduation ? "yes" : nil),
            ] + fields, style: "answer",
            """
            \(parts.alert(refused.map { sentence(for: $0.problem, invitation) }))\
            \(questions(profile, invitation))\
            \(parts.button(accept, action: isDeclinable ? "accept" : "join"))\
            \(isDeclinable ? decline : "")
            """)
        return "\(form)\(try whoIsSignedIn(profile))"
    }

    /// Returns the sentence for a problem with an answer. A role that differs from the invitation's
    /// is one that the person has just chosen.
    private func sentence(for problem: Problem, _ invitation: ReceivedInvitation?) -> HTML {
        guard problem.code == .refusal(.roleMismatch), let invitation else {
            return visit.explanation(problem)
        }
        return text(
            invitation.kind == .graduation
                ? .roleOfGraduate(invitation.role) : .otherSideChosen(invitation.role))
    }

    /// Returns the fields for the name and the role, if the person has not entered them yet. The
    /// invitation's role is chosen at first: with the other one, accepting would be refused.
    ///
    /// A child who gets an account isn't asked for the role, which a guardian has chosen, and may
    /// leave out the name: it then keeps the one that the family knows. The page doesn't show that
    /// name, because the holder of a link may be anybody.
    private func questions(
        _ profile: ProfileService.Profile, _ invitation: ReceivedInvitation?
    ) -> HTML {
        let graduate = invitation?.kind == .graduation ? invitation : nil
        let isUnnamed = (profile.own?.fullName ?? "").isEmpty
        let isRoleDefault = profile.own?.isRoleDefault ?? false
        let (sent, wrong) = (refused?.form, refused?.problem.wrongFields.first?.pointer)
        let name = parts.name(
            sent?.value("name") ?? "", hint: graduate == nil ? nil : text(.keepsKnownName),
            isRequired: graduate == nil, isWrong: wrong == "#/name")
        let role: HTML =
            if let graduate {
                "<p>\(text(.growsUpAs(graduate.role)))</p>\n"
            } else {
                parts.role(
                    sent?.value("role").flatMap { MemberRole(rawValue: $0) } ?? invitation?.role,
                    isWrong: wrong == "#/role" || refused?.problem.code == .refusal(.roleMismatch))
            }
        return "\(isUnnamed ? name : "")\(isRoleDefault ? role : "")"
    }

    private func whoIsSignedIn(_ profile: ProfileService.Profile) throws -> HTML {
        try whoIsSignedIn(profile, returningTo: place, stays: true)
    }

    /// Returns who is signed in, with the button to sign out.
    ///
    /// - Parameter stays: Whether the same page follows the sign-out, because it has the forms to
    ///   sign in and names the address that was invited.
    private func whoIsSignedIn(
        _ profile: ProfileService.Profile, returningTo path: ReturnPath?, stays: Bool
    ) throws -> HTML {
        let signOut = try parts.form(
            to: "sign-in", action: "sign-out",
            hidden: [("return", path?.text), ("stay", stays ? "yes" : nil)], style: "inline",
            parts.button(text(.notYou), style: "link"))
        let who = profile.own?.fullName ?? profile.own?.email ?? ""
        return """
            <div class="who"><p>\(text(.signedInAs(who)))</p>
            \(signOut)</div>
            """
    }

    private var hidden: [(name: String, value: String?)] {
        get throws {
            switch subject {
            case .invitation(let token):
                [
                    ("token", token.text),
                    (LookupProof.field, try LookupProof.make(of: token, for: visit)),
                ]
            case .listed(let id): [("invitation", id.description)]
            case .code(let code): [("code", code.text)]
            case nil: []
            }
        }
    }

    private var place: ReturnPath? {
        switch subject {
        case .invitation(let token): ReturnPath("/join?token=" + token.text)
        case .listed(let id): ReturnPath("/join?invitation=\(id)")
        case .code(let code): ReturnPath("/join?code=" + code.text)
        case nil: nil
        }
    }

    /// Whether people can sign in on the site's pages.
    private var offersSignIn: Bool {
        guard let signIn = visit.services.signIn else { return false }
        return [.email, .password, .passkey].contains(where: signIn.offers)
            || !visit.services.providers.isEmpty
    }

    /// Returns the form to sign in on this page, for somebody who is not signed in.
    private func signIn(_ address: HTML?, title: HTML) throws -> HTML {
        guard let signIn = visit.services.signIn, let place, offersSignIn else {
            return steps(address)
        }
        let form: HTML =
            signIn.offers(.email)
            ? try parts.form(
                to: "sign-in", action: "code", hidden: [("return", place.text)],
                """
                \(parts.email("", offersPasskeys: offersPasskeys))\
                \(parts.button(text(.mailMeACode)))
                """) : ""
        let passkey: HTML =
            offersPasskeys
            ? try parts.passkey(
                to: "sign-in", action: "passkey", hidden: [("return", place.text)],
                text(.usePasskey)) : ""
        let passwords: HTML =
            signIn.offers(.password)
            ? """
            <ul class="links">
            <li><a href="sign-in?return=\(place.asParameter)">\(text(.usePassword))</a></li>
            <li><a href="sign-in?new&amp;return=\(place.asParameter)">\(text(.createAccount))</a>\
            </li></ul>

            """ : ""
        return """
            <h2>\(title)</h2>
            <p>\(address ?? text(.noAccountNeeded))</p>
            \(form)\(passkey)\(ProviderViews(visit).buttons(
                returningTo: place, isFirst: form.text.isEmpty && passkey.text.isEmpty))\
            \(passwords)
            <p class="note">\(text(.useTheApp(visit.site.app.name, hasCode: hasCode)))</p>
            """
    }

    /// Returns the steps to continue in the app, for sites without sign-in on pages.
    private func steps(_ address: HTML?) -> HTML {
        """
        <h2>\(text(.howToGoOn))</h2>
        <ol>
        <li>\(text(.openOnPhone(hasCode: hasCode)))</li>
        <li>\(address ?? text(.signInOrCreate))</li>
        <li>\(text(.acceptInApp))</li>
        </ol>
        \(parts.stores())
        """
    }

    /// Returns the hint for people who read the page on another device than the phone with the app.
    private func handover() throws -> HTML {
        let link: String
        switch subject {
        case .invitation(let token): link = visit.site.joinLink(token)
        case .code(let code): link = visit.site.joinLink(code)
        case .listed, nil: return app()
        }
        return """
            \(app())<aside>
            <div class="qr" role="img" aria-label="\(text(.qrCode))">\
            \(HTML(markup: try QRCode(link).svg))</div>
            <p>\(text(.pointCamera))</p>
            </aside>
            """
    }

    /// Returns the links to the app, for people without it on this phone.
    private func app() -> HTML {
        let stores = parts.stores()
        if stores.text.isEmpty || visit.services.signIn == nil { return "" }
        return "<p class=\"note\">\(text(.haveApp(visit.site.app.name)))</p>\n\(stores)"
    }

    // MARK: After the answer

    /// Returns the next steps of a new member. The link names the family: without an id, the page
    /// could show another one of the person's families.
    ///
    /// - Parameter hasGrownUp: Whether the member was a child in the family before.
    func joined(_ family: ListedFamily, hasGrownUp: Bool) throws -> Reply {
        let page = "family?id=\(family.id.description)"
        return try reply(
            text(.welcome),
            """
            <p class="eyebrow">\(text(.welcome))</p>
            <h1>\(text(hasGrownUp ? .ownAccountIn(family.name) : .youAreIn(family.name)))</h1>
            <p><a class="button" href="\(page)">\(text(.seeFamily))</a></p>
            <h2>\(text(.whatNext))</h2>
            <ol>
            <li>\(text(.getApp(visit.site.app.name)))
            \(parts.stores())</li>
            <li>\(text(.signInThere(profile?.own?.email)))</li>
            </ol>
            \(parts.openApp())
            <p class="note"><a href="account">\(text(.yourAccount))</a></p>
            """)
    }

    /// Returns the page of somebody who waits to be let in.
    ///
    /// - Parameter wasFull: Whether the family was full when the person asked to join. A person who
    ///   waits sees nothing of the family, so the page does not say whether it still is.
    func waiting(_ family: String, wasFull: Bool) throws -> Reply {
        let full: HTML = wasFull ? "<p class=\"note\">\(text(.wasFull))</p>\n" : ""
        return try reply(
            text(.almostIn),
            """
            <p class="eyebrow">\(text(.almostIn))</p>
            <h1>\(text(.youAreWaiting(family)))</h1>
            <p class="lead">\(text(.somebodyApproves))</p>
            \(full)\(parts.openApp())\(parts.stores())
            <p class="note"><a href="account">\(text(.yourAccount))</a></p>
            """)
    }

    func declined() throws -> Reply {
        try reply(
            text(.declined),
            """
            <p class="eyebrow">\(text(.invitation))</p>
            <h1>\(text(.declined))</h1>
            <p class="lead">\(text(.declinedAdvice))</p>
            \(wayOn)
            """)
    }

    /// The link to the person's family, or to the sign-in page; empty where the site has neither.
    private var wayOn: HTML {
        if visit.session == nil, !offersSignIn { return "" }
        let (page, label) =
            visit.session == nil
            ? ("sign-in", text(PageText.signIn)) : ("family", say(FamilyText.yourFamily))
        return "<p><a class=\"button\" href=\"\(page)\">\(label)</a></p>\n"
    }

    /// - Parameters:
    ///   - place: The page that was opened, or that sent the form.
    ///   - canGoBack: Whether to offer that page.
    func failure(_ problem: Problem, of place: ReturnPath?, canGoBack: Bool) throws -> Reply {
        let (title, advice) = explanation(problem)
        let back = canGoBack ? place : nil
        let link: HTML =
            back.map {
                "<p class=\"note\"><a href=\"\($0.relative)\">\(text(.back))</a></p>"
            } ?? ""
        let ofFamily: HTML = """
            <p><a class="button" href="family">\(say(FamilyText.yourFamily))</a></p>

            """
        let who: HTML =
            try profile.map {
                """
                \($0.families.isEmpty ? "" : ofFamily)<p><a class="button \(
                    $0.families.isEmpty ? "" : "plain")" href="account">\(
                    text(.yourAccount))</a></p>
                \(try whoIsSignedIn($0, returningTo: place, stays: false))
                """
            } ?? ""
        var reply = try reply(
            title, problem: problem,
            """
            <p class="eyebrow">\(text(.invitation))</p>
            <h1>\(title)</h1>
            <p class="lead">\(advice)</p>
            \(who.text.isEmpty ? wayOn : who)\(link)
            """)
        reply.headers += problem.headers
        return reply
    }

    private func explanation(_ problem: Problem) -> (title: HTML, advice: HTML) {
        let hasPages = offersSignIn || profile != nil
        return switch problem.code {
        case .refusal(.invitationExpired): (text(.expired), text(.expiredAdvice))
        case .refusal(.invitationNotFound): (text(.deadLink), text(.deadLinkAdvice))
        case .refusal(.invitationAnswered):
            (
                text(.answered),
                text(
                    profile != nil
                        ? .answeredAdviceSignedIn
                        : .answeredAdvice(
                            signIn: hasPages ? visit.root + ProviderSignIn.signIn(.family) : nil))
            )
        case .refusal(.codeExpired): (text(.expired), text(.familyCodeExpired))
        case .refusal(.codeMalformed), .refusal(.missingField), .fault(.malformedRequest):
            (
                text(.incompleteLink),
                text(
                    .incompleteLinkAdvice(
                        codes: hasPages ? visit.root + "family/join" : nil,
                        form: visit.services.formOfCodes))
            )
        case .fault(.unavailable), .fault(.internal), .fault(.outcomeUnknown),
            .fault(.databaseAway), .fault(.databaseBusy):
            (text(.didNotWork), text(.invitationUnchanged))
        default: (text(.didNotWork), visit.explanation(problem))
        }
    }
}
