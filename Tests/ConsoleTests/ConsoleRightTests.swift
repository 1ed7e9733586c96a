import DomainCore
import Foundation
import Policy
import Postgres
import TestSupport
import Testing

@Suite("Rights in the console")
struct ConsoleRightTests {
    let site: ConsoleSite

    init() throws { site = try ConsoleSite() }

    @Test("a form from another site, without a token or with another session's changes nothing")
    func forgedForms() throws {
        let browser = try site.browser(of: "root@example.com")
        let path = "/people/\(ConsoleSite.ann)/block"
        let token = try browser.formToken()
        let fields = ["reason": "spam", "form_token": token]
        for headers in [
            ["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.test"],
            ["Sec-Fetch-Site": "same-site", "Origin": "https://app.console.test"],
            ["Origin": "https://evil.test"], ["Sec-Fetch-Site": "none", "Origin": "null"],
        ] {
            browser.formHeaders = headers
            #expect(try browser.post(path, fields).status == 403, "\(headers)")
        }
        browser.formHeaders = ["Sec-Fetch-Site": "same-origin", "Origin": "null"]
        let altered = (token.hasPrefix("A") ? "B" : "A") + token.dropFirst()
        for wrong in [nil, "", "x", altered] as [String?] {
            var fields = ["reason": "spam"]
            fields["form_token"] = wrong
            #expect(try browser.post(path, fields).status == 403, "\(wrong ?? "none")")
        }
        let other = try site.browser(of: "sue@example.com").formToken()
        #expect(try browser.post(path, ["reason": "x", "form_token": other]).status == 403)
        #expect(try site.audit().allSatisfy { !$0.hasPrefix("user.block") })
        #expect(try browser.post(path, fields).status == 303)
    }

    /// Operations on a person, with the right that each needs.
    static let onPeople: [(name: String, action: OperatorAction)] = [
        ("block", .block), ("end-sessions", .endSessions), ("clear-limits", .clearLimits),
        ("send-reset", .sendReset), ("create-family", .createFamily),
        ("set-address", .setAddress), ("export", .exportUser), ("erase", .eraseUser),
    ]

    @Test("each operation on a person is offered and performed only if the policy allows it")
    func people() throws {
        let operators: [(role: OperatorRole, name: String, id: String)] = [
            (.admin, "root", ConsoleSite.root), (.support, "sue", ConsoleSite.sue),
            (.viewer, "vic", ConsoleSite.vic),
        ]
        for one in operators {
            let browser = try site.browser(of: "\(one.name)@example.com")
            let token = try browser.formToken()
            let others = operators.filter { $0.id != one.id }.map(\.id)
            let targets: [(String, OperatorTarget)] =
                [(ConsoleSite.ann, .person), (one.id, .oneself)]
                + others.map { ($0, .otherOperator) }
            for (id, target) in targets {
                let page = try browser.open("/people/\(id)")
                for operation in Self.onPeople {
                    let path = "/people/\(id)/\(operation.name)"
                    let isAllowed = decide(operation.action, one.role, on: target)
                    #expect(
                        page.targets.contains(path) == isAllowed,
                        "\(operation.name) by \(one.role) on \(target)")
                    if !isAllowed {
                        #expect(try browser.open(path).status == 403, "\(path)")
                        let done = try browser.post(path, ["form_token": token, "reason": "x"])
                        #expect(done.status == 403, "\(path) by \(one.role)")
                    }
                }
            }
        }
        let changes = try site.audit().filter {
            !$0.hasPrefix("operator.sign_in") && !$0.hasPrefix("user.view")
        }
        #expect(changes == [])
    }

    @Test("blocking an operator is refused by the database even to an admin")
    func operatorStands() throws {
        let browser = try site.browser(of: "root@example.com")
        let page = try browser.perform("/people/\(ConsoleSite.sue)/block", ["reason": "x"])
        #expect(page.status == 409 && page.alert?.contains("operator_role_stands") == true)
    }

    @Test("a viewer and support can't change a family, and see no buttons for that")
    func families() throws {
        let family = try site.makeFamily()
        for name in ["sue", "vic"] {
            let browser = try site.browser(of: "\(name)@example.com")
            let token = try browser.formToken()
            let page = try browser.open("/families/\(family)")
            for operation in ["rename", "new-code", "transfer-admin", "add-member", "invite"] {
                let path = "/families/\(family)/\(operation)"
                #expect(!page.targets.contains(path), "\(name): \(path)")
                #expect(try browser.post(path, ["form_token": token, "name": "X"]).status == 403)
            }
        }
        let name: String = try site.scalar("SELECT family_name FROM app.family_units")
        #expect(name != "X")
    }

    @Test("erasing a person requires a passkey sign-in within ten minutes, not only the cookie")
    func erase() throws {
        let browser = try site.browser(of: "root@example.com")
        let path = "/people/\(ConsoleSite.bo)/erase"
        let fields = ["form_token": try browser.formToken(), "id": ConsoleSite.bo]
        // The link is fresh, but no passkey.
        let asked = try browser.post(path, fields)
        #expect(asked.status == 303 && asked.location?.hasPrefix("/confirm?return=") == true)
        let page = "/people/\(ConsoleSite.bo)"
        let missing = try browser.open(try #require(asked.location))
        #expect(missing.says("Add a passkey first") && missing.targets.contains(page), "\(missing)")
        var device = try ConsoleSignInTests.Device()
        #expect(try device.enrol(browser).status == 303)
        let question = try browser.open(try #require(asked.location))
        // "Back" leads to the person, because the operation's page would only ask again.
        #expect(question.targets.contains(page) && !question.targets.contains(path), "\(question)")
        let confirmed = try device.answer(question, "/confirm", browser)
        #expect(confirmed.location == path, "\(confirmed)")
        let wrong = try browser.perform(path, ["id": ConsoleSite.ann])
        #expect(wrong.status == 400 && wrong.alert?.contains("not the id") == true)
        try site.asOwner(
            "UPDATE app.console_sessions SET proved_at = now() - interval '11 minutes'")
        #expect(try browser.post(path, fields).location?.hasPrefix("/confirm") == true)
        let again = try browser.open(try #require(asked.location))
        #expect(try device.answer(again, "/confirm", browser).status == 303)
        let done = try browser.perform(path, ["id": ConsoleSite.bo])
        #expect(done.status == 303 && done.location == "/people?done=erase", "\(done)")
        #expect(try browser.open("/people?done=erase").says("The person is erased."))
        let erased: Int = try site.scalar(
            "SELECT count(*) FROM app.users WHERE deleted_at IS NOT NULL AND full_name IS NULL")
        #expect(erased == 1)
        #expect(try site.audit().contains("user.erase operator:root@example.com"))
    }
}
