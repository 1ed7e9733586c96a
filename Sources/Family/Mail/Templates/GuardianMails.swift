package import Domain

// The e-mails about children who grow up, and about consent. E-mails never name children.

extension MailTemplates {
    /// To a person who is to take over the membership that it has had as a child.
    package static func graduation(
        family: String, inviter: String, link: String, expiresAt: Timestamp
    ) -> MailContent {
        let family = line(family, else: "your family")
        let inviter = line(inviter, else: "Your guardian")
        let until = MailDate.plain(secondsSince1970: expiresAt.seconds)
        return MailTemplate(
            subject: "\(inviter) invites you to have your own account in \(family)",
            paragraphs: [
                "Hello,",
                "You are a member of \(family) already, without an account of your own. \(inviter) "
                    + "invites you to sign in yourself from now on. All that belongs to you there "
                    + "stays yours, and nobody acts for you any more.",
                "The invitation is valid until \(until). It is for this e-mail address only, so "
                    + "please sign in with it.",
            ],
            link: ("Open the invitation", link),
            smallPrint: "If you don't know what this is about, you can ignore this message."
        ).content
    }

    /// To a guardian of a child that another guardian has invited to have an account.
    package static func graduationStarted(recipient: String, family: String) -> MailContent {
        let family = line(family, else: "your family")
        return MailTemplate(
            subject: "A child in \(family) is invited to have its own account",
            paragraphs: [
                greeting(recipient),
                "A child in \(family) whose guardian you are is invited to have an account of its "
                    + "own. Once it has accepted, it signs in itself, and nobody acts for it any "
                    + "more.",
            ],
            smallPrint: "You get this message because you are a guardian of the child."
        ).content
    }

    /// To one who was a guardian of a child that has an account now.
    package static func graduated(recipient: String, family: String) -> MailContent {
        let family = line(family, else: "your family")
        return MailTemplate(
            subject: "A child in \(family) has its own account now",
            paragraphs: [
                greeting(recipient),
                "A child in \(family) whose guardian you were has an account of its own now and "
                    + "signs in itself. It stays a member with all that belongs to it; you can't "
                    + "act for it any more.",
            ],
            smallPrint: "You get this message because you were a guardian of the child."
        ).content
    }

    /// To a guardian who is about to give consent for a child.
    package static func consentCode(recipient: String, code: String) -> MailContent {
        MailTemplate(
            subject: "The code for your consent",
            paragraphs: [
                greeting(recipient),
                "Your code is \(code). It confirms that you, as a guardian, consent for a child to "
                    + "what the app has shown you. It is valid for ten minutes. You can withdraw "
                    + "your consent in the app at any time.",
                "If you did not ask for it, don't give it to anybody: nothing happens without it. "
                    + "Somebody has access to your account, so sign out on all devices.",
            ],
            smallPrint: "You get this message because you have an account with this address."
        ).content
    }
}
