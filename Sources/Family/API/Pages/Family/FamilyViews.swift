import Basics
import Domain
import HTTPServer
import Repositories
import UseCases

/// Views of `/family`.
struct FamilyViews: FamilyView {
    let shown: ShownFamily
    let profile: ProfileService.Profile

    private var named: (name: String, value: String) { ("id", id.description) }

    /// - Parameter done: The action that the notice confirms.
    func reply(done: String?, _ problem: Problem?) throws -> Reply {
        try family.reply(
            say(.family), "<bdi>\(overview.family.name)</bdi>", problem: problem,
            version: overview.version,
            """
            \(try notice(done))\(try RoleConflictViews(family, overview).banner())\
            \(try switcher())\(code())\(try members())\(invitations())\
            \(links())
            """)
    }

    // MARK: What was done

    private func notice(_ done: String?) throws -> HTML {
        guard let done, let action = FamilyNotice(rawValue: done) else { return "" }
        let member = visit.parameter("member").flatMap { MemberID($0) }
            .flatMap { overview.member($0)?.member }
        if visit.parameter("member") != nil, !isStill(action, of: member) { return "" }
        let sentence = member.map { member in
            say(.doneTo(action, member.id == overview.me.id ? nil : member.displayName))
        }
        return family.done(sentence ?? say(.done(action)), action == .role ? try undo() : "")
    }

    /// Whether a member still has what an action gave. The address says what was done, and may be
    /// opened again after another change.
    ///
    /// - Parameter member: The member that the address names; nil if the family has none.
    private func isStill(_ action: FamilyNotice, of member: FamilyMember?) -> Bool {
        switch action {
        case .approve: member?.status == .active
        case .seat, .transfer: member?.householdRole == .parentAdmin
        default: true
        }
    }

    /// Returns the button that reverts a change of role, if the policy allows it.
    private func undo() throws -> HTML {
        guard let member = visit.parameter("member").flatMap({ MemberID($0) }),
            let target = overview.member(member)?.member,
            let role = visit.parameter("undo").flatMap({ HouseholdRole(rawValue: $0) }),
            overview.roles(for: target).contains(role)
                || (role == .parentAdmin && overview.mayGiveSeat(to: target))
        else { return "" }
        return try family.button(
            to: "family", "role", in: id,
            hidden: [("member", member.description), ("role", role.rawValue)], style: "plain",
            say(.undo))
    }

    /// Returns the control that switches to another family.
    private func switcher() throws -> HTML {
        guard profile.families.count > 1 else { return "" }
        let options = profile.families.map {
            (value: $0.id.description, label: HTML("\($0.name)"))
        }
        return try visit.parts.form(
            to: "family", action: "choose", style: "switcher",
            attributes: " data-part=\"switcher\"",
            """
            \(family.choice("family", say(.shownFamily), options,
                chosen: id.description))\
            \(family.parts.button(say(.show), style: "plain"))
            """)
    }

    // MARK: The code

    private func code() -> HTML {
        let listed = overview.family
        guard overview.allows(.codeRead) else { return "" }
        var links: HTML = ""
        if !listed.code.isEmpty {
            let link = FamilyCode(listed.code).map { visit.site.joinLink($0) } ?? ""
            links = """
                \(family.copying(
                    listed.code, say(.copyCode), sharing: link, "\(overview.family.name)"))\
                \(family.link(say(.showToScan), to: "family", [named, ("ask", "code")]))
                """
        }
        if overview.allows(.codeRegenerate) {
            links = """
                \(links)\(family.link(
                    say(.renewCode), to: "family", [named, ("ask", "renew")]))
                """
        }
        let since: HTML =
            listed.codeGeneratedAt.map { "\(say(.codeSince($0))) " } ?? ""
        let until: HTML =
            listed.codeExpiresAt.map { say(.codeUntil($0)) }
            ?? say(.codeWithoutEnd)
        let entering: FamilyText =
            listed.isApprovalRequired
            ? .codeAsks(isApprover: overview.allows(.memberApprove)) : .codeEnters
        let shown: HTML =
            listed.code.isEmpty
            ? "<p>\(say(.noCode))</p>\n"
            : """
            <p class="code family-code">\
            <span class="spoken">\(say(.codeSpelled(listed.code)))</span>\
            <code aria-hidden="true">\(listed.code)</code></p>
            <p class="hint">\(since)\(until)</p>
            <p class="hint">\(say(entering))</p>

            """
        return family.section(
            "family-code", say(.code), "\(shown)<div class=\"actions\">\n\(links)</div>\n")
    }

    // MARK: Members

    private func members() throws -> HTML {
        let active = overview.members.filter { $0.status == .active }
        let waiting = overview.members.filter { $0.status == .invited }
        let hasCode = overview.allows(.codeRead) && !overview.family.code.isEmpty
        let alone: HTML =
            active.count > 1 || !waiting.isEmpty
            ? "" : "<p class=\"empty\">\(say(.nobodyElse(hasCode: hasCode)))</p>\n"
        let asking: HTML =
            waiting.isEmpty
            ? ""
            : """
            <h3>\(say(.waitingPeople))</h3>
            \(overview.allows(.memberApprove) ? family.fullHint(overview) : "")\
            \(family.list(try waiting.map(asking), style: "members"))\
            <h3>\(say(.inFamily))</h3>

            """
        return family.section(
            "members",
            say(.members(overview.family.memberCount, of: overview.family.memberLimit)),
            "\(asking)\(family.list(active.map(card), style: "members"))\(alone)")
    }

    /// Returns the card of a person who waits for approval.
    private func asking(_ person: MemberWithGuardians) throws -> HTML {
        let member = person.member
        var buttons: HTML = ""
        if overview.allows(.memberApprove, about: member), !overview.isFull {
            buttons = try family.button(
                to: "family", "approve", in: id, hidden: [("member", member.id.description)],
                say(.approve), name: say(.approveOf(member.displayName)))
        }
        if overview.mayRemove(member) {
            buttons = """
                \(buttons)\(family.link(
                    say(.reject), to: "family",
                    [named, ("ask", "reject"), ("member", member.id.description)],
                    name: say(.rejectOf(member.displayName))))
                """
        }
        let email: HTML = member.email.map { "<p class=\"hint\"><bdi>\($0)</bdi></p>\n" } ?? ""
        return """
            \(family.picture(person))<div><strong><bdi>\(member.displayName)</bdi></strong>
            <p>\(family.badge(say(.side(member.role))))\
            \(family.badge(say(.waits), style: "waits"))</p>
            \(email)<p class="hint">\(say(.askedOn(member.addedAt)))</p></div>
            <div class="actions">\(buttons)</div>
            """
    }

    private func card(_ listed: MemberWithGuardians) -> HTML {
        let member = listed.member
        let isMe = member.id == overview.me.id
        var badges: HTML = isMe ? family.badge(say(.you), style: "you") : ""
        if member.isManaged {
            badges = "\(badges)\(family.badge(say(.child)))"
        } else {
            badges = """
                \(badges)\(family.badge(say(.side(member.role))))\
                \(family.badge(say(.role(member.householdRole))))
                """
        }
        let guardians: HTML =
            listed.guardians.isEmpty
            ? ""
            : """
            <p class="hint">\(say(.guardians(listed.guardians.map(\.name))))</p>

            """
        return """
            \(family.picture(listed))<div><strong><bdi>\(member.displayName)</bdi></strong>
            <p>\(badges)</p>
            \(guardians)<p class="hint">\(say(.since(member.addedAt)))</p></div>
            <div class="actions">\(manage(member, isMe: isMe))</div>
            """
    }

    /// Returns the link to the actions that the caller may take on a member; empty if there are
    /// none.
    private func manage(_ member: FamilyMember, isMe: Bool) -> HTML {
        if member.isManaged {
            guard MemberOffers(member, overview).isOffered else { return "" }
            return family.link(
                say(.open), to: "family/child", [("id", member.id.description)],
                name: say(.openOf(member.displayName)))
        }
        guard MemberOffers(member, overview).isOffered else { return "" }
        return family.link(
            say(isMe ? .yourRole : .manage), to: "family",
            [named, ("ask", "member"), ("member", member.id.description)],
            name: isMe ? nil : say(.manageOf(member.displayName)))
    }

    // MARK: Invitations and links

    private func invitations() -> HTML {
        guard overview.allows(.invitationList) else { return "" }
        let mayInvite = !overview.invitableSides.isEmpty
        let now = visit.now
        let rows = overview.invitations.map { invitation -> HTML in
            let who: HTML =
                switch (invitation.delivery, invitation.email) {
                case (.link, _): say(.byLink)
                case (_, ""): say(.byEmail)
                case (_, let email): "<bdi>\(email)</bdi>"
                }
            let failed: HTML =
                invitation.deliveryStatus == "failed"
                ? " \(family.badge(say(.notDelivered), style: "failed"))" : ""
            let left = say(.timeLeft(from: now, to: invitation.expiresAt))
            return """
                <div><strong>\(who)</strong>\(failed)
                <p class="hint">\(say(.side(invitation.role))) &middot; \(left)</p></div>
                """
        }
        if rows.isEmpty, !mayInvite { return "" }
        let list: HTML =
            rows.isEmpty
            ? "<p class=\"empty\">\(say(.noInvitations))</p>\n" : family.list(rows)
        let full: HTML = mayInvite ? family.fullHint(overview) : ""
        let mayHandle =
            !rows.isEmpty
            && (mayInvite
                || overview.invitations.contains { overview.allows(.invitationRevoke, about: $0) })
        let here = [(name: "family", value: id.description)]
        let invite: HTML =
            mayInvite ? family.link(say(.invite), to: "family/invite", here) : ""
        let manage: HTML =
            mayHandle
            ? family.link(
                say(.manageInvitations), to: "family/invite", here, part: "pending") : ""
        return family.section(
            "invitations", say(.invitations),
            "\(list)\(full)<div class=\"actions\">\n\(invite)\(manage)</div>\n")
    }

    private func links() -> HTML {
        let here = [(name: "family", value: id.description)]
        var items: [HTML] = []
        func add(_ label: HTML, _ page: String, _ parameters: [(name: String, value: String)]) {
            items.append(family.link(label, to: page, parameters, style: ""))
        }
        if overview.allows(.managedCreate), !overview.isFull {
            add(say(.addChild), "family/child", here)
        }
        if overview.allows(.familyUpdate) { add(say(.settings), "family/settings", here) }
        if overview.allows(.auditRead) { add(say(.activity), "family/activity", here) }
        if profile.own?.role != .player {
            add(say(.anotherFamily), "family/new", [])
            add(say(.joinFamily), "family/join", [])
        }
        add(text(PageText.yourAccount), "account", [])
        add(say(.leave), "family", [named, ("ask", "leave")])
        return """
            <nav data-part="links" aria-label="\(say(.more))">
            \(family.list(items, style: "links"))</nav>

            """
    }
}

/// The actions that the caller may take on a member, for its links.
struct MemberOffers {
    let roles: [HouseholdRole]
    let isSeatOffered: Bool
    let isTransferOffered: Bool
    let isRemovalOffered: Bool
    /// Whether the caller has something to do on a child's page.
    let isChildOffered: Bool

    init(_ member: FamilyMember, _ overview: FamilyOverview) {
        roles = member.isManaged ? [] : overview.roles(for: member)
        isSeatOffered = overview.mayGiveSeat(to: member)
        isTransferOffered = overview.mayTransferSeat(to: member)
        isRemovalOffered = overview.mayRemove(member)
        isChildOffered =
            member.isManaged
            && (isRemovalOffered || overview.allows(.managedUpdate, about: member))
    }

    var isOffered: Bool {
        !roles.isEmpty || isSeatOffered || isTransferOffered || isRemovalOffered || isChildOffered
    }
}

extension PageVisit {
    var parts: PageParts { PageParts(visit: self) }
    /// The current time.
    var now: Timestamp { Timestamp(microseconds: Int64(services.clock.now()) * 1_000) }
}
