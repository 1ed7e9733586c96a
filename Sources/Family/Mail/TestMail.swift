package import Domain
package import UseCases

/// An e-mail with made-up values that is sent at once, by this process, to test the delivery.
package struct TestMail: Sendable {
    package let setup: MailSetup
    /// The e-mails with made-up values.
    package let sample: MailSample

    /// - Parameter publicURL: Base URL of links; nil if the program has none.
    package init(_ setup: MailSetup, publicURL: String?) {
        self.setup = setup
        sample = MailSample(setup, publicURL: publicURL ?? "https://hearth.example")
    }

    /// Sends an e-mail in the language of a tag, once, and waits for the mail server.
    ///
    /// - Parameter now: Seconds since 1970.
    package func send(
        _ kind: MailKind, in tag: LanguageTag?, to email: EmailAddress, now: Int64
    ) -> Delivery {
        guard let mailbox = Mailbox(email.text) else {
            return .undeliverable("'\(email.text)' is not an address that mail can be sent to")
        }
        let content = sample.content(of: kind, in: tag, to: email.text, now: now)
        let message = MailMessage(
            from: setup.from, replyTo: setup.replyTo, to: mailbox,
            id: "test-\(UInt64.random(in: 0...UInt64.max))@" + setup.from.domain, date: now,
            // Without a page to refuse further messages, because the sample's token leads nowhere.
            content: MailContent(
                subject: "[Test] " + content.subject, text: content.text, html: content.html))
        return setup.transport.send(message) { true }
    }
}

extension Delivery {
    /// Why a message was not sent, in words for operators; nil if it was.
    package var problem: String? {
        switch self {
        case .accepted: nil
        case .tryLater(let reason): "a failure that may pass: \(reason)"
        case .refused(let reason): "the mail server knows no such address: \(reason)"
        case .rejected(let reason): "the mail server rejects this message: \(reason)"
        case .undeliverable(let reason): reason
        case .relayUnusable(let reason): "the mail server takes no e-mail from here: \(reason)"
        case .suppressed, .heldOff, .gone, .abandoned: name ?? "withdrawn"
        }
    }
}
