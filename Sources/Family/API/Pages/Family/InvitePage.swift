import Basics
import Crypto
import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

/// The page `/family/invite`: invites people by e-mail or by a link, and lists what is pending.
enum InvitePage: Page {
    static let summary =
        "Invites people into a family, and resends and revokes pending invitations."
    static let links: [any DeclaredInput] = [
        Input<String?>.query("family", .anyText, "The family; default: as on `/family`.")
    ]
    static let refusals: [RefusalCode] = [.familyNotFound, .visitorsOnlyRead, .invitationNotFound]

    enum Action: String {
        case send, link, resend, revoke
    }

    static func show(_ visit: PageVisit) throws -> Reply {
        _ = try visit.services.signInSetup()
        let context = try visit.signedIn()
        return try visit.prolonging { try page(visit, context, nil, nil) }
    }

    private static func page(
        _ visit: PageVisit, _ context: RequestContext, _ form: FormBody?, _ problem: Problem?
    ) throws -> Reply {
        let overview = try visit.overview(named: visit.nameOfFamily(form), by: context)
        guard overview.allows(.invitationList) else { throw Refusal(.visitorsOnlyRead) }
        let views = InviteViews(shown: ShownFamily(visit, overview))
        if problem == nil, visit.parameter("ask") == Action.revoke.rawValue {
            guard let id = visit.parameter("invitation").flatMap({ InvitationID($0) }),
                let invitation = overview.invitations.first(where: { $0.id == id }),
                overview.allows(.invitationRevoke, about: invitation)
            else { throw Refusal(.invitationNotFound) }
            return try views.revocation(invitation)
        }
        let link = problem == nil ? try ShownLink.link(visit, context) : nil
        return try views.reply(form, problem, link: link)
    }

    static func act(_ visit: PageVisit, _ form: FormBody) throws -> Reply {
        _ = try visit.signedIn()
        guard let action = form.value("action").flatMap({ Action(rawValue: $0) }),
            let family = form.value("family").flatMap({ FamilyID($0) })
        else { return try RefusedForm.reply(visit) }
        var outcome = [(name: "family", value: family.description), ("done", action.rawValue)]
        switch action {
        case .send, .link:
            let sent = try FormOperation(
                .post, "/api/family/invite", try invitation(family, form, isLink: action == .link)
            ).run(visit, by: form)
            outcome += try ShownLink.parameters(of: sent, visit)
        case .resend, .revoke:
            guard let invitation = form.value("invitation").flatMap({ InvitationID($0) }) else {
                throw Refusal(.invitationNotFound)
            }
            let path = "/api/family/invitations/\(invitation)"
            if action == .revoke {
                try FormOperation(.delete, path).run(visit, by: form)
            } else {
                let sent = try FormOperation(.post, path + "/resend").run(visit, by: form)
                outcome += try ShownLink.parameters(of: sent, visit, invitation)
            }
        }
        return visit.redirect(to: FamilyAddress.path("family/invite", outcome))
    }

    /// Returns the question that a form answers; nil for a form of the page itself.
    static func question(of form: FormBody) -> String? {
        form.value("action") == Action.revoke.rawValue ? Action.revoke.rawValue : nil
    }

    private static func invitation(
        _ family: FamilyID, _ form: FormBody, isLink: Bool
    ) throws -> [(name: String, value: JSONValue?)] {
        let householdRole = form.value("household_role") ?? ""
        return [
            ("familyUnitId", .string(family.description)),
            ("role", .string(form.value("role") ?? "")),
            ("householdRole", householdRole.isEmpty ? nil : .string(householdRole)),
            ("email", isLink ? nil : .string((form.value("email") ?? "").trimmed)),
            ("delivery", .string(isLink ? "link" : "email")),
        ]
    }

    static func failure(_ visit: PageVisit, _ problem: Problem) throws -> Reply {
        try visit.failure(problem) { context, form in
            if form == nil,
                let closed = try visit.closedQuestion(
                    problem, in: visit.nameOfFamily(nil), by: context)
            {
                return closed
            }
            return try page(visit, context, form, problem)
        }
    }
}

/// The link of an invitation that this browser has just created. It is shown once, and again if the
/// same session loads the page again within ten minutes. It is never stored: it is computed anew
/// each time.
enum ShownLink {
    /// Name of the parameter with the seal that makes the page show the link.
    static let name = "shown"
    private static let validSeconds: Int64 = 600
    private static let contentBytes = 24

    /// Returns the parameters with which the next page shows the link of a created invitation; none
    /// if it was sent by e-mail.
    static func parameters(
        of sent: JSONField, _ visit: PageVisit, _ invitation: InvitationID? = nil
    ) throws -> [(name: String, value: String)] {
        guard try sent[Reply.SharedLink.name].ifPresent != nil,
            let keys = visit.services.signIn?.keys, let cookie = visit.cookie
        else { return [] }
        let created = try sent["invitationId"].ifPresent?.string()
        guard let id = invitation ?? created.flatMap({ InvitationID($0) }) else { return [] }
        let content = bytes(id.rawValue) + bytes(UInt128(visit.now.seconds)).suffix(8)
        let seal = try keys.pageForms[0].authenticate(content + cookie.value.utf8)
        return [(name, Base64URL.text(content + seal))]
    }

    /// Returns the link that the page's address shows to this session; nil if it shows none.
    static func link(_ visit: PageVisit, _ context: RequestContext) throws -> String? {
        guard let sealed = visit.parameter(name), sealed.utf8.count <= 128,
            let bytes = Base64URL.decode(sealed), bytes.count > contentBytes,
            let keys = visit.services.signIn?.keys, let cookie = visit.cookie
        else { return nil }
        let content = Array(bytes[..<contentBytes])
        let message = content + cookie.value.utf8
        let isOwn = try keys.pageForms.contains { key in
            try key.isValid(Array(bytes[contentBytes...]), for: message.span)
        }
        let moment = content[16...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard isOwn, visit.now.seconds - moment < validSeconds else { return nil }
        let id = InvitationID(rawValue: content[..<16].reduce(0) { $0 << 8 | UInt128($1) })
        do {
            let token = try visit.services.invitations.recallToken(by: context, invitation: id)
            return token.map { visit.site.joinLink($0) }
        } catch is Refusal {
            // The invitation has been answered or revoked, or the person may no longer resend it.
            return nil
        }
    }

    private static func bytes(_ number: UInt128) -> [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: number >> (120 - $0 * 8)) }
    }
}

/// Views of `/family/invite`.
struct InviteViews: FamilyView {
    let shown: ShownFamily

    func reply(_ form: FormBody?, _ problem: Problem?, link: String?) throws -> Reply {
        let action = form?.value("action").flatMap { InvitePage.Action(rawValue: $0) }
        let isAtField =
            (action == .send || action == .link) && problem?.wrongFields.isEmpty == false
        return try family.reply(
            "<bdi>\(overview.family.name)</bdi>", say(.inviteTitle), problem: problem,
            showsProblem: !isAtField, version: overview.version,
            """
            \(notice(problem, link))\(try self.form(form, isAtField ? problem : nil))\
            \(try pending())\(family.back(to: id))
            """)
    }

    private func notice(_ problem: Problem?, _ link: String?) -> HTML {
        guard problem == nil,
            let action = visit.parameter("done").flatMap({ InvitePage.Action(rawValue: $0) })
        else { return "" }
        // The link is shown for ten minutes, and only while the invitation is open.
        if link == nil, visit.parameter(ShownLink.name) != nil { return "" }
        let shown: HTML = link.map { family.shownLink($0) } ?? ""
        switch action {
        case .revoke: return family.done(say(.done(.revoke)))
        case .link: return family.done(say(.done(.link)), shown)
        case .send, .resend:
            return family.done(say(.done(link == nil ? .send : .link)), shown)
        }
    }

    private func form(_ sent: FormBody?, _ problem: Problem?) throws -> HTML {
        let sides = overview.invitableSides
        guard !sides.isEmpty else { return "" }
        let chosen = sent?.value("role") ?? (sides.count == 1 ? sides[0].rawValue : nil)
        let roles: [(value: String, label: HTML)] = [HouseholdRole.adult, .kid, .visitor].map {
            ($0.rawValue, say(.role($0)))
        }
        let wrong = problem?.wrongFields.first?.pointer
        let alert = family.parts.alert(problem.map { sentence(of: $0, sent) })
        let isEmailWrong = wrong == "#/email"
        let email = PageParts.Field(
            name: "email", label: text(PageText.emailLabel), type: "email",
            value: sent?.value("email") ?? "", hint: say(.emailHint), isRequired: false,
            isWrong: isEmailWrong, more: " inputmode=\"email\" autocapitalize=\"none\"")
        let inviter = overview.me.displayName
        let previews = sides.reduce(into: HTML("")) { html, side in
            let sentence = text(JoinText.invitesYou(inviter: inviter, as: side))
            html = "\(html)<p class=\"hint\">\(say(.sees(side)))</p>\n<p><q>\(sentence)</q></p>\n"
        }
        return family.section(
            "new", say(.invite),
            """
            \(family.fullHint(overview))\(try family.form(
                to: "family/invite", nil, in: id, style: "answer",
                """
                \(isEmailWrong ? "" : alert)\
                \(family.options(
                    "role", say(.whoIsInvited), sides.map { ($0.rawValue, say(.side($0))) },
                    chosen: chosen))\
                \(family.choice(
                    "household_role", say(.householdRole), roles, none: say(.usualRole),
                    chosen: sent?.value("household_role"), hint: say(.usualRoleHint)))\
                \(isEmailWrong ? alert : "")\(family.parts.field(email))\
                \(family.parts.button(say(.sendInvitation), action: "send"))\
                \(family.parts.button(say(.makeLink), style: "plain", action: "link"))
                """))
            \(previews)
            """)
    }

    /// Returns the sentence for a problem with the form. Without an address, it names the two ways
    /// to go on.
    private func sentence(of problem: Problem, _ sent: FormBody?) -> HTML {
        let isEmailEmpty = (sent?.value("email") ?? "").trimmed.isEmpty
        return problem.wrongFields.first?.pointer == "#/email" && isEmailEmpty
            ? say(.addressOrLink) : visit.sentence(of: problem)
    }

    private func pending() throws -> HTML {
        let now = visit.now
        let rows = try overview.invitations.map { invitation -> HTML in
            let who: HTML =
                switch (invitation.delivery, invitation.email) {
                case (.link, _): say(.byLink)
                case (_, ""): say(.byEmail)
                case (_, let email): "<bdi>\(email)</bdi>"
                }
            let failed: HTML =
                invitation.deliveryStatus == "failed"
                ? " \(family.badge(say(.notDelivered), style: "failed"))" : ""
            let graduate: HTML =
                invitation.graduate.flatMap { overview.member($0) }.map {
                    "<p class=\"hint\">\(say(.growsUp($0.member.displayName)))</p>\n"
                } ?? ""
            return """
                <div><strong>\(who)</strong>\(failed)
                \(graduate)<p class="hint">\(say(.side(invitation.role))) &middot; \
                \(say(.timeLeft(from: now, to: invitation.expiresAt)))</p></div>
                <div class="actions">\(try buttons(invitation))</div>
                """
        }
        return family.section(
            "pending", say(.invitations),
            rows.isEmpty
                ? "<p class=\"empty\">\(say(.noInvitations))</p>\n" : family.list(rows))
    }

    private func buttons(_ invitation: ListedInvitation) throws -> HTML {
        var buttons: HTML = ""
        let name = invitation.email
        if overview.allows(.invitationResend, about: invitation) {
            let isLink = invitation.delivery == .link
            buttons = try family.button(
                to: "family/invite", "resend", in: id,
                hidden: [("invitation", invitation.id.description)], style: "plain",
                say(isLink ? .newLink : .resend),
                name: name.isEmpty ? nil : say(.resendOf(name)))
        }
        if overview.allows(.invitationRevoke, about: invitation) {
            let link = family.link(
                say(.revoke), to: "family/invite",
                [
                    ("family", id.description), ("ask", "revoke"),
                    ("invitation", invitation.id.description),
                ], name: name.isEmpty ? nil : say(.revokeOf(name)))
            buttons = "\(buttons)\(link)"
        }
        return buttons
    }

    /// Returns the question whether to revoke an invitation.
    func revocation(_ invitation: ListedInvitation) throws -> Reply {
        let name: HTML =
            invitation.email.isEmpty ? say(.byLink) : "<bdi>\(invitation.email)</bdi>"
        return try family.question(
            overview.family, say(.revokeQuestion),
            "<strong>\(name)</strong>. \(say(.revokeAdvice))",
            try family.form(
                to: "family/invite", "revoke", in: id,
                hidden: [("invitation", invitation.id.description)],
                family.parts.button(say(.revoke), style: "danger")))
    }
}
