import Domain
import Foundation
import MailSupport
import TestSupport
import Testing
import UseCaseSupport
import UseCases

@Suite("The language of e-mails")
struct MailLanguageTests {
    private let office: PostOffice
    private let server: MailServer

    init() throws {
        office = try PostOffice()
        server = try MailServer(.aiosmtpd)
    }

    private func speak(_ language: String, _ caller: RequestContext) throws {
        let tag = try #require(LanguageTag(language))
        _ = try ProfileService(office.database).update(by: caller, .init(locale: tag))
    }

    /// The messages by recipient, once that many have arrived.
    private func messages(_ count: Int) throws -> [String: ReadMessage] {
        try eventually { try server.messages().count >= count }
        let all = try server.messages().map { try ReadMessage($0) }
        #expect(all.count == count && all.allSatisfy { $0.defects.isEmpty })
        return Dictionary(all.map { ($0.to, $0) }) { $1 }
    }

    @Test("an invitation is in the recipient's language, else the inviter's, else English")
    func invitations() throws {
        let inviter = RequestContext.person(.parent, name: "Zoë")
        let known = RequestContext.person()
        try office.createFamily(by: inviter)
        try speak("es-MX", inviter)
        try speak("en", known)
        let other = RequestContext.person(.parent, name: "Ada")
        try office.createFamily(by: other)
        let worker = try office.worker(server)
        defer { worker.kill() }
        try office.invite("nueva@example.org", by: inviter)
        try office.invite(PostOffice.address(of: known), by: inviter)
        try office.invite("new@example.org", by: other)
        let mails = try messages(3)
        let spanish = try #require(mails["nueva@example.org"])
        #expect(spanish.subject.hasPrefix("Zoë te invita a unirte a "))
        #expect(spanish.text.contains("Abrir la invitación:\nhttps://family.example.org/join?"))
        #expect(spanish.html.contains("<html lang=\"es\">"))
        #expect(
            try mails[PostOffice.address(of: known)]?.subject.hasPrefix("Zoë invites you") == true)
        #expect(mails["new@example.org"]?.subject.hasPrefix("Ada invites you") == true)
    }

    @Test("a code's e-mail has the page's language and a link back to the requested page")
    func tickets() throws {
        let keys = try SignInKeys([Array(PostOffice.secret.utf8)])
        let signIn = SignInService(office.database, keys)
        let worker = try office.worker(server, ["HEARTH_APP_NAME": "Gulls"])
        defer { worker.kill() }
        let origin = EmailTokenOrigin(
            language: LanguageTag("es"), returnPath: ReturnPath("/join?token=abc_-9"))
        let new = try #require(EmailAddress("nueva@example.org"))
        _ = try signIn.sendCode(new, from: .somewhere(), origin)
        let mail = try #require(try messages(1)["nueva@example.org"])
        #expect(mail.subject.contains(/^[0-9]{6} es tu código para Gulls$/))
        let link = try #require(mail.text.firstMatch(of: /\/sign-in\?token=(\S{43})(\S*)/))
        #expect(link.2 == "&return=/join%3Ftoken%3Dabc_-9")
        #expect(mail.html.contains("&amp;return=/join%3Ftoken%3Dabc_-9"))

        let person = RequestContext.person()
        try speak("en", person)
        let email = try #require(person.email)
        _ = try signIn.sendCode(email, from: .somewhere(), origin)
        let known = try #require(try messages(2)[email.text])
        #expect(known.subject.contains(/^[0-9]{6} is your code for Gulls$/))
        let log = try office.log()
        #expect(!log.contains("abc_-9") && !log.contains(String(link.1)))
    }

    @Test("the confirmation of an erasure has the account's language, which is then deleted")
    func erasure() throws {
        var person = RequestContext.person()
        person.tokenIssuedAt = Int64(Date().timeIntervalSince1970)
        try speak("es", person)
        let accounts = AccountService(office.database, try office.invitationKeys.deletionCodes)
        try accounts.erase(by: person, now: Int64(Date().timeIntervalSince1970))
        let worker = try office.worker(server)
        defer { worker.kill() }
        let address = try PostOffice.address(of: person)
        #expect(try messages(1)[address]?.subject == "Tu cuenta está borrada")
        try eventually { try office.done() == 1 }
        #expect(
            try office.count("SELECT count(*) FROM app.erasures WHERE locale IS NOT NULL") == 0)
    }

    @Test("custom texts are sent with names escaped and not expanded")
    func ownTexts() throws {
        let folder = office.folder.appendingPathComponent("texts")
        let files = [
            "en/invitation.subject.txt": "{{inviter}} calls",
            "en/invitation.html": "<b>{{family}}</b> <a href=\"{{link}}\">in</a>",
            "de/invitation.subject.txt": "{{inviter}} ruft",
            "de/invitation.txt": "{{link}} {{until}}",
            "de/invitation.html": "{{link}}",
        ]
        for (name, text) in files {
            let place = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: place, atomically: false, encoding: .utf8)
        }
        let inviter = RequestContext.person(.parent, name: "{{link}} <i>\"Eve\"")
        _ = try office.create(inviter, name: "<script>{{inviter}}")
        let german = RequestContext.person()
        try speak("de-AT", german)
        let worker = try office.worker(server, ["HEARTH_MAIL_TEMPLATES": folder.path])
        defer { worker.kill() }
        try office.invite("new@example.org", by: inviter)
        try office.invite(PostOffice.address(of: german), by: inviter)
        let mails = try messages(2)
        let own = try #require(mails["new@example.org"])
        #expect(own.subject == "{{link}} <i>\"Eve\" calls")
        #expect(own.html.hasPrefix("<b>&lt;script&gt;{{inviter}}</b> <a href=\"https://family."))
        #expect(own.text.contains("invites you to join"), "what is missing is Hearth's")
        #expect(own.token != nil && !own.headers.isEmpty)
        let translated = try #require(try mails[PostOffice.address(of: german)])
        #expect(translated.subject.hasSuffix(" ruft"))
        #expect(translated.text.contains(/join\?token=\S+ [0-9]{4}-[0-9]{2}-[0-9]{2}/))
    }
}
