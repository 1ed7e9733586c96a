import CCurl
import Glibc

extension Mailbox {
    /// The same with the domain as the DNS knows it, `xn--...` (RFC 5890): every mail server
    /// accepts that. A domain without such a form stays unchanged.
    package var withASCIIDomain: Mailbox {
        guard !domain.utf8.allSatisfy({ $0 < 0x80 }), let ascii = Self.ascii(domain) else {
            return self
        }
        return Mailbox(name: name, localPart: localPart, domain: ascii)
    }

    /// Whether it can be written in ASCII: a local part in other letters can't.
    var isASCII: Bool { address.utf8.allSatisfy { $0 < 0x80 } }

    /// libcurl's ASCII form of a host name. It reads names in the character set of the thread's
    /// locale, which is C in a process that has set none: ASCII.
    private static func ascii(_ domain: String) -> String? {
        guard let utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else { return nil }
        let former = uselocale(utf8)
        defer {
            uselocale(former)
            freelocale(utf8)
        }
        guard let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        var found: UnsafeMutablePointer<CChar>?
        guard curl_url_set(url, CURLUPART_HOST, domain, 0) == CURLUE_OK,
            curl_url_get(url, CURLUPART_HOST, &found, UInt32(CURLU_PUNYCODE)) == CURLUE_OK,
            let found
        else { return nil }
        defer { curl_free(found) }
        return String(cString: found)
    }
}

extension MailMessage {
    /// The same to addresses, and from one, that a server without SMTPUTF8 takes as far as there
    /// are such.
    var withASCIIDomains: MailMessage {
        MailMessage(
            from: from.withASCIIDomain, replyTo: replyTo?.withASCIIDomain, to: to.withASCIIDomain,
            id: id, date: date, content: content)
    }
}
