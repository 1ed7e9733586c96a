import DomainCore
import Foundation
import Policy

extension InMemoryState {
    /// Returns the index of a family that the caller belongs to.
    func read(
        _ call: InMemoryCall, _ family: String, for action: Action = .familyRead
    ) throws(InMemoryRefusal) -> Int {
        let family = family.lowercased()
        try facts(call, in: family).require(action)
        return try self.family(family)
    }

    /// Returns the index of the family that a request names, or else of the caller's only one, and
    /// the caller's membership in it. Throws a refusal unless the policy allows the action.
    func familyOfCall(
        _ call: InMemoryCall, for action: Action
    ) throws(InMemoryRefusal) -> (index: Int, caller: MembershipRow) {
        let named =
            call.request.query["familyId"] ?? call.text("familyId") ?? call.text("familyUnitId")
        let own = families(of: call.user)
        guard let id = named ?? (own.count == 1 ? own[0].id : nil) else {
            throw InMemoryRefusal(.familyRequired)
        }
        let index = try read(call, id, for: action)
        guard let caller = member(of: call.user, in: families[index].id) else {
            throw InMemoryRefusal(.familyNotFound)
        }
        return (index, caller)
    }

    func listed(_ family: InMemoryFamily, _ call: InMemoryCall) -> JSONValue {
        guard let caller = member(of: call.user, in: family.id) else { return .null }
        let facts = facts(call, in: family.id)
        let code = decide(.codeRead, facts) == .allowed ? family.code : ""
        let home = decide(.emailRead, facts) == .allowed ? family.home : .null
        let value: [String: JSONValue] = [
            "familyId": .string(family.id), "familyCode": .string(code),
            "familyName": .string(family.name), "codeGeneratedAt": "2026-01-01T00:00:00Z",
            "codeExpiresAt": family.codeExpires ? "2036-01-01T00:00:00Z" : .null,
            "role": .string(caller.membership.role.rawValue),
            "householdRole": .string(caller.membership.householdRole.rawValue),
            "memberId": .string((caller.membership.isManaged ? "managed_" : "") + caller.id),
            "memberCount": .integer(active(in: family.id).count), "memberLimit": 8,
            "createdByUserId": .string(family.creator),
            "approvalRequired": .bool(family.isApprovalRequired),
            "homeLatitude": home["latitude"] ?? .null, "homeLongitude": home["longitude"] ?? .null,
        ]
        return .object(value.merging(choices(of: caller, call)) { $1 })
    }

    mutating func createFamily(
        _ call: InMemoryCall, isAnother: Bool
    ) throws(InMemoryRefusal) -> Response {
        try facts(call).require(.familyCreate)
        guard let user = users[call.user] else { throw InMemoryRefusal(.accountRequired) }
        let own = families(of: user.id)
        if !isAnother, let family = own.first(where: { $0.creator == user.id }) ?? own.first {
            return (200, created(family, existed: true))
        }
        let requested: DomainCore.MemberRole? = try call.word("role")
        let role = requested ?? user.role
        if role != user.role {
            if members.contains(where: { $0.user == user.id && $0.isPresent }) {
                throw InMemoryRefusal(.roleMismatch)
            }
            users[user.id]?.role = role
        }
        if role == .player, !own.isEmpty { throw InMemoryRefusal(.playerHasFamily) }
        let family = InMemoryFamily(
            id: UUID().uuidString.lowercased(),
            name: call.text("familyName") ?? "\(user.name ?? "My")'s family", code: newCode(),
            creator: user.id)
        families.append(family)
        if requested != nil { users[user.id]?.isRoleDefault = false }
        admit(
            user.id, to: family.id, role: role,
            householdRole: role == .player ? .kid : .parentAdmin, isVouched: true)
        return (isAnother ? 201 : 200, created(family, existed: false))
    }

    private func created(_ family: InMemoryFamily, existed: Bool) -> JSONValue {
        var value: [String: JSONValue] = [
            "success": true, "familyId": .string(family.id), "familyCode": .string(family.code),
            "familyName": .string(family.name),
        ]
        if existed { value["message"] = "Family already exists" }
        return .object(value)
    }

    mutating func admit(
        _ user: String, to family: String, role: DomainCore.MemberRole,
        householdRole: DomainCore.HouseholdRole, status: DomainCore.MembershipStatus = .active,
        isVouched: Bool = false
    ) {
        // A person who returns keeps the membership's id.
        let former = members.firstIndex { $0.user == user && $0.family == family }
            .map { members.remove(at: $0).id }
        let isManaged = users[user]?.isManaged == true
        members.append(
            MembershipRow(
                id: former ?? (isManaged ? user : UUID().uuidString.lowercased()),
                family: family, user: user, addedAt: creationTime(),
                membership: Membership(
                    role: role, householdRole: householdRole, status: status,
                    isManaged: isManaged,
                    isCreator: families.contains { $0.id == family && $0.creator == user },
                    isVouched: isVouched),
                ceiling: MembershipRow.ceiling(of: householdRole)))
    }

    mutating func updateFamily(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Response {
        let index = try read(call, id, for: .familyUpdate)
        if let name = call.text("familyName") { families[index].name = name }
        if let approval = call.body["approvalRequired"]?.boolValue {
            families[index].isApprovalRequired = approval
        }
        if let latitude = call.body["homeLatitude"], let longitude = call.body["homeLongitude"] {
            families[index].home = ["latitude": latitude, "longitude": longitude]
        }
        return (200, listed(families[index], call))
    }

    // MARK: Codes

    private func family(withCode typed: String?) throws(InMemoryRefusal) -> InMemoryFamily {
        guard let code = typed.flatMap(FamilyCode.init(typed:)) else {
            throw InMemoryRefusal(.codeMalformed)
        }
        guard let family = families.first(where: { $0.code == code.text }) else {
            throw InMemoryRefusal(.codeUnknown)
        }
        return family
    }

    func previewCode(_ call: InMemoryCall, _ code: String) throws(InMemoryRefusal) -> Response {
        try facts(call).require(.codePreview)
        let family = try family(withCode: code)
        return (
            200,
            [
                "familyName": .string(family.name),
                "memberCount": .integer(active(in: family.id).count),
                "approvalRequired": .bool(isApprovalNeeded(call, family)),
            ]
        )
    }

    /// Whether the caller would have to wait for the family's approval.
    private func isApprovalNeeded(_ call: InMemoryCall, _ family: InMemoryFamily) -> Bool {
        let was = members.last { $0.user == call.user && $0.family == family.id }
        let facts = facts(call).with(
            isApprovalRequired: family.isApprovalRequired, isApprovalAutomatic: false,
            isInvited: false, isBarred: was?.isBarred == true)
        return decide(.codeEnter, facts) != .allowed
    }

    mutating func joinByCode(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        try facts(call).require(.codeJoin)
        let family = try family(withCode: call.text("familyCode"))
        let waits = isApprovalNeeded(call, family)
        try enter(call.user, byCodeOf: family.id, status: waits ? .invited : .active)
        var value: [String: JSONValue] = [
            "success": true, "familyId": .string(family.id), "familyName": .string(family.name),
            "message": "Successfully joined family",
        ]
        if !waits { return (200, .object(value)) }
        value["status"] = "invited"
        value["message"] = "Your request to join is waiting for approval"
        return (202, .object(value))
    }

    /// Joins by the code. A person who returns keeps the limits that others had set.
    private mutating func enter(
        _ id: String, byCodeOf family: String, status: DomainCore.MembershipStatus
    ) throws(InMemoryRefusal) {
        guard let user = users[id] else { throw InMemoryRefusal(.accountRequired) }
        if let known = member(of: id, in: family) {
            return try renewRequest(known, status: status)
        }
        let was = members.last { $0.user == id && $0.family == family }
        if let was, was.rejections >= 2 { throw InMemoryRefusal(.removedFromFamily) }
        if user.role == .player {
            try requireNoShared(family: id)
            if status == .active { giveWay(id) }
        }
        admit(
            id, to: family, role: user.role,
            householdRole: was?.householdRole(returningAs: user.role)
                ?? user.role.usualHouseholdRole,
            status: status, isVouched: was?.membership.isVouched ?? false)
        members[members.count - 1].isBarred = was?.isBarred ?? false
        members[members.count - 1].rejections = was?.rejections ?? 0
    }

    /// Repeats a request to join: the person keeps waiting, or becomes a member if approval is no
    /// longer needed.
    private mutating func renewRequest(
        _ known: MembershipRow, status: DomainCore.MembershipStatus
    ) throws(InMemoryRefusal) {
        if known.isActive { throw InMemoryRefusal(.alreadyMember) }
        if known.membership.role == .player {
            try requireNoShared(family: known.user)
            if status == .active { giveWay(known.user) }
        }
        members[try member(known.id)].membership.status = status
    }

    /// Accepts an invitation. An account takes on the invitation's role if it is in no family, or
    /// is the only person in its own.
    mutating func enter(
        _ id: String, by invitation: InMemoryInvitation
    ) throws(InMemoryRefusal) {
        let takesRole = users[id]?.role != invitation.role
        if takesRole, !mayTakeOtherRole(id, besides: invitation.family) {
            throw InMemoryRefusal(.roleMismatch)
        }
        if invitation.role == .player { try requireNoShared(family: id) }
        if takesRole || invitation.role == .player { giveWay(id) }
        users[id]?.role = invitation.role
        users[id]?.isRoleDefault = false
        admit(
            id, to: invitation.family, role: invitation.role,
            householdRole: invitation.householdRole ?? invitation.role.usualHouseholdRole,
            isVouched: isVouched(by: invitation))
    }

    /// Whether the inviter is vouched for, and so vouches for the person who accepts.
    func isVouched(by invitation: InMemoryInvitation) -> Bool {
        let inviter = member(of: invitation.inviter, in: invitation.family)
        return inviter?.membership.standing.contains(.vouched) ?? false
    }

    /// Whether an account, apart from this family, is the only person in its own family and waits
    /// for approval to join no other.
    func mayTakeOtherRole(_ id: String, besides family: String? = nil) -> Bool {
        members.allSatisfy { own in
            own.user != id || !own.isPresent || own.family == family
                || (own.isActive
                    && members.allSatisfy {
                        $0.family != own.family || !$0.isPresent || $0.user == id
                    })
        }
    }

    /// Throws a refusal if a player is already in a family with other members.
    func requireNoShared(family player: String) throws(InMemoryRefusal) {
        if families(of: player).contains(where: { active(in: $0.id).count > 1 }) {
            throw InMemoryRefusal(.playerHasFamily)
        }
    }

    /// Ends the families in which a player is the only member, when the player enters another.
    mutating func giveWay(_ player: String) {
        for family in families(of: player) {
            for index in members.indices where members[index].family == family.id {
                members[index].membership.status = .removed
            }
            for index in invitations.indices
            where invitations[index].family == family.id && invitations[index].isPending {
                invitations[index].status = .revoked
            }
        }
    }

    mutating func regenerateCode(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let (index, _) = try familyOfCall(call, for: .codeRegenerate)
        families[index].code = newCode()
        families[index].codeExpires = call.body["expiresInDays"]?.intValue != nil
        return (
            200,
            [
                "success": true, "familyCode": .string(families[index].code),
                "codeGeneratedAt": "2026-01-01T00:00:00Z",
                "codeExpiresAt": families[index].codeExpires ? "2036-01-01T00:00:00Z" : .null,
            ]
        )
    }
}
