import Foundation

extension InMemoryState {
    mutating func invite(_ call: InMemoryCall) throws(InMemoryRefusal) -> Answer {
        let (place, caller) = try familyOfCall(call)
        try call.notWhileActing()
        if caller.householdRole == "visitor" { throw InMemoryRefusal(.visitorsOnlyRead) }
        guard let role = call.text("role") else { throw InMemoryRefusal(.missingField) }
        let isAdult = ["adult", "parent_admin"].contains(caller.householdRole)
        guard isAdult || (caller.role == "player" && role == "parent") else {
            throw InMemoryRefusal(.standingTooLow)
        }
        let isLink = call.text("delivery") == "link"
        let email = call.text("email") ?? ""
        if email.isEmpty, !isLink { throw InMemoryRefusal(.missingField) }
        let family = families[place].id
        if !isLink, active(in: family).contains(where: { users[$0.user]?.email == email }) {
            throw InMemoryRefusal(.personAlreadyMember)
        }
        if call.text("householdRole") == "parent_admin" { throw InMemoryRefusal(.roleTooHigh) }
        let pending = invitations.firstIndex {
            !isLink && $0.email == email && $0.family == family && $0.status == "pending"
        }
        if let pending, invitations[pending].graduate != nil {
            throw InMemoryRefusal(.alreadyInvited)
        }
        let invitation =
            pending.map { invitations[$0] }
            ?? InMemoryInvitation(
                id: UUID().uuidString.lowercased(), family: family, inviter: call.user,
                email: email,
                role: role, householdRole: call.text("householdRole"), token: Self.newToken())
        if pending == nil { invitations.append(invitation) }
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

    func listInvitations(_ call: InMemoryCall) throws(InMemoryRefusal) -> Answer {
        let (place, caller) = try familyOfCall(call)
        try call.notWhileActing()
        if caller.householdRole == "visitor" { throw InMemoryRefusal(.visitorsOnlyRead) }
        let pending = invitations.filter {
            $0.family == families[place].id && $0.status == "pending"
        }
        let shown = pending.reversed().map { invitation -> JSONValue in
            [
                "id": .string(invitation.id), "family_unit_id": .string(invitation.family),
                "invited_by": .string(invitation.inviter),
                "invited_email": .string(invitation.email), "role": .string(invitation.role),
                "kind": .string(invitation.kind),
                "member_id": invitation.graduate.map { .string("managed_" + $0) } ?? .null,
                "household_role": .string(invitation.householdRole ?? "adult"), "token": "",
                "status": .string(invitation.status), "expires_at": "2036-01-01T00:00:00Z",
                "created_at": "2026-01-01T00:00:00Z",
            ]
        }
        return (200, ["invitations": .array(shown), "nextCursor": .null])
    }

    /// A pending invitation that the caller may take back or send again.
    private func own(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Int {
        guard
            let place = invitations.firstIndex(where: {
                $0.id == id.lowercased() && $0.status == "pending"
            }), let caller = member(of: call.user, in: invitations[place].family),
            caller.status == "active"
        else { throw InMemoryRefusal(.invitationNotFound) }
        try call.notWhileActing()
        if invitations[place].inviter != call.user {
            try needsGovernor(call, caller)
        }
        return place
    }

    mutating func resendInvitation(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Answer {
        let place = try own(call, id)
        if let child = invitations[place].graduate { _ = try ownWard(call, child) }
        if invitations[place].sentAt.timeIntervalSinceNow > -60 {
            throw InMemoryRefusal(.invitationJustSent)
        }
        invitations[place].sentAt = Date()
        invitations[place].token = Self.newToken()
        return (200, sent(invitations[place]))
    }

    mutating func revokeInvitation(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Answer {
        invitations[try own(call, id)].status = "revoked"
        return Self.success
    }

    // MARK: The invited person

    /// An invitation by its link.
    func linked(_ token: String) throws(InMemoryRefusal) -> Int {
        guard
            let place = invitations.firstIndex(where: {
                $0.token == token && $0.status != "revoked"
            })
        else { throw InMemoryRefusal(.invitationNotFound) }
        return place
    }

    /// An invitation to the caller's address.
    func received(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Int {
        guard
            let place = invitations.firstIndex(where: {
                $0.id == id.lowercased() && $0.email == users[call.user]?.email
                    && $0.status != "revoked"
            })
        else { throw InMemoryRefusal(.invitationNotFound) }
        return place
    }

    func receivedInvitations(_ call: InMemoryCall) throws(InMemoryRefusal) -> Answer {
        let mine = invitations.filter {
            !$0.email.isEmpty && $0.email == users[call.user]?.email && $0.status == "pending"
        }
        return (200, ["invitations": .array(mine.map { preview($0, "id") })])
    }

    private func preview(_ invitation: InMemoryInvitation, _ idName: String) -> JSONValue {
        let family = families.first { $0.id == invitation.family }
        return .object([
            idName: .string(invitation.id), "email": "", "role": .string(invitation.role),
            "familyName": .string(family?.name ?? ""),
            "inviterName": .string(users[invitation.inviter]?.name ?? ""),
            "kind": .string(invitation.kind),
            "expiresAt": "2036-01-01T00:00:00Z",
        ])
    }

    func previewInvitation(_ token: String) throws(InMemoryRefusal) -> Answer {
        let invitation = invitations[try linked(token)]
        if invitation.status != "pending" { throw InMemoryRefusal(.invitationAnswered) }
        return (200, preview(invitation, "invitationId"))
    }

    mutating func answerInvitation(
        _ call: InMemoryCall, _ place: Int, _ isAccepted: Bool
    ) throws(InMemoryRefusal) -> Answer {
        try call.notWhileActing()
        let invitation = invitations[place]
        let answer: Answer = (200, ["success": true, "familyUnitId": .string(invitation.family)])
        if invitation.status != "pending" {
            if isAccepted, invitation.acceptedBy == call.user { return answer }
            throw InMemoryRefusal(.invitationAnswered)
        }
        if !invitation.email.isEmpty, invitation.email != users[call.user]?.email {
            throw InMemoryRefusal(.notTheAddressee)
        }
        if !isAccepted {
            invitations[place].status = "declined"
            return Self.success
        }
        if invitation.graduate != nil {
            try graduate(call.user, by: invitation)
        } else if member(of: call.user, in: invitation.family) == nil {
            try enter(call.user, by: invitation)
        }
        invitations[place].status = "accepted"
        invitations[place].acceptedBy = call.user
        return answer
    }
}
