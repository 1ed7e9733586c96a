/// A message to one recipient, as text and HTML.
///
/// Messages with equal parts have equal bytes, so a retry sends an identical message.
package struct MailMessage: Sendable {
    package let from: Mailbox
    /// Address for replies; nil for the sender.
    package let replyTo: Mailbox?
    package let to: Mailbox
    /// Message id, without angle brackets.
    package let id: String
    /// Time of the message, in seconds since 1970.
    package let date: Int64
    package let content: MailContent

    package init(
        from: Mailbox, replyTo: Mailbox?, to: Mailbox, id: String, date: Int64,
        content: MailContent
    ) {
        self.from = from
        self.replyTo = replyTo
        self.to = to
        self.id = id
        self.date = date
        self.content = content
    }

    /// The message in the format of SMTP (RFC 5322, RFC 2045 to 2047): CR LF only, lines of 998
    /// bytes at most, ASCII except for addresses in other characters.
    package var bytes: [UInt8] {
        // Derived from the id, so that it is the same every time; no encoded line begins with
        // "--=".
        let boundary =
            "=_"
            + id.utf8.filter { $0 != UInt8(ascii: "@") }.prefix(40)
            .map { String(Unicode.Scalar($0)) }.joined()
        var head = [
            "From: " + Self.header(from), "To: " + Self.header(to),
            "Subject: " + HeaderText.encoded(content.subject, offset: 9),
            "Date: " + MailDate.header(secondsSince1970: date), "Message-ID: <\(id)>",
            "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
            "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"",
        ]
        if let page = content.unsubscribePage {
            head.insert("List-Unsubscribe: <\(page)>", at: 6)
            head.insert("List-Unsubscribe-Post: List-Unsubscribe=One-Click", at: 7)
        }
        if let replyTo { head.insert("Reply-To: " + Self.header(replyTo), at: 2) }
        let parts = [("text/plain", content.text), ("text/html", content.html)].map {
            "--\(boundary)\r\nContent-Type: \($0); charset=utf-8\r\n"
                + "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
                + QuotedPrintable.encoded($1)
        }
        let text =
            head.joined(separator: "\r\n") + "\r\n\r\n" + parts.joined() + "--\(boundary)--\r\n"
        return Array(text.utf8)
    }

    private static func header(_ mailbox: Mailbox) -> String {
        if mailbox.name.isEmpty { return mailbox.address }
        let isAtom = mailbox.name.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || $0 == " ")
        }
        // An encoded word may replace a name, but not within quotes.
        let name = HeaderText.encoded(mailbox.name, offset: 10)
        if isAtom || name.hasPrefix("=?") { return "\(name) <\(mailbox.address)>" }
        var quoted = ""
        for character in name {
            if character == "\"" || character == "\\" { quoted.append("\\") }
            quoted.append(character)
        }
        return "\"\(quoted)\" <\(mailbox.address)>"
    }
}

/// The content of a message.
package struct MailContent: Sendable, Equatable {
    package let subject: String
    /// Text for mail programs that show no HTML.
    package let text: String
    /// A complete document; every value in it is escaped.
    package let html: String
    /// Page on which the recipient refuses further messages of this kind. The button of a
    /// mail program uses it too (RFC 8058).
    package let unsubscribePage: String?

    package init(subject: String, text: String, html: String, unsubscribePage: String? = nil) {
        self.subject = subject
        self.text = text
        self.html = html
        self.unsubscribePage = unsubscribePage
    }
}
