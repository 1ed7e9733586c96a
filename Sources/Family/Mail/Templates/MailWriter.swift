import Domain
import UseCases

/// The e-mails in one language. A language that lacks an e-mail does not compile.
protocol MailWriter {
    /// Returns the words for an unknown name; empty if it can be left out.
    static func unknown(_ value: MailValue) -> String
    /// Returns the greeting for a name, which may be empty.
    static func greeting(_ name: String) -> String
    static func side(_ role: MemberRole) -> String
    /// Returns a way to sign in as it reads in the middle of a sentence.
    static func identity(_ kind: IdentityKind) -> String
    static func day(_ day: MailDate.Day) -> String
    /// Returns the sentence that names the sender and the recipient.
    static func sender(_ values: MailValues) -> String

    /// Writes the e-mail to a person who is invited into a family.
    static func invitation(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to the adults of a family with a new Parent Admin.
    static func adminChanged(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to a person who was removed from a family.
    static func memberRemoved(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to somebody who may approve a request to join a family.
    static func joinRequested(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to a person whose request to join a family was approved.
    static func requestApproved(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to a person whose request to join a family was rejected.
    static func requestRejected(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to a person who waited for the approval of a family that has no members
    /// any more.
    static func waitingEnded(_ values: MailValues) -> MailTemplate
    static func requestInOtherRole(_ values: MailValues) -> MailTemplate

    // E-mails never name children.

    /// Writes the e-mail to the former guardian of children who have a new guardian.
    static func guardianReplaced(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to an adult who was made a guardian of a child.
    static func guardianNamed(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to an adult who is no longer a guardian of a child.
    static func guardianRemoved(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to a person who may take over the membership that they had as a managed
    /// child.
    static func graduation(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to a guardian of a child whom another guardian has invited to have an
    /// account.
    static func graduationStarted(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to a former guardian of a child that has an account now.
    static func graduated(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to a guardian who is about to give consent for a child.
    static func consentCode(_ values: MailValues) -> MailTemplate

    /// Writes the e-mail to a person who is about to erase their account.
    static func deletionCode(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to a person whose account was erased.
    static func accountErased(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to the owner of an account that an operator has blocked.
    static func accountBlocked(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to the owner of an account after a session has ended because its refresh
    /// token was used again.
    static func sessionReused(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to the owner of an account whose password was changed or reset.
    static func passwordChanged(_ values: MailValues) -> MailTemplate
    static func passwordSet(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to the owner of an account that has a new passkey.
    static func passkeyAdded(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to an admin of the service, when an operator has a new passkey.
    static func operatorPasskey(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to the owner of an account to which a sign-in was linked because both have
    /// the same address.
    static func signInLinked(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to the owner of a passkey that may be on several devices from now on.
    static func passkeySynced(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to the owner of an account to which another issuer's sign-in was added.
    static func identityAdded(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to the owner of an account from which a way to sign in was removed.
    static func identityRemoved(_ values: MailValues) -> MailTemplate

    static func signIn(_ values: MailValues) -> MailTemplate
    static func signUp(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to an address that has an account, after a sign-up with it.
    static func accountExists(_ values: MailValues) -> MailTemplate
    static func reset(_ values: MailValues) -> MailTemplate

    /// Writes the e-mail to an address that the owner of an account wants to have from now on.
    static func newAddress(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to an address that an operator wants to give an account.
    static func addressByOperator(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to the current address of an account whose address is about to change.
    static func addressChanging(_ values: MailValues) -> MailTemplate
    /// Writes the e-mail to an operator who signs in to the console with a code.
    static func consoleCode(_ values: MailValues) -> MailTemplate
}

extension MailWriter {
    /// Returns the e-mail of a kind.
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
        case .accountBlocked: accountBlocked(values)
        case .sessionReused: sessionReused(values)
        case .passwordChanged: passwordChanged(values)
        case .passwordSet: passwordSet(values)
        case .passkeyAdded: passkeyAdded(values)
        case .operatorPasskey: operatorPasskey(values)
        case .signInLinked: signInLinked(values)
        case .passkeySynced: passkeySynced(values)
        case .identityAdded: identityAdded(values)
        case .identityRemoved: identityRemoved(values)
        case .signIn: signIn(values)
        case .signUp: signUp(values)
        case .accountExists: accountExists(values)
        case .reset: reset(values)
        case .newAddress: newAddress(values)
        case .addressByOperator: addressByOperator(values)
        case .addressChanging: addressChanging(values)
        case .consoleCode: consoleCode(values)
        }
    }
}

extension Language {
    /// The e-mails of the language.
    var mails: any MailWriter.Type {
        switch self {
        case .english: EnglishMails.self
        case .spanish: SpanishMails.self
        }
    }
}
