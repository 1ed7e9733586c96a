import Foundation

extension InMemoryState {
    func shown(_ member: InMemoryMember) -> JSONValue {
        guard let user = users[member.user] else { return .null }
        let prefix = user.isManaged ? "managed_" : ""
        return [
            "id": .string(prefix + member.id), "family_unit_id": .string(member.family),
            "user_id": user.shownID, "role": .string(member.role),
            "household_role": .string(member.householdRole), "status": .string(member.status),
            "added_at": "2026-01-01T00:00:00Z", "is_managed": .bool(user.isManaged),
            "parent_user_id": user.guardian.map { .string($0) } ?? .null,
            "guardians": .array(guardians(of: member)),
            "member_type": .string(user.isManaged ? "managed" : "independent"),
            "display_name": .string(user.name ?? ""), "avatar_key": .string(user.avatarKey),
            "users": [
                "id": user.shownID, "email": .string(user.email),
                "full_name": user.name.map { .string($0) } ?? .null, "role": .string(user.role),
            ],
        ]
    }

    func listMembers(_ call: InMemoryCall) throws(InMemoryRefusal) -> Answer {
        let (place, caller) = try familyOfCall(call)
        let family = families[place]
        let seesWaiting =
            !call.isActing && (isGovernor(caller, family) || standsIn(caller))
        let listed = members.filter {
            $0.family == family.id
                && ($0.status == "active" || (seesWaiting && $0.status == "invited"))
        }
        let value: [String: JSONValue] = [
            "success": true, "familyId": .string(family.id),
            "members": .array(listed.map(shown)), "count": .integer(listed.count),
        ]
        return (200, .object(value.merging(choices(of: caller, call)) { $1 }))
    }

    private func isGovernor(_ caller: InMemoryMember, _ family: InMemoryFamily) -> Bool {
        caller.householdRole == "parent_admin" || family.creator == caller.user
    }

    func group(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Answer {
        let family = families[try read(call, id)]
        let shown = active(in: family.id).map { member -> JSONValue in
            guard let user = users[member.user] else { return .null }
            return [
                "user_id": user.shownID, "display_name": .string(user.name ?? ""),
                "avatar_key": .string(user.avatarKey), "is_managed": .bool(user.isManaged),
                "parent_user_id": user.guardian.map { .string($0) } ?? .null,
                "guardians": .array(guardians(of: member)),
            ]
        }
        return (
            200,
            [
                "group_id": .string(family.id), "name": .string(family.name),
                "members": .array(shown),
            ]
        )
    }

    /// A membership in a family of the caller's, and the caller's own.
    func target(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> (place: Int, caller: InMemoryMember) {
        let place = try member(id)
        guard let caller = member(of: call.user, in: members[place].family),
            caller.status == "active"
        else { throw InMemoryRefusal(.memberNotFound) }
        try call.notWhileActing()
        if caller.householdRole == "visitor", caller.id != members[place].id {
            throw InMemoryRefusal(.visitorsOnlyRead)
        }
        return (place, caller)
    }

    /// Of children with another guardian the next becomes the primary one; the others stand in the
    /// way.
    mutating func needsNoChildren(_ member: InMemoryMember) throws(InMemoryRefusal) {
        for child in children(of: member.user, in: member.family) {
            let others = users[child.user]?.guardians?.filter { $0 != member.user } ?? []
            if others.isEmpty { throw InMemoryRefusal(.guardianHasManagedMembers) }
            setGuardians(others, of: child.user)
        }
    }

    mutating func remove(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Answer {
        let (place, caller) = try target(call, id)
        if members[place].id == caller.id { throw InMemoryRefusal(.oneself) }
        let family = families[try family(caller.family)]
        let isAdmin = caller.householdRole == "parent_admin"
        let isManaged = users[members[place].user]?.isManaged == true
        guard isAdmin || (family.creator == caller.user && !isManaged) else {
            throw InMemoryRefusal(.standingTooLow)
        }
        if members[place].householdRole == "parent_admin" {
            throw InMemoryRefusal(.targetIsParentAdmin)
        }
        try needsNoChildren(members[place])
        members[place].status = "removed"
        members[place].isBarred = true
        return Self.success
    }

    mutating func leave(_ call: InMemoryCall) throws(InMemoryRefusal) -> Answer {
        let named = call.request.query["familyId"]
        let own = members.filter { $0.user == call.user && $0.status == "active" }
        guard let caller = named.map({ member(of: call.user, in: $0) }) ?? own.first else {
            throw InMemoryRefusal(named == nil ? .familyRequired : .familyNotFound)
        }
        try call.notWhileActing()
        try needsNoChildren(caller)
        let others = active(in: caller.family).filter { $0.id != caller.id }
        if caller.householdRole == "parent_admin", !others.isEmpty {
            throw InMemoryRefusal(.transferAdminFirst)
        }
        members[try member(caller.id)].status = "removed"
        return Self.success
    }

    /// Withdraws a request to join.
    mutating func withdraw(
        _ call: InMemoryCall, _ family: String
    ) throws(InMemoryRefusal) -> Answer {
        guard let own = member(of: call.user, in: family) else {
            throw InMemoryRefusal(.familyNotFound)
        }
        try call.notWhileActing()
        if own.status != "invited" { throw InMemoryRefusal(.memberIsNotWaiting) }
        members[try member(own.id)].status = "removed"
        return Self.success
    }

    /// Turns down a request to join.
    mutating func reject(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Answer {
        let (place, caller) = try target(call, id)
        if !standsIn(caller) { try needsGovernor(call, caller) }
        if members[place].status != "invited" { throw InMemoryRefusal(.memberIsNotWaiting) }
        members[place].status = "removed"
        members[place].isBarred = true
        members[place].rejections += 1
        return Self.success
    }

    mutating func approve(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Answer {
        let (place, caller) = try target(call, id)
        if !standsIn(caller) { try needsGovernor(call, caller) }
        if members[place].status != "invited" { throw InMemoryRefusal(.memberIsNotWaiting) }
        if members[place].role == "player" {
            try requireNoShared(family: members[place].user)
            giveWay(members[place].user)
        }
        members[place].status = "active"
        members[place].isVouched = true
        members[place].isBarred = false
        members[place].rejections = 0
        return (200, shown(members[place]))
    }

    mutating func transferAdmin(_ call: InMemoryCall) throws(InMemoryRefusal) -> Answer {
        let (place, caller) = try target(call, call.text("memberId") ?? "")
        if caller.householdRole != "parent_admin" { throw InMemoryRefusal(.standingTooLow) }
        if caller.id == members[place].id { throw InMemoryRefusal(.oneself) }
        if !isAdult(members[place]) { throw InMemoryRefusal(.adminNotAdult) }
        let own = try member(caller.id)
        members[own].householdRole = "adult"
        members[place].householdRole = "parent_admin"
        members[place].isVouched = true
        return (
            200,
            ["success": true, "members": .array([shown(members[own]), shown(members[place])])]
        )
    }

    // MARK: Children without accounts

    mutating func addManaged(_ call: InMemoryCall) throws(InMemoryRefusal) -> Answer {
        let (place, caller) = try familyOfCall(call)
        try needsAdult(call, caller)
        let child = InMemoryUser(
            id: UUID().uuidString.lowercased(), email: "", name: try displayName(call, nil),
            role: "player", avatarKey: call.text("avatarKey") ?? "", guardians: [call.user])
        users[child.id] = child
        admit(child.id, to: families[place].id, role: "player", householdRole: "kid")
        return (201, shown(members[try member(child.id)]))
    }

    func needsAdult(
        _ call: InMemoryCall, _ caller: InMemoryMember
    ) throws(InMemoryRefusal) {
        try call.notWhileActing()
        if caller.householdRole == "visitor" { throw InMemoryRefusal(.visitorsOnlyRead) }
        if !["adult", "parent_admin"].contains(caller.householdRole) {
            throw InMemoryRefusal(.standingTooLow)
        }
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

    /// A child whose guardian the caller is.
    func guardedChild(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Int {
        let (place, caller) = try target(call, id)
        try needsAdult(call, caller)
        guard users[members[place].user]?.guardians?.contains(call.user) == true else {
            throw InMemoryRefusal(.standingTooLow)
        }
        return place
    }

    mutating func updateManaged(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Answer {
        let place = try guardedChild(call, id)
        let child = members[place].user
        let name = try displayName(call, users[child]?.name)
        users[child]?.name = name
        if let key = call.body["avatarKey"] { users[child]?.avatarKey = key.stringValue ?? "" }
        return (200, shown(members[place]))
    }

    mutating func removeManaged(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Answer {
        let (place, caller) = try target(call, id)
        if caller.householdRole != "parent_admin" { _ = try ownWard(call, id) }
        members[place].status = "removed"
        return Self.success
    }

    mutating func reassignManaged(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Answer {
        let place = try ownWard(call, id)
        let heir = members[try member(call.text("memberId") ?? "")]
        if heir.user == call.user { throw InMemoryRefusal(.oneself) }
        guard heir.family == members[place].family,
            ["adult", "parent_admin"].contains(heir.householdRole)
        else { throw InMemoryRefusal(.guardianNotAdult) }
        let others = users[members[place].user]?.guardians?.dropFirst() ?? []
        setGuardians(
            [heir.user] + others.filter { $0 != heir.user }, of: members[place].user)
        return (200, shown(members[place]))
    }
}
