import Domain
import Foundation
import Postgres
import TestSupport
import Testing
import UseCases

@Suite("The page of a child")
struct ChildPageTests {
    static let shared = Result { try Site(trustsLocalProxy: true) }
    private var site: Site { get throws { try Self.shared.get() } }

    private func browser(_ person: APIClient) throws -> PageBrowser {
        let browser = PageBrowser(person.site)
        try browser.enter(as: person)
        return browser
    }

    private func id(_ child: String) -> String { child.replacing("managed_", with: "") }

    @Test("a child is added once, renamed, and removed after a question")
    func life() throws {
        let home = try site.home()
        let browser = try browser(home.adult)
        let page = try browser.follow("family/child", on: browser.open("/family"))
        #expect(page.heading == "Add a child")
        let empty = try browser.press("add", on: page, ["child_name": ""])
        #expect(empty.status == 400 && empty.says("aria-invalid"))
        // The field takes no more than a name may have.
        let most = DisplayName.allowedLengths.upperBound
        #expect(page.says(" maxlength=\"\(most)\""))
        let tooLong = try browser.press(
            "add", on: page, ["child_name": String(repeating: "x", count: most + 1)])
        #expect(tooLong.status == 400 && tooLong.says("of at most \(most) characters"))
        var child = try browser.press("add", on: page, ["child_name": "Robin"])
        #expect(child.heading == "Robin" && child.notice == "The child was added.")
        #expect(child.says("<bdi>Pat</bdi>") && child.says(">Primary</span>"))
        _ = try browser.press("add", on: page, ["child_name": "Robin"])
        let family = try browser.open("/family")
        #expect(family.text.matches(of: /<bdi>Robin<\/bdi>/).count == 1)
        #expect(family.says("Guardian: <bdi>Pat</bdi>") && family.says(">Child</span>"))
        child = try browser.press("edit", on: child, ["child_name": "Wren", "avatar": "fox"])
        #expect(child.heading == "Wren")
        #expect(child.says("<option value=\"fox\" selected>Fox</option>"), "\(child)")
        #expect(child.text.contains(/class="avatar hue-\d" aria-hidden="true"><svg/), "\(child)")
        #expect(child.says("The primary guardian can also remove other guardians"))
        let preferences = try browser.follow("ask=preferences", on: child)
        #expect(preferences.says("Add one</summary>"), "\(preferences)")
        #expect(preferences.says("Back to <bdi>Wren</bdi>"))
        let long = String(repeating: "x", count: 65)
        let wrong = try browser.press("edit", on: child, ["child_name": "Owl", "avatar": long])
        #expect(wrong.status == 400 && wrong.alert != nil && wrong.heading == "Wren")
        #expect(wrong.says("value=\"Owl\"") && !wrong.says(long))
        #expect(wrong.says("<option value=\"fox\" selected>"), "\(wrong)")
        let picture = try #require(wrong.text.firstRange(of: "id=\"avatar\""))
        let section = try #require(wrong.text.firstRange(of: "id=\"edit\""))
        let alert = try #require(wrong.text.firstRange(of: "role=\"alert\""))
        #expect(section.lowerBound < alert.lowerBound && alert.lowerBound < picture.lowerBound)
        let question = try browser.follow("ask=remove", on: child)
        #expect(question.heading == "Remove Wren from the family?")
        let removed = try browser.press("remove", on: question)
        #expect(removed.notice == "The child was removed." && !removed.says("Wren"))
        for past in [question, child] {
            let again = try browser.open(past.path)
            #expect(again.status == 404 && again.alert == nil, "\(again)")
            #expect(again.says("This person isn’t in the family anymore."), "\(again)")
            #expect(again.links.contains("../family"), "\(again)")
        }
    }

    @Test("guardians are added, made primary and removed; the last one stays")
    func guardians() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let browser = try browser(home.adult)
        let ada = try home.member(home.admin)
        var page = try browser.open("/family/child?id=\(child)")
        #expect(!page.asks("decline"), "the only guardian stays")
        page = try browser.press("add-guardian", on: page, ["guardian": ada])
        #expect(page.notice == "The guardian was added." && page.asks("decline"))
        page = try browser.press("promote", on: page)
        #expect(page.notice != nil && !page.offers("promote"))
        page = try browser.press("decline", on: browser.follow("ask=decline", on: page))
        #expect(page.notice == "You stopped being a guardian of this child.")
        let refused = try browser.open("/family/child?id=\(child)")
        #expect(!refused.offers("edit") && !refused.asks("grow"))
    }

    @Test("a graduation asks for confirmation and shows its link only to the session that began it")
    func growing() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let browser = try browser(home.adult)
        let question = try browser.follow(
            "ask=grow", on: browser.open("/family/child?id=\(child)"))
        #expect(question.heading == "Invite Robin to have their own account?")
        let back = try browser.follow("family/child?id=\(child)", on: question)
        #expect(question.says("No, go back") && back.heading == "Robin", "\(back)")
        let wrong = try browser.press("grow", on: question, ["email": "nobody"])
        #expect(wrong.status == 400 && wrong.heading == question.heading && wrong.alert != nil)
        #expect(wrong.says("value=\"nobody\"") && wrong.says("aria-invalid"))
        let sideless = try question.form(withAction: "grow").fields.filter { $0.key != "role" }
        #expect(try browser.post("/family/child", sideless).status == 400)
        let begun = try browser.press("grow", on: question)
        #expect(begun.notice != nil && begun.says("class=\"shared-link\">https://family.test/join"))
        #expect(begun.says("An invitation is pending:"))
        let invitations = try browser.follow("family/invite", on: begun)
        #expect(invitations.says("<bdi>Robin</bdi> gets their own account"))
    }

    @Test("consents are shown, given, and withdrawn after a question")
    func consents() throws {
        let purposes = try ConsentPurposes(
            parsing: Array(
                """
                [{"purpose": "data", "version": "1", "required": true,
                  "title": {"en": "Store data", "es": "Guardar datos"},
                  "text": {"en": "Read this.", "es": "Lee esto."}}]
                """.utf8))
        let site = try Site(consents: purposes, trustsLocalProxy: true)
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let browser = try browser(home.adult)
        var page = try browser.open("/family/child?id=\(child)")
        #expect(page.says("Store data") && page.says("Read this.") && page.says("Not given"))
        page = try browser.press("consent", on: page)
        #expect(page.notice == "You gave your consent." && page.says("Given on"))
        let question = try browser.follow("ask=withdraw", on: page)
        #expect(question.says("This consent is required"))
        page = try browser.press("withdraw", on: question)
        #expect(page.says("Not given"))
    }

    @Test("preferences of a child without a required consent are shown, but can't be changed")
    func preferencesWithoutConsent() throws {
        let purposes = try ConsentPurposes(
            parsing: Array(
                """
                [{"purpose": "data", "version": "1", "required": true, "title": "Store data",
                  "text": "Read this."}]
                """.utf8))
        let site = try Site(consents: purposes, trustsLocalProxy: true)
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let browser = try browser(home.adult)
        let path = "/family/child?id=\(child)&ask=preferences"
        #expect(try !browser.open(path).offers("preferences"))
        let given = try browser.press("consent", on: browser.open("/family/child?id=\(child)"))
        try #require(given.notice == "You gave your consent.")
        let form = try browser.open(path)
        #expect(form.offers("preferences") && !form.says("required consents"))
        _ = try browser.press(
            "preferences", on: form, ["new_name": "snack", "new_value": "plums"])
        let question = try browser.follow(
            "ask=withdraw", on: browser.open("/family/child?id=\(child)"))
        _ = try browser.press("withdraw", on: question)
        let shown = try browser.open(path)
        #expect(shown.status == 200 && !shown.offers("preferences"))
        #expect(shown.says("<bdi>snack</bdi>") && shown.says("<bdi>plums</bdi>"))
        #expect(shown.says("Give the required consents first"))
        #expect(shown.links.contains { $0.hasSuffix("#consents") })
        // A form that was opened before the consent ended is refused, with the reason.
        let late = ["new_name": "a", "new_value": "b"]
        let refused = try browser.press("preferences", on: form, late)
        #expect(refused.status == 403 && refused.alert != nil, "\(refused)")
    }

    @Test("a required consent to an earlier text can be withdrawn without giving another one")
    func outdatedConsent() throws {
        let purposes = try ConsentPurposes(
            parsing: Array(
                """
                [{"purpose": "data", "version": "2", "required": true, "title": "Store data",
                  "text": "Read this."}]
                """.utf8))
        let site = try Site(consents: purposes, trustsLocalProxy: true)
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let browser = try browser(home.adult)
        let given = try browser.press("consent", on: browser.open("/family/child?id=\(child)"))
        try #require(given.notice == "You gave your consent.")
        try site.execute("UPDATE app.consents SET version = '1'")
        let outdated = try browser.open("/family/child?id=\(child)")
        #expect(outdated.says("changed since you agreed") && outdated.offers("consent"))
        let question = try browser.follow("ask=withdraw", on: outdated)
        let done = try browser.press("withdraw", on: question)
        #expect(done.notice == "You withdrew your consent." && done.says("Not given"), "\(done)")
    }

    @Test("an e-mailed code proves a consent, and a wrong code shows the form again")
    func consentByCode() throws {
        let purposes = try ConsentPurposes(
            parsing: Array(
                """
                [{"purpose": "data", "version": "1", "title": "Store data", "text": "Read this."}]
                """.utf8))
        let site = try Site(consents: purposes, trustsLocalProxy: true)
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let browser = try browser(home.adult)
        let page = try browser.open("/family/child?id=\(child)")
        let question = try browser.press("consent-code", on: page)
        #expect(question.heading == "Store data" && question.says("We emailed you a code"))
        let resent = try browser.press("consent-code", on: question)
        #expect(resent.heading == "Store data" && resent.says("We emailed you a new code."))
        let replay = try browser.press("consent-code", on: question)
        #expect(replay.heading == "Store data" && !replay.says("a new code."), "nothing was sent")
        let code = try Site.keys().consentCodes.code(
            for: .init(
                guardian: home.adult.id, child: try #require(UserID(child)), purpose: "data",
                version: "1", generation: 0),
            at: home.adult.email, secondsSince1970: Int64(Date().timeIntervalSince1970))
        let wrong = code == "000000" ? "000001" : "000000"
        let again = try browser.press("consent", on: resent, ["code": wrong])
        #expect(again.status >= 400 && again.heading == "Store data" && again.alert != nil)
        let short = try browser.press("consent", on: resent, ["code": "12"])
        #expect(short.status == 400 && short.heading == "Store data")
        #expect(short.alert?.contains("six digits") == true, "\(short)")
        let given = try browser.press("consent", on: again, ["code": code])
        #expect(given.notice == "You gave your consent." && given.says("Given on"), "\(given)")
        let consent = try home.adult.get("/api/family/managed/\(child)/consents/data")
        #expect(try consent.json["method"].string() == "email_code")
    }

    /// Returns the name of the field that contains a preference.
    private func field(of preference: String, on page: BrowserPage) throws -> String {
        let shown = try page.form(withAction: "preferences").fields
        let name = try #require(
            shown.first { $0.key.hasPrefix("name") && $0.value == preference }?.key)
        return "value" + name.dropFirst(4)
    }

    @Test("the form changes preferences according to their types and leaves others unchanged")
    func preferences() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        let stored = try home.adult.put(
            path,
            #"{"genres": ["drama", "space"], "age": 9, "late": false, "note": "x", "deep": {"a": 1}}"#
        )
        try #require(stored.status == 200)
        let browser = try browser(home.adult)
        let page = try browser.follow(
            "ask=preferences", on: browser.open("/family/child?id=\(child)"))
        #expect(page.heading == "Preferences" && page.says("value=\"drama, space\""))
        #expect(page.says("stays as it is: <bdi>deep</bdi>"))
        func field(_ name: String) throws -> String { try self.field(of: name, on: page) }
        let wrong = try browser.press("preferences", on: page, [field("age"): "old"])
        #expect(wrong.status == 400 && wrong.alert?.contains("where there was a number") == true)
        // Meanwhile another person changes another preference.
        let other = try home.adult.put(
            path,
            #"{"genres": ["drama", "space"], "age": 9, "late": true, "note": "x", "deep": {"a": 1}}"#
        )
        try #require(other.status == 200)
        let values = try [
            field("genres"): "drama, jazz", field("age"): "10", field("note"): "",
            field("late"): "false", "new_name": "snack", "new_value": "plums",
        ]
        for _ in 0..<2 {
            let done = try browser.press("preferences", on: page, values)
            #expect(done.notice == "Saved.", "\(done)")
        }
        let now = try home.adult.get(path).json["preferences"]
        #expect(try now["genres"].elements().map { try $0.string() } == ["drama", "jazz"])
        #expect(try now["age"].integer() == 10 && now["late"].bool())
        #expect(try now["note"].ifPresent == nil && now["snack"].string() == "plums")
        #expect(try now["deep"]["a"].integer() == 1)
        let kim = try self.browser(home.player)
        let refused = try kim.open("/family/child?id=\(child)&ask=preferences")
        #expect(refused.status == 403 && !refused.says("plums"))
    }

    @Test("a change of another preference while a form is being saved is kept")
    func overtakenPreferences() throws {
        let site = try Site(trustsLocalProxy: true)
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        try #require(home.adult.put(path, #"{"age": 9, "note": "x"}"#).status == 200)
        let browser = try browser(home.adult)
        let page = try browser.follow(
            "ask=preferences", on: browser.open("/family/child?id=\(child)"))
        let fields = try page.form(withAction: "preferences").fields
            .merging([field(of: "age", on: page): "10"]) { $1 }
        let (keeper, observer) = (
            try Connection(site.test.settings()), try Connection(site.test.settings())
        )
        // The form claims its idempotency key after it has read the preferences.
        try keeper.execute(
            script: "BEGIN; LOCK TABLE app.idempotency_keys IN ACCESS EXCLUSIVE MODE")
        let (cookies, address) = (browser.cookies, browser.address)
        let saved = inBackground {
            let same = PageBrowser(site, address: address)
            same.cookies = cookies
            return try same.post("/family/child", fields).status
        }
        try eventually {
            try observer.query(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """
            ).scalar(Int.self) == 1
        }
        try #require(home.adult.put(path, #"{"age": 9, "note": "y"}"#).status == 200)
        try keeper.execute(script: "ROLLBACK")
        #expect(try saved.wait() == 303)
        let now = try home.adult.get(path).json["preferences"]
        #expect(try now["age"].integer() == 10 && now["note"].string() == "y")
    }

    @Test("a form of a child says if nothing was changed, and keeps what others have changed")
    func unchangedChild() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        try #require(home.adult.put(path, #"{"age": 9}"#).status == 200)
        let browser = try browser(home.adult)
        let page = try browser.open("/family/child?id=\(child)")
        let same = try browser.press("edit", on: page)
        #expect(same.notice == "Nothing was changed." && same.heading == "Robin", "\(same)")
        let renamed = try home.adult.patch(
            "/api/family/managed/managed_\(child)", #"{"displayName": "Wren"}"#)
        try #require(renamed.status == 200, "\(renamed)")
        let refused = try browser.press("edit", on: page, ["avatar": "unicorn"])
        #expect(refused.status == 400, "\(refused)")
        #expect(try refused.form(withAction: "edit").fields["child_name"] == "Wren")
        let pictured = try browser.press("edit", on: page, ["avatar": "fox"])
        #expect(pictured.notice == "Saved." && pictured.heading == "Wren", "\(pictured)")
        #expect(pictured.says("<option value=\"fox\" selected>"), "\(pictured)")
        let nameless = try browser.press("edit", on: page, ["child_name": " "])
        #expect(nameless.status == 400 && nameless.says("<option value=\"fox\" selected>"))

        let preferences = try browser.follow("ask=preferences", on: page)
        let kept = try browser.press("preferences", on: preferences)
        #expect(kept.notice == "Nothing was changed.", "\(kept)")
        let values = try [field(of: "age", on: preferences): "10"]
        for _ in 0..<2 {
            let done = try browser.press("preferences", on: preferences, values)
            #expect(done.notice == "Saved.", "\(done)")
        }
    }

    @Test("a form of preferences that is sent again does not undo a later change")
    func repeatedPreferences() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        try #require(home.adult.put(path, #"{"age": 9, "note": "x"}"#).status == 200)
        let browser = try browser(home.adult)
        let page = try browser.follow(
            "ask=preferences", on: browser.open("/family/child?id=\(child)"))
        let values = try [field(of: "age", on: page): "10"]
        #expect(try browser.press("preferences", on: page, values).notice == "Saved.")
        try #require(home.adult.put(path, #"{"age": 11, "note": "y"}"#).status == 200)
        #expect(try browser.press("preferences", on: page, values).notice == "Saved.")
        let now = try home.adult.get(path).json["preferences"]
        #expect(try now["age"].integer() == 11 && now["note"].string() == "y")
    }

    @Test("a refused form of preferences keeps the typed text, and marks the wrong field only")
    func typedPreferences() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        try #require(
            home.adult.put(path, #"{"age": 9, "note": "x", "sport": "chess"}"#).status == 200)
        let browser = try browser(home.adult)
        let page = try browser.follow(
            "ask=preferences", on: browser.open("/family/child?id=\(child)"))
        // Meanwhile another person adds a preference, which is shown first, and changes one.
        let other = try home.adult.put(
            path, #"{"a": "first", "age": 9, "note": "x", "sport": "judo"}"#)
        try #require(other.status == 200)
        let wrong = try browser.press(
            "preferences", on: page,
            [
                field(of: "age", on: page): "old", field(of: "note", on: page): "typed",
                "new_name": "snack", "new_value": "plums",
            ])
        #expect(wrong.status == 400 && wrong.heading == "Preferences")
        let shown = try wrong.form(withAction: "preferences").fields
        #expect(try shown[field(of: "age", on: wrong)] == "old")
        #expect(try shown[field(of: "note", on: wrong)] == "typed")
        #expect(try shown[field(of: "sport", on: wrong)] == "judo")
        #expect(shown["new_name"] == "snack" && shown["new_value"] == "plums")
        #expect(wrong.says("<details open>"))
        #expect(wrong.text.matches(of: /aria-invalid/).count == 1)
        let age = try field(of: "age", on: wrong)
        let marked = try Regex("name=\"\(age)\"[^>]*aria-invalid")
        #expect(wrong.text.contains(marked))
        #expect(try browser.press("preferences", on: wrong, [age: "10"]).notice == "Saved.")
        let now = try home.adult.get(path).json["preferences"]
        #expect(try now["age"].integer() == 10 && now["note"].string() == "typed")
        #expect(try now["sport"].string() == "judo" && now["snack"].string() == "plums")
    }

    @Test("a refused form of preferences keeps text whose preference was removed or replaced")
    func typedOrphans() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        try #require(
            home.adult.put(path, #"{"gone": "a", "deep": "b", "late": "c", "kept": "d"}"#).status
                == 200)
        let browser = try browser(home.adult)
        let page = try browser.follow(
            "ask=preferences", on: browser.open("/family/child?id=\(child)"))
        try #require(
            home.adult.put(path, #"{"deep": {"a": 1}, "late": true, "kept": "d"}"#).status == 200)
        let typed = try [
            field(of: "gone", on: page): "typed one", field(of: "deep", on: page): "typed two",
            field(of: "late", on: page): "soon", field(of: "kept", on: page): "e",
        ]
        let refused = try browser.press("preferences", on: page, typed)
        #expect(refused.status == 400 && refused.heading == "Preferences", "\(refused)")
        #expect(refused.alert?.contains("that this page can’t change") == true, "\(refused)")
        let shown = try refused.form(withAction: "preferences").fields
        #expect(try shown[field(of: "gone", on: refused)] == "typed one")
        #expect(try shown[field(of: "deep", on: refused)] == "typed two")
        #expect(refused.says("<option value=\"soon\" selected>soon</option>"))
        #expect(!refused.says("stays as it is"), "the field names the preference")
        var now = try home.adult.get(path).json["preferences"]
        #expect(try now["deep"]["a"].integer() == 1 && now["kept"].string() == "d")
        let cleared = try [
            field(of: "deep", on: refused): "", field(of: "late", on: refused): "false",
        ]
        let done = try browser.press("preferences", on: refused, cleared)
        #expect(done.notice == "Saved.", "\(done)")
        now = try home.adult.get(path).json["preferences"]
        #expect(try now["deep"]["a"].integer() == 1 && now["gone"].string() == "typed one")
        #expect(try !now["late"].bool() && now["kept"].string() == "e")
    }

    @Test("a new preference needs a name that isn't taken and a value, and its text is kept")
    func newPreference() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        try #require(home.adult.put(path, #"{"snack": "plums"}"#).status == 200)
        let browser = try browser(home.adult)
        let page = try browser.follow(
            "ask=preferences", on: browser.open("/family/child?id=\(child)"))
        for (name, value) in [("snack", "pears"), ("", "pears"), ("drink", " ")] {
            let refused = try browser.press(
                "preferences", on: page, ["new_name": name, "new_value": value])
            #expect(refused.status == 400 && refused.heading == "Preferences", "\(refused)")
            #expect(refused.alert?.contains("a name that isn’t taken yet") == true)
            #expect(refused.text.matches(of: /aria-invalid/).count == 1, "\(name)=\(value)")
            let shown = try refused.form(withAction: "preferences").fields
            #expect(shown["new_name"] == name && shown["new_value"] == value)
        }
        let now = try home.adult.get(path).json["preferences"].object()
        #expect(now.members.map(\.name) == ["snack"])
    }

    @Test("a preference whose name has a line break has no field, and stays as it is")
    func multilineName() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        try #require(home.adult.put(path, #"{"a\nb": "x", "note": "y"}"#).status == 200)
        let browser = try browser(home.adult)
        let page = try browser.follow(
            "ask=preferences", on: browser.open("/family/child?id=\(child)"))
        #expect(page.says("stays as it is: <bdi>a\nb</bdi>"), "\(page)")
        let done = try browser.press("preferences", on: page, [field(of: "note", on: page): "z"])
        #expect(done.notice == "Saved.", "\(done)")
        let now = try home.adult.get(path).json["preferences"].object()
        #expect(now.members.map(\.name).sorted() == ["a\nb", "note"])
    }

    @Test("two preferences whose names differ only in normalization are changed separately")
    func equivalentNames() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        let names = ["caf\u{e9}", "cafe\u{301}"]
        try #require(
            home.adult.put(path, "{\"\(names[0])\": \"a\", \"\(names[1])\": \"b\"}").status
                == 200)
        let browser = try browser(home.adult)
        for (name, text) in zip(names, ["x", "y"]) {
            let page = try browser.open("/family/child?id=\(child)&ask=preferences")
            let shown = try page.form(withAction: "preferences").fields
            let key = try #require(
                shown.first {
                    $0.key.hasPrefix("name") && $0.value.utf8.elementsEqual(name.utf8)
                }?.key)
            let field: String = "value" + key.dropFirst(4)
            #expect(try browser.press("preferences", on: page, [field: text]).notice == "Saved.")
        }
        let now = try home.adult.get(path).json["preferences"]
        #expect(try now[names[0]].string() == "x" && now[names[1]].string() == "y")
    }

    @Test("a form with the most preferences is saved")
    func mostPreferences() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        let members = (10..<50).map { #""p\#($0)": "x""# }.joined(separator: ", ")
        try #require(home.adult.put(path, "{\(members)}").status == 200)
        let browser = try browser(home.adult)
        let page = try browser.follow(
            "ask=preferences", on: browser.open("/family/child?id=\(child)"))
        let saved = try browser.press("preferences", on: page, [field(of: "p49", on: page): "y"])
        #expect(saved.notice == "Saved.", "\(saved)")
        let now = try home.adult.get(path).json["preferences"]
        #expect(try now["p49"].string() == "y" && now["p10"].string() == "x")
    }

    @Test("a preference of any type is removed when its field is cleared")
    func clearedPreferences() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let path = "/groups/\(home.id)/preferences?member_id=\(child)"
        let stored = try home.adult.put(
            path, #"{"genres": ["drama"], "age": 9, "late": false, "note": "x", "kept": "y"}"#)
        try #require(stored.status == 200)
        let browser = try browser(home.adult)
        let page = try browser.follow(
            "ask=preferences", on: browser.open("/family/child?id=\(child)"))
        let done = try browser.press(
            "preferences", on: page,
            [
                field(of: "genres", on: page): "", field(of: "age", on: page): " ",
                field(of: "late", on: page): "", field(of: "note", on: page): "",
            ])
        #expect(done.notice == "Saved.", "\(done)")
        // A missing preference, unlike one that is null, has no name.
        let now = try home.adult.get(path).json["preferences"].object()
        #expect(now.members.map(\.name) == ["kept"])
    }

    @Test("a child of another family, a member with an account and a wrong id are not found")
    func foreign() throws {
        let (home, other) = (try site.home(), try site.home())
        let browser = try browser(home.adult)
        for id in [
            try id(other.child(of: other.adult)), try other.member(other.admin), "x", "",
        ] {
            let page = try browser.open("/family/child?id=\(id)")
            #expect(page.status == 404 && page.heading == "Nothing to do here", "\(id)")
            #expect(page.says("This person isn’t in the family anymore."), "\(id)")
        }
    }

    @Test("the former page of a child with an account says so to the family, and to nobody else")
    func grownUp() throws {
        let home = try site.home("Terns")
        let child = try id(home.child(of: home.adult))
        let pat = try browser(home.adult)
        let form = try pat.open("/family/child?id=\(child)")
        let email = Site.address()
        let begun = try pat.press(
            "grow", on: pat.follow("ask=grow", on: form), ["email": email])
        try #require(begun.notice != nil, "\(begun)")
        let graduate = try site.person(.player, name: nil, email: email)
        let invitations = try graduate.get("/api/me/invitations").json["invitations"].elements()
        let invitation = try #require(invitations.first)["id"].string()
        let accepted = try graduate.post("/api/me/invitations/\(invitation)/accept")
        try #require(accepted.status == 200, "\(accepted)")
        var pages = [try pat.open("/family/child?id=\(child)")]
        pages.append(try pat.press("edit", on: form, ["child_name": "Wren"]))
        pages.append(try browser(home.player).open("/family/child?id=\(child)&ask=remove"))
        for page in pages {
            #expect(page.status == 404 && page.heading == "Robin has their own account", "\(page)")
            #expect(page.alert == nil && page.says("They manage it themselves now."))
            #expect(page.links.contains { $0.hasSuffix("family?id=\(home.id)") }, "\(page)")
        }
        let foreign = try browser(site.home().adult).open("/family/child?id=\(child)")
        #expect(foreign.status == 404 && !foreign.says("Robin"))
        #expect(foreign.heading == "Nothing to do here")
    }

    @Test("only adults add children, and only guardians change them")
    func standing() throws {
        let home = try site.home()
        let child = try id(home.child(of: home.adult))
        let kim = try browser(home.player)
        #expect(try kim.open("/family/child").status == 403)
        let seen = try kim.open("/family/child?id=\(child)")
        #expect(seen.status == 200 && !seen.offers("edit") && !seen.asks("remove"))
        let pat = try browser(home.adult)
        let edit = try pat.open("/family/child?id=\(child)").form(withAction: "edit").fields
        var forged = edit
        forged["action"] = "edit"
        forged["form_token"] = try kim.open("/account").form(withAction: "sign-out")
            .fields["form_token"]
        forged["child_name"] = "Mallory"
        let refused = try kim.post("/family/child", forged)
        #expect(refused.status == 403 && !refused.says("<h1><bdi>Mallory"))
    }
}
