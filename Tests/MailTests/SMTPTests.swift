import Foundation
import Mail
import MailSupport
import TestSupport
import Testing

@Suite("Sending over SMTP")
struct SMTPTests {
    static func message(to: String = "someone@example.org", number: Int = 1) throws -> MailMessage {
        MailMessage(
            from: try #require(Mailbox("hearth@example.org")), replyTo: nil,
            to: try #require(Mailbox(to)), id: "\(number)@example.org", date: 1_795_000_000,
            content: MailContent(subject: "Hello", text: ".\n..\nHello\n", html: "<p>Hello</p>"))
    }

    static func transport(
        _ server: MailServer, tls: Bool = false,
        _ adjust: (inout SMTPTransport.Settings) -> Void = { _ in }
    ) -> SMTPTransport {
        var settings = SMTPTransport.Settings(url: server.url)
        settings.requiresTLS = tls
        adjust(&settings)
        return SMTPTransport(settings)
    }

    @Test("the server receives the whole message, lines of dots included")
    func whole() throws {
        let server = try MailServer()
        let message = try Self.message()
        let result = Self.transport(server).send(message) { true }
        #expect(result == .accepted)
        let arrived = try #require(try server.messages().first)
        let text = String(decoding: arrived, as: UTF8.self)
        #expect(text.hasPrefix("<hearth@example.org> SIZE="))
        #expect(text.contains("\r\n<someone@example.org> connection 1\r\n"))
        #expect(Array(arrived.suffix(message.bytes.count)) == message.bytes)
    }

    @Test("any reply that begins with 2 means that the message is accepted", arguments: [251, 252])
    func accepted(reply: Int) throws {
        let server = try MailServer()
        let result = Self.transport(server)
            .send(try Self.message(to: "dot=\(reply)@example.org")) { true }
        #expect(result == .accepted)
    }

    @Test("messages share one connection, and a stale connection is replaced")
    func reused() throws {
        let server = try MailServer()
        let transport = Self.transport(server)
        for number in 1...3 {
            let result = transport.send(try Self.message(number: number)) { true }
            #expect(result == .accepted)
        }
        let connections = try server.messages().map {
            String(decoding: $0, as: UTF8.self).contains("connection 1\r\n")
        }
        #expect(connections == [true, true, true])

        let forgetful = try MailServer(.scripted(["--close-after-message"]))
        let other = Self.transport(forgetful)
        for number in 1...3 {
            let result = other.send(try Self.message(number: number)) { true }
            #expect(result == .accepted)
        }
        let count = try forgetful.messages().count
        #expect(count == 3)
    }

    @Test(
        "a message is tried later after a temporary refusal, a dropped connection or a timeout",
        arguments: [
            "rcpt=451", "data=451", "dot=451", "dot=452", "rcpt=drop", "data=drop", "dot=drop",
            "rcpt=hang", "data=hang", "dot=hang", "rcpt=421",
        ])
    func later(fault: String) throws {
        let server = try MailServer()
        let seconds = fault.hasSuffix("hang") ? 5 : 60
        let transport = Self.transport(server) {
            $0.replyTimeoutSeconds = seconds
            $0.handoverTimeoutSeconds = seconds + 1
        }
        let result = transport.send(try Self.message(to: fault + "@example.org")) { true }
        guard case .tryLater(let reason) = result else {
            Issue.record("\(fault): \(result)")
            return
        }
        #expect(!reason.contains("@"))
        // The next message goes through all the same.
        try eventually { try transport.send(Self.message()) { true } == .accepted }
    }

    @Test(
        "a permanent refusal of a recipient is returned with the server's code",
        arguments: ["rcpt", "data", "dot"])
    func refused(stage: String) throws {
        let server = try MailServer()
        let result = Self.transport(server)
            .send(try Self.message(to: "\(stage)=550@example.org")) { true }
        guard case .refused(let reason) = result else {
            Issue.record("\(stage): \(result)")
            return
        }
        #expect(reason.contains("550 5.1.1") && !reason.contains("so it is"))
    }

    /// A permanent reply, without line ends, and the stage at which the server sends it.
    struct Verdict: Sendable, CustomTestStringConvertible {
        let stage: String
        let reply: String
        var testDescription: String { "\(stage): \(reply)" }
        init(_ stage: String, _ reply: String) { (self.stage, self.reply) = (stage, reply) }
    }

    @Test(
        "a permanent refusal because the mailbox does not exist marks the address as dead",
        arguments: [
            Verdict("rcpt", "550 5.1.1 no such user"), Verdict("rcpt", "550 5.1.0 unknown"),
            Verdict("rcpt", "556 5.1.10 takes no mail"), Verdict("rcpt", "550 5.2.1 disabled"),
            Verdict("rcpt", "550 no such user"), Verdict("rcpt", "551 not here"),
            Verdict("rcpt", "553 no such name"), Verdict("data", "554 5.1.1 no valid recipients"),
            Verdict("dot", "550 5.1.1 no such user"), Verdict("dot", "554 5.2.1 disabled"),
            Verdict("rcpt", "550-5.1.1 no such user\r\n550 see our pages"),
        ])
    func dead(verdict: Verdict) throws {
        let server = try MailServer(.scripted(["--at", "\(verdict.stage)=\(verdict.reply)"]))
        let result = Self.transport(server).send(try Self.message()) { true }
        guard case .refused(let reason) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(reason.contains(verdict.reply.prefix(3)) && !reason.contains("user"))
    }

    @Test(
        "a permanent refusal for another reason rejects this message, not the address",
        arguments: [
            Verdict("rcpt", "550 5.7.1 spam"), Verdict("rcpt", "554 5.7.1 blocked"),
            Verdict("rcpt", "552 5.2.2 mailbox full"), Verdict("rcpt", "550 5.2.2 mailbox full"),
            Verdict("rcpt", "553 5.1.7 bad sender"), Verdict("rcpt", "550 5.1.8 bad sender"),
            Verdict("rcpt", "550 5.1.9 not compliant"), Verdict("rcpt", "554 no"),
            Verdict("rcpt", "552 full"), Verdict("rcpt", "550 4.7.1 odd"),
            Verdict("data", "554 5.5.1 no"), Verdict("data", "550 no"),
            Verdict("dot", "554 5.7.1 spam"), Verdict("dot", "550 5.7.26 unauthenticated"),
            Verdict("dot", "552 5.3.4 too big"), Verdict("dot", "554 5.3.0 no"),
            Verdict("dot", "550 no such user"), Verdict("dot", "571 no"),
            Verdict("rcpt", "550-5.7.1 spam\r\n550 see our pages"),
        ])
    func rejected(verdict: Verdict) throws {
        let server = try MailServer(.scripted(["--at", "\(verdict.stage)=\(verdict.reply)"]))
        let result = Self.transport(server).send(try Self.message()) { true }
        guard case .rejected(let reason) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(reason.contains(verdict.reply.prefix(3)) && !reason.contains("spam"))
    }

    @Test(
        "a server that accepts nothing from this sender makes the relay unusable",
        arguments: [
            ["--at", "greeting=554 no"], ["--at", "ehlo=550 no"], ["--at", "mail=550 5.7.1 no"],
            ["--at", "auth=535 no", "--auth", "u:p"], ["--auth", "somebody:else"],
            ["--at", "rcpt=530 5.7.0 sign in"], ["--at", "dot=530 5.7.0 sign in"],
        ])
    func unusable(arguments: [String]) throws {
        let server = try MailServer(.scripted(arguments))
        let transport = Self.transport(server) {
            $0.user = "u"
            $0.password = "p"
        }
        let result = transport.send(try Self.message()) { true }
        guard case .relayUnusable = result else {
            Issue.record("\(arguments): \(result)")
            return
        }
    }

    @Test(
        "a server without SMTPUTF8 receives internationalised domains as xn--",
        arguments: [
            ("a@é.org", "a@xn--9ca.org"), ("a@BÜCHER.example", "a@xn--bcher-kva.example"),
            ("a@例え.テスト", "a@xn--r8jz45g.xn--zckzah"),
        ])
    func internationalDomain(typed: String, sent: String) throws {
        let server = try MailServer()
        let result = Self.transport(server).send(try Self.message(to: typed)) { true }
        #expect(result == .accepted)
        let arrived = try #require(try server.messages().first)
        let text = String(decoding: arrived, as: UTF8.self)
        #expect(text.contains("\r\n<\(sent)> connection 1\r\n"))
        let content = try #require(text.range(of: "From: "))
        #expect(text[content.lowerBound...].utf8.allSatisfy { $0 < 0x80 })
        let read = try ReadMessage(Array(text[content.lowerBound...].utf8))
        #expect(read.to == sent && read.defects.isEmpty)
    }

    @Test(
        "a server without SMTPUTF8 receives no non-ASCII address, even if it would accept one",
        arguments: [[], ["--lax"]])
    func internationalLocalPart(options: [String]) throws {
        let server = try MailServer(.scripted(options))
        let transport = Self.transport(server)
        for number in 1...2 {
            let result = transport.send(try Self.message(to: "é@example.org")) { true }
            guard case .undeliverable(let reason) = result else {
                Issue.record("\(number): \(result)")
                return
            }
            #expect(reason.contains("SMTPUTF8"))
            let next = transport.send(try Self.message(number: number)) { true }
            #expect(next == .accepted)
        }
        #expect(try server.messages().count == 2)
        let ableServer = try MailServer(.scripted(["--utf8"]))
        let able = Self.transport(ableServer)
        for number in 1...2 {
            let taken = able.send(try Self.message(to: "é@example.org", number: number)) { true }
            #expect(taken == .accepted)
        }
        // The open connection remembers what the server offers.
        guard case .refused = able.send(try Self.message(to: "rcpt=550@é.org"), mayGo: { true }),
            case .refused = able.send(try Self.message(to: "rcpt=550@example.org"), mayGo: { true })
        else {
            Issue.record("a refused recipient")
            return
        }
    }

    @Test("messages are accepted after authentication")
    func authenticated() throws {
        let server = try MailServer(.scripted(["--auth", "u:p"]))
        let transport = Self.transport(server) {
            $0.user = "u"
            $0.password = "p"
        }
        let result = transport.send(try Self.message()) { true }
        #expect(result == .accepted)
    }

    @Test(
        "a message is tried later if the server is busy", arguments: ["greeting", "mail", "ehlo"])
    func busy(stage: String) throws {
        let server = try MailServer(.scripted(["--at", "\(stage)=421 busy"]))
        let result = Self.transport(server).send(try Self.message()) { true }
        guard case .tryLater = result else {
            Issue.record("\(stage): \(result)")
            return
        }
    }

    @Test("a message is tried later if the server is unreachable")
    func absent() throws {
        let nobody = try ClosedPort()
        let transport = SMTPTransport(.init(url: "smtp://127.0.0.1:\(nobody.port)"))
        let result = try withExtendedLifetime(nobody) {
            try transport.send(Self.message()) { true }
        }
        guard case .tryLater = result else {
            Issue.record("a server that is not there")
            return
        }
    }

    @Test("nothing is sent in the clear or to an untrusted certificate if TLS is required")
    func encryption() throws {
        let plain = try MailServer()
        guard
            case .relayUnusable = Self.transport(plain, tls: true).send(
                try Self.message(), mayGo: { true })
        else {
            Issue.record("no TLS")
            return
        }
        let folder = try TemporaryFolder.make()
        defer { try? FileManager.default.removeItem(at: folder) }
        let certificate = try Certificate(in: folder)
        let server = try MailServer(.scripted(["--tls", certificate.path, certificate.keyPath]))
        guard
            case .relayUnusable = Self.transport(server, tls: true).send(
                try Self.message(), mayGo: { true })
        else {
            Issue.record("a certificate that is not trusted")
            return
        }
        let none = try plain.messages().count + server.messages().count
        #expect(none == 0)
        let trusting = Self.transport(server, tls: true) { $0.certificatesPath = certificate.path }
        let result = trusting.send(try Self.message()) { true }
        #expect(result == .accepted)
    }

    @Test("a message whose sender lost the right to send is not sent")
    func abandoned() throws {
        let server = try MailServer()
        let transport = Self.transport(server)
        let result = transport.send(try Self.message()) { false }
        #expect(result == .abandoned)
        let count = try server.messages().count
        #expect(count == 0)
    }
}
