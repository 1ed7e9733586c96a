import Domain
import Mail
import MailSupport
import Testing

@Suite("Encoding of messages")
struct MessageTests {
    private static func message(
        family: String = "The Terns", inviter: String = "Ada", to: String = "someone@example.org",
        from: String = "Hearth <hearth@example.org>"
    ) throws -> MailMessage {
        MailMessage(
            from: try #require(Mailbox(from)), replyTo: Mailbox("help@example.org"),
            to: try #require(Mailbox(to)), id: "0123456789abcdef@example.org", date: 1_795_000_000,
            content: MailTexts().content(
                of: .invitation,
                MailFacts(
                    [
                        .family: family, .inviter: inviter,
                        .link: "https://family.example.org/join?token="
                            + String(repeating: "x", count: 43),
                        .refusal: "https://family.example.org/refuse-invitations?token="
                            + String(repeating: "x", count: 43),
                    ], until: Timestamp(microseconds: 1_795_600_000_000_000), side: .parent),
                in: nil))
    }

    @Test("Python's mail parser reads the message back without defects")
    func readable() throws {
        let read = try ReadMessage(Self.message().bytes)
        #expect(read.defects.isEmpty && read.loneBreaks == 0 && read.longestLine <= 998)
        #expect(read.subject == "Ada invites you to join The Terns")
        #expect(read.from == "Hearth <hearth@example.org>" && read.to == "someone@example.org")
        #expect(read.replyTo == "help@example.org")
        #expect(read.messageId == "<0123456789abcdef@example.org>")
        #expect(read.date == "2026-11-18 11:06:40+00:00")
        #expect(read.autoSubmitted == "auto-generated" && read.type == "multipart/alternative")
        #expect(read.token == String(repeating: "x", count: 43))
        #expect(read.html.contains("token=" + String(repeating: "x", count: 43)))
        #expect(read.text.contains("until November 25, 2026"))
    }

    @Test(
        "any name arrives unchanged in subject, text and HTML",
        arguments: [
            "Zoë Åkesson-Łukasiewicz", "👩‍👩‍👧‍👦 family 🏳️‍🌈", "\"Quotes\" & <tags> 'n more",
            "家族の名前はとても長いのでここで折り返されます家族の名前はとても長いのでここで折り返されます",
            "=?UTF-8?Q?not_encoded?=", ". a dot first", "a=b", "tab\tand  blanks",
            String(repeating: "long ", count: 16),
        ])
    func names(name: String) throws {
        let read = try ReadMessage(Self.message(family: name, inviter: name).bytes)
        let plain = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(read.defects.isEmpty && read.loneBreaks == 0 && read.longestLine <= 998)
        #expect(read.subject == "\(plain) invites you to join \(plain)")
        #expect(read.text.contains("\(plain) invites you to join \(plain) as a parent."))
        let escaped = plain.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
            .replacing("'", with: "&#39;")
        #expect(read.html.contains("<p>\(escaped) invites you to join \(escaped) as a parent"))
    }

    @Test("a name with line breaks adds no header")
    func injection() throws {
        let name = "Eve\r\nBcc: everyone@example.org\r\n\r\nHello\u{2028}\u{85}there"
        let read = try ReadMessage(Self.message(family: name, inviter: name).bytes)
        #expect(
            read.headers.map { $0.lowercased() }.sorted() == [
                "auto-submitted", "content-type", "date", "from", "list-unsubscribe",
                "list-unsubscribe-post", "message-id", "mime-version", "reply-to", "subject", "to",
            ])
        #expect(read.subject.contains("Bcc: everyone@example.\u{2060}org"))
    }

    @Test("encoding a message twice gives the same bytes")
    func stable() throws {
        let first = try Self.message().bytes
        let second = try Self.message().bytes
        #expect(first == second)
    }

    @Test("lines have at most 76 characters, except for an address, which can't be folded")
    func lines() throws {
        let bytes = try Self.message(family: String(repeating: "ü", count: 80)).bytes
        let longest =
            bytes.split(separator: 10)
            .filter { !$0.starts(with: "List-Unsubscribe: <".utf8) }.map(\.count).max() ?? 0
        #expect(longest <= 77)
    }
}

@Suite("Addresses for SMTP")
struct MailboxTests {
    @Test(
        "an address is quoted as SMTP requires",
        arguments: [
            ("a.b@example.org", "a.b@example.org"), ("a..b@example.org", "\"a..b\"@example.org"),
            ("a,b@example.org", "\"a,b\"@example.org"), ("a\"b@x.org", "\"a\\\"b\"@x.org"),
            ("Name <a@example.org>", "a@example.org"), ("ü@bücher.example", "ü@bücher.example"),
        ])
    func written(text: String, address: String) throws {
        #expect(try #require(Mailbox(text)).address == address)
    }

    @Test(
        "a text that could be more than one SMTP argument is no address",
        arguments: [
            "", "a", "@b", "a@", "a b@c", "a@b c", "a@b>\r\nRCPT TO:<d@e", "a<b@c", "a@b;c",
            "a\n@b", "a@b\u{2028}",
        ])
    func refused(text: String) {
        #expect(Mailbox(text) == nil)
    }
}
