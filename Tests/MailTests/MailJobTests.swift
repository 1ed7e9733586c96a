import Domain
import Testing
import UseCases

@Suite("Payloads of mail jobs")
struct MailJobTests {
    private static func job(messageID: String) -> MailJob? {
        let payload = """
            {"invitation": "00000000-0000-4000-8000-000000000001", "generation": 1, \
            "messageId": "\(messageID)", "date": 1}
            """
        return MailJob(kind: "mail.invitation", payload: Array(payload.utf8))
    }

    @Test("a payload with a message id of 32 hexadecimal digits is read")
    func plain() {
        let job = Self.job(messageID: "96777d69b6216270d181b1843208ccac")
        #expect(job != nil)
    }

    @Test(
        "a payload with any other message id is refused",
        arguments: [
            "", "x", #"a>\r\nBcc: other@example.com"#, "96777D69B6216270D181B1843208CCAC",
            "96777d69b6216270d181b1843208ccac0",
        ])
    func others(messageID: String) {
        let job = Self.job(messageID: messageID)
        #expect(job == nil)
    }

    @Test("the issuer of an added sign-in is read from the job; earlier releases' jobs have none")
    func issuer() {
        let recipient = UserID(rawValue: 7)
        for issuer in ["https://accounts.google.com", nil] {
            for kind in [MailKind.signInLinked, .identityAdded] {
                let mail = MailJob(.signInAdded(kind, recipient: recipient, issuer: issuer))
                let job = mail.job(in: nil)
                #expect(MailJob(kind: job.kind, payload: job.payload.utf8) == mail)
            }
        }
    }

    @Test(
        "a provider is called by its name, or by its host",
        arguments: [
            ("https://accounts.google.com", "Google"), ("https://appleid.apple.com", "Apple"),
            ("https://login.microsoftonline.com/common/v2.0", "Microsoft"),
            ("https://id.example.org/realms/x", "id.example.org"), ("strange", "strange"), ("", ""),
        ])
    func provider(issuer: String, name: String) {
        #expect(ProviderName.of(issuer: issuer) == name)
    }
}
