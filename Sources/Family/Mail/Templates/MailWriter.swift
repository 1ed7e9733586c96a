import Domain
import UseCases

/// The e-mails in a language. One that lacks an e-mail does not compile.
protocol MailWriter {
    /// What stands for a name that is not known; empty for what can be left out.
    static func unknown(_ value: MailValue) -> String
    /// How somebody is greeted whose name may be empty.
    static func greeting(_ name: String) -> String
    static func side(_ role: MemberRole) -> String
    /// A way to sign in, in the middle of a sentence.
    static func identity(_ kind: IdentityKind) -> String
    static func day(_ day: MailDate.Day) -> String
    /// Who has sent it, and to whom.
    static func sender(_ values: MailValues) -> String

    /// To a person who is invited into a family.
    static func invitation(_ values: MailValues) -> MailTemplate
    /// To the adults of a family with a new Parent Admin.
    static func adminChanged(_ values: MailValues) -> MailTemplate
    /// To a person who was removed from a family.
    static func memberRemoved(_ values: MailValues) -> MailTemplate
    /// To one who may approve it, of a person who asks to join a family.
    static func joinRequested(_ values: MailValues) -> MailTemplate
    /// To a person whose request to join a family was approved.
    static func requestApproved(_ values: MailValues) -> MailTemplate
    /// To a person whose request to join a family was turned down.
    static func requestRejected(_ values: MailValues) -> MailTemplate
    /// To a person who waited for the approval of a family that nobody belongs to any more.
    static func waitingEnded(_ values: MailValues) -> MailTemplate
    static func requestInOtherRole(_ values: MailValues) -> MailTemplate

    // E-mails never name children.

    /// To the former guardian of children who have a new guardian.
    static func guardianReplaced(_ values: MailValues) -> MailTemplate
    /// To an adult who was made a guardian of a child.
    static func guardianNamed(_ values: MailValues) -> MailTemplate
    /// To an adult who is no guardian of a child any more.
    static func guardianRemoved(_ values: MailValues) -> MailTemplate
    /// To a person who is to take over the membership that it has had as a child.
    static func graduation(_ values: MailValues) -> MailTemplate
    /// To a guardian of a child that another guardian has invited to have an account.
    static func graduationStarted(_ values: MailValues) -> MailTemplate
    /// To one who was a guardian of a child that has an account now.
    static func graduated(_ values: MailValues) -> MailTemplate
    /// To a guardian who is about to give consent for a child.
    static func consentCode(_ values: MailValues) -> MailTemplate

    /// To a person who is about to erase the account.
    static func deletionCode(_ values: MailValues) -> MailTemplate
    /// To a person whose account was erased.
    static func accountErased(_ values: MailValues) -> MailTemplate
    /// To the owner of an account, one of whose sessions has ended because its refresh token was
    /// used again.
    static func sessionReused(_ values: MailValues) -> MailTemplate
    /// To the owner of an account whose password was changed or reset.
    static func passwordChanged(_ values: MailValues) -> MailTemplate
    static func passwordSet(_ values: MailValues) -> MailTemplate
    /// To the owner of an account that has a passkey more.
    static func passkeyAdded(_ values: MailValues) -> MailTemplate
    /// To the owner of an account to which a sign-in was added by its address.
    static func signInLinked(_ values: MailValues) -> MailTemplate
    /// To the owner of a passkey that may be on several devices from now on.
    static func passkeySynced(_ values: MailValues) -> MailTemplate
    /// To the owner of an account that another issuer's sign-in leads into now.
    static func identityAdded(_ values: MailValues) -> MailTemplate
    /// To the owner of an account that has a way to sign in less.
    static func identityRemoved(_ values: MailValues) -> MailTemplate

    static func signIn(_ values: MailValues) -> MailTemplate
    static func signUp(_ values: MailValues) -> MailTemplate
    /// To whoever signs up with an address that has an account.
    static func accountExists(_ values: MailValues) -> MailTemplate
    static func reset(_ values: MailValues) -> MailTemplate
}

extension MailWriter {
    /// The e-mail of a name.
    static func template(_ name: MailKind, _ values: MailValues) -> MailTemplate {
        var template = text(name, values)
        template.sender = sender(values)
        return template
    }

    private static func text(_ name: MailKind, _ values: MailValues) -> MailTemplate {
        switch name {
        case .invitation: invitation(values)
        case .adminChanged: adminChanged(values)
        case .memberRemoved: memberRemoved(values)
        case .joinRequested: joinRequested(values)
        case .requestApproved: requestApproved(values)
        case .requestRejected: requestRejected(values)
        case .waitingEnded: waitingEnded(values)
        case .requestInOtherRole: requestInOtherRole(values)
        case .guardianReplaced: guardianReplaced(values)
        case .guardianNamed: guardianNamed(values)
        case .guardianRemoved: guardianRemoved(values)
        case .graduation: graduation(values)
        case .graduationStarted: graduationStarted(values)
        case .graduated: graduated(values)
        case .consentCode: consentCode(values)
        case .deletionCode: deletionCode(values)
        case .accountErased: accountErased(values)
        case .sessionReused: sessionReused(values)
        case .passwordChanged: passwordChanged(values)
        case .passwordSet: passwordSet(values)
        case .passkeyAdded: passkeyAdded(values)
        case .signInLinked: signInLinked(values)
        case .passkeySynced: passkeySynced(values)
        case .identityAdded: identityAdded(values)
        case .identityRemoved: identityRemoved(values)
        case .signIn: signIn(values)
        case .signUp: signUp(values)
        case .accountExists: accountExists(values)
        case .reset: reset(values)
        }
    }
}

extension Language {
    /// The file of a language's e-mails.
    var mails: any MailWriter.Type {
        switch self {
        case .english: EnglishMails.self
        case .spanish: SpanishMails.self
        }
    }
}
