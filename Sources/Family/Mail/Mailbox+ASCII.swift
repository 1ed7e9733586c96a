import DomainNames

extension Mailbox {
    /// A mailbox with the domain as the DNS knows it, `xn--...` (RFC 5890): every mail server
    /// accepts that. A domain without such a form stays unchanged.
    package var withASCIIDomain: Mailbox {
        guard !domain.utf8.allSatisfy({ $0 < 0x80 }),
            let ascii = DomainName.aLabels(of: domain)
        else { return self }
        return Mailbox(name: name, localPart: localPart, domain: ascii)
    }

    /// Whether it can be written in ASCII: a local part in other letters can't.
    var isASCII: Bool { address.utf8.allSatisfy { $0 < 0x80 } }
}

extension MailMessage {
    /// A message to addresses, and from one, that a server without SMTPUTF8 takes as far as there
    /// are such.
    var withASCIIDomains: MailMessage {
        MailMessage(
            from: from.withASCIIDomain, replyTo: replyTo?.withASCIIDomain, to: to.withASCIIDomain,
            id: id, date: date, content: content)
    }
}
