import Foundation

// Changes of families, invitations, guardians and consents that can be made offline.

extension ID {
    /// Whether the entity waits to be created at Hearth, which then assigns another id. Queued
    /// changes of the entity are sent with the assigned id.
    public var isProvisional: Bool { rawValue.contains(ProvisionalID.mark) }

    /// Returns a new id for an entity that waits to be created.
    static func provisional(managed isManaged: Bool = false) -> ID {
        ID((isManaged ? "managed_" : "") + ProvisionalID.mark + UUID().uuidString.lowercased())
    }
}

/// The form of provisional ids, which no id of Hearth has.
enum ProvisionalID {
    static let mark = "provisional-"
}

extension Mutation {
    /// Creates a family. If the person has one already, nothing is created, as with
    /// `Hearth.createFamily(named:as:)`. The store shows the family at once, with a provisional id.
    ///
    /// - Parameter person: The person who creates it, from `FamilyStore.profile(_:)`.
    public static func createFamily(named name: String, by person: Profile) -> Mutation {
        create(.createFamily, "/api/family/create", name, person)
    }

    /// Creates another family. The store shows it at once, with a provisional id.
    ///
    /// - Parameter person: The person who creates it, from `FamilyStore.profile(_:)`.
    public static func createAnotherFamily(named name: String, by person: Profile) -> Mutation {
        create(.createAnotherFamily, "/api/families", name, person)
    }

    private static func create(
        _ kind: MutationKind, _ path: String, _ name: String, _ person: Profile
    ) -> Mutation {
        let (family, member) = (FamilyID.provisional(), MemberID.provisional())
        let role: HouseholdRole = person.role == .player ? .kid : .parentAdmin
        var mutation = Mutation(
            kind: kind, method: "POST", path: path, body: ["familyName": .string(name)],
            target: EntityKey(.family, id: family.rawValue),
            effect: .replace([
                "familyId": .string(family.rawValue), "familyName": .string(name),
                "role": .string(person.role.rawValue), "householdRole": .string(role.rawValue),
                "memberId": .string(member.rawValue), "memberCount": 1, "memberLimit": 6,
                "createdByUserId": .string(person.id.rawValue),
            ]))
        mutation.further = [
            FurtherEffect(
                key: EntityKey(.member, family: family.rawValue, id: member.rawValue),
                effect: .replace([
                    "id": .string(member.rawValue), "user_id": .string(person.id.rawValue),
                    "family_unit_id": .string(family.rawValue),
                    "role": .string(person.role.rawValue),
                    "household_role": .string(role.rawValue), "status": "active",
                    "display_name": .string(person.displayName),
                    "avatar_key": .string(person.avatarKey),
                ]))
        ]
        mutation.createdID = "familyId"
        return mutation
    }

    /// Joins a family with its code. The store shows the family once Hearth has responded; until
    /// then the change is in `FamilyStore.queuedMutations()`.
    public static func joinFamily(by code: FamilyCode) -> Mutation {
        Mutation(
            kind: .joinFamily, method: "POST", path: "/api/family/code/join",
            body: ["familyCode": .string(code.text)], target: nil, effect: .none)
    }

    /// Ends the person's own membership. The family disappears from the store at once.
    ///
    /// - Parameter guardian: Member who takes over the children whose guardian the person is.
    public static func leaveFamily(
        _ family: FamilyID, reassigningManagedTo guardian: MemberID? = nil
    ) -> Mutation {
        var mutation = Mutation(
            kind: .leaveFamily, method: "DELETE", path: "/api/family/members/me", body: nil,
            target: EntityKey(.family, id: family.rawValue), effect: .remove)
        mutation.query["familyId"] = family.rawValue
        mutation.query["reassignManagedTo"] = guardian?.rawValue
        return mutation
    }

    /// Withdraws the person's request to join a family. The request disappears at once.
    public static func withdrawRequest(_ request: JoinRequest, of person: Profile) -> Mutation {
        let others = person.joinRequests.filter { $0.familyID != request.familyID }
        return Mutation(
            kind: .withdrawRequest, method: "DELETE",
            path: "/api/me/requests/\(request.familyID.inPath)", body: nil,
            target: EntityKey(.profile, id: person.id.rawValue),
            effect: .merge(["joinRequests": .array(others.map(\.json))]))
    }

    /// Rejects a person who waits for approval. The person disappears at once.
    public static func rejectMember(_ member: Member) -> Mutation {
        Mutation(
            kind: .rejectMember, method: "POST",
            path: "/api/family/members/\(member.id.inPath)/reject", body: [:],
            target: EntityKey(member), effect: .remove)
    }

    /// Hands the seat of Parent Admin to another adult. Both members change at once.
    ///
    /// - Parameter own: The person's own membership.
    public static func transferAdmin(to member: Member, from own: Member) -> Mutation {
        var mutation = Mutation(
            kind: .transferAdmin, method: "POST", path: "/api/family/admin/transfer",
            body: [
                "memberId": .string(member.id.rawValue),
                "familyId": .string(member.familyID.rawValue),
            ], target: EntityKey(member),
            effect: .merge(["household_role": .string(HouseholdRole.parentAdmin.rawValue)]))
        let adult: JSONValue = .string(HouseholdRole.adult.rawValue)
        mutation.further = [
            FurtherEffect(key: EntityKey(own), effect: .merge(["household_role": adult])),
            FurtherEffect(
                key: EntityKey(.family, id: own.familyID.rawValue),
                effect: .merge(["householdRole": adult, "parentAdmin": "taken"])),
        ]
        return mutation
    }

    // MARK: Invitations

    /// Invites an address. The store shows the invitation at once, with a provisional id. Only an
    /// invitation by e-mail can wait: a link exists once Hearth has made it.
    ///
    /// - Parameters:
    ///   - role: The side on which the person joins.
    ///   - householdRole: At most `adult`; chosen by Hearth if left out.
    ///   - person: The person who invites.
    public static func invite(
        email: String, as role: MemberRole, householdRole: HouseholdRole? = nil,
        to family: FamilyID, by person: UserID
    ) -> Mutation {
        let id = InvitationID.provisional()
        let usual: HouseholdRole = role == .player ? .kid : .adult
        var mutation = Mutation(
            kind: .invite, method: "POST", path: "/api/family/invite",
            body: .body([
                "email": .string(email), "role": .string(role.rawValue),
                "householdRole": householdRole.map { .string($0.rawValue) },
                "familyUnitId": .string(family.rawValue),
            ]), target: EntityKey(.invitation, family: family.rawValue, id: id.rawValue),
            effect: .replace([
                "id": .string(id.rawValue), "family_unit_id": .string(family.rawValue),
                "invited_by": .string(person.rawValue), "invited_email": .string(email),
                "role": .string(role.rawValue),
                "household_role": .string((householdRole ?? usual).rawValue),
                "status": "pending", "created_at": .string(Timestamp.text(Date())),
            ]))
        mutation.createdID = "invitationId"
        return mutation
    }

    /// Sends a pending invitation again. The store shows no change.
    public static func resendInvitation(_ invitation: Invitation) -> Mutation {
        Mutation(
            kind: .resendInvitation, method: "POST",
            path: "/api/family/invitations/\(invitation.id.inPath)/resend", body: [:],
            target: EntityKey(
                .invitation, family: invitation.familyID.rawValue, id: invitation.id.rawValue),
            effect: .none)
    }

    /// Accepts an invitation to the person's own address. The invitation disappears at once; the
    /// family appears once Hearth has responded.
    public static func acceptInvitation(_ invitation: ReceivedInvitation) -> Mutation {
        answer(invitation, .acceptInvitation, "accept")
    }

    /// Declines an invitation to the person's own address. The invitation disappears at once.
    public static func declineInvitation(_ invitation: ReceivedInvitation) -> Mutation {
        answer(invitation, .declineInvitation, "decline")
    }

    private static func answer(
        _ invitation: ReceivedInvitation, _ kind: MutationKind, _ word: String
    ) -> Mutation {
        Mutation(
            kind: kind, method: "POST",
            path: "/api/me/invitations/\(invitation.id.inPath)/\(word)", body: [:],
            target: EntityKey(.receivedInvitation, id: invitation.id.rawValue), effect: .remove)
    }

    // MARK: Guardians

    /// Makes another adult an additional guardian of a child, at once.
    public static func addGuardian(_ guardian: Member, of child: Member) -> Mutation {
        let added = Guardian(
            userID: guardian.userID, memberID: guardian.id, displayName: guardian.displayName,
            since: Date())
        let others = child.guardians.filter { $0.userID != guardian.userID }
        return guardians(
            of: child, others + [added], .addGuardian, "POST", "guardians",
            ["memberId": .string(guardian.id.rawValue)])
    }

    /// Makes a guardian the child's primary guardian, at once.
    public static func makePrimaryGuardian(_ guardian: Guardian, of child: Member) -> Mutation {
        let others = child.guardians.filter { $0.userID != guardian.userID }
        return guardians(
            of: child, [guardian] + others, .makePrimaryGuardian, "PATCH",
            "guardians/\(guardian.memberID.inPath)", ["isPrimary": true])
    }

    /// Ends another adult's guardianship of a child, at once.
    public static func removeGuardian(_ guardian: Guardian, of child: Member) -> Mutation {
        guardians(
            of: child, child.guardians.filter { $0.userID != guardian.userID }, .removeGuardian,
            "DELETE", "guardians/\(guardian.memberID.inPath)", nil)
    }

    /// Ends the person's own guardianship of a child that has another guardian, at once.
    public static func declineGuardianship(of child: Member, by person: UserID) -> Mutation {
        var mutation = guardians(
            of: child, child.guardians.filter { $0.userID != person }, .declineGuardianship,
            "DELETE", "guardians/me", nil)
        mutation.answersThing = false
        return mutation
    }

    /// Makes another adult the guardian of a child in place of the current ones, at once.
    public static func reassignManagedMember(_ child: Member, to guardian: Member) -> Mutation {
        let only = Guardian(
            userID: guardian.userID, memberID: guardian.id, displayName: guardian.displayName,
            isPrimary: true, since: Date())
        return guardians(
            of: child, [only], .reassignManagedMember, "POST", "guardian",
            ["memberId": .string(guardian.id.rawValue)])
    }

    private static func guardians(
        of child: Member, _ guardians: [Guardian], _ kind: MutationKind, _ method: String,
        _ part: String, _ body: JSONValue?
    ) -> Mutation {
        let shown = guardians.enumerated().map { index, guardian in
            guardian.json(isPrimary: index == 0)
        }
        var mutation = Mutation(
            kind: kind, method: method, path: "/api/family/managed/\(child.id.inPath)/\(part)",
            body: body, target: EntityKey(child),
            effect: .merge([
                "guardians": .array(shown),
                "parent_user_id": guardians.first.map { .string($0.userID.rawValue) } ?? .null,
            ]))
        mutation.answersThing = true
        return mutation
    }

    // MARK: Consents

    /// Gives a guardian's consent for a child, proved by being signed in. The store has no consents
    /// of children; until Hearth has responded, the change is in `queuedMutations()`.
    ///
    /// - Parameter version: The version of the text that was shown.
    public static func giveConsent(
        to purpose: String, version: String, for child: Member
    ) -> Mutation {
        consent(
            .giveConsent, "PUT", purpose, child,
            ["version": .string(version), "method": "signed_in"])
    }

    /// Withdraws a guardian's consent for a child.
    public static func withdrawConsent(to purpose: String, for child: Member) -> Mutation {
        consent(.withdrawConsent, "DELETE", purpose, child, nil)
    }

    private static func consent(
        _ kind: MutationKind, _ method: String, _ purpose: String, _ child: Member,
        _ body: JSONValue?
    ) -> Mutation {
        Mutation(
            kind: kind, method: method,
            path: "/api/family/managed/\(child.id.inPath)/consents/"
                + APIRequest.encoded(purpose), body: body, target: EntityKey(child),
            effect: .none)
    }

    /// Gives the account's consent for itself. The purpose disappears from
    /// `Profile.missingConsents` at once.
    ///
    /// - Parameter version: The version of the text that was shown.
    public static func giveOwnConsent(
        to purpose: String, version: String, by person: Profile
    ) -> Mutation {
        let missing = person.missingConsents.filter { $0.purpose != purpose }
        return Mutation(
            kind: .giveOwnConsent, method: "PUT",
            path: "/api/me/consents/\(APIRequest.encoded(purpose))",
            body: ["version": .string(version), "method": "self"],
            target: EntityKey(.profile, id: person.id.rawValue),
            effect: .merge([
                "consentsMissing": .array(
                    missing.map {
                        ["purpose": .string($0.purpose), "version": .string($0.version)]
                    })
            ]))
    }

    /// Withdraws the account's consent for itself. Until Hearth has responded, the change is in
    /// `queuedMutations()`.
    public static func withdrawOwnConsent(to purpose: String, by person: UserID) -> Mutation {
        Mutation(
            kind: .withdrawOwnConsent, method: "DELETE",
            path: "/api/me/consents/\(APIRequest.encoded(purpose))", body: nil,
            target: EntityKey(.profile, id: person.rawValue), effect: .none)
    }

    // MARK: Attributes

    /// Changes the attributes that the app stores with a family by a merge patch (RFC 7396), at
    /// once.
    public static func updateAttributes(_ patch: JSONValue, of family: FamilyID) -> Mutation {
        var mutation = Mutation(
            kind: .updateAttributes, method: "PATCH",
            path: "/api/family/\(family.inPath)/attributes", body: patch,
            target: EntityKey(.attributes, family: family.rawValue, id: family.rawValue),
            effect: .patch(patch))
        mutation.answersThing = true
        return mutation
    }
}

extension Guardian {
    /// The guardian as Hearth writes it.
    fileprivate func json(isPrimary: Bool) -> JSONValue {
        .body([
            "userId": .string(userID.rawValue), "memberId": .string(memberID.rawValue),
            "displayName": .string(displayName), "isPrimary": .bool(isPrimary),
            "since": since.map { .string(Timestamp.text($0)) },
        ])
    }
}

extension JoinRequest {
    /// The request as Hearth writes it.
    fileprivate var json: JSONValue {
        .body([
            "familyId": .string(familyID.rawValue), "familyName": .string(familyName),
            "role": .string(role.rawValue),
            "requestedAt": requestedAt.map { .string(Timestamp.text($0)) },
        ])
    }
}

/// Kind of a change that can be made offline.
public enum MutationKind: String, Sendable, Hashable, CaseIterable, Codable {
    /// A household role.
    case setHouseholdRole
    /// The end of another person's membership.
    case removeMember
    /// The approval of a person who waits for it.
    case approveMember
    /// The rejection of a person who waits for approval.
    case rejectMember
    /// A family's name, home, or whether joining needs approval.
    case updateFamily
    /// The person's own profile.
    case updateProfile
    /// A new child without an account.
    case addManagedMember
    /// The name or avatar of a child without an account.
    case updateManagedMember
    /// The end of such a child's membership.
    case removeManagedMember
    /// Preferences.
    case setPreferences
    /// The details that a family stores about its player.
    case updatePlayerDetails
    /// A new family.
    case createFamily
    /// A further family.
    case createAnotherFamily
    /// Joining with a code.
    case joinFamily
    /// The end of the person's own membership.
    case leaveFamily
    /// The withdrawal of the person's request to join.
    case withdrawRequest
    /// The seat of Parent Admin.
    case transferAdmin
    /// A new invitation.
    case invite
    /// Another e-mail of an invitation.
    case resendInvitation
    /// The end of an invitation.
    case revokeInvitation
    /// The acceptance of an invitation.
    case acceptInvitation
    /// The refusal of an invitation.
    case declineInvitation
    /// A further guardian.
    case addGuardian
    /// Another primary guardian.
    case makePrimaryGuardian
    /// The end of another adult's guardianship.
    case removeGuardian
    /// The end of the person's own guardianship.
    case declineGuardianship
    /// Another guardian in place of the current ones.
    case reassignManagedMember
    /// A guardian's consent.
    case giveConsent
    /// The withdrawal of a guardian's consent.
    case withdrawConsent
    /// An account's consent for itself.
    case giveOwnConsent
    /// The withdrawal of such a consent.
    case withdrawOwnConsent
    /// A family's attributes.
    case updateAttributes
    /// A change that another release of the library has queued.
    case unrecognized

    /// Parses a stored kind; unknown ones become `unrecognized`.
    init(stored: String) { self = MutationKind(rawValue: stored) ?? .unrecognized }
}
