/// The texts of e-mails with codes and links to sign in.
struct SignInMails {
    let appName: String
    /// Empty where nobody is known yet.
    let recipient: String

    func signIn(code: String, link: String) -> MailContent {
        MailTemplate(
            subject: "\(code) is your code for \(appName)",
            paragraphs: [
                MailTemplates.greeting(recipient),
                "Your code to sign in to \(appName) is \(code). It is valid for ten minutes.",
                "You can also open this link on the device where you want to sign in.",
            ],
            link: ("Sign in", link), smallPrint: unasked
        ).content
    }

    func signUp(code: String) -> MailContent {
        MailTemplate(
            subject: "\(code) is your code for \(appName)",
            paragraphs: [
                MailTemplates.greeting(recipient),
                "Your code to create your account at \(appName) is \(code). It is valid for ten "
                    + "minutes.",
                "Enter it only where you have just chosen a password yourself.",
            ],
            smallPrint: unasked
        ).content
    }

    func accountExists(link: String) -> MailContent {
        MailTemplate(
            subject: "You have an account at \(appName) already",
            paragraphs: [
                MailTemplates.greeting(recipient),
                "Somebody, probably you, wanted to create an account at \(appName) with this "
                    + "address. There is one already, and nothing was changed.",
                "You can sign in with this link within ten minutes. If you don't remember your "
                    + "password, sign in this way and set another one.",
            ],
            link: ("Sign in", link), smallPrint: unasked
        ).content
    }

    func reset(link: String, appLink: String?) -> MailContent {
        var paragraphs = [
            MailTemplates.greeting(recipient),
            "You can set another password for \(appName) with this link. It is valid for thirty "
                + "minutes, and once.",
        ]
        if let appLink { paragraphs.append("On a phone with the app: \(appLink)") }
        return MailTemplate(
            subject: "Another password for \(appName)", paragraphs: paragraphs,
            link: ("Set another password", link), smallPrint: unasked
        ).content
    }

    private var unasked: String {
        "You get this message because somebody gave this address at \(appName). If it was not you, "
            + "ignore it: without it nobody gets in."
    }
}
