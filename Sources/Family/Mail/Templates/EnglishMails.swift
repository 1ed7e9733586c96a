import Domain
import UseCases

/// Hearth's e-mails in English.
enum EnglishMails: MailWriter {
    static func unknown(_ value: MailValue) -> String {
        switch value {
        case .family: "a family"
        case .inviter, .admin, .guardian, .requester: "Somebody"
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
        case .email: "codes by e-mail, and the password if this was the last address"
        case .password: "the password"
        case .passkey: "a passkey"
        }
    }

    static func day(_ day: MailDate.Day) -> String {
        "\(day.day) \(MailDate.months[day.month - 1]) \(day.year)"
    }

    static func sender(_ values: MailValues) -> String {
        "It was sent by \(values[.app]) to \(values[.address])."
    }

    private static let ofAccount =
        "You get this message because you have an account with this address."
    private static let unknownSender =
        "If you don't know what this is about, you can ignore this message."
    private static let addressOnly =
        "It is for this e-mail address only, so please sign in with it."

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
            refusal: ("Do not invite me again", values[.refusal]))
    }

    static func adminChanged(_ values: MailValues) -> MailTemplate {
        let (family, admin) = (values[.family], values[.admin])
        return MailTemplate(
            subject: "\(admin) is now Parent Admin of \(family)",
            paragraphs: [
                values[.greeting],
                "\(admin) is now Parent Admin of \(family) and looks after its members, its code "
                    + "and its invitations.",
            ],
            smallPrint: "You get this message because you are an adult of this family.")
    }

    static func memberRemoved(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You are no longer a member of \(values[.family])",
            paragraphs: [
                values[.greeting],
                "You were removed from \(values[.family]) and no longer have access to it.",
                "If you think that this is a mistake, please talk to your family. They can invite "
                    + "you again.",
            ],
            smallPrint: "You get this message because you were a member of this family.")
    }

    static func joinRequested(_ values: MailValues) -> MailTemplate {
        let (family, requester) = (values[.family], values[.requester])
        return MailTemplate(
            subject: "\(requester) asks to join \(family)",
            paragraphs: [
                values[.greeting],
                "\(requester) asks to join \(family) by its code, and waits for approval. Until "
                    + "then this person sees nothing of your family.",
                "You can approve the request or turn it down in the app. If you don't know who it "
                    + "is, turn it down and give your family a new code.",
            ],
            smallPrint: "You get this message because you decide who joins this family.")
    }

    static func requestApproved(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "You are now a member of \(family)",
            paragraphs: [
                values[.greeting],
                "Your request to join \(family) was approved. You find the family in the app.",
            ],
            smallPrint: "You get this message because you asked to join this family.")
    }

    static func requestRejected(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "Your request to join \(family) was turned down",
            paragraphs: [
                values[.greeting],
                "You asked to join \(family), and the request was turned down.",
                "If you think that this is a mistake, please talk to the family. They can invite "
                    + "you.",
            ],
            smallPrint: "You get this message because you asked to join this family.")
    }

    static func waitingEnded(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "Your request to join \(family) has ended",
            paragraphs: [
                values[.greeting],
                "You asked to join \(family) and waited for approval. Nobody belongs to this "
                    + "family any more, so nobody can approve your request.",
                "Please ask the family that you want to join for its code or for an invitation.",
            ],
            smallPrint: "You get this message because you asked to join this family.")
    }

    static func requestInOtherRole(_ values: MailValues) -> MailTemplate {
        let family = values[.family]
        return MailTemplate(
            subject: "\(family) can't approve your request yet",
            paragraphs: [
                values[.greeting],
                "\(family) wanted to let you in. You asked to join in another role (player or "
                    + "parent) than your account has in another family, and an account has one "
                    + "role in all its families.",
                "Leave the other family, or withdraw your request and ask again.",
            ],
            smallPrint: "You get this message because you asked to join this family.")
    }

    // MARK: Guardians

    static func guardianReplaced(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.guardian]) is now a guardian in \(values[.family])",
            paragraphs: [
                values[.greeting],
                "In \(values[.family]), \(values[.guardian]) is now the guardian of the children "
                    + "you looked after as guardian.",
            ],
            smallPrint: "You get this message because you were the children's guardian.")
    }

    static func guardianNamed(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You are now a guardian in \(values[.family])",
            paragraphs: [
                values[.greeting],
                "Another guardian made you a guardian of a child in \(values[.family]). You can "
                    + "act for the child and change what belongs to it.",
                "If you don't want that, you can stop at any time, in the app.",
            ],
            smallPrint: "You get this message because another guardian named you.")
    }

    static func guardianRemoved(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You are no longer a guardian in \(values[.family])",
            paragraphs: [
                values[.greeting],
                "You are no longer a guardian of a child in \(values[.family]). The child's "
                    + "primary guardian decided this; other guardians look after the child.",
            ],
            smallPrint: "You get this message because you were a guardian of the child.")
    }

    static func graduation(_ values: MailValues) -> MailTemplate {
        let (family, inviter) = (values[.family], values[.inviter])
        return MailTemplate(
            subject: "\(inviter) invites you to have your own account in \(family)",
            paragraphs: [
                "Hello,",
                "You are a member of \(family) already, without an account of your own. \(inviter) "
                    + "invites you to sign in yourself from now on. All that belongs to you there "
                    + "stays yours, and nobody will act for you any longer.",
                "The invitation is valid until \(values[.until]). \(addressOnly)",
            ],
            link: ("Open the invitation", values[.link]), smallPrint: unknownSender)
    }

    static func graduationStarted(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "A child in \(values[.family]) is invited to have its own account",
            paragraphs: [
                values[.greeting],
                "You are a guardian of a child in \(values[.family]). The child is now invited to "
                    + "have its own account. Once the child has accepted, it signs in on its own, "
                    + "and nobody acts for it any more.",
            ],
            smallPrint: "You get this message because you are a guardian of the child.")
    }

    static func graduated(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "A child in \(values[.family]) has its own account now",
            paragraphs: [
                values[.greeting],
                "You were a guardian of a child in \(values[.family]). The child now has its own "
                    + "account and signs in on its own. It stays a member with all that belongs to "
                    + "it; you can't act for it any more.",
            ],
            smallPrint: "You get this message because you were a guardian of the child.")
    }

    static func consentCode(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "The code for your consent",
            paragraphs: [
                values[.greeting],
                "Your code is \(values[.code]). With it you consent, as a child's guardian, "
                    + "to what the app has shown you. It is valid for ten minutes. You can "
                    + "withdraw your consent in the app at any time.",
                notAsked,
            ],
            smallPrint: ofAccount)
    }

    // MARK: The account

    private static let notAsked =
        "If you did not ask for this code, somebody else may be using your account: don't pass the "
        + "code on, and sign out on all devices."
    private static let sessions = "look at 'Where you are signed in' on your account page"

    static func deletionCode(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "The code to delete your account",
            paragraphs: [
                values[.greeting],
                "Your code is \(values[.code]). With it you delete your account and everything "
                    + "that is known about you, at once and for good. It is valid for ten minutes.",
                notAsked,
            ],
            smallPrint: ofAccount)
    }

    static func accountErased(_: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Your account was deleted",
            paragraphs: [
                "Hello,",
                "As you asked, your account was deleted, and with it everything that was known of "
                    + "you. The deletion took effect at once and can't be undone.",
                "Your memberships have ended, and you are signed out everywhere. If you sign in "
                    + "again, you begin with a new account.",
            ],
            smallPrint: "This is the last message: your address was deleted as well.")
    }

    static func sessionReused(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You were signed out on one of your devices",
            paragraphs: [
                values[.greeting],
                "One of your sessions was used from two places at once. Somebody else may have "
                    + "copied it, so we ended it.",
                "Sign in again on that device. If you don't know why this happened, \(sessions), "
                    + "end the sessions that you don't know, and change your password if you have "
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
                "If it was not you, ask for a link to reset your password, and \(sessions).",
            ],
            smallPrint: ofAccount)
    }

    static func passwordSet(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Your account now has a password",
            paragraphs: [
                values[.greeting],
                "A password was set for your account, and your other devices were signed out.",
                "If it was not you, ask for a link to reset your password, and \(sessions).",
            ],
            smallPrint: ofAccount)
    }

    static func passkeyAdded(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "A passkey was added to your account",
            paragraphs: [
                values[.greeting],
                "From now on you can sign in with this passkey, on the device that has it, instead "
                    + "of a code or a password.",
                "If it was not you, remove it from the list of your passkeys, and \(sessions).",
            ],
            smallPrint: ofAccount)
    }

    static func signInLinked(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "A way to sign in was added to your account",
            paragraphs: [
                values[.greeting],
                "Somebody signed in to \(values[.app]) with this address, as it is confirmed by "
                    + "another provider. Both lead to the same account from now on.",
                "If you don't want that, or if it was not you, sign in by an e-mailed code, remove "
                    + "it under 'How you can sign in' on your account page, and \(sessions). It "
                    + "will "
                    + "not be added again.",
            ],
            smallPrint: ofAccount)
    }

    static func passkeySynced(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "One of your passkeys can now be on several devices",
            paragraphs: [
                values[.greeting],
                "A passkey of yours that was on one device only can be backed up from now on, so "
                    + "that your other devices can use it as well. You need not do anything.",
                "If you did not turn on such a backup, remove the passkey under 'How you can sign "
                    + "in' on your account page, add a new one, and \(sessions).",
            ],
            smallPrint: ofAccount)
    }

    static func identityAdded(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "Another sign-in was added to your account",
            paragraphs: [
                values[.greeting],
                "From now on you can also sign in to your account with another provider.",
                "If it was not you, sign in at once, remove it under 'How you can sign in' on "
                    + "your account page, \(sessions), end the sessions that you don't know, and "
                    + "change your password if you have one.",
            ],
            smallPrint: ofAccount)
    }

    static func identityRemoved(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "A way to sign in was removed from your account",
            paragraphs: [
                values[.greeting],
                "This no longer leads into your account: \(values[.identity]).",
                "If it was not you, sign in at once in another way, \(sessions), end the sessions "
                    + "that you don't know, and look at 'How you can sign in': remove what you "
                    + "don't know, and add again what is missing.",
            ],
            smallPrint: ofAccount)
    }

    // MARK: Signing in

    private static func unasked(_ values: MailValues) -> String {
        "You get this message because somebody gave this address at \(values[.app]). If it was not "
            + "you, ignore this message: nobody can sign in without it."
    }

    static func signIn(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.code]) is your code for \(values[.app])",
            paragraphs: [
                values[.greeting],
                "Your code to sign in to \(values[.app]) is \(values[.code]). It is valid for ten "
                    + "minutes.",
                "You can also open this link on the device where you want to sign in.",
            ],
            link: ("Sign in", values[.link]), smallPrint: unasked(values))
    }

    static func signUp(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "\(values[.code]) is your code for \(values[.app])",
            paragraphs: [
                values[.greeting],
                "Your code to create your account at \(values[.app]) is \(values[.code]). It is "
                    + "valid for ten minutes.",
                "Enter it only where you have just chosen a password yourself.",
            ],
            smallPrint: unasked(values))
    }

    static func accountExists(_ values: MailValues) -> MailTemplate {
        MailTemplate(
            subject: "You have an account at \(values[.app]) already",
            paragraphs: [
                values[.greeting],
                "Somebody, probably you, wanted to create an account at \(values[.app]) with this "
                    + "address. There is one already, and nothing was changed.",
                "You can sign in with this link within ten minutes. If you don't remember your "
                    + "password, sign in this way and set another one.",
            ],
            link: ("Sign in", values[.link]), smallPrint: unasked(values))
    }

    static func reset(_ values: MailValues) -> MailTemplate {
        var paragraphs = [
            values[.greeting],
            "You can set a new password for \(values[.app]) with this link. It is valid for "
                + "thirty minutes and works once.",
        ]
        if values.has(.appLink) {
            paragraphs.append("On a phone with the app: \(values[.appLink])")
        }
        return MailTemplate(
            subject: "A new password for \(values[.app])", paragraphs: paragraphs,
            link: ("Set a new password", values[.link]), smallPrint: unasked(values))
    }
}
