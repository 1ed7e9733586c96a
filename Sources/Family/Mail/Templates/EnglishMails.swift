import Domain
import UseCases

/// Hearth's e-mails in English.
enum EnglishMails: MailWriter {
    static func unknown(_ value: MailValue) -> String {
        switch value {
        case .family: "a family"
        case .inviter, .admin, .guardian, .requester: "Someone"
        case .provider: "another provider"
        default: ""
        }
    }

    static func greeting(_ name: String) -> String { name.isEmpty ? "Hello," : "Hello \(name)," }

    static func side(_ role: MemberRole) -> String {
        role == .player ? "as a player" : "as a parent"
    }

    static func identity(_ kind: IdentityKind) -> String {
        switch kind {
        case .issuer: "the sign-in of another provider"
        case .email: "codes by email, and your password if this was your last address"
        case .password: "your password"
        case .passkey: "a passkey"
        }
    }

    static func day(_ day: MailDate.Day) -> String {
        "\(months[day.month - 1]) \(day.day), \(day.year)"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]

    static func sender(_ values: MailValues) -> String {
        "\(values[.app]) sent it to \(values[.address])."
    }

    private static let ofAccount =
        "You're getting this email because you have an account with this address."
    private static let unknownSender =
        "If you don't know what this is about, you can ignore this email."
    private static let addressOnly =
        "It's for this email address only, so use this address to sign in."

    // MARK: Families

    static func invitation(_ values: MailValues) -> MailTemplate {
        let (family, inviter) = (values[.family], values[.inviter])
        return MailTemplate(
            subject: "\(inviter) invites you to join \(family)",
            paragraphs: [
                "Hello,", "\(inviter) invites you to join \(family) \(values[.side]).",
                "The invitation is valid until \(values[.until]). \(addressOnly)",
            ],
            link: ("Open the invitation", values[.link]), smallPrint: unknownSender,
            refusal: ("Stop these invitations", values[.refusal]))
    }

    static func adminChanged(_ values: MailValues) -> MailTemplate {
        let (family, admin) = (values[.family], values[.admin])
        if values.isAboutRecipient {
            return MailTemplate(
                subject: "You're now the Parent Admin of \(family)",
                paragraphs: [
                    values[.greeting],
                    "You're now the Parent Admin of \(family). You look after its members, its "
                        + "code and its invitations.",
                ],
                link: ("See your family", values[.link]),
                smallPrint: "You're getting this email because you're an adult in this family.")
        }
        return MailTemplate(
            subject: "\(admin) is now the Parent Admin of \(family)",
            paragraphs: [
                values[.greeting],
                "\(admin) is now the Parent Admin of \(family) and looks after its members, its "
                    + "code and its invitations.",
            ],
            link: ("See your family", values[.link]),
            smallPrint: "You're getting this email because you're an adult in this family.")
    }

    static func memberRemoved(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You're no longer a member of \(values[.family])",
            paragraphs: [
                values[.greeting],
                "You were removed from \(values[.family]) and no longer have access to it.",
                "If you think this is a mistake, talk to your family. They can invite you again.",
            ],
            smallPrint: "You're getting this email because you were a member of this family.")
    }

    static func joinRequested(_ values: MailValues) -> MailTemplate {
        let (family, requester) = (values[.family], values[.requester])
        return MailTemplate(
            subject: "\(requester) wants to join \(family)",
            paragraphs: [
                values[.greeting],
                "\(requester) used your family's code to ask to join \(family). This person can't "
                    + "see anything of your family until someone approves the request.",
                "You can approve the request or turn it down on your family's page. If you don't "
                    + "know who it is, turn it down and give your family a new code.",
            ],
            link: ("See the request", values[.link]),
            smallPrint: "You're getting this email because you decide who joins this family.")
    }

    static func requestApproved(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "You're now a member of \(family)",
            paragraphs: [
                values[.greeting],
                "Your request to join \(family) was approved.",
            ],
            link: ("See your family", values[.link]),
            smallPrint: "You're getting this email because you asked to join this family.")
    }

    static func requestRejected(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "Your request to join \(family) was turned down",
            paragraphs: [
                values[.greeting],
                "You asked to join \(family), and the request was turned down.",
                "If you think this is a mistake, talk to the family. They can invite you. You can "
                    + "also create a family of your own, or join another one.",
            ],
            link: ("See what you can do", values[.link]),
            smallPrint: "You're getting this email because you asked to join this family.")
    }

    static func waitingEnded(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "Your request to join \(family) has ended",
            paragraphs: [
                values[.greeting],
                "You asked to join \(family). Nobody belongs to that family anymore, so nobody can "
                    + "approve your request.",
                "If you want to join another family, ask for its code or for an invitation.",
            ],
            link: ("Enter a family's code", values[.link]),
            smallPrint: "You're getting this email because you asked to join this family.")
    }

    static func requestInOtherRole(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "\(family) can't approve your request yet",
            paragraphs: [
                values[.greeting],
                "\(family) wanted to approve your request. But you asked to join in a different "
                    + "role (player or parent) than the one you have in your other family, and "
                    + "your role has to be the same in all your families.",
                "You can leave the other family. Or withdraw your request, and ask again in the "
                    + "role you have there.",
            ],
            link: ("See your family", values[.link]),
            smallPrint: "You're getting this email because you asked to join this family.")
    }

    // MARK: Guardians

    static func guardianReplaced(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.guardian]) is now a guardian in \(values[.family])",
            paragraphs: [
                values[.greeting],
                "In \(values[.family]), \(values[.guardian]) is now the guardian of the children "
                    + "you were a guardian of.",
            ],
            smallPrint: "You're getting this email because you were the children's guardian.")
    }

    static func guardianNamed(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You're now a guardian in \(values[.family])",
            paragraphs: [
                values[.greeting],
                "Another guardian made you a guardian of a child in \(values[.family]). You can "
                    + "act for the child, and see and change what is stored about them.",
                "If you don't want that, you can stop at any time: open the child on your family's "
                    + "page.",
            ],
            link: ("See your family", values[.link]),
            smallPrint: "You're getting this email because someone made you a guardian.")
    }

    static func guardianRemoved(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You're no longer a guardian in \(values[.family])",
            paragraphs: [
                values[.greeting],
                "You're no longer a guardian of a child in \(values[.family]). The child's primary "
                    + "guardian decided this. The child still has other guardians.",
            ],
            smallPrint: "You're getting this email because you were a guardian of the child.")
    }

    static func graduation(_ values: MailValues) -> MailTemplate {
        let (family, inviter) = (values[.family], values[.inviter])
        return MailTemplate(
            subject: "\(inviter) invites you to have your own account in \(family)",
            paragraphs: [
                "Hello,",
                "You're already a member of \(family), without an account of your own. \(inviter) "
                    + "invites you to sign in yourself from now on. Everything that's yours there "
                    + "stays yours, and nobody acts for you anymore.",
                "The invitation is valid until \(values[.until]). \(addressOnly)",
            ],
            link: ("Get your own account", values[.link]), smallPrint: unknownSender)
    }

    static func graduationStarted(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "A child in \(values[.family]) is invited to have their own account",
            paragraphs: [
                values[.greeting],
                "You're a guardian of a child in \(values[.family]). The child is now invited to "
                    + "have their own account. Once they accept, they sign in on their own, and "
                    + "nobody acts for them anymore.",
            ],
            smallPrint: "You're getting this email because you're a guardian of the child.")
    }

    static func graduated(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "A child in \(values[.family]) has their own account now",
            paragraphs: [
                values[.greeting],
                "You were a guardian of a child in \(values[.family]). The child now has their own "
                    + "account and signs in on their own. They stay a member and keep everything "
                    + "that's theirs. You can't act for them anymore.",
            ],
            smallPrint: "You're getting this email because you were a guardian of the child.")
    }

    static func consentCode(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "The code for your consent",
            paragraphs: [
                values[.greeting],
                "Enter this code to give the consent that you were asked for as a child's "
                    + "guardian:",
            ],
            code: values[.code],
            afterCode: [
                "It works for ten minutes. You can withdraw your consent at any time.",
                notAsked,
            ],
            smallPrint: ofAccount)
    }

    // MARK: The account

    private static let notAsked =
        "If you didn't ask for this code, someone else may be using your account. Don't share the "
        + "code, and sign out on all your devices."
    private static let sessions = "check \"Where you're signed in\" on your account page"
    private static let sessionsThere = "check \"Where you're signed in\" there"

    static func deletionCode(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "The code to delete your account",
            paragraphs: [
                values[.greeting],
                "Enter this code to delete your account and everything we know about you, right "
                    + "away and for good:",
            ],
            code: values[.code],
            afterCode: ["It works for ten minutes.", notAsked],
            smallPrint: ofAccount)
    }

    static func accountErased(_: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Your account was deleted",
            paragraphs: [
                "Hello,",
                "As you asked, we deleted your account and everything we knew about you. It can't "
                    + "be undone.",
                "You left your families, and you're signed out everywhere. If you sign in again, "
                    + "you start with a new account.",
            ],
            smallPrint: "This is our last email: we deleted your address too.")
    }

    static func accountBlocked(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Your account was blocked",
            paragraphs: [
                values[.greeting],
                "Your account was blocked, and all your devices were signed out. You can't sign in "
                    + "for now. Your place in your families stays.",
                "If you think that this is a mistake, or if you want a copy of your data or want "
                    + "it deleted, reply to this email.",
            ],
            smallPrint: ofAccount)
    }

    static func sessionReused(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You were signed out on one of your devices",
            paragraphs: [
                values[.greeting],
                "One of your devices was signed in from two places at once. Someone else may have "
                    + "copied the session, so we ended it.",
                "Sign in again on that device. If you don't know why this happened, \(sessions), "
                    + "sign out the devices you don't know, and change your password if you have "
                    + "one.",
            ],
            smallPrint: ofAccount)
    }

    static func passwordChanged(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Your password was changed",
            paragraphs: [
                values[.greeting],
                "Your password was changed, and your other devices were signed out.",
                "If this wasn't you, ask for a link to reset your password, and \(sessions).",
            ],
            smallPrint: ofAccount)
    }

    static func passwordSet(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Your account now has a password",
            paragraphs: [
                values[.greeting],
                "A password was set for your account, and your other devices were signed out.",
                "If this wasn't you, ask for a link to reset your password, and \(sessions).",
            ],
            smallPrint: ofAccount)
    }

    static func passkeyAdded(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "A passkey was added to your account",
            paragraphs: [
                values[.greeting],
                "You can now sign in with this passkey, on the device that has it, instead of a "
                    + "code or a password.",
                "If this wasn't you, remove it under \"How you sign in\" on your account page, and "
                    + "\(sessionsThere).",
            ],
            smallPrint: ofAccount)
    }

    static func operatorPasskey(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "A passkey was added to the operators' console of \(values[.app])",
            paragraphs: [
                values[.greeting],
                "An operator of \(values[.app]) added a passkey to the console. You're getting "
                    + "this email because you're an admin there. The audit log of the console says "
                    + "who it was: operator.passkey_add.",
                "If you don't know this person, take the role away: hearth-admin operator remove.",
            ],
            smallPrint: ofAccount)
    }

    static func signInLinked(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You can now sign in with \(values[.provider])",
            paragraphs: [
                values[.greeting],
                "Someone signed in to \(values[.app]) with \(values[.provider]), which confirmed "
                    + "this address. From now on, this sign-in leads to the same account as "
                    + "the codes we email you.",
                "If you don't want that, or if this wasn't you, sign in with a code we email you, "
                    + "remove it under \"How you sign in\" on your account page, and "
                    + "\(sessionsThere). It won't be added again.",
            ],
            link: ("Open your account", values[.link]), smallPrint: ofAccount)
    }

    static func passkeySynced(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "One of your passkeys can now be on several devices",
            paragraphs: [
                values[.greeting],
                "A passkey that was on one device only can now be backed up, so your other devices "
                    + "can use it too. You don't need to do anything.",
                "If you didn't turn on a backup like that, remove the passkey under \"How you sign "
                    + "in\" on your account page, add a new one, and \(sessionsThere).",
            ],
            smallPrint: ofAccount)
    }

    static func identityAdded(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You can now sign in with \(values[.provider])",
            paragraphs: [
                values[.greeting],
                "From now on, you can also sign in to your account with \(values[.provider]).",
                "If this wasn't you, sign in right away, remove it under \"How you sign in\" on "
                    + "your account page, \(sessionsThere), sign out the devices you don't know, "
                    + "and change your password if you have one.",
            ],
            smallPrint: ofAccount)
    }

    static func identityRemoved(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "A way to sign in was removed from your account",
            paragraphs: [
                values[.greeting],
                "You can no longer use this to sign in: \(values[.identity]).",
                "If this wasn't you, sign in another way right away, \(sessions), sign out the "
                    + "devices you don't know, and check \"How you sign in\": remove what you "
                    + "don't know, and add what's missing.",
            ],
            smallPrint: ofAccount)
    }

    // MARK: Signing in

    private static func unasked(_ values: MailValues) -> String {
        "You're getting this email because someone entered this address in \(values[.app]). If it "
            + "wasn't you, ignore it: nobody can sign in without this email."
    }

    static func signIn(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.code]) is your code for \(values[.app])",
            paragraphs: [
                values[.greeting],
                "Your code to sign in to \(values[.app]):",
            ],
            code: values[.code],
            afterCode: [
                "It works for ten minutes. Or open this link on the device where you want to sign "
                    + "in."
            ],
            link: ("Sign in", values[.link]), smallPrint: unasked(values))
    }

    static func signUp(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.code]) is your code for \(values[.app])",
            paragraphs: [
                values[.greeting],
                "Your code to create your \(values[.app]) account:",
            ],
            code: values[.code],
            afterCode: [
                "It works for ten minutes. Enter it only if you're signing up yourself right now."
            ],
            smallPrint: unasked(values))
    }

    static func accountExists(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You already have a \(values[.app]) account",
            paragraphs: [
                values[.greeting],
                "Someone, probably you, tried to create a \(values[.app]) account with this "
                    + "address. You already have one, and nothing changed.",
                "You can sign in with this link for the next ten minutes. If you don't remember "
                    + "your password, sign in this way and set a new one.",
            ],
            link: ("Sign in", values[.link]), smallPrint: unasked(values))
    }

    static func reset(_ values: MailValues) -> MailTemplate {
        var paragraphs = [
            values[.greeting],
            "Use this link to set a new \(values[.app]) password. It works once, for the next 30 "
                + "minutes.",
        ]
        if values.has(.appLink) {
            paragraphs.append("On a phone with the app: \(values[.appLink])")
        }
        return MailTemplate(
            subject: "Set a new \(values[.app]) password", paragraphs: paragraphs,
            link: ("Set a new password", values[.link]), smallPrint: unasked(values))
    }

    // MARK: A new address

    private static func unwanted(_ values: MailValues) -> String {
        "You're getting this email because someone entered this address in \(values[.app]). If it "
            + "wasn't you, ignore it: nothing changes without this email."
    }

    static func newAddress(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.code]) is your code for your new address",
            paragraphs: [
                values[.greeting],
                "Enter this code to use this address for your \(values[.app]) account from now on:",
            ],
            code: values[.code],
            afterCode: [
                "It works for ten minutes. Enter it only if you're changing your address yourself "
                    + "right now."
            ],
            smallPrint: unwanted(values))
    }

    static func addressByOperator(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Confirm your new address for \(values[.app])",
            paragraphs: [
                values[.greeting],
                "Open this link to use this address for your \(values[.app]) account from now on, "
                    + "and to sign in. It works once, for the next 30 minutes.",
                "Open it only if you asked us to change your address. You'll be signed out on all "
                    + "your devices.",
            ],
            link: ("Use this address", values[.link]), smallPrint: unwanted(values))
    }

    static func addressChanging(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "The address of your account is about to change",
            paragraphs: [
                values[.greeting],
                "Someone, probably you, asked to use another email address for your account. Once "
                    + "that address is confirmed, you can no longer sign in with this one.",
                "If this wasn't you, sign in right away, \(sessions), sign out the devices you "
                    + "don't know, and check \"How you sign in\".",
            ],
            smallPrint: ofAccount)
    }

    // MARK: The console

    static func consoleCode(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.code]) is your code for the console of \(values[.app])",
            paragraphs: [
                values[.greeting],
                "Your code to sign in to the operators' console of \(values[.app]):",
            ],
            code: values[.code],
            afterCode: [
                "It works for ten minutes, only in the browser where you asked for it. Enter it "
                    + "only on the console's own page, and don't share it with anyone."
            ],
            smallPrint: unasked(values))
    }
}
