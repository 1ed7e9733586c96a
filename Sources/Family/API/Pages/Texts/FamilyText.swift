import Basics
import Domain

// The texts of the pages of families. Each language has a file with all of them; a missing text
// does not compile.

/// Texts of the page of a family.
enum FamilyText {
    case family, yourFamily, backToFamily, shownFamily, show, more, undo
    case code, codeSince(Timestamp), codeUntil(Timestamp), codeWithoutEnd, codeEnters
    /// A hint at the code of a family with approval, for those who may approve and for others.
    case codeAsks(isApprover: Bool)
    case noCode, showToScan, renewCode, codeSpelled(String)
    case copyCode, copyLink, copied, share, print
    /// The family has as many members as it can have.
    case full(limit: Int)
    case members(Int, of: Int), waitingPeople, inFamily, waits, askedOn(Timestamp)
    /// The family has no other members; with the advice to share its code if the reader sees it.
    case nobodyElse(hasCode: Bool)
    case since(Timestamp), guardians([String]), you, child, side(MemberRole), role(HouseholdRole)
    case approve, approveOf(String), reject, rejectOf(String)
    case open, openOf(String), manage, manageOf(String), yourRole
    case invitations, noInvitations, byLink, byEmail, notDelivered
    case timeLeft(from: Timestamp, to: Timestamp)
    case roleUndone(of: String, by: String?)
    case roleOverwritten(of: String, HouseholdRole, by: String?)
    case understood
    case done(FamilyNotice)
    /// A change that concerned a member, with the member's name; nil for the reader.
    case doneTo(FamilyNotice, String?)
}

/// Texts of questions that the pages of families ask, and of choices about a member.
enum FamilyQuestionText {
    case keepAsIs, confirm(FamilyMainPage.Action)
    /// The question was answered, or the person may not answer it now.
    case nothingToDo, nothingToDoAdvice
    case rejectQuestion(String), rejectAdvice
    case removeQuestion(String), removeAdvice, renewToo, remove
    case claimSeat, giveSeat, transferSeat, claimQuestion, giveQuestion(String), seatAdvice
    /// The button that gives the seat to somebody else.
    case confirmGiving(String)
    case transferQuestion(String), transferAdvice(isCreator: Bool), givesUpSeat, giveUpSeat
    case leave, leaveQuestion(String), leaveAdvice, leaveAsLast
    /// Nobody in the family can be the guardian of the reader's children.
    case noHeir
    case renewQuestion, renewAdvice, days, daysHint
    case householdRole, changeRole, heir, chooseHeir
    /// Says who is on a side, what a household role allows somebody on a side, and what whoever
    /// created the family may do besides.
    case sideHint(MemberRole), roleHint(HouseholdRole, MemberRole), creatorHint
    /// The step that leads to the page for a code; the page's address.
    case sheetOpen(String)
    case sheetAccept
}

/// Texts about new families, settings and invitations.
enum FamilyFormText {
    // Without a family, and new families.
    case welcome, welcomeAdvice, haveCode, codeHint(String), joinAdvice, joinFamily
    case noFamily, noFamilyAdvice, noFamilyAsPlayer, invitedAdvice, waitingAdvice
    /// The reader asked for a family that they do not belong to, and belongs to no other one.
    case notInFamily, notInFamilyAdvice
    /// The title of the person's own requests to join.
    case forYou
    /// The advice of a site whose families are only in the app with this name.
    case familyInApp(String)
    case newFamily, anotherFamily, newFamilyAdvice, familyName, familyNameHint, create

    // Settings.
    case settings, save, saved, rename, approval, approvalQuestion, approvalOn, approvalOff
    case home, homeAdvice, latitude, longitude, noHomeHint

    // Invitations.
    case invite, inviteTitle, whoIsInvited, usualRole, usualRoleHint, emailHint
    case sendInvitation, makeLink
    case addressOrLink
    /// Introduces what a person who is invited to this side sees.
    case sees(MemberRole)
    case manageInvitations, linkShown, growsUp(String), newLink, resend, resendOf(String)
    case revoke, revokeOf(String), revokeQuestion, revokeAdvice

    /// The typed text is no family code; the codes' form.
    case noFamilyCode(String)
}

/// Texts about children, about a family's activity, and about wrong fields.
enum ChildText {
    case addChild, addChildAdvice, childName, nameAndPicture
    case picture, pictureName(AvatarDrawing), noPicture
    /// The choice that keeps a picture which only an app has.
    case pictureOfApp
    case guardiansTitle, primaryGuardian, primaryHint, anotherGuardian, addGuardian
    case makePrimary, makePrimaryOf(String), removeGuardian, removeGuardianOf(String)
    case removeGuardianQuestion(String, of: String), removeGuardianAdvice
    case declineGuardianship, declineQuestion(String), declineAdvice
    case consents, required, consentSince(Timestamp), consentOutdated, consentMissing
    case giveConsent, giveConsentOf(String), withdrawConsent, withdrawConsentOf(String)
    case withdrawQuestion(String), withdrawAdvice, withdrawRequired
    case growUp, growAdvice, growing, startGrowing, growQuestion(String), growsUpAs, growEmailHint
    /// The child has an account by now.
    case grownUp(String), grownUpAdvice
    case removeChild, removeChildAdvice
    /// The link to the child's page.
    case backToChild(String)

    case preferences, changePreferences, preferencesAdvice, newPreference(isFirst: Bool)
    case preferenceName, preferenceValue, commas, yes, no, otherPreferences([String])
    case consentByCode, consentByCodeOf(String), consentCodeSent

    case activity, noActivity, older, ofPerson, everybody

    /// The error of one field of a form.
    case wrong(FormField)

    case showPreferences, preferencesNeedConsent, preferencesChanged
}

/// A change that a page confirms after it was made.
enum FamilyNotice: String, CaseIterable {
    case create, approve, reject, role, seat, transfer, remove, leave, renew
    case send, link, resend, revoke
    case add, edit, promote, decline, consent, withdraw, grow, preferences
    case addGuardian = "add-guardian"
    case removeGuardian = "remove-guardian"
    /// A member was removed, and the family's code renewed.
    case removeAndRenew = "remove-and-renew"
    case removeChild = "remove-child"
    /// A form was sent as it had been shown.
    case unchanged
}

/// All texts of the pages of families in a language.
protocol FamilyPageTexts {
    static func text(_ text: FamilyText) -> HTML
    static func text(_ text: FamilyQuestionText) -> HTML
    static func text(_ text: FamilyFormText) -> HTML
    static func text(_ text: ChildText) -> HTML
    /// Returns the sentence for a refusal.
    static func sentence(for refusal: RefusalCode) -> HTML
    /// Returns the sentence for an entry of the audit log.
    static func activity(_ entry: FamilyActivity) -> HTML
    /// Returns the name that is suggested for the family of a person.
    static func nameOfFamily(of person: String) -> String
    /// Returns a date in words.
    static func day(_ moment: Timestamp) -> String
}

extension Language {
    /// The texts of the pages of families in this language.
    var familyTexts: any FamilyPageTexts.Type {
        switch self {
        case .english: EnglishFamilyTexts.self
        case .spanish: SpanishFamilyTexts.self
        }
    }
}

extension LocalizedView {
    /// Returns a text of the pages of families.
    func say(_ text: FamilyText) -> HTML { language.familyTexts.text(text) }
    func say(_ text: FamilyQuestionText) -> HTML { language.familyTexts.text(text) }
    func say(_ text: FamilyFormText) -> HTML { language.familyTexts.text(text) }
    func say(_ text: ChildText) -> HTML { language.familyTexts.text(text) }
}

extension FamilyPageTexts {
    /// Maximum number of characters of a child's name.
    static var longestChildName: String { String(DisplayName.allowedLengths.upperBound) }

    /// Returns a date that programs can read too.
    static func date(_ moment: Timestamp) -> HTML {
        "<time datetime=\"\(moment.description)\">\(day(moment))</time>"
    }

    /// Returns a code spelt letter by letter, as people read it aloud.
    static func spelled(_ code: String, dash: String) -> String {
        code.map { $0 == "-" ? dash : String($0) }.joined(separator: " ")
    }

    /// Returns the hours between two moments, rounded up; at least one.
    static func hours(_ start: Timestamp, _ end: Timestamp) -> Int {
        max(1, Int((end.seconds - start.seconds + 3_599) / 3_600))
    }
}
