import Domain

extension Mailbox {
    /// The mailbox with its domain in the form of the DNS, `xn--...` (RFC 5890), which every mail
    /// server accepts. A domain without such a form stays unchanged.
    package var withASCIIDomain: Mailbox {
        guard !domain.utf8.allSatisfy({ $0 < 0x80 }),
            let ascii = DomainName.aLabels(of: domain)
        else { return self }
        return Mailbox(name: name, localPart: localPart, domain: ascii)
    }

    /// Whether the address is ASCII, which a local part in other letters can't be.
    var isASCII: Bool { address.utf8.allSatisfy { $0 < 0x80 } }
}

extension MailMessage {
    /// The message with ASCII domains in all its addresses, so that a server without SMTPUTF8
    /// accepts as many of them as possible.
    var withASCIIDomains: MailMessage {
        MailMessage(
            from: from.withASCIIDomain, replyTo: replyTo?.withASCIIDomain, to: to.withASCIIDomain,
            id: id, date: date, content: content)
    }
}
