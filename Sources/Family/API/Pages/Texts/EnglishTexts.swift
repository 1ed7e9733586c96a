import Domain
import Basics
import UseCases

/// Hearth's pages in English.
enum EnglishTexts: PageTexts {
    static func text(_ text: PageText) -> HTML {
        switch text {
        case .or: "or"
        case .goOn: "Continue"
        case .back: "Back"
        case .signIn: "Sign in"
        case .signOut: "Sign out"
        case .questions: "Questions?"
        case .appStore: "Get it on the App Store"
        case .playStore: "Get it on Google Play"
        case .emailLabel: "E-mail address"
        case .passwordLabel: "Password"
        case .newPasswordLabel: "New password"
        case .passwordHint:
            "At least 8 characters. Several words that don’t belong together are best."
        case .nameLabel: "Your name"
        case .codeLabel: "Code"
        case .mailMeACode: "E-mail me a code"
        case .createAccount: "Create an account"
        case .accept: "Accept"
        case .decline: "Decline"
        case .signedInAs(let who): "You are signed in as <strong><bdi>\(who)</bdi></strong>."
        case .yourAccount: "Your account"
        }
    }

    static func text(_ text: SignInText) -> HTML {
        switch text {
        case .signInSummary(let app): "Sign in to \(app)."
        case .codeHint: "The code signs you in. If you have no account yet, it creates one."
        case .enterCode: "Enter the code"
        case .codeSent(let email):
            """
            We have sent an e-mail to <strong><bdi>\(email)</bdi></strong>. It has a code of six \
            digits that is valid for ten minutes.
            """
        case .codeMissing: "No e-mail? Look in the spam folder too."
        case .startAgain: "Start again"
        case .linkOpened(let app, let email):
            """
            You have opened the link from our e-mail. Press the button to sign in to \(app) as \
            <strong><bdi>\(email)</bdi></strong>.
            """
        case .signInAs(let who): "Sign in as <bdi>\(who)</bdi>"
        case .stayAs(let who): "Stay signed in as <bdi>\(who)</bdi>"
        case .signInInApp(let app): "To sign in, open the app <strong>\(app)</strong>."
        case .usePasskey: "Use a passkey"
        case .passkeyFailed: "That did not work. Try again, or choose another way."
        case .haveAccount: "Already have an account? Sign in"
        case .forgotPassword: "Forgot your password?"
        case .roleLabel: "Who are you in the family?"
        case .iAmAParent: "A parent or another adult"
        case .iAmAPlayer: "A player (the child or teen)"
        case .mailMeALink: "E-mail me a link"
        case .forgotAdvice: "We e-mail you a link. It lets you set another password."
        case .linkSent: "Look for our e-mail"
        case .linkSentTo(let email):
            """
            If <strong><bdi>\(email)</bdi></strong> has an account, we have sent a link to it. The \
            link is valid for half an hour.
            """
        case .setPassword: "Set a password"
        case .resetAdvice: "You are then signed out on all your devices."
        case .passwordChanged: "Your password is set"
        case .passwordChangedAdvice: "Sign in with it now. You were signed out everywhere."
        }
    }

    static func text(_ text: JoinText) -> HTML {
        switch text {
        case .invitation: "Invitation"
        case .familyCode: "Family code"
        case .joinTitle(let family): "Join \(family)"
        case .joinFamily(let family): "Join <bdi>\(family)</bdi>"
        case .joinAFamily: "Join a family"
        case .invitesYou(let inviter, let role):
            inviter.isEmpty
                ? "You are invited to join this family \(side(role))."
                : "<bdi>\(inviter)</bdi> invites you to join this family \(side(role))."
        case .invitesYouPlainly(let inviter, let role):
            inviter.isEmpty
                ? "You are invited to join this family \(side(role))."
                : "\(inviter) invites you to join this family \(side(role))."
        case .invitedAddress(let email):
            """
            Sign in with <strong>\(email)</strong>, the address that this invitation was sent to.
            """
        case .sentToAddress(let email):
            """
            This invitation was sent to <strong><bdi>\(email)</bdi></strong>. To accept it, sign \
            out, then sign in with that address.
            """
        case .alreadyAsked:
            """
            You have already asked to join this family. We will email you the answer. You can \
            withdraw your request in your account.
            """
        case .validUntil(let moment):
            """
            The invitation is valid until <time datetime="\(moment.description)">\(day(moment))\
            </time> and works once. Opening this page does not use it up.
            """
        case .givenACode: "You have been given the code of a family."
        case .codeLeadsTo(let members):
            """
            This code leads to a family with \
            \(members == 1 ? "one member" : "\(members) members").
            """
        case .familyApproves: "Somebody in the family decides who joins. We e-mail you the answer."
        case .askToJoin: "Ask to join this family"
        case .signInToAnswer: "Sign in to answer"
        case .noAccountNeeded: "You need no account yet: the code that we e-mail you creates one."
        case .useTheApp(let app):
            """
            You use the app <strong>\(app)</strong> already? Sign in there, and open this link on \
            the same phone. Or give the address that you have there: another one, such as one that \
            Apple hides yours behind, makes a second account.
            """
        case .usePassword: "Sign in with a password"
        case .joinNow: "Join this family"
        case .notYou: "Not you? Sign out"
        case .howToGoOn: "How to go on"
        case .openOnPhone:
            """
            Open this link on the phone that has the family’s app. The app shows you what it is \
            about.
            """
        case .signInOrCreate: "Sign in, or create an account."
        case .acceptInApp: "Accept in the app. Until you do, nothing changes."
        case .haveApp(let app): "You can also answer in the app <strong>\(app)</strong>."
        case .qrCode: "QR code of this link"
        case .pointCamera: "Not on your phone? Point its camera here to open this link there."
        }
    }

    static func text(_ text: AnswerText) -> HTML {
        switch text {
        case .welcome: "Welcome"
        case .youAreIn(let family): "You are now a member of <bdi>\(family)</bdi>"
        case .whatNext: "What comes next"
        case .getApp(let app): "Get the app <strong>\(app)</strong> on your phone."
        case .signInThere(let email):
            email.map { "Open it, and sign in there as <strong><bdi>\($0)</bdi></strong>." }
                ?? "Open it, and sign in there the same way as here."
        case .almostIn: "Almost there"
        case .youAreWaiting(let family): "<bdi>\(family)</bdi> knows that you want to join"
        case .somebodyApproves:
            """
            Somebody in the family decides who joins. We e-mail you the answer.
            """
        case .declined: "You have declined the invitation"
        case .declinedAdvice: "Nothing has changed for you. You can close this page."
        case .expired: "This invitation has expired"
        case .expiredAdvice:
            "Ask the person who invited you to send it again. You will get a new link."
        case .familyCodeExpired: "Ask the family for its new code."
        case .deadLink: "This link does not work"
        case .deadLinkAdvice:
            """
            The invitation may have been withdrawn or replaced by a newer one, or the link may be \
            incomplete. Look for a newer message, or ask the person who invited you.
            """
        case .answered: "This invitation has been answered"
        case .answeredAdvice:
            """
            It was accepted or declined already. If you accepted it, open the app and sign in to \
            see the family.
            """
        case .incompleteLink: "This link is not complete"
        case .incompleteLinkAdvice:
            """
            Open it again from the message that you got, or enter the family’s code in the app. \
            Codes look like FAM-XXXXXX.
            """
        case .invitationUnchanged:
            "Please try again in a few minutes. Your invitation has not changed."
        }
    }

    static func text(_ text: AccountText) -> HTML {
        switch text {
        case .whatIsYourName: "What is your name?"
        case .whoAreYou: "Who are you?"
        case .nameAdvice: "Your family will see this."
        case .keepName: "Save"
        case .nameKept: "Saved."
        case .yourInvitations: "Invitations for you"
        case .acceptOf(let family): "Accept the invitation to \(family)"
        case .declineOf(let family): "Decline the invitation to \(family)"
        case .yourFamilies: "Your families"
        case .noFamily(let app):
            """
            You belong to no family yet. Create one in the app <strong>\(app)</strong>, or open \
            the link of an invitation.
            """
        case .members(let count): count == 1 ? "one member" : "\(String(count)) members"
        case .yourRequests: "Families that you asked to join"
        case .requestedOn(let moment):
            "You asked on \(day(moment)). The family has not answered yet."
        case .withdraw: "Withdraw"
        case .withdrawOf(let family): "Withdraw the request to join \(family)"
        case .requestWithdrawn: "Your request is withdrawn."
        case .requestOver: "This request was answered or withdrawn already."
        case .whereSignedIn: "Where you are signed in"
        case .thisOne: "this device"
        case .unknownDevice: "Unknown device"
        case .lastUsed(let moment, let method):
            "\(means(method)) &middot; last used on \(day(moment))"
        case .end: "End"
        case .endOf(let device): device.isEmpty ? "End this session" : "End: \(device)"
        case .endOthers: "Sign out everywhere else"
        case .sessionsEnded: "Done: you are signed out there."
        }
    }

    static func text(_ text: AccountDataText) -> HTML {
        switch text {
        case .howYouSignIn: "How you can sign in"
        case .way(let kind): way(kind)
        case .since(let moment): "since \(day(moment))"
        case .remove: "Remove"
        case .removeOf(let kind, let name): "Remove: \(way(kind)) \(name)"
        case .wayRemoved: "Removed. You can no longer sign in that way."
        case .removeWay: "Remove this way to sign in?"
        case .removeAdvice: "You can no longer sign in this way afterwards."
        case .passwordGoesToo:
            """
            Your password works only together with an e-mail address, and this is the last one: \
            the password is removed as well.
            """
        case .keepWay: "Keep it"
        case .addPasskey: "Add a passkey"
        case .passkeyAdded: "Your passkey is added."
        case .passkeyLater: "To add a passkey, sign out and sign in again first."
        case .changePassword: "Change the password"
        case .currentPasswordLabel: "Current password"
        case .passwordEndsSessions: "You are then signed out on all your other devices."
        case .passwordKept: "Your password is set."
        case .yourData: "Your data"
        case .download: "Download a copy"
        case .downloadAdvice:
            "A file with everything stored about you and the children whose guardian you are."
        case .eraseAccount: "Delete the account"
        case .eraseAdvice:
            """
            Your account is deleted at once, and you leave your families. Nobody can bring it back.
            """
        case .eraseForGood: "Delete for good"
        case .iAmSure: "Yes, delete my account for good"
        case .childrenToo: "Also delete the children who would have no guardian left"
        case .tickFirst: "Tick the box that says you are sure, then press the button again."
        case .erasureCodeSent:
            """
            To be sure that it is you, we have e-mailed you a code. Enter it to delete the account.
            """
        case .erased: "Your account is deleted"
        case .erasedAdvice: "You can close this page."
        }
    }

    static func text(_ text: NoInvitationsText) -> HTML {
        switch text {
        case .mail: "E-mail"
        case .question: "No more invitations?"
        case .advice:
            """
            We then send no e-mails with invitations to your address any more. Everything else \
            stays as it is.
            """
        case .noneOf(let family): "None from <bdi>\(family)</bdi>"
        case .noneOfAny: "None from any family"
        case .done: "No more invitations"
        case .doneAdvice:
            """
            We send no such e-mails to your address any more. If you change your mind, the family \
            can give you its code.
            """
        }
    }

    static func text(_ text: ProblemText) -> HTML {
        switch text {
        case .formRefused: "This form can’t be used any more"
        case .formRefusedAdvice:
            """
            It may be too old, or cookies may be switched off. Go back, load the page again, and \
            try once more. Nothing has changed.
            """
        case .didNotWork: "This did not work"
        case .nothingHere: "There is nothing here"
        case .nothingHereAdvice: "Check the address of this page."
        case .tryAgain: "Something went wrong. Please try again."
        case .tryLater: "The service is busy. Please try again in a few minutes."
        case .wrongPassword: "Address or password is wrong."
        case .noMailedCode: "A code has six digits. Please copy it from the e-mail."
        case .wrongCode(let left):
            left.map { $0 == 1 ? "This code is wrong. One try is left." : tries($0) }
                ?? "This code is wrong or too old."
        case .codeOver: "This code or link is no longer valid. Ask for another one."
        case .wrongEmail: "This is not an e-mail address."
        case .wrongName: "Enter a name of at most 80 characters."
        case .wrongRole: "Choose who you are in the family."
        case .wrongCurrentPassword: "That is not your current password."
        case .roleFixed: "Your role can’t change while you belong to a family."
        case .guardianFirst:
            """
            You are the guardian of a child, so you are registered as an adult. Name another \
            guardian in the app first.
            """
        case .weak(let weakness): advice(weakness)
        case .tooMany(let minutes):
            minutes == 1
                ? "Too many attempts. Please wait a minute."
                : "Too many attempts. Please wait \(String(minutes)) minutes."
        case .sentToAnother:
            """
            This invitation was sent to another e-mail address. Sign out, and sign in with that \
            address.
            """
        case .otherSide:
            """
            This invitation is for another role (parent or player) than yours. Ask the family to \
            send you a new one.
            """
        case .hasFamily(let family):
            family.map { "A player belongs to one family only. Leave <bdi>\($0)</bdi> first." }
                ?? "A player belongs to one family only. Leave the other one first."
        case .familyFull: "This family is full."
        case .wasRemoved: "For now, only an invitation can bring you back to this family."
        case .alreadyIn:
            """
            You are already a member of this family. If the app shows you none, you have signed in \
            there with another address: sign in with the one that you have here.
            """
        case .passkeyUnknown: "This passkey is not known here. Choose another way."
        case .passkeyKnown: "Your account has this passkey already."
        case .tooManyPasskeys: "Your account has as many passkeys as it can have."
        case .codeUnknown: "There is no family with this code. Check it, and try again."
        case .lastWayIn: "This is the only way into your account. Add another one first."
        case .signInAgainFirst: "Sign out, sign in again, and do this within ten minutes."
        case .handOverFirst:
            """
            Other people depend on you: make somebody else the Parent Admin, and name another \
            guardian of your children in the app. Or tick the box for the children as well.
            """
        }
    }

    private static func side(_ role: MemberRole) -> String {
        role == .player ? "as a player" : "as a parent"
    }

    private static func tries(_ count: Int) -> HTML {
        "This code is wrong. \(String(count)) tries are left."
    }

    private static func means(_ method: SignInMethod) -> String {
        switch method {
        case .exchange: "Another provider"
        case .email: "Code by e-mail"
        case .password: "Password"
        case .passkey: "Passkey"
        }
    }

    private static func way(_ kind: IdentityKind) -> HTML {
        switch kind {
        case .issuer: "Another provider"
        case .email: "Codes by e-mail"
        case .password: "Password"
        case .passkey: "Passkey"
        }
    }

    private static func advice(_ weakness: PasswordWeakness) -> HTML {
        switch weakness {
        case .length: "A password has 8 to 256 characters."
        case .commonWord: "This is a common password. Put several words together instead."
        case .ownWord: "Leave your name and your address out of the password."
        case .repetition: "This password repeats itself. Put several different words together."
        case .sequence: "Sequences such as abc or 123 are easy to guess. Use several words instead."
        case .keyboardPattern: "Neighbouring keys are easy to guess. Use several words instead."
        case .date: "Dates and years are easy to guess. Leave them out of the password."
        case .tooShort, .other: "This password is too easy to guess. Add another word."
        }
    }

    /// Formats a date as `5 December 2026`.
    static func day(_ moment: Timestamp) -> String {
        let (year, month, day) = moment.civilDay
        return "\(day) \(months[month - 1]) \(year)"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
}
