import DomainCore
import Foundation
import Policy

extension InMemoryState {
    /// JSON of a member, with the fields that the caller may see.
    func shown(_ row: MembershipRow, to call: InMemoryCall) -> JSONValue {
        guard let user = users[row.user] else { return .null }
        return [
            "id": .string((user.isManaged ? "managed_" : "") + row.id),
            "family_unit_id": .string(row.family), "user_id": user.shownID,
            "role": .string(row.membership.role.rawValue),
            "household_role": .string(row.membership.householdRole.rawValue),
            "status": .string(row.membership.status.rawValue),
            "added_at": .string(Timestamp.text(row.addedAt)), "is_managed": .bool(user.isManaged),
            "parent_user_id": user.guardian.map { .string($0) } ?? .null,
            "guardians": .array(guardians(of: row)),
            "member_type": .string(user.isManaged ? "managed" : "independent"),
            "display_name": .string(user.displayName), "avatar_key": .string(user.avatarKey),
            "avatar_url": user.avatarURL.map { .string($0) } ?? .null,
            "users": [
                "id": user.shownID, "email": .string(email(of: row, to: call)),
                "full_name": user.name.map { .string($0) } ?? .null,
                "role": .string(user.role.rawValue),
            ],
        ]
    }

    /// Returns a member's address; empty unless the caller may see it.
    private func email(of row: MembershipRow, to call: InMemoryCall) -> String {
        let isVisible =
            row.user == call.user
            || decide(.emailRead, facts(call, in: row.family)) == .allowed
        return isVisible ? users[row.user]?.email ?? "" : ""
    }

    func listMembers(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let (index, caller) = try familyOfCall(call, for: .memberList)
        let family = families[index]
        let listed = members.filter { $0.family == family.id && isVisible($0, by: call) }
        let value: [String: JSONValue] = [
            "success": true, "familyId": .string(family.id),
            "members": .array(listed.map { shown($0, to: call) }),
            "count": .integer(listed.count),
        ]
        return (200, .object(value.merging(choices(of: caller, call)) { $1 }))
    }

    /// Whether a caller of the family can see a membership. People who wait are visible to callers
    /// who may approve them.
    private func isVisible(_ row: MembershipRow, by call: InMemoryCall) -> Bool {
        row.isActive
            || (row.isPresent
                && decide(.memberApprove, facts(call, in: row.family)) == .allowed)
    }

    func group(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Response {
        let family = families[try read(call, id)]
        let rows = active(in: family.id)
        let shown = rows.map { member -> JSONValue in
            guard let user = users[member.user] else { return .null }
            let isCreator = member.user == family.creator
            return [
                "user_id": user.shownID, "display_name": .string(user.displayName),
                "email": .string(email(of: member, to: call)),
                "avatar_key": .string(user.avatarKey),
                "role": .string(isCreator ? "creator" : "member"),
                "joined_at": .string(Timestamp.text(member.addedAt)),
                "is_managed": .bool(user.isManaged),
                "parent_user_id": user.guardian.map { .string($0) } ?? .null,
                "guardians": .array(guardians(of: member)),
                "member_type": .string(user.isManaged ? "managed" : "independent"),
            ]
        }
        let isServicesVisible = decide(.attributesRead, facts(call, in: family.id)) == .allowed
        let services = family.attributes["streaming_services"]?.arrayValue ?? []
        let createdAt = members.first { $0.family == family.id }?.addedAt ?? Date()
        let value: JSONValue = [
            "group_id": .string(family.id), "name": .string(family.name),
            "created_by": .string(family.creator), "member_count": .integer(rows.count),
            "created_at": .string(Timestamp.text(createdAt)),
            "streaming_services": .array(isServicesVisible ? services : []),
            "members": .array(shown),
        ]
        return (200, value)
    }

    /// Returns the index of a membership that the caller can see, in one of the caller's families.
    func target(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Int {
        let index = try member(id)
        let row = members[index]
        guard member(of: call.user, in: row.family)?.isActive == true, isVisible(row, by: call)
        else { throw InMemoryRefusal(.memberNotFound) }
        return index
    }

    /// Returns another membership of the same family, which the request names.
    func other(
        _ call: InMemoryCall, _ id: String?, in family: String
    ) throws(InMemoryRefusal) -> MembershipRow {
        let row = members[try target(call, id ?? "")]
        if row.family != family { throw InMemoryRefusal(.memberNotFound) }
        return row
    }

    // MARK: Household roles

    mutating func setRole(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Response {
        let named: DomainCore.HouseholdRole? = try call.word("householdRole")
        guard let role = named else { throw InMemoryRefusal(.missingField) }
        let index = try target(call, id)
        let member = members[index]
        try facts(call, giving: role, to: member).require(.memberSetRole)
        if !member.isActive { throw InMemoryRefusal(.memberIsWaiting) }
        if role < .adult {
            try handOverChildren(of: member, to: call.text("reassignManagedTo"), call)
        }
        members[index].membership.householdRole = role
        if member.user != call.user {
            members[index].ceiling = MembershipRow.ceiling(of: role)
            members[index].isRoleOthers = true
            if role == .parentAdmin { members[index].membership.isVouched = true }
        }
        return (200, shown(members[index], to: call))
    }

    /// Household roles that the caller may choose for itself in a family.
    func choices(of own: MembershipRow, _ call: InMemoryCall) -> [String: JSONValue] {
        func may(_ role: DomainCore.HouseholdRole) -> Bool {
            decide(.memberSetRole, facts(call, giving: role, to: own)) == .allowed
        }
        let roles: [DomainCore.HouseholdRole] = [.adult, .kid, .visitor].filter(may)
        let isTaken = isSeatTaken(in: own.family)
        return [
            "selectableRoles": .array(roles.map { .string($0.rawValue) }),
            "parentAdmin": isTaken ? "taken" : may(.parentAdmin) ? "free" : "reserved",
        ]
    }

    mutating func transferAdmin(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let (_, caller) = try familyOfCall(call, for: .familyRead)
        let newAdmin = try other(call, call.text("memberId"), in: caller.family)
        try facts(call, about: newAdmin).require(.adminTransfer, unlessNotAdult: .adminNotAdult)
        let (own, index) = (try member(caller.id), try member(newAdmin.id))
        members[own].membership.householdRole = .adult
        members[index].membership.householdRole = .parentAdmin
        members[index].membership.isVouched = true
        let both = [own, index].map { shown(members[$0], to: call) }
        return (200, ["success": true, "members": .array(both)])
    }

    // MARK: End of a membership

    /// Removes a member from the guardians of their children. Children without another guardian get
    /// a new one. Throws a refusal if such a child exists and no new guardian is named.
    ///
    /// - Parameter heir: Id of the membership of the new guardian, another adult.
    mutating func handOverChildren(
        of guardian: MembershipRow, to heir: String?, _ call: InMemoryCall
    ) throws(InMemoryRefusal) {
        let children = children(of: guardian.user, in: guardian.family)
        if children.isEmpty { return }
        let alone = children.filter { users[$0.user]?.guardians == [guardian.user] }
        var successor: MembershipRow?
        if let heir {
            let named = try other(call, heir, in: guardian.family)
            // Children who have another guardian get no new one.
            if alone.isEmpty, named.user == call.user { throw InMemoryRefusal(.oneself) }
            successor = named
        }
        if !alone.isEmpty {
            guard let successor else { throw InMemoryRefusal(.guardianHasManagedMembers) }
            guard successor.id != guardian.id, successor.membership.isAdultWithAccount else {
                throw InMemoryRefusal(.guardianNotAdult)
            }
        }
        for child in children {
            let others = users[child.user]?.guardians?.filter { $0 != guardian.user } ?? []
            let heirs = successor.map { [$0.user] } ?? []
            setGuardians(others.isEmpty ? heirs : others, of: child.user)
        }
    }

    /// Removes a member.
    ///
    /// - Parameter onlyIfWaiting: If true, only rejects a request to join and never ends a
    ///   membership.
    mutating func remove(
        _ call: InMemoryCall, _ id: String, onlyIfWaiting: Bool = false
    ) throws(InMemoryRefusal) -> Response {
        let index = try target(call, id)
        let member = members[index]
        if member.user == call.user, !call.isActing { throw InMemoryRefusal(.oneself) }
        try facts(call, about: member).require(.memberRemove)
        let heir = call.request.query["reassignManagedTo"]
        let caller = self.member(of: call.user, in: member.family)
        if heir != nil, caller?.membership.standing.contains(.admin) != true {
            throw InMemoryRefusal(.standingTooLow)
        }
        let isRotatingCode = call.request.query["rotateCode"] == "true"
        if isRotatingCode { try facts(call, in: member.family).require(.codeRegenerate) }
        if onlyIfWaiting, member.isActive { throw InMemoryRefusal(.memberIsNotWaiting) }
        try handOverChildren(of: member, to: heir, call)
        if isRotatingCode { families[try family(member.family)].code = newCode() }
        if !member.isActive { members[index].rejections += 1 }
        members[index].membership.status = .removed
        members[index].isBarred = true
        return Self.success
    }

    mutating func leave(_ call: InMemoryCall) throws(InMemoryRefusal) -> Response {
        let own = families(of: call.user)
        let named = call.request.query["familyId"]?.lowercased()
        guard let family = named ?? (own.count == 1 ? own[0].id : nil) else {
            throw InMemoryRefusal(.familyRequired)
        }
        try facts(call, in: family).require(.memberLeave)
        guard let caller = member(of: call.user, in: family) else {
            throw InMemoryRefusal(.familyNotFound)
        }
        let hasOtherAdult = active(in: family).contains {
            $0.id != caller.id && $0.membership.standing.contains(.adult)
        }
        if caller.membership.householdRole == .parentAdmin, hasOtherAdult {
            throw InMemoryRefusal(.transferAdminFirst)
        }
        try handOverChildren(of: caller, to: call.request.query["reassignManagedTo"], call)
        members[try member(caller.id)].membership.status = .removed
        return Self.success
    }

    /// Withdraws a request to join.
    mutating func withdraw(
        _ call: InMemoryCall, _ family: String
    ) throws(InMemoryRefusal) -> Response {
        try facts(call, in: family).require(.memberLeave)
        guard let own = member(of: call.user, in: family) else {
            throw InMemoryRefusal(.familyNotFound)
        }
        if own.isActive { throw InMemoryRefusal(.memberIsNotWaiting) }
        members[try member(own.id)].membership.status = .removed
        return Self.success
    }

    mutating func approve(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Response {
        let index = try target(call, id)
        let member = members[index]
        try facts(call, about: member).require(.memberApprove)
        if member.isActive { throw InMemoryRefusal(.memberIsNotWaiting) }
        if member.membership.role == .player {
            try requireNoShared(family: member.user)
            giveWay(member.user)
        }
        members[index].membership.status = .active
        members[index].membership.isVouched = true
        members[index].isBarred = false
        members[index].rejections = 0
        return (200, shown(members[index], to: call))
    }
}
