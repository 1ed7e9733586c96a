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
        case .emailLabel: "Email address"
        case .passwordLabel: "Password"
        case .newPasswordLabel: "New password"
        case .passwordHint:
            "At least 8 characters. Several words that don’t belong together are best."
        case .nameLabel: "Your name"
        case .codeLabel: "Code"
        case .showPassword: "Show password"
        case .mailMeACode: "Email me a code"
        case .createAccount: "Create an account"
        case .accept: "Accept"
        case .decline: "Decline"
        case .signedInAs(let who): "You’re signed in as <strong><bdi>\(who)</bdi></strong>."
        case .yourAccount: "Your account"
        case .openApp(let app): "Open \(app)"
        case .backToApp(let app): "Back to \(app)"
        }
    }

    static func text(_ text: SignInText) -> HTML {
        switch text {
        case .signInSummary(let app): "Sign in to \(app)."
        case .codeHint: "No account yet? The code we email you creates one."
        case .enterCode: "Enter the code"
        case .codeSent(let email):
            """
            We sent an email to <strong><bdi>\(email)</bdi></strong>. The six-digit code in it \
            works for ten minutes.
            """
        case .codeSentAgain: "We emailed you a new code. Use the newest one."
        case .codeMissing: "No email? Check your spam folder."
        case .resendCode: "Send a new code"
        case .startAgain: "Start over"
        case .linkOpened(let app, let email):
            """
            You opened the link in our email. Press the button to sign in to \(app) as \
            <strong><bdi>\(email)</bdi></strong>.
            """
        case .signInAs(let who): "Sign in as <bdi>\(who)</bdi>"
        case .stayAs(let who): "Stay signed in as <bdi>\(who)</bdi>"
        case .signInInApp(let app): "To sign in, open the app <strong>\(app)</strong>."
        case .sessionHasEnded: "You were signed out. Sign in to continue."
        case .usePasskey: "Use a passkey"
        case .passkeyFailed: "That didn’t work. Try again, or sign in another way."
        case .haveAccount: "Already have an account? Sign in"
        case .forgotPassword: "Forgot your password?"
        case .roleLabel: "Who are you in the family?"
        case .iAmAParent: "A parent or another adult"
        case .iAmAPlayer: "A player (the child or teen)"
        case .mailMeALink: "Email me a link"
        case .forgotAdvice: "We’ll email you a link to set a new password."
        case .linkSent: "Check your email"
        case .linkSentTo(let email):
            """
            If there’s an account for <strong><bdi>\(email)</bdi></strong>, we emailed it a link. \
            The link works for 30 minutes.
            """
        case .setPassword: "Set a password"
        case .resetAdvice: "This signs you out on all your devices."
        case .resetLinkDead:
            """
            This link was used already, or it’s too old. Enter your email address, and we’ll send \
            you a new one.
            """
        case .passwordChanged: "Your password is set"
        case .passwordChangedAdvice: "Sign in with it now. You were signed out everywhere."
        }
    }

    static func text(_ text: ContinueText) -> HTML {
        switch text {
        case .title(let who): "Continue as <bdi>\(who)</bdi>?"
        case .titlePlainly(let who): "Continue as \(who)?"
        case .fromApp(let app):
            """
            This page was opened from <strong>\(app)</strong>. Continue only if you opened it \
            yourself just now.
            """
        case .fromDemo:
            "This link belongs to the demonstration. It works until the demonstration ends."
        case .continueAs(let who): "Continue as <bdi>\(who)</bdi>"
        case .over: "This link no longer works"
        case .overAdvice(let app):
            """
            Links from <strong>\(app)</strong> to this site work once, for a minute. Open the page \
            from the app again.
            """
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
                ? "You’re invited to join this family \(side(role))."
                : "<bdi>\(inviter)</bdi> invites you to join this family \(side(role))."
        case .invitesYouPlainly(let inviter, let role):
            inviter.isEmpty
                ? "You’re invited to join this family \(side(role))."
                : "\(inviter) invites you to join this family \(side(role))."
        case .growUpTitle(let family): "Your own account in \(family)"
        case .growUp(let family): "Your own account in <bdi>\(family)</bdi>"
        case .growsUp(let inviter):
            """
            \(inviter.isEmpty ? "You’re invited" : "<bdi>\(inviter)</bdi> invites you") to sign in \
            yourself from now on. You keep your place in the family and everything that’s yours \
            there. From then on, you do yourself what your guardians did for you.
            """
        case .growsUpPlainly(let inviter):
            inviter.isEmpty
                ? "You’re invited to have your own account."
                : "\(inviter) invites you to have your own account."
        case .invitedAddress(let email):
            """
            Sign in with <strong>\(email)</strong>, the address this invitation was sent to.
            """
        case .sentToAddress(let email):
            """
            This invitation was sent to <strong><bdi>\(email)</bdi></strong>. To accept it, sign \
            out, then sign in with that address.
            """
        case .alreadyAsked:
            """
            You already asked to join this family. We’ll email you the answer. You can withdraw \
            your request in your account.
            """
        case .endsFamily(let family):
            "You’ll leave <bdi>\(family)</bdi>. Nobody else belongs to it, so it ends."
        case .endsFamilyOnceIn(let family):
            """
            When this family lets you in, you’ll leave <bdi>\(family)</bdi>. Nobody else belongs \
            to it, so it ends.
            """
        case .becomes(let role): "You’ll be \(noun(role)) from now on, in every family."
        case .growsUpAs(let role): "In the family, you’ll be \(noun(role))."
        case .keepsKnownName: "Leave it empty to keep the name that your family knows."
        case .ifYouAccept: "If you accept:"
        case .ifYouJoin: "If you join:"
        case .validUntil(let moment):
            """
            The invitation is valid until <time datetime="\(moment.description)">\(day(moment))\
            </time> and works once. Opening this page doesn’t use it up.
            """
        case .givenACode: "Someone gave you a family’s code."
        case .codeLeadsTo(let members):
            """
            This code is for a family with \
            \(members == 1 ? "one member" : "\(members) members").
            """
        case .familyApproves: "Someone in the family decides who joins. We’ll email you the answer."
        case .fullForNow: "The family is full now. It can let you in once someone has left it."
        case .askToJoin: "Ask to join this family"
        case .signInToAnswer: "Sign in to answer"
        case .signInToJoin: "Sign in to join"
        case .noAccountNeeded: "No account yet? The code we email you creates one."
        case .useTheApp(let app, hasCode: true):
            """
            Already use the <strong>\(app)</strong> app? Enter the code there, or sign in here \
            with the email address you use there. A different address, such as one of Apple’s \
            private addresses, creates a second account.
            """
        case .useTheApp(let app, hasCode: false):
            """
            Already use the <strong>\(app)</strong> app? Open this link on the phone you’re signed \
            in on, or enter the email address you use there. A different address, such as one of \
            Apple’s private addresses, creates a second account.
            """
        case .usePassword: "Sign in with a password"
        case .joinNow: "Join this family"
        case .notYou: "Not you? Sign out"
        case .howToGoOn: "What to do next"
        case .openOnPhone(hasCode: true): "Enter the code in the family’s app on your phone."
        case .openOnPhone(hasCode: false):
            """
            Open this link on the phone that has the family’s app. The app shows you the \
            invitation.
            """
        case .signInOrCreate: "Sign in, or create an account."
        case .acceptInApp: "Accept in the app. Nothing changes until you do."
        case .haveApp(let app): "You can also answer in the <strong>\(app)</strong> app."
        case .qrCode: "QR code of this link"
        case .pointCamera: "Want this on your phone? Point its camera here."
        }
    }

    static func text(_ text: AnswerText) -> HTML {
        switch text {
        case .welcome: "Welcome"
        case .ownAccountIn(let family): "You now have your own account in <bdi>\(family)</bdi>"
        case .youAreIn(let family): "You’re now a member of <bdi>\(family)</bdi>"
        case .seeFamily: "See your family"
        case .whatNext: "What’s next"
        case .getApp(let app): "Get the <strong>\(app)</strong> app on your phone."
        case .signInThere(let email):
            email.map { "Open it and sign in as <strong><bdi>\($0)</bdi></strong>." }
                ?? "Open it and sign in the same way you did here."
        case .almostIn: "Almost there"
        case .youAreWaiting(let family): "Your request was sent to <bdi>\(family)</bdi>"
        case .somebodyApproves:
            """
            Someone in the family decides who joins. We’ll email you the answer.
            """
        case .wasFull:
            "When you asked, the family was full. It can let you in once someone has left it."
        case .declined: "You declined the invitation"
        case .declinedAdvice: "Nothing has changed for you. You can close this page."
        case .expired: "This invitation has expired"
        case .expiredAdvice:
            "Ask the person who invited you to send it again. You’ll get a new link."
        case .familyCodeExpired: "Ask the family for its new code."
        case .deadLink: "This link doesn’t work"
        case .deadLinkAdvice:
            """
            The invitation may have been withdrawn or replaced by a newer one, or part of the link \
            may be missing. Look for a newer email, or ask the person who invited you.
            """
        case .answered: "This invitation was already answered"
        case .answeredAdvice(let address):
            """
            It was accepted or declined. If you accepted it, \
            \(link("sign in", to: address) ?? "sign in to the app") to see your family.
            """
        case .answeredAdviceSignedIn:
            """
            It was accepted or declined. If you accepted it with this account, you’re in the \
            family. If you used another one, sign out and sign in with that.
            """
        case .incompleteLink: "Part of this link is missing"
        case .incompleteLinkAdvice(let address, let form):
            """
            Open it again from the message you got, or \
            \(link("enter the family’s code", to: address)
                ?? "enter the family’s code in the app"). \
            Codes look like \(form).
            """
        case .invitationUnchanged:
            "Please try again in a few minutes. Your invitation hasn’t changed."
        }
    }

    static func text(_ text: NoInvitationsText) -> HTML {
        switch text {
        case .mail: "Email"
        case .question: "Stop invitations?"
        case .advice:
            """
            We’ll stop emailing invitations to your address. Nothing else changes.
            """
        case .dead: "This link doesn’t work anymore"
        case .deadAdvice:
            """
            Use the link in the latest invitation you got, or ask the family to stop inviting you.
            """
        case .noneOf(let family): "Stop invitations from <bdi>\(family)</bdi>"
        case .noneOfAny: "Stop all invitations"
        case .done: "No more invitations"
        case .doneAdvice:
            """
            We won’t email you these invitations anymore. If you change your mind, the family can \
            give you its code.
            """
        }
    }

    static func text(_ text: ProblemText) -> HTML {
        switch text {
        case .formRefused: "This form can’t be used anymore"
        case .formRefusedAdvice:
            """
            It may be too old, or cookies may be turned off. Go back, reload the page, and try \
            again. Nothing has changed.
            """
        case .signedOut: "You were signed out"
        case .signedOutAdvice: "Sign in to continue. Nothing has changed."
        case .didNotWork: "That didn’t work"
        case .nothingHere: "There’s nothing here"
        case .nothingHereAdvice: "Check the address of this page."
        case .tryAgain: "Something went wrong. Please try again."
        case .tryLater: "The service is busy. Please try again in a few minutes."
        case .unreadable:
            "We can’t read this. If you followed a link, check that you copied all of it."
        case .formTooLong: "You entered more than we can take. Shorten it and try again."
        case .cookiesTooLong:
            """
            Your browser sent more than we can take. Delete this site’s cookies, then try again.
            """
        case .wrongPassword: "That email address or password isn’t right."
        case .noMailedCode: "The code has six digits. Copy it from the email."
        case .wrongCode(let left):
            left.map { $0 == 1 ? "That code isn’t right. You have one try left." : tries($0) }
                ?? "That code isn’t right, or it’s too old."
        case .codeOver: "This code or link doesn’t work anymore. Ask for a new one."
        case .wrongEmail: "That’s not an email address."
        case .noEmail: "Enter your email address."
        case .wrongName: "Enter a name of at most 80 characters."
        case .wrongPicture: "Choose one of the pictures."
        case .wrongLanguage: "Choose one of the languages in the list."
        case .wrongLabel: "Enter a name of at most 80 characters for the passkey."
        case .wrongRole: "Choose who you are in the family."
        case .wrongCurrentPassword: "That’s not your current password."
        case .roleFixed:
            """
            You can’t change your role while you’re in a family with others, or waiting to join one.
            """
        case .guardianFirst:
            """
            You’re a guardian of a child, so you have to be an adult here. Name another guardian \
            first.
            """
        case .weak(let weakness): advice(weakness)
        case .tooMany(let minutes):
            minutes == 1
                ? "Too many attempts. Please wait a minute."
                : "Too many attempts. Please wait \(String(minutes)) minutes."
        case .sentToAnother:
            """
            This invitation was sent to another email address. Sign out, then sign in with that \
            address.
            """
        case .otherSide:
            """
            This invitation is for another role (parent or player) than yours. Ask the family for \
            a new one.
            """
        case .otherSideChosen(let role):
            """
            This invitation is for \(noun(role)). If that’s you, choose it. If not, ask the family \
            for another invitation.
            """
        case .roleOfGraduate(let role):
            """
            Whoever invited you has chosen that you’ll be \(noun(role)). Accept it as it is, or \
            ask them to invite you again with the other role.
            """
        case .withdrawRequestFirst:
            """
            You asked to join another family in another role (parent or player) than that of this \
            invitation. Withdraw that request in your account, or wait for its answer.
            """
        case .notTheGraduate:
            """
            This invitation gives a child their own account. It can’t be accepted with an account \
            that’s already in a family.
            """
        case .tooManyFamilies: "You’re in as many families as you can be. Leave one first."
        case .transferAdminFirst: "You’re the Parent Admin. Make another adult Parent Admin first."
        case .consentMissing(let account):
            """
            You need to give a consent for this first. <a href="\(account)">Read it and give it</a>.
            """
        case .hasFamily(let family):
            family.map { "A player can only be in one family. Leave <bdi>\($0)</bdi> first." }
                ?? "A player can only be in one family. Leave your other one first."
        case .familyFull: "This family is full."
        case .wasRemoved: "For now, you can only come back to this family by invitation."
        case .alreadyIn:
            """
            You’re already a member of this family. If the app doesn’t show it, you’re signed in \
            there with another address. Sign in with the one you use here.
            """
        case .passkeyUnknown: "We don’t know this passkey. Sign in another way."
        case .passkeyKnown: "Your account already has this passkey."
        case .tooManyPasskeys: "Your account already has the maximum number of passkeys."
        case .codeUnknown: "There’s no family with this code. Check it and try again."
        case .lastWayIn: "This is the only way into your account. Add another one first."
        case .signInAgainFirst: "Sign out, sign in again, and do this within ten minutes."
        case .accountBlocked:
            """
            This account is blocked, so you can’t sign in. We emailed you what this means and how \
            to reach us.
            """
        case .operatorRoleStands:
            "This account is an operator of this service. Another admin has to remove that first."
        case .otherAccount:
            """
            This already belongs to another account here. To use that account, sign out, then \
            sign in to it. Otherwise, choose something else.
            """
        case .oneOfItsKind:
            """
            Your account already has a sign-in with a provider of this kind, and it can have only \
            one.
            """
        case .noAddress:
            """
            Your account has no confirmed email address to send a code to. Sign out, sign in \
            again, and do this within ten minutes.
            """
        case .handOverFirst(let tasks):
            """
            Your account wasn’t deleted, because others depend on you. \
            <a href="\(tasks)">See what to do first</a>.
            """
        }
    }

    /// Returns a link within a sentence; nil without an address.
    private static func link(_ words: String, to address: String?) -> HTML? {
        address.map { "<a href=\"\($0)\">\(words)</a>" }
    }

    private static func side(_ role: MemberRole) -> String {
        role == .player ? "as a player" : "as a parent"
    }

    /// Returns a role as a noun within a sentence.
    static func noun(_ role: MemberRole) -> String {
        role == .player ? "a player" : "a parent or another adult"
    }

    private static func tries(_ count: Int) -> HTML {
        "That code isn’t right. You have \(String(count)) tries left."
    }

    private static func advice(_ weakness: PasswordWeakness) -> HTML {
        switch weakness {
        case .length: "A password has 8 to 256 characters."
        case .commonWord: "This is a common password. Put several words together instead."
        case .ownWord: "Leave your name and your address out of the password."
        case .repetition: "This password repeats itself. Put several different words together."
        case .sequence: "Sequences such as abc or 123 are easy to guess. Use several words instead."
        case .keyboardPattern:
            "Keys next to each other are easy to guess. Use several words instead."
        case .date: "Dates and years are easy to guess. Leave them out of the password."
        case .tooShort, .other: "This password is too easy to guess. Add another word."
        }
    }

    /// Formats a date as `December 5, 2026`.
    static func day(_ moment: Timestamp) -> String {
        let (year, month, day) = moment.civilDay
        return "\(months[month - 1]) \(day), \(year)"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
}
