import Domain
import TestSupport
import Testing

@Suite("Changes on the page of a family")
struct FamilyChangeTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func browser(_ person: APIClient) throws -> (PageBrowser, BrowserPage) {
        let browser = PageBrowser(try site)
        return (browser, try browser.enter(as: person))
    }

    /// Makes the family require approval, and returns a person whose request is pending.
    private func waiting(_ home: FamilyFixture<Site>) throws -> APIClient {
        let changed = try home.admin.patch(
            "/api/family/\(home.id)", #"{"approvalRequired": true}"#)
        try #require(changed.status == 200)
        let person = try site.person(.parent, name: "Newcomer")
        let asked = try person.post("/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
        try #require(asked.status == 202)
        return person
    }

    private func roles(_ home: FamilyFixture<Site>) throws -> [String: String] {
        let members = try home.admin.get("/api/family/members?familyId=\(home.id)").json["members"]
        return try Dictionary(
            members.elements().map {
                (try $0["display_name"].string(), try $0["household_role"].string())
            }
        ) { first, _ in first }
    }

    @Test("a waiting person is approved by one press, and a second press changes nothing")
    func approving() throws {
        let home = try site.home()
        let person = try waiting(home)
        let (browser, page) = try browser(home.admin)
        #expect(page.says("Waiting for approval") && page.offers("approve") && page.asks("reject"))
        #expect(page.says("<h3>In the family</h3>") && page.says("asks to join, and you decide."))
        let (_, ofPlayer) = try self.browser(home.player)
        #expect(!ofPlayer.offers("approve") && !ofPlayer.says("you decide"))
        #expect(ofPlayer.says("asks to join, and someone in your family decides."))
        let done = try browser.press("approve", on: page)
        #expect(done.status == 200)
        #expect(done.notice == "Approved. <bdi>Newcomer</bdi> is a member now.")
        #expect(!done.says("In the family"), "nobody waits")
        #expect(try person.get("/api/family/\(home.id)").status == 200)
        let twice = try browser.press("approve", on: page)
        #expect(twice.status == 200, "the same form has one effect")
        // A form that was rendered anew asks for something that has become impossible.
        var form = try page.form(withAction: "approve").fields
        form["key"] = String(repeating: "A", count: 22)
        let late = try browser.post("/family", form)
        #expect(late.status == 409 && late.alert?.contains("isn’t waiting anymore") == true)
        #expect(late.says("<bdi>Newcomer</bdi>"), "the page as it is now")
    }

    @Test("an address with a notice that is opened after another change confirms nothing")
    func laterNotice() throws {
        let home = try site.home()
        _ = try waiting(home)
        let (browser, page) = try browser(home.admin)
        let request = try page.form(withAction: "approve").fields
        let newcomer = try #require(request["member"])
        let (ada, pat) = (try home.member(home.admin), try home.member(home.adult))
        func notice(_ done: String, _ member: String) throws -> String? {
            try browser.open("/family?id=\(home.id)&done=\(done)&member=\(member)").notice
        }
        #expect(try notice("approve", newcomer) == nil, "still waits")
        #expect(try notice("seat", pat) == nil, "an adult")
        #expect(try notice("transfer", pat) == nil, "an adult")
        #expect(try notice("transfer", home.id) == nil, "no member of the family")
        #expect(try notice("seat", ada) == "You’re the Parent Admin now.")
        #expect(try notice("approve", pat) == "Approved. <bdi>Pat</bdi> is a member now.")
        #expect(try notice("role", pat) == "The role of <bdi>Pat</bdi> was changed.")
    }

    @Test("the address of a family whose answer a person waits for advises to wait")
    func waitingAtAddress() throws {
        let home = try site.home("Waders")
        let (newcomer, _) = try browser(waiting(home))
        let page = try newcomer.open("/family?id=\(home.id)")
        #expect(page.status == 404 && page.heading == "You’re not in that family", "\(page)")
        #expect(page.says("You asked to join a family.") && page.says("Waders"), "\(page)")
        #expect(!page.says("You may have left it"), "\(page)")
    }

    @Test("rejecting asks first, then ends the request")
    func rejecting() throws {
        let home = try site.home()
        let person = try waiting(home)
        let (browser, page) = try browser(home.admin)
        let question = try browser.follow("ask=reject", on: page)
        #expect(question.heading == "Reject Newcomer?" && question.says("can ask again"))
        #expect(try browser.open("/family").says("Newcomer"), "nothing has happened yet")
        let done = try browser.press("reject", on: question)
        #expect(done.notice == "The request was turned down." && !done.says("Newcomer"))
        #expect(try person.get("/api/family/\(home.id)").status == 404)
        let code = #"{"familyCode": "\#(home.code)"}"#
        #expect(try person.post("/api/family/code/join", code).status == 202)
        let second = try browser.follow("ask=reject", on: browser.open("/family"))
        #expect(second.says("after two rejections within 30 days, they need an invitation"))
        _ = try browser.press("reject", on: second)
        let barred = try person.post("/api/family/code/join", code)
        #expect(barred.says(403, "removed_from_family"), "\(barred)")
    }

    @Test("a change of role can be undone on the next page, but on no later page")
    func role() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.admin)
        let pat = try home.member(home.adult)
        let member = try browser.follow("ask=member&member=\(pat)", on: page)
        #expect(member.heading == "Pat" && member.says("value=\"kid\""))
        #expect(
            !member.says("name=\"role\" value=\"adult\"") && !member.says("value=\"parent_admin\""))
        let done = try browser.press("role", on: member, ["role": "kid"])
        #expect(done.notice == "The role of <bdi>Pat</bdi> was changed." && done.offers("role"))
        #expect(try roles(home)["Pat"] == "kid")
        #expect(try !browser.open("/family").offers("role"), "undo is offered once")
        _ = try browser.press("role", on: done)
        #expect(try roles(home)["Pat"] == "adult")
    }

    @Test("the page of a role says what the present role and the offered ones allow on each side")
    func roleHints() throws {
        let home = try site.home()
        let (ada, _) = try browser(home.admin)
        func page(of person: APIClient) throws -> BrowserPage {
            let id = try home.member(person)
            return try ada.open("/family?id=\(home.id)&ask=member&member=\(id)")
        }
        let pat = try page(of: home.adult)
        #expect(pat.says("<span class=\"hint\">Invites people and adds children.</span>"))
        #expect(pat.says("<span>Kid <span class=\"hint\">Sees the family and its members.</span>"))
        #expect(!pat.says("Created the family"))
        let kim = try page(of: home.player)
        #expect(kim.says(">Kid</span>") && kim.says("A child or teen."))
        #expect(kim.says("Sees the family, renews its code and invites parents."), "\(kim)")
    }

    @Test("both authors of conflicting role changes see a banner")
    func conflict() throws {
        let home = try site.home()
        let pat = try home.member(home.adult)
        let (browser, page) = try browser(home.adult)
        let own = try browser.follow("ask=member&member=\(pat)", on: page)
        let (ada, before) = try self.browser(home.admin)
        #expect(!before.says("class=\"notice\""))
        _ = try ada.press(
            "role", on: ada.follow("ask=member&member=\(pat)", on: before), ["role": "kid"])
        let done = try browser.press("role", on: own, ["role": "visitor"])
        #expect(done.says("<bdi>Ada</bdi> had given <bdi>Pat</bdi> the role Kid"), "\(done)")
        #expect(try !browser.open("/family").says("class=\"notice\""), "told once")
        let told = try ada.open("/family")
        #expect(told.says("<bdi>Pat</bdi> changed the role of <bdi>Pat</bdi> without seeing"))
        #expect(told.says(home.code), "nothing is blocked")
        let hidden = try ada.press("hide", on: told)
        #expect(hidden.heading == told.heading && !hidden.says("class=\"notice\""))
        #expect(try self.browser(home.admin).1.says("class=\"notice\""), "another browser")
        #expect(try !self.browser(home.player).1.says("class=\"notice\""))
    }

    @Test("a form with a role or member that the page does not offer is refused")
    func ownRole() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.adult)
        let own = try browser.follow("ask=member", on: page)
        #expect(own.heading == "Pat" && own.says("value=\"visitor\""))
        let forged = try browser.press("role", on: own, ["role": "parent_admin"])
        #expect(forged.status == 409 && forged.alert?.contains("already exists") == true)
        let theirs = try browser.press(
            "role", on: own, ["role": "kid", "member": home.member(home.admin)])
        #expect(theirs.status == 403 && theirs.alert != nil)
        #expect(try roles(home)["Ada"] == "parent_admin")
    }

    @Test("giving up, claiming or transferring the seat asks a question first")
    func seat() throws {
        let home = try site.home()
        let (ada, first) = try browser(home.admin)
        let pat = try home.member(home.adult)
        let own = try ada.follow("ask=member&member=\(home.member(home.admin))", on: first)
        #expect(own.says("You’re the Parent Admin") && own.says("Stop being the Parent Admin"))
        var page = try ada.press("role", on: own, ["role": "adult"])
        #expect(try roles(home)["Ada"] == "adult")
        page = try ada.open("/family?ask=seat&member=\(home.member(home.admin))")
        #expect(page.heading == "Become the Parent Admin?")
        #expect(page.says("Yes, become the Parent Admin"))
        let giving = try ada.open("/family?ask=seat&member=\(pat)")
        #expect(giving.heading == "Make Pat the Parent Admin?")
        #expect(giving.says("Yes, make <bdi>Pat</bdi> the Parent Admin"))
        #expect(!giving.says("Yes, become"))
        page = try ada.press("seat", on: page)
        #expect(page.notice == "You’re the Parent Admin now.")
        #expect(try roles(home)["Ada"] == "parent_admin")
        page = try ada.follow("ask=transfer", on: ada.open("/family?ask=member&member=\(pat)"))
        #expect(page.heading == "Make Pat the Parent Admin in your place?")
        let keeps = "Because you created the family, you still decide who joins"
        #expect(page.says(keeps) && !page.says("like the others"))
        page = try ada.press("transfer", on: page)
        #expect(try roles(home)["Pat"] == "parent_admin")
        #expect(page.notice == "<bdi>Pat</bdi> is the Parent Admin now.")
        let creator = try ada.open("/family?ask=member&member=\(home.member(home.admin))")
        #expect(creator.says("Created the family, and therefore also decides who joins"))
        let (second, _) = try browser(home.adult)
        let back = try second.open(
            "/family?id=\(home.id)&ask=transfer&member=\(home.member(home.admin))")
        #expect(back.says("You become an adult like the others.") && !back.says(keeps))
    }

    @Test("an answered question that is opened again is a calm page with a link to the family")
    func answeredAgain() throws {
        let home = try site.home("Terns")
        let (ada, _) = try browser(home.admin)
        let (pat, kim) = (try home.member(home.adult), try home.member(home.player))
        let sent = try ada.press(
            "send", on: ada.open("/family/invite?family=\(home.id)"),
            ["email": Site.address(), "role": "parent"])
        let family = "/family?id=\(home.id)&ask="
        let done = "It’s already done, or it isn’t open to you now."
        for (action, question, advice) in [
            (
                "revoke", try ada.follow("ask=revoke", on: sent),
                "This invitation isn’t pending anymore."
            ),
            (
                "remove", try ada.open(family + "remove&member=\(kim)"),
                "This person isn’t in the family anymore."
            ),
            ("transfer", try ada.open(family + "transfer&member=\(pat)"), done),
        ] {
            try #require(ada.press(action, on: question).notice != nil, "\(action)")
            let again = try ada.open(question.path)
            #expect([403, 404].contains(again.status), "\(action): \(again)")
            #expect(again.heading == "Nothing to do here" && again.says(advice), "\(again)")
            #expect(again.alert == nil, "\(again)")
            #expect(again.links.contains { $0.hasSuffix("family?id=\(home.id)") }, "\(again)")
        }
        let leaving = try ada.open(family + "leave")
        try #require(ada.press("leave", on: leaving).notice != nil)
        let left = try ada.open(leaving.path)
        #expect(left.status == 404 && left.heading == "Nothing to do here", "\(left)")
        #expect(left.alert == nil && left.links.contains("family"), "\(left)")
        #expect(!left.says("Terns"))
    }

    @Test("removing a member asks first and renews the code if requested")
    func removing() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.admin)
        let pat = try home.member(home.adult)
        let manage = try browser.follow("ask=member&member=\(pat)", on: page)
        let question = try browser.follow("ask=remove", on: manage)
        #expect(question.heading == "Remove Pat from the family?")
        let done = try browser.press("remove", on: question, ["rotate": "yes"])
        #expect(
            done.notice
                == "The member was removed. The family has a new code, and the old one no longer "
                + "works.")
        #expect(!done.says("<bdi>Pat</bdi>"))
        #expect(!done.says(home.code))
        #expect(try home.adult.get("/api/family/\(home.id)").status == 404)
        let late = try browser.press(
            "remove", on: question, ["key": String(repeating: "Q", count: 22)])
        #expect(late.status == 404 && late.alert?.contains("isn’t in the family anymore") == true)
    }

    @Test("a removed person may ask to join by the code again, as the question says, and waits")
    func removedAsksAgain() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.admin)
        let pat = try home.member(home.adult)
        let manage = try browser.follow("ask=member&member=\(pat)", on: page)
        let question = try browser.follow("ask=remove", on: manage)
        #expect(question.says("can ask to join again with the code"), "\(question)")
        _ = try browser.press("remove", on: question)
        let asked = try home.adult.post(
            "/api/family/code/join", #"{"familyCode": "\#(home.code)"}"#)
        #expect(asked.status == 202, "\(asked)")
        #expect(try browser.open("/family").says("Waiting for approval"))
    }

    @Test("a guardian leaves only after naming a new guardian, the Parent Admin after a transfer")
    func leaving() throws {
        let home = try site.home()
        let child = try home.child(of: home.adult)
        let (browser, page) = try browser(home.adult)
        let question = try browser.follow("ask=leave", on: page)
        #expect(question.says("name=\"heir\"") && question.says("Ada</option>"))
        let refused = try browser.press("leave", on: question, ["heir": ""])
        #expect(refused.status == 409 && refused.alert?.contains("guardian") == true)
        #expect(refused.heading == question.heading && refused.says("name=\"heir\""))
        let left = try browser.press(
            "leave", on: refused, ["heir": home.member(home.admin)])
        #expect(left.status == 200 && left.heading == "You’re not in a family")
        #expect(left.notice == "You’ve left the family.")
        let taken = try home.admin.get("/api/family/managed/\(child)")
        #expect(String(decoding: taken.body, as: UTF8.self).contains("Ada"))
        let (ada, _) = try self.browser(home.admin)
        _ = try home.joiner()
        let blocked = try ada.open("/family?ask=leave")
        #expect(
            blocked.says("Make another adult the Parent Admin first.") && !blocked.offers("leave"))
    }

    @Test("a guardian whom nobody can replace reads for which children, and what to do")
    func leavingChildren() throws {
        let site = try site
        let kim = try site.person(.player, name: "Kim")
        let created = try site.createFamily(by: kim, named: "Terns")
        let sam = try site.person(.parent, name: "Sam")
        try site.join(sam, code: created.code)
        let child = try site.addManagedMember(named: "Robin", of: sam, to: created.id)
            .replacing("managed_", with: "")
        let (browser, page) = try browser(sam)
        let question = try browser.follow("ask=leave", on: page)
        #expect(question.heading == "Leave Terns?" && !question.offers("leave"), "\(question)")
        #expect(question.says("<a href=\"family/child?id=\(child)\"><bdi>Robin</bdi></a>"))
        #expect(question.says("Only another adult can be a guardian."), "\(question)")
        browser.language = "es"
        let spanish = try browser.open("/family?ask=leave")
        #expect(spanish.says("<bdi>Robin</bdi>") && spanish.says("Solo otra persona adulta"))
    }

    @Test("the page of a refused form is renewed from an address with its family or child")
    func addressOfRefused() throws {
        let site = try site
        let (home, other) = (try site.home("Terns"), try site.home("Gulls"))
        try site.join(other.adult, code: home.code)
        let child = try home.child(of: home.adult).replacing("managed_", with: "")
        let (pat, _) = try browser(home.adult)
        let family = try pat.open("/family?id=\(home.id)")
        #expect(family.says("<main data-live=\"") && !family.says("data-page="))
        let own = try pat.follow("ask=member", on: family)
        let refused = try pat.press("role", on: own, ["role": "parent_admin"])
        #expect(refused.status == 409 && refused.heading == "Terns", "\(refused)")
        #expect(refused.says("data-page=\"family?id=\(home.id)\""), "\(refused)")
        let page = try pat.open("/family/child?id=\(child)")
        let wrong = try pat.press("edit", on: page, ["child_name": ""])
        #expect(wrong.says("data-page=\"../family/child?id=\(child)\""), "\(wrong)")
        let invite = try pat.open("/family/invite?family=\(home.id)")
        let nowhere = try pat.press("send", on: invite, ["role": "parent", "email": "x"])
        #expect(nowhere.says("data-page=\"../family/invite?family=\(home.id)\""), "\(nowhere)")
    }

    @Test("a form that removes or demotes a guardian without a new one shows its question again")
    func guardianWithoutHeir() throws {
        let home = try site.home()
        _ = try home.child(of: home.adult)
        let (browser, _) = try browser(home.admin)
        let (pat, ada) = (try home.member(home.adult), try home.member(home.admin))
        let address = "/family?id=\(home.id)&member=\(pat)&ask="
        let question = try browser.open(address + "remove")
        let refused = try browser.press("remove", on: question, ["heir": ""])
        #expect(refused.status == 409 && refused.heading == question.heading, "\(refused)")
        #expect(refused.alert?.contains("guardian") == true && refused.says("name=\"heir\""))
        #expect(!refused.says("name=\"rotate\" value=\"yes\" checked"), "it was not ticked")
        let member = try browser.open(address + "member")
        let unchanged = try browser.press("role", on: member, ["role": "kid", "heir": ""])
        #expect(unchanged.status == 409 && unchanged.heading == "Pat", "\(unchanged)")
        #expect(unchanged.says("value=\"kid\" required checked") && unchanged.alert != nil)
        #expect(try roles(home)["Pat"] == "adult")
        let changed = try browser.press("role", on: unchanged, ["heir": ada])
        #expect(changed.notice != nil, "\(changed)")
        #expect(try roles(home)["Pat"] == "kid")
    }

    @Test(
        "renewing the code asks first, ends the old code, and takes a number of days within limits")
    func renewing() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.admin)
        let question = try browser.follow("ask=renew", on: page)
        #expect(question.says("When you renew it, the old code stops working at once."))
        for days in ["0", "366", "x", "1.5", "-1"] {
            let refused = try browser.press("renew", on: question, ["days": days])
            #expect(refused.status == 400 && refused.alert != nil, "\(days)")
            #expect(refused.heading == question.heading, "\(days)")
            #expect(refused.says("value=\"\(days)\"") && refused.says("aria-invalid"), "\(days)")
        }
        #expect(try home.admin.get("/api/family/\(home.id)").text("familyCode") == home.code)
        let done = try browser.press("renew", on: question, ["days": "7"])
        #expect(done.notice != nil && !done.says(home.code) && done.says("Valid until"))
        let code = try home.admin.get("/api/family/\(home.id)").text("familyCode")
        _ = try browser.press("renew", on: question, ["days": "7"])
        #expect(try home.admin.get("/api/family/\(home.id)").text("familyCode") == code, "once")
    }

    @Test(
        "the settings page changes name, approval and home location, and shows errors at their fields"
    )
    func settings() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.admin)
        var settings = try browser.follow("family/settings", on: page)
        settings = try browser.press("save", on: settings, ["name": "New <Nest>"])
        #expect(settings.notice == "Saved." && settings.says("New &lt;Nest&gt;"))
        for name in ["", "   ", String(repeating: "x", count: 300)] {
            let wrong = try browser.press("save", on: settings, ["name": name])
            #expect(wrong.status == 400 && wrong.says("aria-invalid"), "\(name)")
        }
        settings = try browser.press("save", on: settings, ["approval": "yes"])
        let family = { try home.admin.get("/api/family/\(home.id)").json }
        #expect("\(try family())".contains("approvalRequired"))
        let wrong = try browser.press(
            "save", on: settings, ["homeLatitude": "91", "homeLongitude": "8,5"])
        #expect(wrong.status == 400 && wrong.says("value=\"91\"") && wrong.says("value=\"8,5\""))
        settings = try browser.press(
            "save", on: settings, ["homeLatitude": "47.4", "homeLongitude": "8,5"])
        #expect(settings.says("value=\"47.4\"") && settings.says("value=\"8.5\""))
        let half = try browser.press("save", on: settings, ["homeLatitude": ""])
        #expect(half.status == 400 && half.alert?.hasPrefix("The latitude") == true, "\(half)")
        settings = try browser.press(
            "save", on: settings, ["homeLatitude": "", "homeLongitude": " "])
        #expect(settings.notice == "Saved." && !settings.says("value=\"47.4\""))
        let (pat, _) = try self.browser(home.adult)
        let refused = try pat.open("/family/settings")
        #expect(refused.status == 403 && refused.heading == "Nothing to do here")
    }

    @Test("the settings are saved by one button, kept if refused, and leave others' changes")
    func settingsTogether() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.admin)
        let settings = try browser.follow("family/settings", on: page)
        #expect(settings.text.matches(of: /<button type="submit"/).count == 1, "\(settings)")
        let refused = try browser.press(
            "save", on: settings, ["name": "Nest", "approval": "yes", "homeLatitude": "north"])
        #expect(refused.status == 400 && refused.says("value=\"Nest\""), "\(refused)")
        #expect(refused.says("value=\"yes\" required checked"), "\(refused)")
        #expect(try home.admin.get("/api/family/\(home.id)").text("familyName") == "Gulls")
        let saved = try browser.press("save", on: refused, ["homeLatitude": ""])
        #expect(saved.notice == "Saved." && saved.says("value=\"Nest\""), "\(saved)")
        #expect(saved.says("value=\"yes\" required checked"), "\(saved)")
        let other = try home.admin.patch(
            "/api/family/\(home.id)", #"{"familyName": "Roost", "approvalRequired": false}"#)
        try #require(other.status == 200, "\(other)")
        let late = try browser.press(
            "save", on: saved, ["homeLatitude": "47.4", "homeLongitude": "8.5"])
        #expect(late.says("value=\"Roost\"") && late.says("value=\"47.4\""), "\(late)")
        #expect(late.says("value=\"no\" required checked"), "what the form left as it was stays")
        browser.language = "es"
        let spanish = try browser.press("save", on: late, ["name": "Nido"])
        #expect(spanish.notice == "Guardado." && spanish.says("value=\"Nido\""), "\(spanish)")
    }

    @Test("the settings say that nothing was changed if the form is sent as it was shown")
    func unchangedSettings() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.admin)
        let settings = try browser.follow("family/settings", on: page)
        let saved = try browser.press("save", on: settings, ["approval": "yes"])
        #expect(saved.notice == "Saved.", "\(saved)")
        let same = try browser.press("save", on: saved)
        #expect(same.notice == "Nothing was changed.", "\(same)")
        browser.language = "es"
        let spanish = try browser.press("save", on: same)
        #expect(spanish.notice == "No se ha cambiado nada.", "\(spanish)")
        let again = try browser.press("save", on: settings, ["approval": "yes"])
        #expect(again.notice == "Guardado.", "the form that was sent twice has changed something")
    }

    @Test("a refused form with one coordinate of a home keeps the other that it was sent with")
    func refusedHome() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.admin)
        var settings = try browser.follow("family/settings", on: page)
        settings = try browser.press(
            "save", on: settings, ["homeLatitude": "47.4", "homeLongitude": "8.5"])
        let other = try home.admin.patch(
            "/api/family/\(home.id)", #"{"homeLatitude": -33.5, "homeLongitude": 151.25}"#)
        try #require(other.status == 200, "\(other)")
        let refused = try browser.press(
            "save", on: settings, ["name": " ", "homeLatitude": "46.5"])
        #expect(refused.status == 400 && refused.says("value=\"46.5\""), "\(refused)")
        let fields = try refused.form(withAction: "save").fields
        #expect(fields["homeLongitude"] == "8.5" && fields["was_homeLongitude"] == "151.25")
        let untouched = try browser.press("save", on: settings, ["name": " "])
        let stored = try untouched.form(withAction: "save").fields
        #expect(stored["homeLatitude"] == "-33.5" && stored["homeLongitude"] == "151.25")
    }

    @Test("a form without a valid choice leaves the approval setting unchanged")
    func approval() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.admin)
        var settings = try browser.follow("family/settings", on: page)
        settings = try browser.press("save", on: settings, ["approval": "yes"])
        let chosen = try settings.form(withAction: "save").fields
        var forms = ["", "maybe", "YES"].map { value in chosen.merging(["approval": value]) { $1 } }
        forms.append(chosen.filter { $0.key != "approval" })
        for form in forms {
            let refused = try browser.post("/family/settings", form)
            #expect(refused.status == 400, "\(form)")
            #expect(refused.alert?.contains("Choose one of the two.") == true, "\(form)")
        }
        let family = try home.admin.get("/api/family/\(home.id)").json
        #expect(try family["approvalRequired"].bool())
    }

    @Test("an unknown new guardian or an invalid checkbox value changes nothing")
    func tampered() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.admin)
        let pat = try home.member(home.adult)
        let manage = try browser.follow("ask=member&member=\(pat)", on: page)
        let role = try browser.press("role", on: manage, ["role": "kid", "heir": "nobody"])
        #expect(role.status == 404 && role.alert != nil)
        #expect(try roles(home)["Pat"] == "adult")
        let question = try browser.follow("ask=remove", on: manage)
        for (values, status) in [(["rotate": "maybe"], 400), (["heir": "nobody"], 404)] {
            let refused = try browser.press("remove", on: question, values)
            #expect(refused.status == status && refused.alert != nil, "\(values)")
        }
        #expect(try roles(home)["Pat"] == "adult")
    }

    // MARK: Who sends a form

    @Test("a form of another session, from another site or without a key has no effect")
    func forged() throws {
        let home = try site.home()
        let (ada, page) = try browser(home.admin)
        let (pat, theirs) = try browser(home.adult)
        let question = try ada.follow("ask=renew", on: page)
        var form = try question.form(withAction: "renew").fields
        #expect(try pat.post("/family", form).status == 403)
        form["form_token"] = try pat.follow("ask=leave", on: theirs).form(withAction: "leave")
            .fields["form_token"]
        #expect(try pat.post("/family", form).status == 403, "Pat may not renew the code")
        ada.formHeaders = ["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"]
        #expect(try ada.press("renew", on: question).status == 403)
        ada.formHeaders = ["Sec-Fetch-Site": "same-origin", "Origin": "null"]
        for key in ["", "x", String(repeating: "A", count: 300)] {
            #expect(try ada.press("renew", on: question, ["key": key]).status == 400, "\(key)")
        }
        for family in ["", "x", "\u{0}"] {
            let refused = try ada.press("renew", on: question, ["family": family])
            #expect([400, 403, 404].contains(refused.status), "\(family)")
        }
        #expect(try home.admin.get("/api/family/\(home.id)").text("familyCode") == home.code)
    }

    @Test("a form sent after its session has ended leads back to the page that it was sent from")
    func formOfEndedSession() throws {
        let site = try Site(trustsLocalProxy: true)
        let home = try site.home()
        let child = try home.child(of: home.admin).replacing("managed_", with: "")
        let (pat, invitation) = (try home.member(home.adult), try home.invite(Site.address()))
        let browser = PageBrowser(site)
        try browser.enter(as: home.admin)
        let forms: [(action: String, path: String, values: [String: String])] = [
            ("remove", "/family?id=\(home.id)&ask=remove&member=\(pat)", [:]),
            ("role", "/family?id=\(home.id)&ask=member&member=\(pat)", ["role": "kid"]),
            ("renew", "/family?id=\(home.id)&ask=renew", [:]),
            (
                "revoke", "/family/invite?family=\(home.id)&ask=revoke&invitation=\(invitation)",
                [:]
            ),
            ("link", "/family/invite?family=\(home.id)", ["role": "parent"]),
            ("save", "/family/settings?family=\(home.id)", ["name": "Nest"]),
            ("edit", "/family/child?id=\(child)", ["child_name": "Wren"]),
            ("grow", "/family/child?id=\(child)&ask=grow", [:]),
            ("preferences", "/family/child?id=\(child)&ask=preferences", [:]),
            ("add", "/family/child?family=\(home.id)", ["child_name": "Wren"]),
        ]
        let pages = try forms.map { try browser.open($0.path) }
        try site.execute("UPDATE app.sessions SET ended_at = now(), end_reason = 'revoked'")
        let cookies = browser.cookies
        for (form, page) in zip(forms, pages) {
            browser.cookies = cookies
            let sent = try browser.pressOnly(form.action, on: page, form.values)
            let path = [("?", "%3F"), ("&", "%26"), ("=", "%3D")].reduce(form.path) {
                $0.replacing($1.0, with: $1.1)
            }
            let root = form.path.hasPrefix("/family/") ? "../" : ""
            #expect(
                sent.header("Location") == "\(root)sign-in?return=\(path)&ended",
                "\(form.action): \(sent)")
        }
    }

    @Test(
        "a person who has lost the right since opening the page gets a message and the current page"
    )
    func lost() throws {
        let home = try site.home()
        let (browser, page) = try browser(home.player)
        let question = try browser.follow("ask=renew", on: page)
        try home.set(home.player, to: .visitor)
        let refused = try browser.press("renew", on: question)
        #expect(refused.status == 403 && refused.alert == "Visitors can only look.")
        #expect(refused.heading == "Gulls" && !refused.says(home.code))
        let removed = try home.admin.delete("/api/family/members/\(home.member(home.player))")
        try #require(removed.status == 200)
        let gone = try browser.press(
            "renew", on: question, ["key": String(repeating: "Q", count: 22)])
        #expect(gone.status == 404 && gone.alert == nil, "\(gone)")
        #expect(gone.heading == "You’re not in that family" && !gone.offers("create"))
    }

    @Test("a removed person who opens the family's page again gets a calm page that says so")
    func removedOpens() throws {
        let home = try site.home()
        let (browser, _) = try browser(home.player)
        let removed = try home.admin.delete("/api/family/members/\(home.member(home.player))")
        try #require(removed.status == 200)
        let page = try browser.open("/family?id=\(home.id)")
        #expect(page.status == 404 && page.heading == "You’re not in that family", "\(page)")
        #expect(page.alert == nil && page.says("someone removed you"), "\(page)")
        #expect(!page.says("Press the button") && page.links.contains("family/new"), "\(page)")
        browser.language = "es"
        let spanish = try browser.open("/family?id=\(home.id)")
        #expect(spanish.heading == "No formas parte de esa familia" && spanish.alert == nil)
        #expect(try browser.open("/family").heading == "No formas parte de ninguna familia")
    }
}
