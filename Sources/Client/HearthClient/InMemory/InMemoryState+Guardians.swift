extension InMemoryState {
    static let mostGuardians = 4

    /// Those of a child, the primary one first; none of an account.
    /// Sets who guards the child, the primary guardian first. An invitation to grow up ends with
    /// the primary guardian who sent it.
    mutating func setGuardians(_ guardians: [String], of child: String) {
        users[child]?.guardians = guardians
        for place in invitations.indices
        where invitations[place].graduate == child && invitations[place].status == "pending"
            && invitations[place].inviter != guardians.first
        {
            invitations[place].status = "revoked"
        }
    }

    func guardians(of member: InMemoryMember) -> [JSONValue] {
        (users[member.user]?.guardians ?? []).enumerated().map { index, user in
            [
                "userId": .string(user),
                "memberId": .string(self.member(of: user, in: member.family)?.id ?? ""),
                "displayName": .string(users[user]?.name ?? ""), "isPrimary": .bool(index == 0),
                "since": "2026-01-01T00:00:00Z",
            ]
        }
    }

    /// A child whose primary guardian the caller is.
    func ownWard(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Int {
        let place = try guardedChild(call, id)
        if users[members[place].user]?.guardian != call.user {
            throw InMemoryRefusal(.standingTooLow)
        }
        return place
    }

    mutating func routeGuardians(
        _ call: InMemoryCall, _ path: [String]
    ) throws(InMemoryRefusal) -> Answer {
        switch (call.request.method, path.count) {
        case ("POST", 2): return try addGuardian(call, path[0])
        case ("PATCH", 3): return try promoteGuardian(call, path[0], path[2])
        case ("DELETE", 3) where path[2] == "me": return try removeGuardian(call, path[0], nil)
        case ("DELETE", 3): return try removeGuardian(call, path[0], path[2])
        default: throw InMemoryRefusal(.notFound)
        }
    }

    private mutating func addGuardian(
        _ call: InMemoryCall, _ id: String
    ) throws(InMemoryRefusal) -> Answer {
        let place = try guardedChild(call, id)
        let child = members[place]
        let named = members[try member(call.text("memberId") ?? "")]
        guard named.family == child.family else { throw InMemoryRefusal(.memberNotFound) }
        guard ["adult", "parent_admin"].contains(named.householdRole), named.role == "parent" else {
            throw InMemoryRefusal(.guardianNotAdult)
        }
        let present = users[child.user]?.guardians ?? []
        if !present.contains(named.user) {
            if present.count >= Self.mostGuardians { throw InMemoryRefusal(.tooManyGuardians) }
            setGuardians(present + [named.user], of: child.user)
        }
        return (200, shown(child))
    }

    private mutating func promoteGuardian(
        _ call: InMemoryCall, _ id: String, _ guardian: String
    ) throws(InMemoryRefusal) -> Answer {
        if call.body["isPrimary"]?.boolValue != true { throw InMemoryRefusal(.invalidField) }
        let child = members[try ownWard(call, id)]
        let next = members[try member(guardian)].user
        let present = users[child.user]?.guardians ?? []
        guard present.contains(next) else { throw InMemoryRefusal(.memberNotFound) }
        setGuardians([next] + present.filter { $0 != next }, of: child.user)
        return (200, shown(child))
    }

    private mutating func removeGuardian(
        _ call: InMemoryCall, _ id: String, _ guardian: String?
    ) throws(InMemoryRefusal) -> Answer {
        let child = members[try guardedChild(call, id)]
        var leaver = call.user
        if let guardian { leaver = members[try member(guardian)].user }
        let present = users[child.user]?.guardians ?? []
        if leaver != call.user, present.first != call.user {
            throw InMemoryRefusal(.standingTooLow)
        }
        guard present.contains(leaver) else { throw InMemoryRefusal(.memberNotFound) }
        if present.count == 1 { throw InMemoryRefusal(.guardianHasManagedMembers) }
        setGuardians(present.filter { $0 != leaver }, of: child.user)
        return (200, shown(child))
    }

    /// Nobody is asked for anything here.
    func consents(_ call: InMemoryCall, _ path: [String]) throws(InMemoryRefusal) -> Answer {
        _ = try guardedChild(call, path[0])
        guard path.count == 2, call.request.method == "GET" else {
            throw InMemoryRefusal(.purposeNotFound)
        }
        return (200, ["consents": []])
    }
}
