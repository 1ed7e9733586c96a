import DomainCore
import Foundation
import Policy

/// Children without accounts, their guardians, and their graduation.
extension InMemoryState {
    /// Returns the index of a child for which the policy allows an action.
    func child(
        _ call: InMemoryCall, _ id: String, for action: Action
    ) throws(InMemoryRefusal) -> Int {
        let index = try managed(call, id)
        try facts(call, about: members[index]).require(action)
        return index
    }

    private func managed(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Int {
        let index = try target(call, id)
        if !members[index].membership.isManaged { throw InMemoryRefusal(.memberNotFound) }
        return index
    }

    mutating func addManaged(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let (index, _) = try familyOfCall(call, for: .managedCreate)
        let child = InMemoryUser(
            id: UUID().uuidString.lowercased(), email: "", name: try displayName(call, nil),
            role: .player, avatarKey: call.text("avatarKey") ?? "", guardians: [call.user])
        users[child.id] = child
        admit(child.id, to: families[index].id, role: .player, householdRole: .kid)
        return (201, shown(members[try member(child.id)], to: call))
    }

    private func displayName(
        _ call: InMemoryCall, _ old: String?
    ) throws(InMemoryRefusal) -> String {
        guard let name = call.text("displayName") ?? old else {
            throw InMemoryRefusal(.missingField)
        }
        if name.unicodeScalars.count > 30 { throw InMemoryRefusal(.invalidField) }
        return name
    }

    mutating func updateManaged(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Response {
        let index = try child(call, id, for: .managedUpdate)
        let user = members[index].user
        let name = try displayName(call, users[user]?.name)
        users[user]?.name = name
        if let key = call.body["avatarKey"] { users[user]?.avatarKey = key.stringValue ?? "" }
        return (200, shown(members[index], to: call))
    }

    mutating func removeManaged(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Response {
        members[try child(call, id, for: .managedRemove)].membership.status = .removed
        return Self.success
    }

    mutating func reassignManaged(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Response {
        let child = members[try managed(call, id)]
        let newGuardian = try other(call, call.text("memberId"), in: child.family)
        try facts(call, about: newGuardian, of: child)
            .require(.managedReassign, unlessNotAdult: .guardianNotAdult)
        let others = users[child.user]?.guardians?.dropFirst() ?? []
        setGuardians([newGuardian.user] + others.filter { $0 != newGuardian.user }, of: child.user)
        return (200, shown(child, to: call))
    }

    // MARK: Guardians

    private static let mostGuardians = 4

    /// Sets the child's guardians, the primary one first. Revokes a pending graduation invitation
    /// unless the new primary guardian sent it.
    mutating func setGuardians(_ guardians: [String], of child: String) {
        users[child]?.guardians = guardians
        for index in invitations.indices
        where invitations[index].graduate == child && invitations[index].isPending
            && invitations[index].inviter != guardians.first
        {
            invitations[index].status = .revoked
        }
    }

    /// Guardians of a child as JSON, the primary one first; empty for an account.
    func guardians(of member: MembershipRow) -> [JSONValue] {
        (users[member.user]?.guardians ?? []).enumerated().map { index, user in
            [
                "userId": .string(user),
                "memberId": .string(self.member(of: user, in: member.family)?.id ?? ""),
                "displayName": .string(users[user]?.displayName ?? ""),
                "isPrimary": .bool(index == 0), "since": "2026-01-01T00:00:00Z",
            ]
        }
    }

    mutating func routeGuardians(
        _ call: InMemoryCall, _ path: [String]
    ) throws(InMemoryRefusal) -> Response {
        let child = members[try managed(call, path[0])]
        switch (call.request.method, path.count) {
        case ("POST", 2): try addGuardian(call, of: child)
        case ("PATCH", 3): try promoteGuardian(call, path[2], of: child)
        case ("DELETE", 3): try removeGuardian(call, path[2], of: child)
        default: throw InMemoryRefusal(.notFound)
        }
        return (200, shown(child, to: call))
    }

    private mutating func addGuardian(
        _ call: InMemoryCall, of child: MembershipRow
    ) throws(InMemoryRefusal) {
        let named = try other(call, call.text("memberId"), in: child.family)
        try facts(call, about: named, of: child)
            .require(.guardianAdd, unlessNotAdult: .guardianNotAdult)
        let present = users[child.user]?.guardians ?? []
        if present.contains(named.user) { return }
        if present.count >= Self.mostGuardians { throw InMemoryRefusal(.tooManyGuardians) }
        setGuardians(present + [named.user], of: child.user)
    }

    private mutating func promoteGuardian(
        _ call: InMemoryCall, _ guardian: String, of child: MembershipRow
    ) throws(InMemoryRefusal) {
        if call.body["isPrimary"]?.boolValue != true { throw InMemoryRefusal(.invalidField) }
        let next = try other(call, guardian, in: child.family)
        try facts(call, about: next, of: child).require(.guardianPromote)
        let present = users[child.user]?.guardians ?? []
        guard present.contains(next.user) else { throw InMemoryRefusal(.memberNotFound) }
        setGuardians([next.user] + present.filter { $0 != next.user }, of: child.user)
    }

    private mutating func removeGuardian(
        _ call: InMemoryCall, _ guardian: String, of child: MembershipRow
    ) throws(InMemoryRefusal) {
        let own = member(of: call.user, in: child.family)?.id
        let leaver = try other(call, guardian == "me" ? own : guardian, in: child.family)
        try facts(call, about: leaver, of: child).require(.guardianRemove)
        let present = users[child.user]?.guardians ?? []
        guard present.contains(leaver.user) else { throw InMemoryRefusal(.memberNotFound) }
        if present.count == 1 { throw InMemoryRefusal(.guardianHasManagedMembers) }
        setGuardians(present.filter { $0 != leaver.user }, of: child.user)
    }

    // MARK: Graduation

    mutating func startGraduation(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Response {
        let child = members[try child(call, id, for: .managedGraduate)]
        let email = call.text("email") ?? ""
        if email.isEmpty, call.text("delivery") != "link" { throw InMemoryRefusal(.missingField) }
        let householdRole: DomainCore.HouseholdRole? = try call.word("householdRole")
        let requested: DomainCore.MemberRole? = try call.word("role")
        let role = requested ?? (householdRole == .adult ? .parent : .player)
        let fitting = role.usualHouseholdRole
        guard householdRole ?? fitting == fitting else { throw InMemoryRefusal(.invalidField) }
        if !email.isEmpty {
            if active(in: child.family).contains(where: { users[$0.user]?.email == email }) {
                throw InMemoryRefusal(.personAlreadyMember)
            }
            let isTaken = invitations.contains {
                $0.family == child.family && $0.email == email && $0.isPending
                    && $0.graduate != child.id
            }
            if isTaken { throw InMemoryRefusal(.alreadyInvited) }
        }
        let pending = invitations.firstIndex { $0.graduate == child.id && $0.isPending }
        let invitation = InMemoryInvitation(
            id: pending.map { invitations[$0].id } ?? UUID().uuidString.lowercased(),
            family: child.family, inviter: call.user, email: email, role: role,
            householdRole: fitting, graduate: child.id, token: Self.newToken(),
            createdAt: creationTime())
        if let pending {
            invitations[pending] = invitation
        } else {
            invitations.append(invitation)
        }
        return (200, sent(invitation))
    }

    /// Makes the account the member that the child was.
    mutating func graduate(
        _ account: String, by invitation: InMemoryInvitation
    ) throws(InMemoryRefusal) {
        guard let child = members.first(where: { $0.id == invitation.graduate && $0.isActive }),
            let person = users[child.user], person.isManaged
        else { throw InMemoryRefusal(.invitationNotFound) }
        let family = child.family
        if member(of: account, in: family) != nil
            || families.contains(where: { $0.id == family && $0.creator == account })
        {
            throw InMemoryRefusal(.notTheGraduate)
        }
        for own in families(of: account) {
            if active(in: own.id).count > 1 {
                throw InMemoryRefusal(
                    users[account]?.role == .player ? .playerHasFamily : .notTheGraduate)
            }
            for index in members.indices
            where members[index].user == account && members[index].family == own.id {
                members[index].membership.status = .removed
            }
        }
        members.removeAll { $0.user == account && $0.family == family }
        let index = try member(child.id)
        members[index].user = account
        let householdRole = invitation.householdRole ?? .kid
        members[index].membership.role = invitation.role
        members[index].membership.householdRole = householdRole
        members[index].membership.isManaged = false
        members[index].membership.isVouched = isVouched(by: invitation)
        members[index].ceiling = MembershipRow.ceiling(of: householdRole)
        if var grown = users[account] {
            grown.role = invitation.role
            grown.isRoleDefault = false
            grown.name = grown.name ?? person.name
            if grown.avatarKey.isEmpty { grown.avatarKey = person.avatarKey }
            users[account] = grown
        }
        preferences[family + " " + account] =
            preferences.removeValue(forKey: family + " " + child.user)
        users[child.user] = nil
    }
}
