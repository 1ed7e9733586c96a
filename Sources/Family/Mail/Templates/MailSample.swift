package import Domain
package import UseCases

/// An e-mail with made-up values, which shows operators how its text reads.
package struct MailSample: Sendable {
    private let setup: MailSetup
    private let publicURL: String

    /// - Parameter publicURL: Base URL of links, without a slash at its end.
    package init(_ setup: MailSetup, publicURL: String) {
        self.setup = setup
        self.publicURL = publicURL
    }

    /// Returns an e-mail of a kind in the language of a tag. Its links lead nowhere, and its code
    /// is not valid.
    ///
    /// - Parameter now: Seconds since 1970.
    package func content(
        of kind: MailKind, in tag: LanguageTag?, to address: String, now: Int64
    ) -> MailContent {
        setup.texts.content(
            of: kind, facts(of: kind, to: address, now), in: tag, accent: setup.accent)
    }

    private func facts(of kind: MailKind, to address: String, _ now: Int64) -> MailFacts {
        var facts = MailFacts()
        for value in kind.needed + kind.allowed { facts.texts[value] = text(of: value, kind) }
        facts.texts[.app] = setup.appName
        facts.texts[.address] = address
        facts.until = Timestamp(microseconds: (now + Self.invitationSeconds) * 1_000_000)
        facts.side = .player
        facts.identity = .password
        return facts
    }

    /// Validity of the invitation that the text mentions.
    private static let invitationSeconds: Int64 = 7 * 86_400

    /// Returns nil for values that the texts take from other facts.
    private func text(of value: MailValue, _ kind: MailKind) -> String? {
        switch value {
        case .recipient: "Sample Recipient"
        case .family: "Sample Family"
        case .inviter: "Sample Inviter"
        case .admin: "Sample Admin"
        case .guardian: "Sample Guardian"
        case .requester: "Sample Requester"
        case .provider: "Sample Provider"
        case .code: "123456"
        case .link: publicURL + Self.path(of: kind)
        case .refusal: publicURL + "/refuse-invitations?token=sample"
        case .appLink: setup.appScheme.map { $0 + "://reset-password?token=sample" }
        case .app, .address, .greeting, .side, .identity, .until: nil
        }
    }

    private static func path(of kind: MailKind) -> String {
        switch kind {
        case .invitation, .graduation: "/join?token=sample"
        case .reset: "/reset-password?token=sample"
        case .signInLinked: "/account"
        default: kind.pagePath(in: FamilyID(rawValue: 0)) ?? "/sign-in?token=sample"
        }
    }
}
