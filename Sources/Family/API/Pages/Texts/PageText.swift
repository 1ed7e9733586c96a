import Domain
import Basics
import UseCases

// The texts of Hearth's pages, by subject. Each language has a file with all of them; a missing
// text does not compile.

/// Texts of several pages.
enum PageText {
    case or, goOn, back, signIn, signOut
    /// Precedes the support address.
    case questions
    case appStore, playStore
    case emailLabel, passwordLabel, newPasswordLabel, passwordHint, nameLabel, codeLabel
    case mailMeACode, createAccount, accept, decline
    case signedInAs(String)
    case yourAccount
}

/// Texts about signing in and resetting a password.
enum SignInText {
    case signInSummary(app: String)
    case codeHint, enterCode, codeSent(to: String), codeMissing, startAgain
    case linkOpened(app: String, email: String), signInAs(String), stayAs(String)
    /// Shown if all sign-in methods of pages are switched off.
    case signInInApp(String)
    case usePasskey, passkeyFailed
    case haveAccount, forgotPassword
    case roleLabel, iAmAParent, iAmAPlayer
    case mailMeALink, forgotAdvice, linkSent, linkSentTo(String)
    case setPassword, resetAdvice, passwordChanged, passwordChangedAdvice
}

/// Texts about invitations and family codes before they are answered.
enum JoinText {
    case invitation, familyCode
    /// Text without markup.
    case joinTitle(String)
    case joinFamily(String)
    case joinAFamily
    case invitesYou(inviter: String, as: MemberRole)
    /// Text without markup.
    case invitesYouPlainly(inviter: String, as: MemberRole)
    case invitedAddress(String)
    /// Shown to somebody who is signed in with another address.
    case sentToAddress(String)
    case alreadyAsked
    case validUntil(Timestamp)
    case givenACode
    case codeLeadsTo(members: Int)
    case familyApproves, askToJoin
    case signInToAnswer, noAccountNeeded, useTheApp(String), usePassword, joinNow, notYou
    case howToGoOn, openOnPhone, signInOrCreate, acceptInApp
    case haveApp(String), qrCode, pointCamera
}

/// Texts about invitations and family codes after they are answered, or if they can't be.
enum AnswerText {
    case welcome, youAreIn(String), whatNext, getApp(String), signInThere(String?)
    case almostIn, youAreWaiting(String), somebodyApproves
    case declined, declinedAdvice
    case expired, expiredAdvice, familyCodeExpired
    case deadLink, deadLinkAdvice
    case answered, answeredAdvice
    case incompleteLink, incompleteLinkAdvice
    case invitationUnchanged
}

/// Texts about the reader's own account: names, roles, invitations and sessions.
enum AccountText {
    case whatIsYourName, whoAreYou, nameAdvice, keepName, nameKept
    case yourInvitations, acceptOf(String), declineOf(String)
    case yourFamilies, noFamily(String), members(Int)
    case yourRequests, requestedOn(Timestamp), withdraw, withdrawOf(String), requestWithdrawn
    case requestOver
    case whereSignedIn, thisOne, unknownDevice, lastUsed(Timestamp, by: SignInMethod)
    case end, endOf(String), endOthers, sessionsEnded
}

/// Texts about the reader's own account: sign-in methods, data and erasure.
enum AccountDataText {
    case howYouSignIn, way(IdentityKind), since(Timestamp)
    case remove, removeOf(IdentityKind, String), wayRemoved
    case removeWay, removeAdvice, passwordGoesToo, keepWay
    case addPasskey, passkeyAdded, passkeyLater
    case changePassword, currentPasswordLabel, passwordEndsSessions, passwordKept
    case yourData, download, downloadAdvice
    case eraseAccount, eraseAdvice, eraseForGood, iAmSure, childrenToo
    case tickFirst, erasureCodeSent, erased, erasedAdvice
}

/// Texts about refusing further invitations by e-mail.
enum NoInvitationsText {
    case mail, question, advice, noneOf(String), noneOfAny, done, doneAdvice
}

/// Texts about problems.
enum ProblemText {
    case formRefused, formRefusedAdvice
    case didNotWork, nothingHere, nothingHereAdvice, tryAgain, tryLater
    case wrongPassword, wrongCode(triesLeft: Int?), noMailedCode, codeOver, wrongEmail, wrongName
    case wrongRole, wrongCurrentPassword, roleFixed, guardianFirst
    case weak(PasswordWeakness)
    case tooMany(minutes: Int)
    case sentToAnother, otherSide, hasFamily(String?), familyFull, wasRemoved, alreadyIn
    case passkeyUnknown, passkeyKnown, tooManyPasskeys
    case codeUnknown, lastWayIn, signInAgainFirst, handOverFirst
}

/// All texts of a language.
protocol PageTexts {
    static func text(_ text: PageText) -> HTML
    static func text(_ text: SignInText) -> HTML
    static func text(_ text: JoinText) -> HTML
    static func text(_ text: AnswerText) -> HTML
    static func text(_ text: AccountText) -> HTML
    static func text(_ text: AccountDataText) -> HTML
    static func text(_ text: NoInvitationsText) -> HTML
    static func text(_ text: ProblemText) -> HTML
}

extension Language {
    /// The texts of the language.
    var texts: any PageTexts.Type {
        switch self {
        case .english: EnglishTexts.self
        case .spanish: SpanishTexts.self
        }
    }
}

/// A view that renders texts in one language.
protocol LocalizedView {
    var language: Language { get }
}

extension LocalizedView {
    func text(_ text: PageText) -> HTML { language.texts.text(text) }
    func text(_ text: SignInText) -> HTML { language.texts.text(text) }
    func text(_ text: JoinText) -> HTML { language.texts.text(text) }
    func text(_ text: AnswerText) -> HTML { language.texts.text(text) }
    func text(_ text: AccountText) -> HTML { language.texts.text(text) }
    func text(_ text: AccountDataText) -> HTML { language.texts.text(text) }
    func text(_ text: NoInvitationsText) -> HTML { language.texts.text(text) }
    func text(_ text: ProblemText) -> HTML { language.texts.text(text) }
}

extension Timestamp {
    /// The date in UTC: year, month from 1, day.
    var civilDay: (year: Int, month: Int, day: Int) {
        let parts = description.prefix(10).split(separator: "-").map { Int($0) ?? 1 }
        return parts.count == 3 ? (parts[0], parts[1], parts[2]) : (1970, 1, 1)
    }
}
