import Basics
import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

/// The page `/family/child`: a child without an account, its guardians and their consents; without
/// an id it adds a child.
enum ChildPage: Page {
    static let summary = "Shows and changes a child without an account, or adds one."
    static let links: [any DeclaredInput] = [
        Input<String?>.query("id", .anyText, "The child; without it, one is added."),
        Input<String?>.query("family", .anyText, "The family; default: as on `/family`."),
    ]
    static let refusals: [RefusalCode] = [.familyNotFound, .memberNotFound, .standingTooLow]

    /// Actions of the page's buttons.
    enum Action: String {
        case add, edit, decline, consent, withdraw, grow, remove
        case addGuardian = "add-guardian"
        case removeGuardian = "remove-guardian"
        case promote
    }

    /// Questions that are asked before something that can't be undone.
    enum Question: String {
        case remove, decline, withdraw, grow
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
        let views = try ChildViews(
            shown: ShownFamily(visit, overview), child: child, consents: consents)
        if problem == nil,
            let question = visit.parameter("ask").flatMap({ Question(rawValue: $0) })
        {
            return try views.ask(question)
        }
        let link = problem == nil ? try ShownLink.link(visit, context) : nil
        return try views.reply(form, problem, link: link)
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
        let answer = try operation(action, child, form).run(visit, by: form)
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

    private static func operation(
        _ action: Action, _ child: MemberID, _ form: FormBody
    ) throws -> FormOperation {
        let path = "/api/family/managed/\(child)"
        func guardian() throws(Refusal) -> MemberID {
            guard let guardian = form.member("guardian") else { throw Refusal(.memberNotFound) }
            return guardian
        }
        func purpose() throws(Refusal) -> String {
            let name = form.value("purpose") ?? ""
            let isWord = name.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || $0 == 95 || $0 == 45
            }
            guard isWord, !name.isEmpty else { throw Refusal(.purposeNotFound) }
            return name
        }
        switch action {
        case .add: preconditionFailure("a child that is added has no path yet")
        case .edit:
            let name = form.value("child_name") ?? ""
            // An empty name would keep the old one.
            guard !name.trimmed.isEmpty else {
                throw Problem.invalidField("displayName", "a name")
            }
            return FormOperation(
                .patch, path,
                [
                    ("displayName", .string(name)),
                    ("avatarKey", form.value("avatar").map { .string($0.trimmed) }),
                ])
        case .remove: return FormOperation(.delete, path)
        case .addGuardian:
            return FormOperation(
                .post, path + "/guardians", [("memberId", .string(try guardian().description))])
        case .promote:
            return FormOperation(
                .patch, path + "/guardians/\(try guardian())", [("isPrimary", .bool(true))])
        case .removeGuardian: return FormOperation(.delete, path + "/guardians/\(try guardian())")
        case .decline: return FormOperation(.delete, path + "/guardians/me")
        case .consent:
            return FormOperation(
                .put, path + "/consents/\(try purpose())",
                [
                    ("version", .string(form.value("version") ?? "")),
                    ("method", .string(ConsentMethod.signedIn.rawValue)),
                ])
        case .withdraw: return FormOperation(.delete, path + "/consents/\(try purpose())")
        case .grow:
            let email = (form.value("email") ?? "").trimmed
            return FormOperation(
                .post, path + "/graduation",
                [
                    ("role", .string(form.value("role") ?? MemberRole.player.rawValue)),
                    ("email", email.isEmpty ? nil : .string(email)),
                    ("delivery", .string(email.isEmpty ? "link" : "email")),
                ])
        }
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        try visit.failure(problem) { try page(visit, $0, $1, problem) }
    }
}

/// Views of `/family/child`.
struct ChildViews: FamilyView {
    let shown: ShownFamily
    /// The child; nil to add one.
    var child: ListedMember?
    var consents: [ListedConsent<StandingConsent>] = []

    private static let page = "family/child"

    /// Returns the field for the child's name, with its problem.
    private func name(_ value: String, _ problem: Problem?) -> HTML {
        let isWrong = problem?.wrongFields.first?.pointer == "#/displayName"
        let error = family.parts.alert(
            isWrong ? problem.map { visit.sentence(of: $0) } : nil)
        let field = PageParts.Field(
            name: "child_name", label: say(.childName), value: value, isWrong: isWrong,
            more: " maxlength=\"50\"")
        return "\(error)\(family.parts.field(field))"
    }

    // MARK: Adding

    func add(_ form: FormBody?, _ problem: Problem?) throws -> Reply {
        try family.reply(
            "<bdi>\(overview.family.name)</bdi>", say(.addChild), problem: problem,
            showsProblem: problem?.wrongFields.isEmpty != false,
            """
            <p class="lead">\(say(.addChildAdvice))</p>
            \(try family.form(
                to: Self.page, "add", in: id,
                """
                \(name(form?.value("child_name") ?? "", problem))\
                \(family.parts.button(say(.addChild)))
                """))\(family.back(to: id))
            """)
    }

    // MARK: The child

    func reply(_ form: FormBody?, _ problem: Problem?, link: String?) throws -> Reply {
        guard let child else { throw Refusal(.memberNotFound) }
        let isAtName = problem?.wrongFields.first?.pointer == "#/displayName"
        let done = problem == nil ? visit.parameter("done") : nil
        let notice = done.flatMap { FamilyNotice(rawValue: $0) }
        let shown: HTML =
            link.map {
                """
                <p class="code"><code class="shared-link">\($0)</code></p>
                <p class="hint">\(say(.linkShown))</p>

                """
            } ?? ""
        return try family.reply(
            "<bdi>\(overview.family.name)</bdi>", "<bdi>\(child.member.displayName)</bdi>",
            problem: problem,
            showsProblem: !isAtName,
            """
            \(family.done(notice.map { say(.done($0)) }, shown))\
            <p>\(family.badge(say(.child)))</p>
            \(try edit(child.member, form, isAtName ? problem : nil))\(try guardians(child))\
            \(try consentList(child.member))\(growing(child.member))\(removal(child.member))\
            \(family.back(to: id))
            """)
    }

    /// Returns the fields that name the child in a form.
    private func hidden(
        _ more: [(name: String, value: String?)] = []
    ) -> [(name: String, value: String?)] {
        [("child", child?.member.id.description)] + more
    }

    private func ask(_ question: ChildPage.Question, _ more: [(name: String, value: String)] = [])
        -> [(name: String, value: String)]
    {
        [("id", child?.member.id.description ?? ""), ("ask", question.rawValue)] + more
    }

    private func edit(
        _ member: FamilyMember, _ form: FormBody?, _ problem: Problem?
    ) throws -> HTML {
        guard overview.allows(.managedUpdate, about: member) else { return "" }
        let picture = PageParts.Field(
            name: "avatar", label: say(.picture), value: member.avatarKey ?? "",
            hint: say(.pictureHint), isRequired: false, more: " maxlength=\"64\"")
        let typed = problem == nil ? nil : form?.value("child_name")
        return family.section(
            "edit", say(.nameAndPicture),
            try family.form(
                to: Self.page, "edit", in: id, hidden: hidden(),
                """
                \(name(typed ?? member.displayName, problem))\(family.parts.field(picture))\
                \(family.parts.button(say(.save)))
                """))
    }

    private func guardians(_ child: ListedMember) throws -> HTML {
        let member = child.member
        let rows = try child.guardians.map { guardian -> HTML in
            let primary: HTML =
                guardian.isPrimary ? family.badge(say(.primaryGuardian)) : ""
            return """
                <div><strong><bdi>\(guardian.name)</bdi></strong> \(primary)
                <p class="hint">\(say(.since(guardian.since)))</p></div>
                <div class="actions">\(try buttons(guardian, member, child.guardians.count))</div>
                """
        }
        let others = overview.members.map(\.member).filter {
            $0.status == .active && !member.guardians.contains($0.user)
                && overview.allows(.guardianAdd, of: $0, for: member)
        }
        let adding: HTML =
            others.isEmpty
            ? ""
            : try family.form(
                to: Self.page, "add-guardian", in: id, hidden: hidden(),
                """
                \(family.choice(
                    "guardian", say(.anotherGuardian),
                    others.map { ($0.id.description, "\($0.displayName)") }))\
                \(family.parts.button(say(.addGuardian), style: "plain"))
                """)
        return family.section(
            "guardians", say(.guardiansTitle), "\(family.list(rows))\(adding)")
    }

    private func buttons(
        _ guardian: ListedGuardian, _ child: FamilyMember, _ count: Int
    ) throws -> HTML {
        guard let row = overview.member(guardian.member)?.member else { return "" }
        var buttons: HTML = ""
        if !guardian.isPrimary, overview.allows(.guardianPromote, of: row, for: child) {
            buttons = try family.button(
                to: Self.page, "promote", in: id,
                hidden: hidden([("guardian", row.id.description)]), style: "plain",
                say(.makePrimary),
                name: say(.makePrimaryOf(guardian.name)))
        }
        if count > 1, overview.allows(.guardianRemove, of: row, for: child) {
            let isMe = row.id == overview.me.id
            let link = family.link(
                say(isMe ? .declineGuardianship : .removeGuardian), to: Self.page,
                isMe
                    ? ask(.decline)
                    : ask(.removeGuardian, [("guardian", row.id.description)]),
                name: isMe ? nil : say(.removeGuardianOf(guardian.name)))
            buttons = "\(buttons)\(link)"
        }
        return buttons
    }

    // MARK: Consents

    private func consentList(_ member: FamilyMember) throws -> HTML {
        if consents.isEmpty { return "" }
        let rows = try consents.map { consent -> HTML in
            let title = consent.purpose.map { local($0.title) } ?? consent.name
            let body: HTML =
                consent.purpose.map { "<p>\(local($0.text))</p>\n" } ?? ""
            let required: HTML =
                consent.purpose?.isRequired == true
                ? family.badge(say(.required)) : ""
            let state: HTML =
                if let standing = consent.consent {
                    consent.isGiven
                        ? say(.consentSince(standing.givenAt)) : say(.consentOutdated)
                } else {
                    say(.consentMissing)
                }
            return """
                <div><strong>\(title)</strong> \(required)
                \(body)<p class="hint">\(state)</p></div>
                <div class="actions">\(try buttons(consent, title))</div>
                """
        }
        return family.section("consents", say(.consents), family.list(rows))
    }

    private func buttons(
        _ consent: ListedConsent<StandingConsent>, _ title: String
    ) throws -> HTML {
        guard let member = child?.member else { return "" }
        if consent.isGiven {
            guard overview.allows(.consentWithdraw, about: member) else { return "" }
            return family.link(
                say(.withdrawConsent), to: Self.page, ask(.withdraw, [("purpose", consent.name)]),
                name: say(.withdrawConsentOf(title)))
        }
        guard let purpose = consent.purpose, overview.allows(.consentGive, about: member) else {
            return ""
        }
        return try family.button(
            to: Self.page, "consent", in: id,
            hidden: hidden([("purpose", consent.name), ("version", purpose.version)]),
            say(.giveConsent), name: say(.giveConsentOf(title)))
    }

    /// Returns the text in the page's language, otherwise the first one.
    private func local(_ texts: [ConsentPurposes.LocalText]) -> String {
        let own = texts.first { $0.language.prefix(2) == language.rawValue.prefix(2) }
        return (own ?? texts.first)?.text ?? ""
    }

    // MARK: Growing up and leaving

    private func growing(_ member: FamilyMember) -> HTML {
        guard overview.allows(.managedGraduate, about: member) else { return "" }
        let pending = overview.invitations.first { $0.graduate == member.id }
        let state: HTML =
            pending.map {
                """
                <p>\(say(.growing)) \(say(.timeLeft(from: visit.now, to: $0.expiresAt)))</p>
                \(family.link(
                    say(.manageInvitations), to: "family/invite",
                    [("family", id.description)]))
                """
            } ?? "<p>\(say(.growAdvice))</p>\n"
        return family.section(
            "grow", say(.growUp),
            """
            \(state)\(family.link(say(.startGrowing), to: Self.page, ask(.grow)))
            """)
    }

    private func removal(_ member: FamilyMember) -> HTML {
        guard overview.mayRemove(member) else { return "" }
        return family.section(
            "remove", say(.removeChild),
            family.link(
                say(.removeChild), to: Self.page, ask(.remove), style: "button danger"))
    }

    // MARK: Questions

    /// - Throws: ``Refusal`` for what the person may not do.
    func ask(_ question: ChildPage.Question) throws -> Reply {
        guard let member = child?.member else { throw Refusal(.memberNotFound) }
        let name = member.displayName
        func confirm(
            _ title: HTML, _ advice: HTML, _ label: HTML,
            _ more: [(name: String, value: String?)] = [], fields: HTML = "",
            style: String = "danger"
        ) throws -> Reply {
            try family.question(
                overview.family, title, advice,
                try family.form(
                    to: Self.page, question.rawValue, in: id, hidden: hidden(more),
                    "\(fields)\(family.parts.button(label, style: style))"))
        }
        switch question {
        case .remove:
            try require(overview.mayRemove(member))
            return try confirm(
                say(.removeQuestion(name)), say(.removeChildAdvice), say(.removeChild))
        case .decline:
            try require(
                member.guardians.count > 1
                    && overview.allows(.guardianRemove, of: overview.me, for: member))
            return try confirm(
                say(.declineQuestion(name)), say(.declineAdvice), say(.declineGuardianship))
        case .removeGuardian:
            guard let id = visit.parameter("guardian").flatMap({ MemberID($0) }),
                let guardian = overview.member(id)?.member
            else { throw Refusal(.memberNotFound) }
            try require(overview.allows(.guardianRemove, of: guardian, for: member))
            return try confirm(
                say(.removeGuardianQuestion(guardian.displayName, of: name)),
                say(.removeGuardianAdvice), say(.removeGuardian),
                [("guardian", guardian.id.description)])
        case .withdraw:
            guard let consent = consents.first(where: { $0.name == visit.parameter("purpose") })
            else { throw Refusal(.purposeNotFound) }
            let title = consent.purpose.map { local($0.title) } ?? consent.name
            return try confirm(
                say(.withdrawQuestion(title)),
                say(consent.purpose?.isRequired == true ? .withdrawRequired : .withdrawAdvice),
                say(.withdrawConsent), [("purpose", consent.name)])
        case .grow:
            try require(overview.allows(.managedGraduate, about: member))
            let email = PageParts.Field(
                name: "email", label: text(PageText.emailLabel), type: "email",
                hint: say(.growEmailHint), isRequired: false,
                more: " inputmode=\"email\" autocapitalize=\"none\"")
            return try confirm(
                say(.growQuestion(name)), say(.growAdvice), say(.startGrowing),
                fields: """
                    \(family.options(
                        "role", say(.growsUpAs),
                        [
                            ("player", say(.side(.player))), ("parent", say(.side(.parent))),
                        ], chosen: "player"))\(family.parts.field(email))
                    """, style: "")
        }
    }

    private func require(_ isOffered: Bool) throws(Refusal) {
        if !isOffered { throw Refusal(.standingTooLow) }
    }
}
