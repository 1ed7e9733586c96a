import Domain
import Basics
import UseCases

// The texts of Hearth's pages, by subject. Each language has a file with those about the reader's
// account, and one with the others; a missing text does not compile.

/// Texts of several pages.
enum PageText {
    case or, goOn, back, signIn, signOut
    /// Precedes the support address.
    case questions
    case appStore, playStore
    case emailLabel, passwordLabel, newPasswordLabel, passwordHint, nameLabel, codeLabel
    case showPassword
    case mailMeACode, createAccount, accept, decline
    case signedInAs(String)
    case yourAccount
    case openApp(String), backToApp(String)
}

/// Texts about signing in and resetting a password.
enum SignInText {
    case signInSummary(app: String)
    case codeHint, enterCode, codeSent(to: String), codeMissing, startAgain
    case resendCode, codeSentAgain
    case linkOpened(app: String, email: String), signInAs(String), stayAs(String)
    /// Shown if all sign-in methods of pages are switched off.
    case signInInApp(String)
    case usePasskey, passkeyFailed
    /// Shown to somebody whose session has ended in another tab, or on another device.
    case sessionHasEnded
    case haveAccount, forgotPassword
    case roleLabel, iAmAParent, iAmAPlayer
    case mailMeALink, forgotAdvice, linkSent, linkSentTo(String)
    case setPassword, resetAdvice, resetLinkDead, passwordChanged, passwordChangedAdvice
}

/// Texts about continuing in a browser as the person who is signed in to an app.
enum ContinueText {
    case title(String)
    /// Text without markup.
    case titlePlainly(String)
    case fromApp(String), fromDemo, continueAs(String)
    /// The ticket has been used or has expired.
    case over, overAdvice(String)
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
    /// Title of an invitation that gives a child an account. Text without markup.
    case growUpTitle(String)
    case growUp(String)
    case growsUp(inviter: String)
    /// Text without markup.
    case growsUpPlainly(inviter: String)
    case invitedAddress(String)
    /// Shown to somebody who is signed in with another address.
    case sentToAddress(String)
    case alreadyAsked
    /// Introduces the consequences of accepting or joining.
    case ifYouAccept, ifYouJoin
    /// States that the family in which the reader lives alone ends.
    case endsFamily(String)
    case endsFamilyOnceIn(String)
    case becomes(MemberRole)
    /// The role that a guardian has chosen for a child who gets an account.
    case growsUpAs(MemberRole)
    /// A hint at the field for the name of such a child.
    case keepsKnownName
    case validUntil(Timestamp)
    case givenACode
    case codeLeadsTo(members: Int)
    case familyApproves, askToJoin
    /// The family that decides who joins can let nobody in now.
    case fullForNow
    case signInToAnswer, signInToJoin, noAccountNeeded, usePassword, joinNow, notYou
    /// Advice for people who use the app, with a family's code or a link.
    case useTheApp(String, hasCode: Bool), openOnPhone(hasCode: Bool)
    case howToGoOn, signInOrCreate, acceptInApp
    case haveApp(String), qrCode, pointCamera
}

/// Texts for after an invitation or a family code was answered, or if it can't be answered.
enum AnswerText {
    case welcome, youAreIn(String), ownAccountIn(String), seeFamily, whatNext, getApp(String)
    case signInThere(String?)
    case almostIn, youAreWaiting(String), somebodyApproves
    /// The family had as many members as it can have when the reader asked to join.
    case wasFull
    case declined, declinedAdvice
    case expired, expiredAdvice, familyCodeExpired
    case deadLink, deadLinkAdvice
    /// The address leads to the sign-in; nil on sites where people sign in to the app only.
    case answered, answeredAdvice(signIn: String?), answeredAdviceSignedIn
    /// `codes` is the address of the field for a code; nil where only the app has one. `form` shows
    /// what the site's codes look like.
    case incompleteLink, incompleteLinkAdvice(codes: String?, form: String)
    case invitationUnchanged
}

/// Texts about the reader's own account: names, roles, invitations and sessions.
enum AccountText {
    case you, whatIsYourName, whoAreYou, nameAdvice, keepName, nameKept
    case changeYou, yourRole(MemberRole), mailLanguage, mailLanguageHint, noMailLanguage
    case yourInvitations, acceptOf(String), declineOf(String)
    case yourFamilies, noFamily, noFamilyButInvited, members(Int)
    case leave, leaveOf(String)
    case yourRequests, requestedOn(Timestamp), withdraw, withdrawOf(String), requestWithdrawn
    case requestOver
    case whereSignedIn, thisOne, unknownDevice, lastUsed(Timestamp, by: SignInMethod)
    case openedFrom(app: String, device: String?, lastUsed: Timestamp)
    case end, endOf(String), endOthers, sessionsEnded, sessionOver
    case latestSignIns, latestSignInsAdvice(hasPassword: Bool), showSignIns, eventAt(Timestamp)
    case event(SignInEventKind, by: SignInMethod?, more: Int)
}

/// Texts about the reader's own account: sign-in methods, data and erasure.
enum AccountDataText {
    case howYouSignIn, way(IdentityKind), since(Timestamp)
    case remove, removeOf(IdentityKind, String), wayRemoved, wayGone
    case removeWay, removeAdvice, passwordGoesToo, keepWay
    case addPasskey, passkeyName, passkeyNameHint, passkeyAdded, passkeyLater
    case changePassword, currentPasswordLabel, passwordEndsSessions, passwordKept
    case changeAddress, newAddressLabel, addressAdvice, addressLater
    case addressCodeSent(to: String), useAddress, addressKept
    case consentNeeded
    case yourData, download, downloadAdvice
    case eraseAccount, eraseAdvice, eraseForGood, iAmSure, childrenToo
    /// Introduces what has to be done before the account is erased. The text of a task that others
    /// must take over has the address of the page for it.
    case beforeErasing, endOperatorRoleFirst, giveSeatFirst(String, page: String)
    /// The box for the children, which is another way, is named only if the page has it.
    case nameGuardianFirst(String, page: String, hasBox: Bool)
    case tickFirst, erasureCodeSent, erased, erasedAdvice
}

/// Texts about refusing further invitations by e-mail.
enum NoInvitationsText {
    case mail, question, advice, noneOf(String), noneOfAny, done, doneAdvice
    case dead, deadAdvice
}

/// Texts about problems.
enum ProblemText {
    case formRefused, formRefusedAdvice
    /// The reader has signed out since the form was opened.
    case signedOut, signedOutAdvice
    case didNotWork, nothingHere, nothingHereAdvice, tryAgain, tryLater
    case unreadable, formTooLong, cookiesTooLong
    case wrongPassword, wrongCode(triesLeft: Int?), noMailedCode, codeOver, wrongEmail, noEmail
    case wrongName, wrongPicture, wrongLanguage, wrongRole, wrongLabel, wrongCurrentPassword
    case roleFixed, guardianFirst
    case weak(PasswordWeakness)
    case tooMany(minutes: Int)
    case sentToAnother, otherSide, hasFamily(String?), familyFull, wasRemoved, alreadyIn
    /// The reader has chosen a role that is not the invitation's.
    case otherSideChosen(MemberRole), roleOfGraduate(MemberRole)
    /// The reader waits for another family in the other role than that of a child's invitation.
    case withdrawRequestFirst
    case notTheGraduate, tooManyFamilies, transferAdminFirst
    case consentMissing(account: String)
    case passkeyUnknown, passkeyKnown, tooManyPasskeys
    case codeUnknown, lastWayIn, signInAgainFirst, handOverFirst(tasks: String)
    case operatorRoleStands
    /// An address or a provider's sign-in leads to another account.
    case otherAccount
    /// The account can have only one sign-in with a provider of this kind.
    case oneOfItsKind
    case noAddress
    case accountBlocked
}

/// All texts of a language.
protocol PageTexts {
    static func text(_ text: PageText) -> HTML
    static func text(_ text: SignInText) -> HTML
    static func text(_ text: ContinueText) -> HTML
    static func text(_ text: JoinText) -> HTML
    static func text(_ text: AnswerText) -> HTML
    static func text(_ text: AccountText) -> HTML
    static func text(_ text: AccountDataText) -> HTML
    static func text(_ text: NoInvitationsText) -> HTML
    static func text(_ text: ProblemText) -> HTML
    static func text(_ text: ProviderText) -> HTML
}

extension Language {
    /// The language's name in the language itself.
    var ownName: String {
        switch self {
        case .english: "English"
        case .spanish: "Español"
        }
    }

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
    func text(_ text: ContinueText) -> HTML { language.texts.text(text) }
    func text(_ text: JoinText) -> HTML { language.texts.text(text) }
    func text(_ text: AnswerText) -> HTML { language.texts.text(text) }
    func text(_ text: AccountText) -> HTML { language.texts.text(text) }
    func text(_ text: AccountDataText) -> HTML { language.texts.text(text) }
    func text(_ text: NoInvitationsText) -> HTML { language.texts.text(text) }
    func text(_ text: ProblemText) -> HTML { language.texts.text(text) }
    func text(_ text: ProviderText) -> HTML { language.texts.text(text) }
}

extension Timestamp {
    /// The time of the day in UTC, such as `07:30`.
    var clock: String { String(description.dropFirst(11).prefix(5)) }

    /// The date in UTC: year, month from 1, day.
    var civilDay: (year: Int, month: Int, day: Int) {
        let parts = description.prefix(10).split(separator: "-").map { Int($0) ?? 1 }
        return parts.count == 3 ? (parts[0], parts[1], parts[2]) : (1970, 1, 1)
    }
}
