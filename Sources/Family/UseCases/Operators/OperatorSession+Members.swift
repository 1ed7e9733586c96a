package import Domain
import Postgres
package import Repositories

extension OperatorSession {
    /// Returns a family's members, including people waiting for approval, and removed ones on
    /// request.
    package func members(
        of family: FamilyID, includingRemoved: Bool = false
    ) throws -> [AdminMember] {
        try rows(AdminMembers.ofFamily, family, includingRemoved)
    }

    /// Returns a user's memberships in any status.
    package func memberships(of user: UserID) throws -> [AdminMember] {
        try rows(AdminMembers.ofUser, user)
    }

    /// Returns a membership.
    package func member(_ id: MemberID) throws -> AdminMember {
        guard let member = try rows(AdminMembers.one, id).first else {
            throw afterReplication(
                OperatorRefusal.notFound(.member, id.description, expected: "a member's id"))
        }
        return member
    }

    /// Finds the member of a family that an operator names by the id of the membership or of the
    /// user, by e-mail address, or by a name or a part of one.
    ///
    /// - Throws: ``OperatorRefusal`` if none or several match.
    package func member(_ word: String, of family: FamilyID) throws -> AdminMember {
        try member(word, ofOneOf: [family])
    }

    /// Finds the member in the first of a person's families with exactly one match.
    ///
    /// - Throws: ``OperatorRefusal`` if no family has exactly one match (the refusal is that for
    ///   the last family), or if there is no family.
    package func member(_ word: String, ofOneOf families: [FamilyID]) throws -> AdminMember {
        var refusal: OperatorRefusal?
        for family in families {
            let matches = Self.members(called: word, among: try members(of: family))
            if matches.count == 1 { return matches[0] }
            if matches.count > 1 {
                refusal = .ambiguous(
                    .member, word, matches.map { "\($0.id)  \($0.fullName ?? "")" })
            } else {
                refusal = .notFound(
                    .member, word,
                    expected: "the id, e-mail address or name of a member of the family")
            }
        }
        throw afterReplication(
            refusal
                ?? OperatorRefusal(
                    .memberNotFound, "This person is in no family: there is nobody to reassign."))
    }

    private static func members(
        called word: String, among members: [AdminMember]
    ) -> [AdminMember] {
        let id = MemberID(managed: word)
        let mailbox = EmailAddress(word)?.mailbox
        let matches = members.filter {
            $0.id == id || $0.user.rawValue == id?.rawValue
                || (mailbox != nil && $0.email.flatMap { EmailAddress($0)?.mailbox } == mailbox)
        }
        if !matches.isEmpty { return matches }
        let named = members.filter { $0.fullName?.lowercased() == word.lowercased() }
        if !named.isEmpty { return named }
        return members.filter {
            $0.fullName?.lowercased().contains(word.lowercased()) ?? false
        }
    }

    /// Adds an account to a family. If the person was waiting for approval, they are notified by
    /// e-mail.
    ///
    /// - Parameter onlyApproves: Whether only a person who waits for approval with these roles is
    ///   added, and nobody whom the family has rejected meanwhile.
    package func addMember(
        _ user: UserID, to family: FamilyID, role: MemberRole?, householdRole: HouseholdRole?,
        onlyApproves: Bool = false
    ) throws -> MemberID {
        try run(writes: true) { batch in
            let member = batch.add(
                AdminMembers.add, family, user, role, householdRole, onlyApproves)
            batch.notifyWorkers(MailJob.queue)
            return { try $0.row(member).value }
        }
    }

    /// Removes a member. `newGuardian` becomes the guardian of children who have no other guardian
    /// than the member; if there are such children and it is nil, the removal is refused.
    ///
    /// The member is notified by e-mail, even if the new guardian takes over children. A person who
    /// was waiting for approval when the operator looked is not removed if the family has approved
    /// them meanwhile.
    ///
    /// - Parameter seen: Status of the member when the operator looked; nil for that of `member`.
    package func removeMember(
        _ member: AdminMember, seen: MembershipStatus? = nil,
        reassigningManagedTo newGuardian: AdminMember?, rotatesCode: Bool
    ) throws {
        try run(writes: true) { batch in
            batch.add(
                AdminMembers.remove, member.id, newGuardian?.id, rotatesCode,
                seen ?? member.status)
            batch.notifyWorkers(MailJob.queue)
            return { _ in }
        }
    }

    /// Changes a member's household role; to Parent Admin only while the seat is vacant.
    ///
    /// The adults are notified of a new Parent Admin by e-mail, and a demoted guardian of the new
    /// guardian.
    package func setHouseholdRole(
        of member: AdminMember, to role: HouseholdRole,
        reassigningManagedTo newGuardian: AdminMember?
    ) throws {
        try run(writes: true) { batch in
            batch.add(AdminMembers.setHouseholdRole, member.id, role, newGuardian?.id)
            batch.notifyWorkers(MailJob.queue)
            return { _ in }
        }
    }

    /// Adds a child with an adult as its guardian.
    package func addManagedMember(
        guardian: MemberID, name: DisplayName, avatarKey: AvatarKey?
    ) throws -> MemberID {
        try change(AdminMembers.addManaged, guardian, name.text, avatarKey?.text)
    }

    /// Returns the guardians of a managed member, the primary one first.
    package func guardians(of child: AdminMember) throws -> [AdminMember] {
        try run(writes: false) { batch in
            let key = batch.add(AdminMembers.guardians, child.id)
            return { try $0.rows(key) }
        }
    }

    /// Makes an adult of the family a further guardian of a child, and notifies the adult, unless
    /// the adult is a guardian already.
    package func addGuardian(_ guardian: AdminMember, of child: AdminMember) throws {
        try run(writes: true) { batch in
            batch.add(AdminMembers.addGuardian, child.id, guardian.id)
            batch.notifyWorkers(MailJob.queue)
            return { _ in }
        }
    }

    /// Ends a guardianship of a child that has another guardian, and notifies the former guardian.
    package func removeGuardian(_ guardian: AdminMember, of child: AdminMember) throws {
        try run(writes: true) { batch in
            batch.add(AdminMembers.removeGuardian, child.id, guardian.id)
            batch.notifyWorkers(MailJob.queue)
            return { _ in }
        }
    }

    /// Finds a member of a family like ``member(_:of:)`` or, by id, a former member.
    package func member(_ word: String, everOf family: FamilyID) throws -> AdminMember {
        if let id = MemberID(managed: word), let former = try? member(id), former.family == family {
            return former
        }
        return try member(word, of: family)
    }

    /// Returns all consents that guardians have given for a member, the newest first.
    package func consents(of member: MemberID) throws -> [RecordedConsent] {
        try run(writes: false) { batch in
            let key = batch.add(Consents.ofMember, member)
            return { try $0.rows(key) }
        }
    }

    /// Returns all consents that an account has given for itself, the newest first.
    package func consents(of user: UserID) throws -> [RecordedOwnConsent] {
        try run(writes: false) { batch in
            let key = batch.add(Consents.ofAccount, user)
            return { try $0.rows(key) }
        }
    }

    /// Makes a guardian of a child its primary guardian.
    package func promoteGuardian(_ guardian: AdminMember, of child: AdminMember) throws {
        try change(AdminMembers.promoteGuardian, child.id, guardian.id)
    }

    /// Makes another adult of the family a child's primary guardian, in place of the present one,
    /// who is notified by e-mail.
    ///
    /// - Parameter seen: The primary guardian whom the operator has seen.
    /// - Throws: ``OperatorRefusal`` if the child has another primary guardian by now.
    package func reassignManagedMember(
        _ child: AdminMember, from seen: UserID?, to guardian: AdminMember
    ) throws {
        try run(writes: true) { batch in
            batch.add(AdminMembers.reassignManaged, child.id, guardian.id, seen)
            batch.notifyWorkers(MailJob.queue)
            return { _ in }
        }
    }
}

extension ID {
    /// Parses an id as it is shown: bare, or with the prefix `managed_` of a managed member's.
    init?(managed text: String) {
        self.init(text.hasPrefix("managed_") ? String(text.dropFirst(8)) : text)
    }
}
