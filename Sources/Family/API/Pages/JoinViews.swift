import Domain
import HTTPServer
import Basics
import QRCode
import UseCases

/// Views of `/join`.
struct JoinViews: LocalizedView {
    /// The subject of the page's link.
    enum LinkTarget {
        case invitation(InvitationToken)
        case code(FamilyCode)
    }

    private let visit: PageVisit
    private let parts: PageParts
    private let subject: LinkTarget?
    /// The caller's profile; nil for somebody who is not signed in.
    private let profile: ProfileService.Profile?

    init(_ visit: PageVisit, _ subject: LinkTarget?, _ profile: ProfileService.Profile?) throws {
        self.visit = visit
        self.subject = subject
        self.profile = profile
        parts = PageParts(visit: visit)
    }

    var language: Language { visit.language }

    private func reply(
        _ title: HTML, summary: HTML? = nil, status: Int = 200, problem: Problem? = nil,
        _ content: HTML
    ) throws -> Reply {
        let page = PageLayout(
            title: title, summary: summary, content: content,
            hasForms: visit.services.signIn != nil)
        return try visit.reply(page, status: status, problem: problem)
    }

    // MARK: Before the answer

    func invitation(_ preview: ReceivedInvitationService.Preview) throws -> Reply {
        let side = JoinText.invitesYou(inviter: preview.inviterName, as: preview.role)
        let address: HTML? =
            preview.email.isEmpty ? nil : text(.invitedAddress(preview.email))
        return try reply(
            text(.joinTitle(preview.familyName)),
            summary: text(
                .invitesYouPlainly(inviter: preview.inviterName, as: preview.role)),
            """
            <p class="eyebrow">\(text(.invitation))</p>
            <h1>\(text(.joinFamily(preview.familyName)))</h1>
            <p class="lead">\(text(side))</p>
            \(try profile.map { try answer($0, preview) } ?? signIn(address))
            <p class="note">\(text(.validUntil(preview.expiresAt)))</p>
            \(try handover())
            """)
    }

    private func answer(
        _ profile: ProfileService.Profile, _ preview: ReceivedInvitationService.Preview
    ) throws -> HTML {
        if preview.isOfOwnFamily { return try standing(profile, text(.alreadyIn)) }
        guard preview.isForCaller else {
            return try standing(
                profile, text(.sentToAddress(preview.email)), offersAccount: false)
        }
        return try answer(profile, accept: text(.accept), isDeclinable: true)
    }

    /// Returns the text for a signed-in person with nothing to answer: the reason, and the account.
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
    func family(
        _ code: FamilyCode, _ preview: CodeService.Preview?, _ status: MembershipStatus?
    ) throws -> Reply {
        let title: HTML = preview.map { text(.joinFamily($0.familyName)) } ?? text(.joinAFamily)
        let lead = preview.map { JoinText.codeLeadsTo(members: $0.memberCount) } ?? .givenACode
        let waits = status == nil && preview?.isApprovalRequired ?? false
        let accept = waits ? text(.askToJoin) : text(.joinNow)
        let answer: HTML? = try profile.map { profile in
            switch status {
            case .active: try standing(profile, text(.alreadyIn))
            case .invited: try standing(profile, text(.alreadyAsked))
            default: try self.answer(profile, accept: accept, isDeclinable: false)
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
            \(try answer ?? signIn(nil))
            \(try handover())
            """)
    }

    /// Returns the form with which a signed-in person answers.
    private func answer(
        _ profile: ProfileService.Profile, accept: HTML, isDeclinable: Bool
    ) throws -> HTML {
        let decline = parts.button(
            text(.decline), style: "plain", action: "decline", skipsChecks: true)
        let form = try parts.form(
            to: "join", hidden: hidden, style: "answer",
            """
            \(questions(profile))\
            \(parts.button(accept, action: isDeclinable ? "accept" : "join"))\
            \(isDeclinable ? decline : "")
            """)
        return "\(form)\(try whoIsSignedIn(profile))"
    }

    /// Returns the fields for the name and the role, if the person has not entered them yet.
    private func questions(_ profile: ProfileService.Profile) -> HTML {
        let isUnnamed = (profile.own?.fullName ?? "").isEmpty
        let isRoleDefault = profile.own?.isRoleDefault ?? false
        return "\(isUnnamed ? parts.name("") : "")\(isRoleDefault ? parts.role() : "")"
    }

    private func whoIsSignedIn(_ profile: ProfileService.Profile) throws -> HTML {
        let signOut = try parts.form(
            to: "sign-in", action: "sign-out", hidden: [("return", place?.text)], style: "inline",
            parts.button(text(.notYou), style: "link"))
        let who = profile.own?.fullName ?? profile.own?.email ?? ""
        return """
            <div class="who"><p>\(text(.signedInAs(who)))</p>
            \(signOut)</div>
            """
    }

    /// Returns the page that asks for the missing role before the form is sent again.
    func question(_ form: FormBody) throws -> Reply {
        guard let profile else { throw Authentication.missing }
        let kept = ["action", "token", "code", "invitation"].map {
            (name: $0, value: form.value($0))
        }
        let again = try parts.form(
            to: "join", hidden: kept, "\(questions(profile))\(parts.button(text(.goOn)))")
        return try reply(
            text(.whoAreYou),
            """
            <p class="eyebrow">\(text(.joinAFamily))</p>
            <h1>\(text(.whoAreYou))</h1>
            <p class="lead">\(text(.nameAdvice))</p>
            \(again)
            """)
    }

    private var hidden: [(name: String, value: String?)] {
        switch subject {
        case .invitation(let token): [("token", token.text)]
        case .code(let code): [("code", code.text)]
        case nil: []
        }
    }

    private var place: ReturnPath? {
        switch subject {
        case .invitation(let token): ReturnPath("/join?token=" + token.text)
        case .code(let code): ReturnPath("/join?code=" + code.text)
        case nil: nil
        }
    }

    /// Returns the form to sign in on this page, for somebody who is not signed in.
    private func signIn(_ address: HTML?) throws -> HTML {
        guard let signIn = visit.services.signIn, let place,
            signIn.offers(.email) || signIn.offers(.password)
        else { return steps(address) }
        let form: HTML =
            signIn.offers(.email)
            ? try parts.form(
                to: "sign-in", action: "code", hidden: [("return", place.text)],
                "\(parts.email(""))\(parts.button(text(.mailMeACode)))") : ""
        let passwords: HTML =
            signIn.offers(.password)
            ? """
            <ul class="links">
            <li><a href="sign-in?return=\(place.asParameter)">\(text(.usePassword))</a></li>
            <li><a href="sign-in?new&amp;return=\(place.asParameter)">\(text(.createAccount))</a>\
            </li></ul>

            """ : ""
        return """
            <h2>\(text(.signInToAnswer))</h2>
            <p>\(address ?? text(.noAccountNeeded))</p>
            <p class="note">\(text(.useTheApp(visit.site.app.name)))</p>
            \(form)\(passwords)
            """
    }

    /// Returns the steps to continue in the app, for sites without sign-in on pages.
    private func steps(_ address: HTML?) -> HTML {
        """
        <h2>\(text(.howToGoOn))</h2>
        <ol>
        <li>\(text(.openOnPhone))</li>
        <li>\(address ?? text(.signInOrCreate))</li>
        <li>\(text(.acceptInApp))</li>
        </ol>
        \(parts.stores())
        """
    }

    /// Returns the hint for people who read the page on another device than the phone with the app.
    private func handover() throws -> HTML {
        let link =
            switch subject {
            case .invitation(let token): visit.site.joinLink(token)
            case .code(let code): visit.site.joinLink(code)
            case nil: ""
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

    /// Returns the next steps of a new member.
    func joined(_ family: String) throws -> Reply {
        try reply(
            text(.welcome),
            """
            <p class="eyebrow">\(text(.welcome))</p>
            <h1>\(text(.youAreIn(family)))</h1>
            <h2>\(text(.whatNext))</h2>
            <ol>
            <li>\(text(.getApp(visit.site.app.name)))
            \(parts.stores())</li>
            <li>\(text(.signInThere(profile?.own?.email)))</li>
            </ol>
            <p class="note"><a href="account">\(text(.yourAccount))</a></p>
            """)
    }

    func waiting(_ family: String) throws -> Reply {
        try reply(
            text(.almostIn),
            """
            <p class="eyebrow">\(text(.almostIn))</p>
            <h1>\(text(.youAreWaiting(family)))</h1>
            <p class="lead">\(text(.somebodyApproves))</p>
            \(parts.stores())
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
            """)
    }

    /// - Parameter back: The page that sent the form.
    func failure(_ problem: Problem, back: ReturnPath?) throws -> Reply {
        let (title, advice) = explanation(problem)
        let link: HTML =
            back.map {
                "<p class=\"note\"><a href=\"\($0.relative)\">\(text(.back))</a></p>"
            } ?? ""
        var reply = try reply(
            title, problem: problem,
            """
            <p class="eyebrow">\(text(.invitation))</p>
            <h1>\(title)</h1>
            <p class="lead">\(advice)</p>
            \(link)
            """)
        reply.headers += problem.headers
        return reply
    }

    private func explanation(_ problem: Problem) -> (title: HTML, advice: HTML) {
        switch problem.code {
        case .refusal(.invitationExpired): (text(.expired), text(.expiredAdvice))
        case .refusal(.invitationNotFound): (text(.deadLink), text(.deadLinkAdvice))
        case .refusal(.invitationAnswered): (text(.answered), text(.answeredAdvice))
        case .refusal(.codeExpired): (text(.expired), text(.familyCodeExpired))
        case .refusal(.codeMalformed), .refusal(.missingField), .fault(.malformedRequest):
            (text(.incompleteLink), text(.incompleteLinkAdvice))
        case .fault(.unavailable), .fault(.internal), .fault(.outcomeUnknown),
            .fault(.databaseAway), .fault(.databaseBusy):
            (text(.didNotWork), text(.invitationUnchanged))
        default: (text(.didNotWork), visit.explanation(problem))
        }
    }
}
