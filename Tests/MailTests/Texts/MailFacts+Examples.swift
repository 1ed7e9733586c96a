import Domain
import Mail

extension MailFacts {
    /// Values for every placeholder of every e-mail.
    static func examples(name: String = "Zoë") -> MailFacts {
        MailFacts(
            [
                .app: "The Gulls", .address: "zoe@example.org", .recipient: name, .family: name,
                .inviter: name, .admin: name,
                .guardian: name, .requester: name, .provider: "Google", .code: "123456",
                .link: "https://family.test/sign-in?token=t",
                .appLink: "gulls://reset-password?token=t",
                .refusal: "https://family.test/refuse-invitations?token=t",
            ], until: Timestamp(microseconds: 1_795_600_000_000_000), side: .player)
    }
}
