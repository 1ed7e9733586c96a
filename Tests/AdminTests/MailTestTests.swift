import Foundation
import JSON
import MailSupport
import TestSupport
import Testing

@Suite("hearth-admin mail test and mail preview")
struct MailTestTests {
    let office: Office

    init() throws { office = try Office() }

    /// Runs a command with the settings of a mail server.
    private func admin(
        _ words: [String], url: String, _ more: [String: String] = [:]
    ) throws -> Ending {
        let settings = [
            "HEARTH_SMTP_URL": url, "HEARTH_SMTP_TLS": "none",
            "HEARTH_MAIL_FROM": "Hearth <hearth@example.org>",
        ]
        return try run(
            "hearth-admin", words,
            environment: office.environment.merging(settings) { $1 }.merging(more) { $1 })
    }

    private func tests() throws -> Int {
        try office.scalar("SELECT count(*) FROM app.audit_log WHERE action = 'mail.test'")
    }

    @Test("a test message reaches a real mail server, and the audit log names the operator")
    func delivered() throws {
        let server = try MailServer(.aiosmtpd)
        let ending = try admin(
            ["mail", "test", "ann@example.com", "--mail", "invitation", "--language", "es"],
            url: server.url)
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(ending.output == "\(server.url) has accepted the e-mail to ann@example.com\n")
        let message = try ReadMessage(try #require(try server.messages().first))
        #expect(message.to == "ann@example.com" && message.defects.isEmpty)
        #expect(message.subject.hasPrefix("[Test] "))
        #expect(message.text.contains("Sample Family"))
        #expect(message.text.contains("https://family.test/join?token=sample"))
        #expect(!message.headers.contains("List-Unsubscribe"), "the sample's link does nothing")
        let entry = try office.json("audit --action mail.test")["entries"].elements()[0]
        #expect(try entry["actorLabel"].string() == "operator:jo")
        #expect(try entry["subjectUserId"].string() == Office.ann)
        let jobs: Int = try office.scalar("SELECT count(*) FROM jobs.live WHERE queue = 'mail'")
        #expect(jobs == 0)
    }

    @Test(
        "a refusal by the mail server is reported with its stage and code, and exits with 1",
        arguments: [
            ("mail=550 5.7.1 no", "the mail server takes no e-mail from here: ", "at MAIL: 550"),
            ("rcpt=550 5.1.1 no", "the mail server knows no such address: ", "at RCPT: 550 5.1.1"),
            ("rcpt=554 5.7.1 spam", "the mail server rejects this message: ", "at RCPT: 554"),
            ("dot=451 4.3.0 later", "a failure that may pass: ", "at the end of DATA: 451 4.3.0"),
        ])
    func refused(reply: String, sentence: String, stage: String) throws {
        let server = try MailServer(.scripted(["--at", reply]))
        let ending = try admin(["mail", "test", "ann@example.com"], url: server.url)
        #expect(ending.code == 1)
        #expect(ending.output.hasPrefix("not sent: " + sentence), "\(ending.output)")
        #expect(ending.output.contains(stage), "\(ending.output)")
        let json = try admin(["mail", "test", "ann@example.com", "--json"], url: server.url)
        #expect(json.code == 1)
        #expect(try json.json()["sent"].bool() == false)
        #expect(try json.json()["error"].string().contains(stage))
    }

    @Test("an unreachable mail server is reported as a temporary failure")
    func away() throws {
        let port = try FreePort.find()
        let ending = try admin(
            ["mail", "test", "ann@example.com"], url: "smtp://127.0.0.1:\(port)")
        #expect(ending.code == 1)
        #expect(ending.output.hasPrefix("not sent: a failure that may pass: "))
        #expect(ending.output.contains("at connecting"))
    }

    @Test("a suppressed address gets no test message")
    func suppressed() throws {
        let server = try MailServer()
        #expect(try office.admin("mail suppress ann@example.com").code == 0)
        let ending = try admin(["mail", "test", "Ann@example.com"], url: server.url)
        #expect(ending.code == 1 && ending.output.isEmpty)
        #expect(ending.errors.contains("[address_suppressed]"), "\(ending.errors)")
        #expect(ending.errors.contains("mail unsuppress"))
        #expect(try server.messages().isEmpty)
        #expect(try tests() == 0)
    }

    @Test("without a mail server the test message is a file in the outbox")
    func outbox() throws {
        let folder = try Folder()
        let ending = try run(
            "hearth-admin", ["mail", "test", "ann@example.com"],
            environment: office.environment.merging(["HEARTH_OUTBOX_DIR": folder.path("outbox")]) {
                $1
            })
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(ending.output.hasPrefix("HEARTH_SMTP_URL is not set: "))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("outbox"))
        #expect(files.count == 1)
    }

    @Test("wrong settings exit with 78, wrong arguments with 64, and neither sends a message")
    func wrong() throws {
        let server = try MailServer()
        let test = ["mail", "test", "ann@example.com"]
        let sender = try admin(test, url: server.url, ["HEARTH_MAIL_FROM": "nobody"])
        #expect(sender.code == 78 && sender.errors.contains("HEARTH_MAIL_FROM: expected"))
        let url = try admin(test, url: "http://127.0.0.1")
        #expect(url.code == 78 && url.errors.contains("HEARTH_SMTP_URL"))
        let plain = try admin(test, url: "smtp://mail.example.org:25")
        #expect(plain.code == 78 && plain.errors.contains("HEARTH_SMTP_TLS: 'none'"))
        let word = try admin(["mail", "test", "nobody"], url: server.url)
        #expect(word.code == 64 && word.errors.contains("expected an e-mail address"))
        let mail = try admin(test + ["--mail", "greeting"], url: server.url)
        #expect(mail.code == 64 && mail.errors.contains("sign_in"))
        let language = try admin(test + ["--language", "e"], url: server.url)
        #expect(language.code == 64 && language.errors.contains("expected a language"))
        #expect(try server.messages().isEmpty)
        #expect(try tests() == 0)
    }

    // MARK: Preview

    private func preview(_ words: [String], _ settings: [String: String] = [:]) throws -> Ending {
        try run("hearth-admin", ["mail", "preview"] + words, environment: settings)
    }

    @Test("a preview shows text or HTML of every e-mail, without a database")
    func shown() throws {
        let text = try preview(["invitation"])
        #expect(text.code == 0, "\(text.errors)")
        #expect(text.output.hasPrefix("Subject: "))
        #expect(text.output.contains("Sample Family") && text.output.contains("Sample Inviter"))
        #expect(text.output.contains("https://hearth.example/join?token=sample"))
        let page = try preview(["reset", "--html"], ["HEARTH_APP_NAME": "Nest & Co"])
        #expect(page.output.hasPrefix("<!DOCTYPE html>"))
        #expect(page.output.contains("Nest &amp; Co"))
        let spanish = try preview(["sign_in", "--language", "es-MX", "--json"])
        let json = try spanish.json()
        #expect(try json["name"].string() == "sign_in")
        #expect(try json["subject"].string().contains("123456"))
        #expect(try json["html"].string().contains("<html lang=\"es\">"))
        let unknown = try preview(["greeting"])
        #expect(unknown.code == 64 && unknown.errors.contains("invitation"))
    }

    @Test("a preview contains no unfilled placeholder and no empty value")
    func complete() throws {
        let listed = try preview(["greeting"]).errors
        let names = try #require(listed.firstMatch(of: /invitation,[\s\S]*address_changing/))
            .output.split { !$0.isLetter && $0 != "_" }.map(String.init).filter { $0 != "or" }
        #expect(names.count > 25)
        for name in names {
            let json = try preview([name, "--json"]).json()
            let text = try json["text"].string()
            #expect(!text.contains("{{") && !text.isEmpty, "\(name)")
            #expect(!text.contains("  \n") && !text.contains(": \n"), "\(name)")
            #expect(try !json["subject"].string().isEmpty, "\(name)")
        }
    }

    @Test("a preview uses the operator's own texts, and reports their mistakes")
    func ownTexts() throws {
        let folder = try Folder()
        let english = folder.path("en")
        try FileManager.default.createDirectory(
            atPath: english, withIntermediateDirectories: true)
        try "Come to {{family}}!".write(
            toFile: english + "/invitation.subject.txt", atomically: false, encoding: .utf8)
        let settings = ["HEARTH_MAIL_TEMPLATES": folder.path("")]
        let own = try preview(["invitation"], settings)
        #expect(own.output.hasPrefix("Subject: Come to Sample Family!\n"), "\(own.errors)")
        try "{{nobody}}".write(
            toFile: english + "/invitation.txt", atomically: false, encoding: .utf8)
        let wrong = try preview(["invitation"], settings)
        #expect(wrong.code == 78 && wrong.errors.contains("nobody"))
    }
}
