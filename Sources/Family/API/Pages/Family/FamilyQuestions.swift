import Basics
import Domain
import HTTPServer
import QRCode
import Repositories
import UseCases

/// The pages of `/family` that ask for confirmation, or that offer rarely used actions.
struct FamilyQuestions: FamilyView {
    let shown: ShownFamily

    /// - Parameters:
    ///   - sent: The form that was refused because of the problem.
    ///   - problem: The problem with the answer.
    /// - Throws: ``Refusal`` if the person may not take the action.
    func ask(
        _ question: FamilyMainPage.Question, about id: MemberID?, _ sent: FormBody? = nil,
        _ problem: Problem? = nil
    ) throws -> Reply {
        switch question {
        case .leave: return try leave(problem)
        case .renew: return try renew()
        case .code: return try code()
        case .member, .reject, .seat, .transfer, .remove: break
        }
        guard let member = id.flatMap({ overview.member($0)?.member }), !member.isManaged else {
            throw Refusal(.memberNotFound)
        }
        switch question {
        case .reject:
            guard member.status == .invited else { throw Refusal(.memberIsNotWaiting) }
            try require(overview.mayRemove(member))
            return try simple(
                .reject, member, say(.rejectQuestion(member.displayName)),
                say(.rejectAdvice))
        case .seat:
            try require(overview.mayGiveSeat(to: member))
            let isMe = member.id == overview.me.id
            return try simple(
                .seat, member,
                say(isMe ? .claimQuestion : .giveQuestion(member.displayName)),
                say(.seatAdvice), [("role", HouseholdRole.parentAdmin.rawValue)],
                confirm: isMe ? .confirm(.seat) : .confirmGiving(member.displayName))
        case .transfer:
            try require(overview.mayTransferSeat(to: member))
            return try simple(
                .transfer, member, say(.transferQuestion(member.displayName)),
                say(.transferAdvice(isCreator: overview.family.creator == overview.me.user)))
        case .remove: return try remove(member, sent, problem)
        default: return try self.member(member, sent, problem)
        }
    }

    private func require(_ isOffered: Bool) throws(Refusal) {
        if !isOffered { throw Refusal(.standingTooLow) }
    }

    /// Returns a question about a member that needs only a confirmation, no further field.
    ///
    /// - Parameter label: The button's label; nil for the action's usual one.
    private func simple(
        _ action: FamilyMainPage.Action, _ member: FamilyMember, _ title: HTML, _ advice: HTML,
        _ hidden: [(name: String, value: String?)] = [], confirm label: FamilyQuestionText? = nil
    ) throws -> Reply {
        try family.question(
            overview.family, title, advice,
            try family.form(
                to: "family", action.rawValue, in: id,
                hidden: [("member", member.id.description)] + hidden,
                family.parts.button(
                    say(label ?? .confirm(action)),
                    style: [.reject, .remove].contains(action) ? "danger" : "")))
    }

    // MARK: The code

    /// Returns the question whether to renew the code.
    ///
    /// - Parameter sent: The form that was refused because of the problem.
    func renew(_ sent: FormBody? = nil, _ problem: Problem? = nil) throws -> Reply {
        try require(overview.allows(.codeRegenerate))
        var days = SettingsViews.days(say(.days), say(.daysHint))
        days.value = sent?.value("days") ?? ""
        days.isWrong = problem != nil
        return try family.question(
            overview.family, say(.renewQuestion), say(.renewAdvice), problem: problem,
            try family.form(
                to: "family", "renew", in: id,
                """
                \(family.parts.field(days))\
                \(family.parts.button(say(.confirm(.renew)), style: "danger"))
                """))
    }

    /// Returns the sheet with the code, to be shown on a screen or printed.
    private func code() throws -> Reply {
        guard let code = FamilyCode(overview.family.code) else {
            throw Refusal(.codeExpired, .noCode)
        }
        let link = visit.site.joinLink(code)
        return try family.reply(
            say(.code), "<bdi>\(overview.family.name)</bdi>",
            """
            <div class="actions"><button type="button" data-print hidden>\
            <span>\(say(.print))</span></button></div>
            <p class="code family-code"><code>\(code.text)</code></p>
            <div class="sheet-qr" role="img" aria-label="\(text(JoinText.qrCode))">\
            \(HTML(markup: try QRCode(link).svg))</div>
            <ol>
            <li>\(say(.sheetOpen(visit.site.baseURL + "/family/join")))</li>
            <li>\(say(.sheetAccept))</li>
            </ol>
            \(family.back(to: id))
            """)
    }

    // MARK: Members

    /// Returns the page with everything that may be done about a member.
    private func member(
        _ member: FamilyMember, _ sent: FormBody?, _ problem: Problem?
    ) throws -> Reply {
        let offers = MemberOffers(member, overview)
        try require(offers.isOffered)
        let isMe = member.id == overview.me.id
        func link(_ label: HTML, _ question: FamilyMainPage.Question, style: String) -> HTML {
            family.link(
                label, to: "family",
                [
                    ("id", id.description), ("ask", question.rawValue),
                    ("member", member.id.description),
                ], style: "button " + style)
        }
        var links: HTML = ""
        if offers.isSeatOffered {
            links = link(say(isMe ? .claimSeat : .giveSeat), .seat, style: "plain")
        }
        if offers.isTransferOffered {
            links = "\(links)\(link(say(.transferSeat), .transfer, style: "plain"))"
        }
        if offers.isRemovalOffered {
            links = "\(links)\(link(say(.remove), .remove, style: "danger"))"
        }
        return try family.reply(
            "<bdi>\(overview.family.name)</bdi>", "<bdi>\(member.displayName)</bdi>",
            problem: problem,
            """
            <p>\(family.badge(say(.side(member.role))))\
            <span class="hint">\(say(.sideHint(member.role)))</span></p>
            <p>\(family.badge(say(.role(member.householdRole))))\
            <span class="hint">\(say(.roleHint(member.householdRole, member.role)))\
            \(keepsRights(member) ? " \(say(.creatorHint))" : "")</span></p>
            \(try roles(member, offers, chosen: sent?.value("role")))\
            <div class="answer member-links">\(links)</div>
            \(family.back(to: id))
            """)
    }

    /// Whether the member has the rights of whoever created the family, besides those of its role.
    private func keepsRights(_ member: FamilyMember) -> Bool {
        member.user == overview.family.creator && member.householdRole != .parentAdmin
            && (member.role == .player
                ? member.householdRole != .visitor : member.householdRole >= .adult)
    }

    /// Returns the form for another household role.
    private func roles(
        _ member: FamilyMember, _ offers: MemberOffers, chosen: String?
    ) throws -> HTML {
        if offers.roles.isEmpty { return "" }
        let options = offers.roles.map {
            (
                value: $0.rawValue,
                label: HTML(
                    """
                    <span>\(say(.role($0))) \
                    <span class="hint">\(say(.roleHint($0, member.role)))</span></span>
                    """)
            )
        }
        let isSeatGivenUp = member.id == overview.me.id && member.householdRole == .parentAdmin
        let warning: HTML =
            isSeatGivenUp ? "<p>\(say(.givesUpSeat))</p>\n" : ""
        return try family.form(
            to: "family", "role", in: id,
            hidden: [
                ("member", member.id.description), ("was", member.householdRole.rawValue),
                ("base", "\(overview.baseVersion)"),
            ],
            """
            \(warning)\(family.options(
                "role", say(.householdRole), options, chosen: chosen))\
            \(family.heirs(of: member, in: overview))\
            \(family.parts.button(
                say(isSeatGivenUp ? .giveUpSeat : .changeRole),
                style: isSeatGivenUp ? "danger" : ""))
            """)
    }

    private func remove(
        _ member: FamilyMember, _ sent: FormBody?, _ problem: Problem?
    ) throws -> Reply {
        try require(overview.mayRemove(member) && member.status == .active)
        let rotates: HTML =
            overview.allows(.codeRegenerate)
            ? family.checkbox(
                "rotate", say(.renewToo), isChecked: sent.map { $0.value("rotate") != nil } ?? true)
            : ""
        return try family.question(
            overview.family, say(.removeQuestion(member.displayName)),
            say(.removeAdvice), problem: problem,
            try family.form(
                to: "family", "remove", in: id, hidden: [("member", member.id.description)],
                """
                \(family.heirs(of: member, in: overview))\(rotates)\
                \(family.parts.button(say(.confirm(.remove)), style: "danger"))
                """))
    }

    // MARK: Leaving

    /// Returns the children whose only guardian the person is, with links to their pages, and what
    /// to do if nobody else can be their guardian.
    private func wards() -> HTML {
        let children = overview.onlyWards.map { child in
            text(
                AccountDataText.nameGuardianFirst(
                    child.displayName,
                    page: family.address("family/child", [("id", child.id.description)]),
                    hasBox: false))
        }
        let invite: HTML =
            overview.invitableSides.contains(.parent)
            ? family.link(
                say(.invite), to: "family/invite", [("family", id.description)]) : ""
        return """
            \(family.list(children))<p>\(say(.noHeir))</p>
            \(invite)
            """
    }

    /// Returns the question whether to leave, with the choice of the children's next guardian.
    ///
    /// - Parameter problem: The reason why a form without this choice was refused.
    func leave(_ problem: Problem? = nil) throws -> Reply {
        let name = overview.family.name
        if let obstacle = overview.obstacleToLeaving {
            return try family.reply(
                "<bdi>\(name)</bdi>", say(.leaveQuestion(name)), problem: problem,
                showsProblem: false,
                """
                <p class="lead">\(language.familyTexts.sentence(for: obstacle))</p>
                \(obstacle == .guardianHasManagedMembers ? wards() : "")\
                \(family.back(to: id))
                """)
        }
        let isLast = overview.members.allSatisfy { $0.id == overview.me.id || $0.isManaged }
        return try family.question(
            overview.family, say(.leaveQuestion(name)),
            say(isLast ? .leaveAsLast : .leaveAdvice), problem: problem,
            try family.form(
                to: "family", "leave", in: id,
                """
                \(family.heirs(of: overview.me, in: overview))\
                \(family.parts.button(say(.confirm(.leave)), style: "danger"))
                """))
    }
}
