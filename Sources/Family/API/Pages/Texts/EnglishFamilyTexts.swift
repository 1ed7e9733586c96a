import Basics
import Domain

/// The pages of families in English.
enum EnglishFamilyTexts: FamilyPageTexts {
    static func day(_ moment: Timestamp) -> String { EnglishTexts.day(moment) }

    static func nameOfFamily(of person: String) -> String { "\(person)’s family" }

    static func text(_ text: FamilyText) -> HTML {
        switch text {
        case .family: "Family"
        case .yourFamily: "Your family"
        case .backToFamily: "Back to the family"
        case .shownFamily: "Choose a family"
        case .show: "Show"
        case .more: "More"
        case .undo: "Undo"
        case .code: "Family code"
        case .codeSince(let moment): "Created on \(date(moment))."
        case .codeUntil(let moment): "Valid until \(date(moment))."
        case .codeWithoutEnd: "It works until someone renews it."
        case .codeAsks(isApprover: true): "Anyone who enters it asks to join, and you decide."
        case .codeAsks(isApprover: false):
            "Anyone who enters it asks to join, and someone in your family decides."
        case .codeEnters: "Anyone who enters it joins the family."
        case .noCode: "This family has no valid code. With a new one, people can join again."
        case .showToScan: "Show or print"
        case .renewCode: "Renew the code"
        case .codeSpelled(let code): "\(spelled(code, dash: "dash"))"
        case .copyCode: "Copy the code"
        case .copyLink: "Copy the link"
        case .copied: "Copied."
        case .share: "Share"
        case .print: "Print"
        case .members(let count, let limit): "Members (\(String(count)) of \(String(limit)))"
        case .full(let limit):
            """
            The family is full: \(String(limit)) members are the most it can have. Before someone \
            else can join, or a child can be added, a member has to leave or be removed.
            """
        case .nobodyElse(hasCode: true): "No other members yet. Share your code."
        case .nobodyElse(hasCode: false): "No other members yet."
        case .waitingPeople: "Waiting for approval"
        case .inFamily: "In the family"
        case .waits: "Waiting"
        case .askedOn(let moment): "Asked to join on \(date(moment))"
        case .since(let moment): "Since \(date(moment))"
        case .guardians(let names):
            "\(names.count == 1 ? "Guardian" : "Guardians"): <bdi>\(list(names))</bdi>"
        case .you: "You"
        case .child: "Child"
        case .side(.player): "Player"
        case .side(.parent): "Parent"
        case .role(let role): Self.role(role)
        case .approve: "Approve"
        case .approveOf(let name): "Approve \(name)"
        case .reject: "Reject"
        case .rejectOf(let name): "Reject \(name)"
        case .open: "Open"
        case .openOf(let name): "Open \(name)"
        case .manage: "Manage"
        case .manageOf(let name): "Manage \(name)"
        case .yourRole: "Your role"
        case .invitations: "Pending invitations"
        case .noInvitations: "No invitations are pending."
        case .byLink: "Link to share"
        case .byEmail: "By email"
        case .notDelivered: "Not delivered"
        case .timeLeft(let now, let end): timeLeft(hours(now, end))
        case .roleUndone(let name, let author):
            """
            \(someone(author)) changed the role of <bdi>\(name)</bdi> without seeing your change. \
            Their change counts.
            """
        case .roleOverwritten(let name, let role, let author):
            """
            In the meantime, \(someone(author, begins: false)) had given <bdi>\(name)</bdi> the \
            role \(Self.role(role)). Your change counts.
            """
        case .understood: "Got it"
        case .done(let notice): done(notice)
        case .doneTo(.approve, let name?): "Approved. <bdi>\(name)</bdi> is a member now."
        case .doneTo(.role, let name?): "The role of <bdi>\(name)</bdi> was changed."
        case .doneTo(.role, nil): "Your role was changed."
        case .doneTo(.seat, let name?), .doneTo(.transfer, let name?):
            "<bdi>\(name)</bdi> is the Parent Admin now."
        case .doneTo(.seat, nil): "You’re the Parent Admin now."
        case .doneTo(let notice, _): done(notice)
        }
    }

    static func text(_ text: FamilyQuestionText) -> HTML {
        switch text {
        case .keepAsIs: "No, go back"
        case .nothingToDo: "Nothing to do here"
        case .nothingToDoAdvice: "It’s already done, or it isn’t open to you now."
        case .confirm(let action): confirm(action)
        case .rejectQuestion(let name): "Reject <bdi>\(name)</bdi>?"
        case .rejectAdvice:
            """
            We’ll email this person that the request was turned down. They can ask again, but \
            after two rejections within 30 days, they need an invitation for the next 30 days.
            """
        case .removeQuestion(let name): "Remove <bdi>\(name)</bdi> from the family?"
        case .removeAdvice:
            """
            This person loses access to the family at once, and we’ll email them about it. They \
            can ask to join again with the code, but have to wait until someone in the family \
            approves.
            """
        case .renewToo: "Renew the family code as well, so that the old one stops working"
        case .remove: "Remove from the family"
        case .claimSeat: "Become the Parent Admin"
        case .giveSeat: "Make this person the Parent Admin"
        case .transferSeat: "Pass on the Parent Admin role"
        case .claimQuestion: "Become the Parent Admin?"
        case .giveQuestion(let name): "Make <bdi>\(name)</bdi> the Parent Admin?"
        case .seatAdvice:
            """
            The Parent Admin decides who joins, changes roles and settings, and can remove \
            members. We’ll email the other adults about it.
            """
        case .confirmGiving(let name): "Yes, make <bdi>\(name)</bdi> the Parent Admin"
        case .transferQuestion(let name): "Make <bdi>\(name)</bdi> the Parent Admin in your place?"
        case .transferAdvice(isCreator: true):
            """
            You become an adult. Because you created the family, you still decide who joins, and \
            change the family’s settings. Only the new Parent Admin can give the role back to you.
            """
        case .transferAdvice(isCreator: false):
            """
            You become an adult like the others. Only the new Parent Admin can give the role back \
            to you.
            """
        case .givesUpSeat:
            """
            You’re the Parent Admin. If you choose another role, someone else can become the \
            Parent Admin.
            """
        case .giveUpSeat: "Stop being the Parent Admin"
        case .leave: "Leave this family"
        case .leaveQuestion(let family): "Leave <bdi>\(family)</bdi>?"
        case .leaveAdvice:
            "You lose access at once. To come back, you need the code or an invitation."
        case .leaveAsLast:
            "You’re the last member with an account: nobody is left to let you in again."
        case .noHeir:
            """
            Only another adult can be a guardian. If there’s none in the family, invite one, or \
            remove the child on its page.
            """
        case .renewQuestion: "Renew the family code?"
        case .renewAdvice:
            "When you renew it, the old code stops working at once. Members stay in the family."
        case .days: "Valid for how many days?"
        case .daysHint: "From 1 to 365. Leave it empty for a code that doesn’t expire."
        case .householdRole: "Household role"
        case .sideHint(.player): "A child or teen."
        case .sideHint(.parent): "A parent or another adult."
        case .roleHint(let role, let side): roleHint(role, side)
        case .creatorHint:
            "Created the family, and therefore also decides who joins and changes the settings."
        case .changeRole: "Change the role"
        case .heir: "Who becomes the children’s guardian instead?"
        case .chooseHeir: "Choose an adult"
        case .sheetOpen(let address):
            """
            Point your phone’s camera at the picture, or open <strong>\(address)</strong> and \
            type the code.
            """
        case .sheetAccept: "Sign in, and press the button to join."
        }
    }

    static func text(_ text: FamilyFormText) -> HTML {
        switch text {
        case .welcome: "Your family in one place"
        case .welcomeAdvice: "Sign in to see your family, or create an account."
        case .haveCode: "Do you have a family code?"
        case .codeHint(let form): "Codes look like \(form)."
        case .joinAdvice:
            "Enter the code that the family gave you. You’ll see the family before you join."
        case .joinFamily: "Join another family"
        case .noFamily: "You’re not in a family"
        case .noFamilyAdvice: "Create one, or join one by its code or an invitation."
        case .noFamilyAsPlayer:
            "Press the button to create your family, then share its code with your parents."
        case .notInFamily: "You’re not in that family"
        case .notInFamilyAdvice:
            """
            You may have left it, or someone removed you. To join it again, you need its code or \
            an invitation.
            """
        case .invitedAdvice: "You’re invited to a family. Accept or decline here."
        case .waitingAdvice: "You asked to join a family. We’ll email you its answer."
        case .forYou: "Waiting for the family’s answer"
        case .familyInApp(let app): "To see your family, open the app <strong>\(app)</strong>."
        case .newFamily: "Create a family"
        case .anotherFamily: "Create another family"
        case .newFamilyAdvice: "You’ll get a code that the others can join with."
        case .familyName: "Name of the family"
        case .familyNameHint: "Everybody in the family sees it."
        case .create: "Create the family"
        case .settings: "Family settings"
        case .save: "Save"
        case .saved: "Saved."
        case .rename: "Name"
        case .approval: "Joining by code"
        case .approvalQuestion: "What happens when someone enters the code?"
        case .approvalOn: "They wait until someone approves them"
        case .approvalOff: "They join at once"
        case .home: "Home"
        case .homeAdvice:
            "Apps use it to show what’s nearby. Only adults and players in the family see it."
        case .latitude: "Latitude"
        case .longitude: "Longitude"
        case .noHomeHint: "Leave both fields empty for no home."
        case .invite: "Invite someone"
        case .inviteTitle: "Invitations"
        case .whoIsInvited: "Who are you inviting?"
        case .usualRole: "The usual one"
        case .usualRoleHint: "The usual one is Adult for parents and Kid for players."
        case .emailHint: "Leave it empty to make a link that you share yourself."
        case .addressOrLink: "Enter the email address, or make a link that you share yourself."
        case .sendInvitation: "Send an email"
        case .makeLink: "Make a link"
        case .manageInvitations: "Manage invitations"
        case .sees(.player): "If you invite a player, the invitation says:"
        case .sees(.parent): "If you invite a parent, the invitation says:"
        case .linkShown: "Copy it now: it’s shown only here, for ten minutes. It works once."
        case .growsUp(let name): "<bdi>\(name)</bdi> gets their own account"
        case .newLink: "New link"
        case .resend: "Send again"
        case .resendOf(let email): "Send again to \(email)"
        case .revoke: "Withdraw"
        case .revokeOf(let email): "Withdraw the invitation to \(email)"
        case .revokeQuestion: "Withdraw this invitation?"
        case .revokeAdvice: "Its link stops working at once."
        case .noFamilyCode(let form): "That’s not a family code. Codes look like \(form)."
        }
    }

    static func text(_ text: ChildText) -> HTML {
        switch text {
        case .addChild: "Add a child"
        case .addChildAdvice:
            "For a child who has no account of their own. You become their guardian."
        case .childName: "Name of the child"
        case .nameAndPicture: "Name and picture"
        case .picture: "Picture"
        case .pictureName(let drawing): name(of: drawing)
        case .noPicture: "None, show the initials"
        case .pictureOfApp: "The picture from the app"
        case .guardiansTitle: "Guardians"
        case .primaryGuardian: "Primary"
        case .primaryHint:
            """
            The primary guardian can also remove other guardians, invite the child to have an \
            account, and remove the child.
            """
        case .anotherGuardian: "Another guardian"
        case .addGuardian: "Add as guardian"
        case .makePrimary: "Make primary"
        case .makePrimaryOf(let name): "Make \(name) the primary guardian"
        case .removeGuardian: "Remove as guardian"
        case .removeGuardianOf(let name): "Remove \(name) as guardian"
        case .removeGuardianQuestion(let name, let child):
            "Remove <bdi>\(name)</bdi> as guardian of <bdi>\(child)</bdi>?"
        case .removeGuardianAdvice:
            "This person can no longer act for the child. We’ll email them about it."
        case .declineGuardianship: "Stop being guardian"
        case .declineQuestion(let name): "Stop being guardian of <bdi>\(name)</bdi>?"
        case .declineAdvice:
            "You’ll no longer be able to act for the child. The other guardians stay."
        case .consents: "Consents"
        case .required: "Required"
        case .consentSince(let moment): "Given on \(date(moment))"
        case .consentOutdated:
            "The text has changed since you agreed. Please read it again."
        case .consentMissing: "Not given"
        case .giveConsent: "Give consent"
        case .giveConsentOf(let title): "Give consent: \(title)"
        case .withdrawConsent: "Withdraw consent"
        case .withdrawConsentOf(let title): "Withdraw consent: \(title)"
        case .withdrawQuestion(let title): "Withdraw consent to “\(title)”?"
        case .withdrawAdvice: "It ends at once. You can give it again later."
        case .withdrawRequired:
            """
            This consent is required: without it, nothing can be stored for the child. It ends \
            at once. You can give it again later.
            """
        case .growUp: "Their own account"
        case .growAdvice:
            """
            The person who accepts the invitation becomes this member. Once accepted, it can’t \
            be undone: the guardians no longer act for the child.
            """
        case .growing: "An invitation is pending:"
        case .startGrowing: "Invite to have an account"
        case .growQuestion(let name): "Invite <bdi>\(name)</bdi> to have their own account?"
        case .growsUpAs: "Will they be a player or a parent?"
        case .growEmailHint: "Leave it empty to get a link to share."
        case .grownUp(let name): "<bdi>\(name)</bdi> has their own account"
        case .grownUpAdvice:
            "They manage it themselves now. You’ll find them among the members of the family."
        case .backToChild(let name): "Back to <bdi>\(name)</bdi>"
        case .removeChild: "Remove the child"
        case .removeChildAdvice:
            "The child and everything stored about them will be removed. This can’t be undone."
        case .preferences: "Preferences"
        case .changePreferences: "Show and change"
        case .preferencesAdvice:
            "What apps have stored about what the child likes. Clear a field to remove it."
        case .newPreference(let isFirst): isFirst ? "Add one" : "Add another"
        case .preferenceName: "Name"
        case .preferenceValue: "Value"
        case .commas: "Separate several with commas."
        case .yes: "Yes"
        case .no: "No"
        case .otherPreferences(let names):
            "Apps have stored more, which stays as it is: <bdi>\(list(names))</bdi>."
        case .consentByCode: "Confirm by email"
        case .consentByCodeOf(let title): "Confirm by email: \(title)"
        case .consentCodeSent: "We emailed you a code. Enter it to give your consent."
        case .activity: "Activity"
        case .noActivity: "There’s no activity to show."
        case .older: "Earlier"
        case .ofPerson: "Person"
        case .everybody: "Everybody"
        case .wrong(let field): wrong(field)
        case .showPreferences: "Show"
        case .preferencesNeedConsent:
            "Give the required consents first. Then you can change these preferences."
        case .preferencesChanged:
            "Someone else is changing this too. Check what is stored now, and save again."
        }
    }

    private static func name(of drawing: AvatarDrawing) -> HTML {
        switch drawing {
        case .bear: "Bear"
        case .cat: "Cat"
        case .dog: "Dog"
        case .fox: "Fox"
        case .owl: "Owl"
        case .rabbit: "Rabbit"
        case .star: "Star"
        }
    }

    private static func someone(_ name: String?, begins: Bool = true) -> HTML {
        guard let name else { return begins ? "Someone else" : "someone else" }
        return "<bdi>\(name)</bdi>"
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }

    private static func role(_ role: HouseholdRole) -> HTML {
        switch role {
        case .parentAdmin: "Parent Admin"
        case .adult: "Adult"
        case .kid: "Kid"
        case .visitor: "Visitor"
        }
    }

    private static func roleHint(_ role: HouseholdRole, _ side: MemberRole) -> HTML {
        switch (role, side) {
        case (.visitor, _): "Can only look."
        case (_, .player): "Sees the family, renews its code and invites parents."
        case (.parentAdmin, .parent): "Decides who joins, and changes roles and settings."
        case (.adult, .parent): "Invites people and adds children."
        case (.kid, .parent): "Sees the family and its members."
        }
    }

    private static func confirm(_ action: FamilyMainPage.Action) -> HTML {
        switch action {
        case .hide: "Hide"
        case .choose: "Show"
        case .approve: "Approve"
        case .reject: "Reject"
        case .role: "Change the role"
        case .seat: "Yes, become the Parent Admin"
        case .transfer: "Yes, pass it on"
        case .remove: "Remove"
        case .leave: "Leave the family"
        case .renew: "Renew the code"
        }
    }

    private static func timeLeft(_ hours: Int) -> HTML {
        if hours == 1 { return "expires within an hour" }
        if hours < 48 { return "expires in \(String(hours)) hours" }
        return "expires in \(String(hours / 24)) days"
    }

    private static func done(_ notice: FamilyNotice) -> HTML {
        switch notice {
        case .create: "Your family was created. Share its code."
        case .approve: "Approved. This person is a member now."
        case .reject: "The request was turned down."
        case .role: "The role was changed."
        case .seat: "The family has a Parent Admin now."
        case .transfer: "The family has a new Parent Admin now."
        case .remove: "The member was removed."
        case .removeAndRenew:
            "The member was removed. The family has a new code, and the old one no longer works."
        case .leave: "You’ve left the family."
        case .renew: "The family has a new code. The old one no longer works."
        case .send: "The invitation is on its way."
        case .link: "Your link is ready."
        case .resend: "The invitation was sent again."
        case .revoke: "The invitation was withdrawn."
        case .add: "The child was added."
        case .edit, .preferences: "Saved."
        case .promote: "The child’s primary guardian was changed."
        case .decline: "You stopped being a guardian of this child."
        case .consent: "You gave your consent."
        case .withdraw: "You withdrew your consent."
        case .grow: "The child was invited to have an account."
        case .addGuardian: "The guardian was added."
        case .removeGuardian: "The guardian was removed."
        case .removeChild: "The child was removed."
        case .unchanged: "Nothing was changed."
        }
    }

    private static func wrong(_ field: FormField) -> HTML {
        switch field {
        case .familyName: "Enter a name for the family, of at most 80 characters."
        case .fullName: "Enter a name of at most 80 characters."
        case .displayName: "Enter the child’s name, of at most \(longestChildName) characters."
        case .email: "That’s not an email address."
        case .role: "Choose player or parent."
        case .householdRole: "This household role isn’t possible here. Choose another one."
        case .expiresInDays: "Enter a number of days from 1 to 365, or nothing."
        case .homeLatitude: "The latitude is a number from -90 to 90."
        case .homeLongitude: "The longitude is a number from -180 to 180."
        case .avatarKey: "Choose one of the pictures."
        case .memberId: "Choose a member of the family."
        case .preferences:
            "Enter a number where there was a number, and yes or no where there was one of them."
        case .newPreference: "Give the new preference a name that isn’t taken yet, and a value."
        case .otherPreference:
            "An app now stores this in a way that this page can’t change. Clear the field."
        case .approvalRequired: "Choose one of the two."
        }
    }

    static func sentence(for refusal: RefusalCode) -> HTML {
        switch refusal {
        case .idempotencyKeyInUse:
            "This is being done right now. Load the page again to see the result."
        case .idempotencyKeyReused, .retryLater, .familyRequired,
            .privilegedField, .invalidField, .missingField:
            "Something went wrong. Please try again."
        case .tooManyKeys: "Too many changes today. Please try again later."
        case .familyNotFound: "There’s no such family, or you’re no longer in it."
        case .memberNotFound: "This person isn’t in the family anymore."
        case .invitationNotFound: "This invitation isn’t pending anymore."
        case .invitationAnswered: "This invitation has been answered."
        case .memberIsNotWaiting: "This person isn’t waiting anymore: someone else has decided."
        case .targetIsManaged: "This can’t be done to a child without an account."
        case .notWhileActing: "This can’t be done for someone else."
        case .alreadyInvited: "Someone else has already invited this person."
        case .guardianHasManagedMembers:
            "Someone else has to become guardian of the children first."
        case .erasureBlocked: "Someone else has to take over your tasks first."
        case .accountBlocked: "This account is blocked. We sent you an email about it."
        case .noVerifiedAddress: "Your account has no confirmed email address."
        case .seatReserved:
            """
            For now, only the person who created the family, or an adult whom someone invited or \
            approved, can do this.
            """
        case .removedFromFamily: "For now, you can only come back to this family by invitation."
        case .notTheAddressee:
            "This invitation was sent to another email address. Sign in with that address."
        case .invitationExpired: "This invitation has expired."
        case .personAlreadyMember: "This person is already in the family."
        case .preferencesOfAnother: "You can’t see another person’s preferences."
        case .purposeNotFound: "This consent isn’t asked for anymore."
        case .guardianNotAdult: "Only an adult with an account can be a guardian."
        case .adminNotAdult: "Only an adult with an account can be the Parent Admin."
        case .oneself: "You can’t do this to yourself."
        case .standingTooLow: "You’re not allowed to do this in this family."
        default: "\(refusal.response.message)"
        }
    }

    // MARK: Activity

    private static func name(_ person: ActivityPerson, begins: Bool = false) -> HTML {
        switch person {
        case .reader: begins ? "You" : "you"
        case .member(let name): "<bdi>\(name)</bdi>"
        case .former: begins ? "A former member" : "a former member"
        case .formerChild: begins ? "A child" : "a child"
        case .outsider: begins ? "Someone" : "someone"
        case .support: begins ? "The support team" : "the support team"
        case .nobody: begins ? "Hearth" : "someone"
        }
    }

    static func activity(_ entry: FamilyActivity) -> HTML {
        let actor = name(entry.actor, begins: true)
        let subject = name(entry.subject)
        let role: HTML = entry.role.map { " the role \(Self.role($0))" } ?? " another role"
        let child: HTML
        if case .formerChild = entry.subject {
            child = subject
        } else {
            child = "the child \(subject)"
        }
        switch entry.action {
        case "family.create": return "\(actor) created the family."
        case "family.update": return "\(actor) changed the family’s settings."
        case "family.export": return "\(actor) exported the family’s data."
        case "code.join":
            return entry.isAboutRequest
                ? "\(actor) asked to join with the code." : "\(actor) joined with the code."
        case "code.regenerate": return "\(actor) renewed the family code."
        case "member.approve": return "\(actor) let \(subject) in."
        case "member.add": return "\(actor) added \(subject)."
        case "member.remove":
            if !entry.isAboutRequest { return "\(actor) removed \(subject)." }
            if case .outsider = entry.subject { return "\(actor) turned down a request to join." }
            return "\(actor) turned down the request of \(subject)."
        case "member.leave" where entry.isAboutRequest:
            return "\(actor) withdrew the request to join."
        case "member.leave":
            return entry.isOwn ? "\(actor) left the family." : "\(subject) left the family."
        case "member.set_role":
            return entry.isOwn
                ? "\(actor) chose\(role)." : "\(actor) gave \(subject)\(role)."
        case "admin.transfer": return "\(actor) made \(subject) the Parent Admin."
        case "invitation.create":
            let side: HTML =
                entry.side.map { $0 == .player ? " as a player" : " as a parent" } ?? ""
            return "\(actor) invited someone\(side)."
        case "invitation.resend": return "\(actor) sent an invitation again."
        case "invitation.revoke": return "\(actor) withdrew an invitation."
        case "invitation.accept": return "\(actor) accepted an invitation."
        case "invitation.decline": return "\(actor) declined an invitation."
        case "managed.create": return "\(actor) added \(child)."
        case "managed.update": return "\(actor) changed \(child)."
        case "managed.remove": return "\(actor) removed \(child)."
        case "managed.reassign": return "\(actor) named another guardian of \(subject)."
        case "managed.graduate": return "\(actor) invited \(subject) to have an account."
        case "guardian.add": return "\(actor) added a guardian of \(subject)."
        case "guardian.remove": return "\(actor) ended a guardianship of \(subject)."
        case "guardian.promote": return "\(actor) changed the primary guardian of \(subject)."
        case "consent.give": return "\(actor) gave a consent for \(subject)."
        case "consent.withdraw": return "\(actor) withdrew a consent for \(subject)."
        case "player_details.write": return "\(actor) changed the notes about the player."
        case "attributes.write": return "\(actor) changed what apps store about the family."
        case "preferences.write": return "\(actor) changed the preferences of \(subject)."
        default: return "\(actor) did something: \(entry.action)."
        }
    }
}
