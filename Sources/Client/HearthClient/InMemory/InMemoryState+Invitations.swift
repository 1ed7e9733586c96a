import DomainCore
import Foundation
import Policy

extension InMemoryState {
    mutating func invite(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let (index, _) = try familyOfCall(call, for: .familyRead)
        let named: DomainCore.MemberRole? = try call.word("role")
        guard let role = named else { throw InMemoryRefusal(.missingField) }
        let householdRole: DomainCore.HouseholdRole? = try call.word("householdRole")
        let isLink = call.text("delivery") == "link"
        let email = call.text("email") ?? ""
        if email.isEmpty, !isLink { throw InMemoryRefusal(.missingField) }
        let family = families[index].id
        let facts = facts(call, in: family)
        try facts.with(inviting: role, as: householdRole).require(.invitationCreate)
        if !isLink, active(in: family).contains(where: { users[$0.user]?.email == email }) {
            throw InMemoryRefusal(.personAlreadyMember)
        }
        let pending = invitations.first {
            !isLink && $0.email == email && $0.family == family && $0.isPending
        }
        if let pending {
            let renewal = facts.with(isInviter: pending.inviter == call.user)
            if pending.graduate != nil || decide(.invitationResend, renewal) != .allowed {
                throw InMemoryRefusal(.alreadyInvited)
            }
            return (200, sent(pending))
        }
        let invitation = InMemoryInvitation(
            id: UUID().uuidString.lowercased(), family: family, inviter: call.user, email: email,
            role: role, householdRole: householdRole, token: Self.newToken(),
            createdAt: creationTime())
        invitations.append(invitation)
        return (200, sent(invitation))
    }

    static func newToken() -> String {
        (UUID().uuidString + UUID().uuidString).lowercased().replacingOccurrences(of: "-", with: "")
    }

    func sent(_ invitation: InMemoryInvitation) -> JSONValue {
        var value: [String: JSONValue] = [
            "success": true, "invitationId": .string(invitation.id),
        ]
        if invitation.email.isEmpty {
            value["inviteUrl"] = .string("https://hearth.example/join?token=\(invitation.token)")
        }
        return .object(value)
    }

    func listInvitations(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let (index, _) = try familyOfCall(call, for: .invitationList)
        let pending = invitations.filter { $0.family == families[index].id && $0.isPending }
        let shown = pending.reversed().map { invitation -> JSONValue in
            [
                "id": .string(invitation.id), "family_unit_id": .string(invitation.family),
                "invited_by": .string(invitation.inviter),
                "invited_email": .string(invitation.email),
                "role": .string(invitation.role.rawValue),
                "kind": .string(invitation.kind.rawValue),
                "member_id": invitation.graduate.map { .string("managed_" + $0) } ?? .null,
                "household_role": .string((invitation.householdRole ?? .adult).rawValue),
                "token": "", "status": .string(invitation.status.rawValue),
                "expires_at": "2036-01-01T00:00:00Z",
                "created_at": .string(Timestamp.text(invitation.createdAt)),
            ]
        }
        return (200, ["invitations": .array(shown), "nextCursor": .null])
    }

    /// Returns the index of a pending invitation for which the policy allows an action.
    private func handled(
        _ call: InMemoryCall, _ id: String, for action: Action
    ) throws(InMemoryRefusal) -> Int {
        let index = invitations.firstIndex { $0.id == id.lowercased() && $0.isPending }
        guard let index, member(of: call.user, in: invitations[index].family)?.isActive == true
        else { throw InMemoryRefusal(.invitationNotFound) }
        let invitation = invitations[index]
        var facts = facts(call, in: invitation.family)
        if let child = members.first(where: { $0.id == invitation.graduate }) {
            facts = self.facts(call, about: child).with(isGraduation: true)
        }
        try facts.with(isInviter: invitation.inviter == call.user).require(action)
        return index
    }

    mutating func resendInvitation(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Response {
        let index = try handled(call, id, for: .invitationResend)
        if invitations[index].sentAt.timeIntervalSinceNow > -60 {
            throw InMemoryRefusal(.invitationJustSent)
        }
        invitations[index].sentAt = Date()
        invitations[index].token = Self.newToken()
        return (200, sent(invitations[index]))
    }

    mutating func revokeInvitation(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Response {
        invitations[try handled(call, id, for: .invitationRevoke)].status = .revoked
        return Self.success
    }

    // MARK: The invited person

    /// Returns the index of the invitation that a link's token belongs to.
    func linked(_ token: String) throws(InMemoryRefusal) -> Int {
        guard
            let index = invitations.firstIndex(where: {
                $0.token == token && $0.status != .revoked
            })
        else { throw InMemoryRefusal(.invitationNotFound) }
        return index
    }

    /// Returns the index of an invitation to the caller's address.
    func received(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Int {
        guard
            let index = invitations.firstIndex(where: {
                $0.id == id.lowercased() && $0.email == users[call.user]?.email
                    && $0.status != .revoked
            })
        else { throw InMemoryRefusal(.invitationNotFound) }
        return index
    }

    func receivedInvitations(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let mine = invitations.filter {
            !$0.email.isEmpty && $0.email == users[call.user]?.email && $0.isPending
        }
        return (200, ["invitations": .array(mine.map { preview($0, "id") })])
    }

    private func preview(_ invitation: InMemoryInvitation, _ idName: String) -> JSONValue {
        let family = families.first { $0.id == invitation.family }
        return .object([
            idName: .string(invitation.id), "email": "", "role": .string(invitation.role.rawValue),
            "familyName": .string(family?.name ?? ""),
            "inviterName": .string(users[invitation.inviter]?.displayName ?? ""),
            "kind": .string(invitation.kind.rawValue),
            "expiresAt": "2036-01-01T00:00:00Z",
        ])
    }

    func previewInvitation(_ token: String) throws(InMemoryRefusal) -> Response {
        let invitation = invitations[try linked(token)]
        if !invitation.isPending { throw InMemoryRefusal(.invitationAnswered) }
        return (200, preview(invitation, "invitationId"))
    }

    mutating func answerInvitation(
        _ call: InMemoryCall, _ index: Int, _ isAccepted: Bool
    ) throws(InMemoryRefusal) -> Response {
        let invitation = invitations[index]
        let answer: Response = (200, ["success": true, "familyUnitId": .string(invitation.family)])
        if !invitation.isPending {
            if isAccepted, invitation.acceptedBy == call.user { return answer }
            throw InMemoryRefusal(.invitationAnswered)
        }
        let isLink = invitation.email.isEmpty
        try facts(call)
            .with(
                isAddressee: !isLink && invitation.email == users[call.user]?.email,
                isLink: isLink
            ).require(isAccepted ? .invitationAccept : .invitationDecline)
        if !isAccepted {
            invitations[index].status = .declined
            return Self.success
        }
        if invitation.graduate != nil {
            try graduate(call.user, by: invitation)
        } else if member(of: call.user, in: invitation.family) == nil {
            try enter(call.user, by: invitation)
        }
        invitations[index].status = .accepted
        invitations[index].acceptedBy = call.user
        return answer
    }
}
