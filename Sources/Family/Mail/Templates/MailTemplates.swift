package import Domain

/// The texts of Hearth's e-mails. Names are people's own and may contain anything.
package enum MailTemplates {
    /// To a person who is invited into a family.
    package static func invitation(
        family: String, inviter: String, role: String, link: String, refusal: String,
        expiresAt: Timestamp
    ) -> MailContent {
        let family = line(family, else: "a family")
        let inviter = line(inviter, else: "Somebody")
        let side = role == "player" ? "as a player" : "as a parent"
        let until = MailDate.plain(secondsSince1970: expiresAt.seconds)
        return MailTemplate(
            subject: "\(inviter) invites you to join \(family)",
            paragraphs: [
                "Hello,", "\(inviter) invites you to join \(family) \(side).",
                "The invitation is valid until \(until). It is for this e-mail address only, so "
                    + "please sign in with it.",
            ],
            link: ("Open the invitation", link),
            smallPrint: "If you don't know what this is about, you can ignore this message.",
            refusal: ("Do not invite me again", refusal)
        ).content
    }

    /// To the adults of a family with a new Parent Admin.
    package static func adminChanged(
        recipient: String, family: String, admin: String
    ) -> MailContent {
        let family = line(family, else: "your family")
        let admin = line(admin, else: "Another adult")
        return MailTemplate(
            subject: "\(admin) is now Parent Admin of \(family)",
            paragraphs: [
                greeting(recipient),
                "\(admin) is now Parent Admin of \(family) and looks after its members, its code "
                    + "and its invitations.",
            ],
            smallPrint: "You get this message because you are an adult of this family."
        ).content
    }

    /// To a person who was removed from a family.
    package static func memberRemoved(recipient: String, family: String) -> MailContent {
        let family = line(family, else: "your family")
        return MailTemplate(
            subject: "You are no longer a member of \(family)",
            paragraphs: [
                greeting(recipient),
                "You were removed from \(family) and no longer have access to it.",
                "If you think that this is a mistake, please talk to your family. They can invite "
                    + "you again.",
            ],
            smallPrint: "You get this message because you were a member of this family."
        ).content
    }

    /// To a person who waited for the approval of a family that nobody belongs to any more.
    package static func waitingEnded(recipient: String, family: String) -> MailContent {
        let family = line(family, else: "a family")
        return MailTemplate(
            subject: "Your request to join \(family) has ended",
            paragraphs: [
                greeting(recipient),
                "You asked to join \(family) and waited for approval. The person who started this "
                    + "family has joined another one, so \(family) takes nobody in any more.",
                "Please ask the family that you want to join for its code or for an invitation.",
            ],
            smallPrint: "You get this message because you asked to join this family."
        ).content
    }

    /// To the former guardian of children who have a new guardian.
    package static func guardianReplaced(
        recipient: String, family: String, guardian: String
    ) -> MailContent {
        let family = line(family, else: "your family")
        let guardian = line(guardian, else: "Another adult")
        return MailTemplate(
            subject: "\(guardian) is now a guardian in \(family)",
            paragraphs: [
                greeting(recipient),
                "In \(family), \(guardian) is now the guardian of the children you looked after "
                    + "as guardian.",
            ],
            smallPrint: "You get this message because you were the children's guardian."
        ).content
    }

    /// To an adult who was made a guardian of a child. E-mails never name children.
    package static func guardianNamed(recipient: String, family: String) -> MailContent {
        let family = line(family, else: "your family")
        return MailTemplate(
            subject: "You are now a guardian in \(family)",
            paragraphs: [
                greeting(recipient),
                "Another guardian made you a guardian of a child in \(family). You can act for the "
                    + "child and change what belongs to it.",
                "If you don't want that, you can stop being a guardian in the app at any time.",
            ],
            smallPrint: "You get this message because another guardian named you."
        ).content
    }

    /// To an adult who is no guardian of a child any more.
    package static func guardianRemoved(recipient: String, family: String) -> MailContent {
        let family = line(family, else: "your family")
        return MailTemplate(
            subject: "You are no longer a guardian in \(family)",
            paragraphs: [
                greeting(recipient),
                "You are no longer a guardian of a child in \(family). Its primary guardian has "
                    + "ended that; other guardians look after the child.",
            ],
            smallPrint: "You get this message because you were a guardian of the child."
        ).content
    }

    /// To a person who is about to erase the account.
    package static func deletionCode(recipient: String, code: String) -> MailContent {
        MailTemplate(
            subject: "The code to delete your account",
            paragraphs: [
                greeting(recipient),
                "Your code is \(code). It confirms that your account and everything that is known "
                    + "of you are deleted, at once and for good. It is valid for ten minutes.",
                "If you did not ask for it, don't give it to anybody: nothing happens without it. "
                    + "Somebody has access to your account, so sign out on all devices.",
            ],
            smallPrint: "You get this message because you have an account with this address."
        ).content
    }

    /// To the owner of an account, one of whose sessions has ended because its refresh token was
    /// used again.
    package static func sessionReused(recipient: String) -> MailContent {
        MailTemplate(
            subject: "You were signed out on one of your devices",
            paragraphs: [
                greeting(recipient),
                "One of your sign-ins was used from two places at once. Somebody else may have "
                    + "copied it, so we ended it.",
                "Sign in again on that device. If you don't know why this happened, look through "
                    + "the list of your sign-ins, end those that you don't know, and change your "
                    + "password if you have one.",
            ],
            smallPrint: "You get this message because you have an account with this address."
        ).content
    }

    /// To a person whose account was erased.
    package static func accountErased() -> MailContent {
        MailTemplate(
            subject: "Your account was deleted",
            paragraphs: [
                "Hello,",
                "As you asked, your account was deleted, and with it everything that was known of "
                    + "you. There is no waiting time, so this can't be undone.",
                "Your memberships have ended, and you are signed out everywhere. If you sign in "
                    + "again, you begin with a new account.",
            ],
            smallPrint: "This is the last message: your address was deleted as well."
        ).content
    }

    /// To the owner of an account whose password was changed or reset.
    package static func passwordChanged(recipient: String) -> MailContent {
        MailTemplate(
            subject: "Your password was changed",
            paragraphs: [
                greeting(recipient),
                "Your password is another one now, and other devices were signed out.",
                "If it was not you: ask for a link to reset your password, and look through the "
                    + "list of your sign-ins.",
            ],
            smallPrint: "You get this message because you have an account with this address."
        ).content
    }

    /// To the owner of an account that has a passkey more.
    package static func passkeyAdded(recipient: String) -> MailContent {
        MailTemplate(
            subject: "A passkey was added to your account",
            paragraphs: [
                greeting(recipient),
                "From now on you can sign in with it: with the device that it is on, instead of a "
                    + "code or a password.",
                "If it was not you: take it away in the list of your passkeys, and look through "
                    + "the list of your sign-ins.",
            ],
            smallPrint: "You get this message because you have an account with this address."
        ).content
    }

    static func greeting(_ name: String) -> String {
        let name = HeaderText.singleLine(name)
        return name.isEmpty ? "Hello," : "Hello \(name),"
    }

    static func line(_ name: String, else other: String) -> String {
        let name = HeaderText.singleLine(name)
        return name.isEmpty ? other : name
    }
}
