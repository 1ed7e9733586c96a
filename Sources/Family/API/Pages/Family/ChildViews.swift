import Basics
import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

/// Views of `/family/child`.
struct ChildViews: FamilyView {
    let shown: ShownFamily
    /// The child; nil to add one.
    var child: MemberWithGuardians?
    var consents: [ListedConsent<StandingConsent>] = []

    private static let page = "family/child"

    /// A field of the form for the child's name and picture.
    private enum EditField: String {
        case name = "#/displayName"
        case picture = "#/avatarKey"
    }

    /// Returns the field that shows a problem; nil if it is about none of them.
    private static func wrongField(_ problem: Problem?) -> EditField? {
        problem?.wrongFields.first.flatMap { EditField(rawValue: $0.pointer) }
    }

    /// Returns the field for the child's name, with its problem.
    private func name(_ value: String, _ problem: Problem?) -> HTML {
        let isWrong = Self.wrongField(problem) == .name
        let error = family.parts.alert(
            isWrong ? problem.map { visit.sentence(of: $0) } : nil)
        let field = PageParts.Field(
            name: "child_name", label: say(.childName), value: value, isWrong: isWrong,
            more: " maxlength=\"\(String(DisplayName.allowedLengths.upperBound))\"")
        return "\(error)\(family.parts.field(field))"
    }

    // MARK: Adding

    func add(_ sent: FormBody?, _ problem: Problem?) throws -> Reply {
        let form: HTML =
            overview.isFull
            ? family.fullHint(overview)
            : try family.form(
                to: Self.page, "add", in: id,
                """
                \(name(sent?.value("child_name") ?? "", problem))\
                \(family.parts.button(say(.addChild)))
                """)
        return try family.reply(
            "<bdi>\(overview.family.name)</bdi>", say(.addChild), problem: problem,
            showsProblem: problem?.wrongFields.isEmpty != false,
            "<p class=\"lead\">\(say(.addChildAdvice))</p>\n\(form)\(family.back(to: id))")
    }

    // MARK: The child

    func reply(_ form: FormBody?, _ problem: Problem?, link: String?) throws -> Reply {
        guard let child else { throw Refusal(.memberNotFound) }
        let isEdit = form?.value("action") == ChildPage.Action.edit.rawValue
        let isAtField = isEdit && Self.wrongField(problem) != nil
        let done = problem == nil ? visit.parameter("done") : nil
        let notice = done.flatMap { FamilyNotice(rawValue: $0) }
        let shown: HTML = link.map { family.shownLink($0) } ?? ""
        return try family.reply(
            "<bdi>\(overview.family.name)</bdi>", "<bdi>\(child.member.displayName)</bdi>",
            problem: problem,
            showsProblem: !isAtField, version: overview.version,
            """
            \(family.done(notice.map { say(.done($0)) }, shown))\
            <p class="portrait" data-part="portrait">\(family.picture(child))\
            \(family.badge(say(.child)))</p>
            \(try edit(child.member, isEdit ? form : nil, problem))\(try guardians(child))\
            \(try consentList(child.member))\(preferences(child.member))\
            \(growing(child.member))\(removal(child.member))\
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
        _ member: FamilyMember, _ sent: FormBody?, _ problem: Problem?
    ) throws -> HTML {
        guard overview.allows(.managedUpdate, about: member) else { return "" }
        let isWrong = Self.wrongField(problem) == .picture
        let error = family.parts.alert(isWrong ? problem.map { visit.sentence(of: $0) } : nil)
        let pictures = family.pictures(
            stored: member.avatarKey, sent: sent?.changed("avatar"), isWrong: isWrong)
        let typed = sent?.changed("child_name")
        return family.section(
            "edit", say(.nameAndPicture),
            try family.form(
                to: Self.page, "edit", in: id,
                hidden: hidden([
                    ("was_avatar", member.avatarKey ?? ""), ("was_child_name", member.displayName),
                ]),
                """
                \(name(typed ?? member.displayName, problem))\
                \(error)\(pictures)\
                \(family.parts.button(say(.save)))
                """))
    }

    private func guardians(_ child: MemberWithGuardians) throws -> HTML {
        let member = child.member
        let rows = try child.guardians.map { guardian -> HTML in
            let primary: HTML =
                guardian.isPrimary ? family.badge(say(.primaryGuardian)) : ""
            return """
                <div><strong><bdi>\(guardian.name)</bdi></strong> \(primary)
                <p class="hint">\(say(.since(guardian.since)))</p></div>
                <div class="actions">\(try buttons(guardian, member))</div>
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
            "guardians", say(.guardiansTitle),
            "<p class=\"hint\">\(say(.primaryHint))</p>\n\(family.list(rows))\(adding)")
    }

    private func buttons(_ guardian: ListedGuardian, _ child: FamilyMember) throws -> HTML {
        guard let row = overview.member(guardian.member)?.member else { return "" }
        var buttons: HTML = ""
        if !guardian.isPrimary, !row.isGone,
            overview.allows(.guardianPromote, of: row, for: child)
        {
            buttons = try family.button(
                to: Self.page, "promote", in: id,
                hidden: hidden([("guardian", row.id.description)]), style: "plain",
                say(.makePrimary),
                name: say(.makePrimaryOf(guardian.name)))
        }
        if overview.mayEndGuardianship(of: row, for: child) {
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
            let title = consent.title(in: language)
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
        // A consent to an earlier text can be withdrawn as well.
        let isWithdrawable =
            consent.consent != nil && overview.allows(.consentWithdraw, about: member)
        let withdraw: HTML =
            isWithdrawable
            ? family.link(
                say(.withdrawConsent), to: Self.page, ask(.withdraw, [("purpose", consent.name)]),
                name: say(.withdrawConsentOf(title))) : ""
        guard !consent.isGiven, let purpose = consent.purpose,
            overview.allows(.consentGive, about: member)
        else { return withdraw }
        let named = hidden([("purpose", consent.name), ("version", purpose.version)])
        let give = try family.button(
            to: Self.page, "consent", in: id, hidden: named, say(.giveConsent),
            name: say(.giveConsentOf(title)))
        guard overview.me.email != nil else { return "\(give)\(withdraw)" }
        let byCode = try family.button(
            to: Self.page, "consent-code", in: id, hidden: named, style: "plain",
            say(.consentByCode), name: say(.consentByCodeOf(title)))
        return "\(give)\(byCode)\(withdraw)"
    }

    // MARK: Preferences

    /// Whether the person may change the child's preferences now.
    private func mayChangePreferences(of member: FamilyMember) -> Bool {
        overview.allows(.preferencesWrite, about: member) && !lacksConsent
    }

    /// Whether a required consent is missing, without which nothing is stored for the child.
    private var lacksConsent: Bool {
        consents.contains { $0.purpose?.isRequired == true && !$0.isGiven }
    }

    /// Returns the link to the child's preferences.
    private func preferences(_ member: FamilyMember) -> HTML {
        guard overview.allows(.preferencesRead, about: member) else { return "" }
        let label = say(mayChangePreferences(of: member) ? .changePreferences : .showPreferences)
        return family.section(
            "preferences", say(.preferences),
            family.link(label, to: Self.page, ask(.preferences)))
    }

    /// Returns the page with preferences that the person may not change now.
    private func shownPreferences(
        _ preferences: PreferenceForm, of member: FamilyMember, _ problem: Problem?
    ) throws -> Reply {
        let rows = preferences.entries.map { entry -> HTML in
            let value: HTML =
                entry.kind == .truth ? say(entry.text == "true" ? .yes : .no) : "\(entry.text)"
            return """
                <div><strong><bdi>\(entry.name)</bdi></strong>
                <p class="hint"><bdi>\(value)</bdi></p></div>
                """
        }
        let consents: HTML =
            lacksConsent
            ? """
            <p>\(say(.preferencesNeedConsent)) <a href="\(family.address(
                Self.page, [("id", member.id.description)]))#consents">\(say(.consents))</a></p>

            """ : ""
        return try family.reply(
            "<bdi>\(member.displayName)</bdi>", say(.preferences), problem: problem,
            "\(consents)\(rows.isEmpty ? "" : family.list(rows))\(back(to: member))")
    }

    /// Returns the page with the child's preferences.
    ///
    /// - Parameters:
    ///   - sent: The form that was refused because of the problem.
    ///   - problem: The problem with it.
    func preferences(
        _ preferences: PreferenceForm, _ sent: FormBody?, _ problem: Problem?
    ) throws -> Reply {
        guard let child else { throw Refusal(.memberNotFound) }
        try require(overview.allows(.preferencesRead, about: child.member))
        guard mayChangePreferences(of: child.member) else {
            return try shownPreferences(preferences, of: child.member, problem)
        }
        let entries = sent.map { preferences.entries(typedIn: $0) } ?? preferences.entries
        let fields = entries.enumerated().reduce(into: HTML("")) { html, entry in
            let typed = sent.flatMap { preferences.typed(entry.element, by: $0) }
            html = "\(html)\(field(entry.element, "value\(entry.offset)", typed))"
        }
        let otherNames = preferences.others(besides: entries)
        let others: HTML =
            otherNames.isEmpty
            ? "" : "<p class=\"hint\">\(say(.otherPreferences(otherNames)))</p>\n"
        let added = [PreferenceForm.addedName, PreferenceForm.addedValue].map {
            sent?.value($0) ?? ""
        }
        let isNewWrong = problem?.wrongFields.first?.pointer == "#/newPreference"
        let newName = added[0].trimmed
        let isNameWrong = isNewWrong && (newName.isEmpty || preferences.contains(newName))
        let isValueWrong = isNewWrong && added[1].trimmed.isEmpty
        let further = [
            PageParts.Field(
                name: PreferenceForm.addedName, label: say(.preferenceName), value: added[0],
                isRequired: false, isWrong: isNameWrong),
            PageParts.Field(
                name: PreferenceForm.addedValue, label: say(.preferenceValue), value: added[1],
                isRequired: false, isWrong: isValueWrong),
        ].reduce(into: HTML("")) { $0 = "\($0)\(family.parts.field($1))" }
        let isFirst = entries.isEmpty && otherNames.isEmpty
        let isOpen: HTML = added.allSatisfy(\.isEmpty) ? "" : " open"
        let form = try family.form(
            to: Self.page, "preferences", in: id,
            hidden: hidden(
                entries.enumerated().flatMap { index, entry in
                    [("name\(index)", entry.name), ("was\(index)", entry.text)]
                }),
            """
            \(fields)\(others)<details\(isOpen)><summary>\(say(.newPreference(isFirst: isFirst)))\
            </summary>
            \(further)</details>
            \(family.parts.button(say(.save)))
            """)
        return try family.reply(
            "<bdi>\(child.member.displayName)</bdi>", say(.preferences), problem: problem,
            "<p class=\"lead\">\(say(.preferencesAdvice))</p>\n\(form)\(back(to: child.member))")
    }

    /// - Parameter typed: The text to show instead of the stored one.
    private func field(
        _ entry: PreferenceForm.Entry, _ name: String, _ typed: PreferenceForm.TypedText?
    ) -> HTML {
        let label: HTML = "<bdi>\(entry.name)</bdi>"
        let value = typed?.text ?? entry.text
        if entry.kind == .truth {
            // Text that was typed while the preference had another type stays visible.
            let isWrong = typed?.isWrong ?? false
            var options = [(value: "true", label: say(.yes)), (value: "false", label: say(.no))]
            if isWrong { options.append((value: value, label: "\(value)")) }
            return family.choice(
                name, label, options, none: "&ndash;", chosen: value, isWrong: isWrong)
        }
        return family.parts.field(
            PageParts.Field(
                name: name, label: label, value: value,
                hint: entry.kind == .list ? say(.commas) : nil, isRequired: false,
                isWrong: typed?.isWrong ?? false,
                more: entry.kind == .number ? " inputmode=\"decimal\"" : ""))
    }

    /// Returns the link back to the child's page.
    private func back(to member: FamilyMember, _ label: HTML? = nil) -> HTML {
        """
        <p class="note back"><a href="\(family.address(
            Self.page, [("id", member.id.description)]))">\
        <span>\(label ?? say(.backToChild(member.displayName)))</span></a></p>

        """
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

    /// - Throws: ``Refusal`` if the person may not take the action.
    ///
    /// - Parameters:
    ///   - sent: The form that was refused because of the problem.
    ///   - purpose: Purpose of the consent that the question is about; default: as in the address.
    ///   - problem: The problem with the answer.
    func ask(
        _ question: ChildPage.Question, _ sent: FormBody? = nil, purpose: String? = nil,
        _ problem: Problem? = nil
    ) throws -> Reply {
        guard let member = child?.member else { throw Refusal(.memberNotFound) }
        let name = member.displayName
        func confirm(
            _ title: HTML, _ advice: HTML, _ label: HTML,
            _ more: [(name: String, value: String?)] = [], fields: HTML = "",
            style: String = "danger", action: String? = nil, notice: HTML = "",
            otherForm: HTML = ""
        ) throws -> Reply {
            let form = try family.form(
                to: Self.page, action ?? question.rawValue, in: id, hidden: hidden(more),
                "\(fields)\(family.parts.button(label, style: style))")
            return try family.question(
                overview.family, title, advice, back: back(to: member, say(.keepAsIs)),
                problem: problem, "\(notice)\(form)\(otherForm)")
        }
        func askedConsent() throws -> (ListedConsent<StandingConsent>, title: String) {
            let name = purpose ?? visit.parameter("purpose")
            guard let consent = consents.first(where: { $0.name == name }) else {
                throw Refusal(.purposeNotFound)
            }
            return (consent, consent.title(in: language))
        }
        switch question {
        case .remove:
            try require(overview.mayRemove(member))
            return try confirm(
                say(.removeQuestion(name)), say(.removeChildAdvice), say(.removeChild))
        case .decline:
            try require(overview.mayEndGuardianship(of: overview.me, for: member))
            return try confirm(
                say(.declineQuestion(name)), say(.declineAdvice), say(.declineGuardianship))
        case .removeGuardian:
            guard let id = visit.parameter("guardian").flatMap({ MemberID($0) }),
                let guardian = overview.member(id)?.member
            else { throw Refusal(.memberNotFound) }
            try require(overview.mayEndGuardianship(of: guardian, for: member))
            return try confirm(
                say(.removeGuardianQuestion(guardian.displayName, of: name)),
                say(.removeGuardianAdvice), say(.removeGuardian),
                [("guardian", guardian.id.description)])
        case .withdraw:
            let (consent, title) = try askedConsent()
            return try confirm(
                say(.withdrawQuestion(title)),
                say(consent.purpose?.isRequired == true ? .withdrawRequired : .withdrawAdvice),
                say(.withdrawConsent), [("purpose", consent.name)])
        case .preferences: preconditionFailure("preferences have a page of their own")
        case .consentCode:
            let (consent, title) = try askedConsent()
            try require(overview.allows(.consentGive, about: member))
            let code = PageParts.Field(
                name: "code", label: text(PageText.codeLabel), autocomplete: "one-time-code",
                isWrong: problem?.isAboutMailedCode ?? false,
                more: " inputmode=\"numeric\" maxlength=\"20\"")
            let named: [(name: String, value: String?)] = [
                ("purpose", consent.name), ("version", consent.purpose?.version),
            ]
            let isRepeated = problem == nil && visit.parameter("again") != nil
            return try confirm(
                "\(title)", say(.consentCodeSent), say(.giveConsent), named,
                fields: family.parts.field(code), style: "",
                action: ChildPage.Action.consent.rawValue,
                notice: family.done(isRepeated ? text(SignInText.codeSentAgain) : nil),
                otherForm: try family.button(
                    to: Self.page, ChildPage.Action.consentCode.rawValue, in: id,
                    hidden: hidden(named + [("again", "yes")]), style: "plain",
                    text(SignInText.resendCode)))
        case .grow:
            try require(overview.allows(.managedGraduate, about: member))
            let email = PageParts.Field(
                name: "email", label: text(PageText.emailLabel), type: "email",
                value: sent?.value("email") ?? "", hint: say(.growEmailHint), isRequired: false,
                isWrong: problem?.wrongFields.first?.pointer == "#/email",
                more: " inputmode=\"email\" autocapitalize=\"none\"")
            return try confirm(
                say(.growQuestion(name)), say(.growAdvice), say(.startGrowing),
                fields: """
                    \(family.options(
                        "role", say(.growsUpAs),
                        [
                            ("player", say(.side(.player))), ("parent", say(.side(.parent))),
                        ], chosen: sent?.value("role") ?? "player"))\
                    \(family.parts.field(email))
                    """, style: "")
        }
    }

    private func require(_ isOffered: Bool) throws(Refusal) {
        if !isOffered { throw Refusal(.standingTooLow) }
    }
}

extension LocalizedView {
    /// Returns the text in the page's language, otherwise the first one.
    func local(_ texts: [ConsentPurposes.LocalText]) -> String { texts.text(in: language) }
}

extension [ConsentPurposes.LocalText] {
    /// Returns the text in a language, otherwise the first one.
    fileprivate func text(in language: Language) -> String {
        let own = first { $0.language.prefix(2) == language.rawValue.prefix(2) }
        return (own ?? first)?.text ?? ""
    }
}

extension ListedConsent {
    /// Returns the purpose's title in a language; its name if nobody is asked for it any more.
    func title(in language: Language) -> String { purpose?.title.text(in: language) ?? name }
}

extension ConsentPurposes.Purpose {
    /// Whether an account without the consent is refused some operations.
    var isNeeded: Bool { isRequired || !refused.isEmpty }
}
