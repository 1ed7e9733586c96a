import Domain
import Policy
import Repositories
import UseCases

extension ConsoleOperation {
    private static let noOtherAdult = "The family has no other adult. Invite one first."

    /// Operations on families.
    static let ofFamilies: [ConsoleOperation] = [
        ConsoleOperation(
            name: "rename", label: "Rename", action: .renameFamily,
            explanation: "All members see the new name.", done: "The family is renamed.",
            fields: { subject in
                [
                    Field(
                        name: "name", label: "New name",
                        kind: .text(longest: FamilyName.allowedLengths.upperBound),
                        value: subject.title)
                ]
            },
            run: { work in
                let name = try work.required("name", "New name", "a name on one line") {
                    FamilyName($0)
                }
                try work.session.renameFamily(try work.family().id, to: name)
                return nil
            }),
        ConsoleOperation(
            name: "new-code", label: "New code", action: .replaceCode,
            explanation: "The current code stops working at once, including printed copies. Open "
                + "invitations and their links stay valid.",
            done: "The family has a new code.",
            fields: { _ in
                [
                    Field(
                        name: "days", label: "Days until it expires", kind: .number(1...365),
                        hint: "Empty: it does not expire.", isRequired: false)
                ]
            },
            run: { work in
                let days = try work.value("days", "Days", "a whole number from 1 to 365") {
                    Int($0).flatMap { (1...365).contains($0) ? $0 : nil }
                }
                try work.session.replaceCode(of: try work.family().id, expiresInDays: days)
                return nil
            }),
        ConsoleOperation(
            name: "transfer-admin", label: "Change the Parent Admin", action: .transferAdmin,
            explanation: "Makes an adult the Parent Admin. The current one becomes an adult. The "
                + "adults get an e-mail.",
            done: "The family has a new Parent Admin.",
            fields: { subject in
                [
                    .member(
                        "member", "New Parent Admin", subject.members,
                        withoutChoices: Self.noOtherAdult
                    ) { $0.isAdult && $0.householdRole != .parentAdmin }
                ]
            },
            run: { work in
                let family = try work.family().id
                try work.session.transferAdmin(
                    to: work.requiredMember("member", "New Parent Admin", of: family))
                return nil
            }),
        ConsoleOperation(
            name: "add-member", label: "Add a member", action: .addMember,
            explanation: "Adds a person who has signed in once, without a code or an invitation. "
                + "Somebody who left or was removed becomes a member again. A player, or somebody "
                + "who gets another role, leaves a family in which nobody else is, and it ends.",
            done: "The person is now a member of the family.",
            fields: { _ in
                [
                    Field(name: "email", label: "Address of the person", kind: .email),
                    .role(none: "The account's own role"),
                    .householdRole(none: "Adult for a parent, kid for a player"),
                ]
            },
            run: { work in
                let user = try work.session.user(try work.text("email", "Address of the person"))
                // The account may be an operator's, the stricter case.
                try work.requireMayAct(on: user.id, isOperator: true)
                _ = try work.session.addMember(
                    user.id, to: try work.family().id,
                    role: try work.value("role", "Role", "player or parent") {
                        MemberRole(rawValue: $0)
                    },
                    householdRole: try work.value("household", "Household role", "a role") {
                        HouseholdRole(rawValue: $0)
                    })
                return nil
            }),
        ConsoleOperation(
            name: "add-child", label: "Add a child", action: .addChild,
            explanation: "Adds a child without an account, with an adult as its guardian.",
            done: "The child is now a member of the family.",
            fields: { subject in
                [
                    Field(
                        name: "name", label: "Name of the child",
                        kind: .text(longest: DisplayName.allowedLengths.upperBound)),
                    .member("guardian", "Guardian", subject.members) { $0.isAdult },
                ]
            },
            run: { work in
                let name = try work.required("name", "Name of the child", "a name on one line") {
                    DisplayName($0)
                }
                let family = try work.family().id
                _ = try work.session.addManagedMember(
                    guardian: work.requiredMember("guardian", "Guardian", of: family).id,
                    name: name, avatarKey: nil)
                return nil
            }),
        ConsoleOperation(
            name: "invite", label: "Invite", action: .sendInvitation,
            explanation: "Mails an invitation in the name of a member who may invite.",
            done: "The invitation is on its way.",
            fields: { _ in
                [
                    Field(name: "email", label: "Address", kind: .email), .role(none: nil),
                    .householdRole(none: "Adult for a parent, kid for a player"),
                ]
            },
            run: { work in
                let email = try work.requiredAddress("email", "Address")
                let role = try work.required("role", "Role", "player or parent") {
                    MemberRole(rawValue: $0)
                }
                let inviter = try work.session.inviter(for: role, of: try work.family().id)
                _ = try work.session.sendInvitation(
                    to: .email(email), inviter: inviter.id, role: role,
                    householdRole: try work.value("household", "Household role", "a role") {
                        HouseholdRole(rawValue: $0)
                    },
                    work.visit.services.invitationKeys)
                return nil
            }),
    ]

    /// Operations on members.
    static let ofMembers: [ConsoleOperation] = [
        ConsoleOperation(
            name: "approve", label: "Approve", action: .approveMember,
            explanation: "The person becomes a member of the family and gets an e-mail.",
            done: "The person is now a member of the family.",
            isOffered: { $0.membership?.status == .invited },
            run: { work in
                let member = try work.member()
                _ = try work.session.addMember(
                    member.user, to: member.family, role: member.role,
                    householdRole: member.householdRole, onlyApproves: true)
                return nil
            }),
        ConsoleOperation(
            name: "bring-back", label: "Bring back", action: .addMember,
            explanation: "The person becomes a member of the family again. A player, or somebody "
                + "who gets another role, leaves a family in which nobody else is, and it ends.",
            done: "The person is a member of the family again.",
            isOffered: \.isFormerMember,
            fields: { subject in
                guard let member = subject.membership else { return [] }
                var household = Field.householdRole()
                let former = member.householdRole
                // The seat may have been taken meanwhile.
                household.value = (former == .parentAdmin ? HouseholdRole.adult : former).rawValue
                // The account may have taken the other role since it was a member.
                return [.role(none: "The account's own role"), household]
            },
            run: { work in
                let member = try work.member()
                let role = try work.value("role", "Role", "player or parent") {
                    MemberRole(rawValue: $0)
                }
                let household = try work.required("household", "Household role", "a role") {
                    HouseholdRole(rawValue: $0)
                }
                _ = try work.session.addMember(
                    member.user, to: member.family, role: role, householdRole: household)
                return nil
            }),
        ConsoleOperation(
            name: "remove", label: "Remove", action: .removeMember,
            explanation: "Ends the membership. A person with an account can become a member "
                + "again, a child without one can't. The member's pending invitations are "
                + "revoked.",
            done: "The member is removed.", isDangerous: true,
            isOffered: { $0.membership.map { $0.status != .removed } ?? false },
            fields: { subject in
                subject.successors
                    + [
                        Field(
                            name: "rotate", label: "Also give the family a new code", kind: .check,
                            isRequired: false),
                        Field(
                            name: "seen", label: "State", kind: .hidden,
                            value: subject.membership?.status.rawValue ?? ""),
                    ]
            },
            run: { work in
                let member = try work.member()
                let seen = try work.required("seen", "State", "active or invited") {
                    MembershipStatus(rawValue: $0)
                }
                try work.session.removeMember(
                    member, seen: seen,
                    reassigningManagedTo: work.member(
                        "successor", "New guardian", of: member.family),
                    rotatesCode: work.visit.field("rotate") != nil)
                return nil
            }),
        ConsoleOperation(
            name: "set-role", label: "Change the role", action: .setHouseholdRole,
            explanation: "Changes the role in the household. The seat of the Parent Admin can be "
                + "given only while it is vacant.",
            done: "The role is changed.",
            isOffered: { $0.membership.map { $0.status == .active && !$0.isManaged } ?? false },
            fields: { subject in
                [Field.householdRole([.parentAdmin, .adult, .kid, .visitor])]
                    + subject.successors
            },
            run: { work in
                let member = try work.member()
                let role = try work.required("household", "Household role", "a role") {
                    HouseholdRole(rawValue: $0)
                }
                try work.session.setHouseholdRole(
                    of: member, to: role,
                    reassigningManagedTo: work.member(
                        "successor", "New guardian", of: member.family))
                return nil
            }),
        ConsoleOperation(
            name: "add-guardian", label: "Add a guardian", action: .changeGuardians,
            explanation: "Makes an adult a further guardian, who gets an e-mail.",
            done: "The child has another guardian.", isOffered: \.isChild,
            fields: { subject in
                [
                    .member(
                        "guardian", "Guardian", subject.members,
                        withoutChoices: "Every adult of the family is already a guardian of the "
                            + "child. Invite another adult first."
                    ) { $0.isAdult }
                ]
            },
            run: { work in
                let child = try work.member()
                let guardian = try work.requiredMember("guardian", "Guardian", of: child.family)
                // The subject has no members who are guardians of the child already.
                guard work.subject.members.contains(where: { $0.member.id == guardian.id }) else {
                    throw ConsoleConflict(
                        sentence: "\(guardian.fullName ?? "This member") is already a guardian of "
                            + "the child.")
                }
                try work.session.addGuardian(guardian, of: child)
                return nil
            }),
        ConsoleOperation(
            name: "remove-guardian", label: "Remove a guardian", action: .changeGuardians,
            explanation: "Ends the guardianship of somebody, if another guardian is left. The "
                + "person gets an e-mail.",
            done: "The guardian is removed.", isDangerous: true, isOffered: \.isChild,
            fields: { subject in
                [.member("guardian", "Guardian", subject.members) { $0.isAdult }]
            },
            guardianSentence: "This is the child's only guardian. First use 'Add a guardian', or "
                + "use 'Replace the primary guardian'.",
            run: { work in
                let child = try work.member()
                try work.session.removeGuardian(
                    work.requiredMember("guardian", "Guardian", of: child.family), of: child)
                return nil
            }),
        ConsoleOperation(
            name: "primary-guardian", label: "Choose the primary guardian",
            action: .changeGuardians,
            explanation: "Makes one of the child's guardians the primary one. All of them stay "
                + "guardians.",
            done: "The child has a new primary guardian.", isOffered: \.isChild,
            fields: { subject in
                [
                    .member(
                        "guardian", "Guardian", subject.members,
                        hint: "One of the child's other guardians.",
                        withoutChoices: "The child has no other guardian. Use 'Add a guardian' "
                            + "first."
                    ) { $0.isAdult && $0.user != subject.membership?.guardian }
                ]
            },
            run: { work in
                let child = try work.member()
                try work.session.promoteGuardian(
                    work.requiredMember("guardian", "Guardian", of: child.family), of: child)
                return nil
            }),
        ConsoleOperation(
            name: "reassign", label: "Replace the primary guardian", action: .changeGuardians,
            explanation: "The chosen adult replaces the primary guardian. The former guardian gets "
                + "an e-mail.",
            done: "The primary guardian is replaced.", isDangerous: true, isOffered: \.isChild,
            fields: { subject in
                let present = subject.membership?.guardianName ?? "the present one"
                return [
                    .member(
                        "guardian", "Guardian", subject.members, hint: "In place of \(present).",
                        withoutChoices: Self.noOtherAdult
                    ) { $0.isAdult && $0.user != subject.membership?.guardian },
                    Field(
                        name: "seen", label: "Present guardian", kind: .hidden,
                        value: subject.membership?.guardian?.description ?? ""),
                ]
            },
            run: { work in
                let child = try work.member()
                let seen = try work.required("seen", "Present guardian", "the id of a person") {
                    UserID($0)
                }
                try work.session.reassignManagedMember(
                    child, from: seen,
                    to: work.requiredMember("guardian", "Guardian", of: child.family))
                return nil
            }),
        ConsoleOperation(
            name: "graduate", label: "Let the child have an account",
            action: .startGraduation,
            explanation: "Invites the child to have an account of its own, in the name of its "
                + "primary guardian. The guardians get an e-mail.",
            done: "The invitation is on its way.", isOffered: \.isChild,
            fields: { _ in
                [Field(name: "email", label: "Address", kind: .email), .role(none: nil)]
            },
            run: { work in
                let email = try work.requiredAddress("email", "Address")
                let role = try work.required("role", "Role", "player or parent") {
                    MemberRole(rawValue: $0)
                }
                _ = try work.session.startGraduation(
                    of: try work.member().id, to: .email(email), role: role,
                    work.visit.services.invitationKeys)
                return nil
            }),
    ]

    /// Operations on invitations.
    static let ofInvitations: [ConsoleOperation] = [
        ConsoleOperation(
            name: "resend", label: "Send again", action: .resendInvitation,
            explanation: "The invitation gets a new link and seven more days.",
            done: "The invitation is on its way again.", isDirect: true,
            // A link belongs to nobody to whom it could be mailed.
            isOffered: { $0.isPendingInvitation && $0.isMailedInvitation },
            run: { work in
                _ = try work.session.resendInvitation(
                    try work.invitation().id, work.visit.services.invitationKeys)
                return nil
            }),
        ConsoleOperation(
            name: "revoke", label: "Revoke", action: .revokeInvitation,
            explanation: "The link stops working.", done: "The invitation is revoked.",
            isDangerous: true, isOffered: { $0.isPendingInvitation },
            run: { work in
                try work.session.revokeInvitation(try work.invitation().id)
                return nil
            }),
    ]
}

extension ConsoleSubject {
    fileprivate var membership: AdminMember? {
        if case .member(let member, _) = self { member.member } else { nil }
    }

    /// The field for the new guardian of the member's children; none unless the member is the
    /// primary guardian of a child, as a child's only guardian is.
    fileprivate var successors: [ConsoleOperation.Field] {
        guard let guardian = membership,
            members.contains(where: {
                $0.member.isManaged && $0.member.status == .active
                    && $0.member.guardian == guardian.user
            })
        else { return [] }
        return [
            .member(
                "successor", "New guardian of the member's children", members, none: "Nobody",
                hint: "Needed for a child who has no other guardian."
            ) { $0.isAdult && $0.id != guardian.id }
        ]
    }

    /// Whether the subject is a person who was a member and whose account is not erased. An erased
    /// account has neither name nor address.
    fileprivate var isFormerMember: Bool {
        guard case .member(let one, _) = self else { return false }
        let member = one.member
        return member.status == .removed && !member.isManaged && one.wasWaiting != true
            && (member.fullName != nil || member.email != nil)
    }

    /// Whether the subject is an active child without an account.
    fileprivate var isChild: Bool {
        membership.map { $0.isManaged && $0.status == .active } ?? false
    }

    fileprivate var isPendingInvitation: Bool {
        guard case .invitation(let invitation, _) = self else { return false }
        return invitation.status == .pending
    }

    fileprivate var isMailedInvitation: Bool {
        guard case .invitation(let invitation, _) = self else { return false }
        return invitation.delivery == .email
    }
}

extension ConsoleOperation.Work {
    fileprivate func family() throws -> AdminFamily {
        guard case .family(let family, _) = subject else {
            throw ConsoleAbsence(sentence: "There is no such family.")
        }
        return family
    }

    fileprivate func member() throws -> AdminMember {
        guard case .member(let member, _) = subject else {
            throw ConsoleAbsence(sentence: "There is no such member.")
        }
        return member.member
    }

    fileprivate func invitation() throws -> AdminInvitation {
        guard case .invitation(let invitation, _) = subject else {
            throw ConsoleAbsence(sentence: "There is no such invitation.")
        }
        return invitation
    }
}
