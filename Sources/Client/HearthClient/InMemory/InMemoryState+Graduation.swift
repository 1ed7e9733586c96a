import Foundation

extension InMemoryState {
    mutating func startGraduation(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Answer {
        let child = members[try ownWard(call, id)]
        let email = call.text("email") ?? ""
        if email.isEmpty, call.text("delivery") != "link" { throw InMemoryRefusal(.missingField) }
        let role =
            call.text("role") ?? (call.text("householdRole") == "adult" ? "parent" : "player")
        let fitting = role == "player" ? "kid" : "adult"
        guard call.text("householdRole") ?? fitting == fitting else {
            throw InMemoryRefusal(.invalidField)
        }
        if !email.isEmpty {
            if active(in: child.family).contains(where: { users[$0.user]?.email == email }) {
                throw InMemoryRefusal(.personAlreadyMember)
            }
            let isTaken = invitations.contains {
                $0.family == child.family && $0.email == email && $0.status == "pending"
                    && $0.graduate != child.id
            }
            if isTaken { throw InMemoryRefusal(.alreadyInvited) }
        }
        let pending = invitations.firstIndex {
            $0.graduate == child.id && $0.status == "pending"
        }
        var invitation =
            pending.map { invitations[$0] }
            ?? InMemoryInvitation(
                id: UUID().uuidString.lowercased(), family: child.family, inviter: call.user,
                email: email, role: role, graduate: child.id, token: "")
        invitation.inviter = call.user
        invitation.email = email
        invitation.role = role
        invitation.householdRole = fitting
        invitation.token = Self.newToken()
        if let pending {
            invitations[pending] = invitation
        } else {
            invitations.append(invitation)
        }
        return (200, sent(invitation))
    }

    /// The account becomes the member that the child has been.
    mutating func graduate(
        _ account: String, by invitation: InMemoryInvitation
    ) throws(InMemoryRefusal) {
        guard let place = members.firstIndex(where: { $0.id == invitation.graduate }),
            let child = users[members[place].user], child.isManaged,
            members[place].status == "active"
        else { throw InMemoryRefusal(.invitationNotFound) }
        let family = members[place].family
        if member(of: account, in: family) != nil
            || families.contains(where: { $0.id == family && $0.creator == account })
        {
            throw InMemoryRefusal(.notTheGraduate)
        }
        for own in families(of: account) {
            if active(in: own.id).count > 1 {
                throw InMemoryRefusal(
                    users[account]?.role == "player" ? .playerHasFamily : .notTheGraduate)
            }
            if let alone = members.firstIndex(where: { $0.user == account && $0.family == own.id })
            {
                members[alone].status = "removed"
            }
        }
        members.removeAll { $0.user == account && $0.family == family }
        guard let place = members.firstIndex(where: { $0.id == invitation.graduate }) else {
            throw InMemoryRefusal(.invitationNotFound)
        }
        members[place].user = account
        members[place].role = invitation.role
        members[place].householdRole = invitation.householdRole ?? "kid"
        members[place].ceiling = Self.ceiling(of: members[place].householdRole)
        members[place].isVouched =
            member(of: invitation.inviter, in: family)?.isVouched ?? false
        if var person = users[account] {
            person.role = invitation.role
            person.isRoleDefault = false
            person.name = person.name ?? child.name
            if person.avatarKey.isEmpty { person.avatarKey = child.avatarKey }
            users[account] = person
        }
        preferences[family + " " + account] =
            preferences.removeValue(forKey: family + " " + child.id)
        users[child.id] = nil
    }
}
