/// Household roles: who may give which, and which a member may choose for itself.
extension InMemoryState {
    /// All of them, the lowest first.
    private static let ranks = ["visitor", "kid", "adult", "parent_admin"]

    static func rank(_ role: String) -> Int { ranks.firstIndex(of: role) ?? ranks.count }

    static func lower(_ one: String, _ other: String) -> String {
        rank(other) < rank(one) ? other : one
    }

    /// The highest household role that a member may choose for itself, of the one it was given.
    static func ceiling(of householdRole: String) -> String { lower(householdRole, "adult") }

    func isSeatTaken(in family: String) -> Bool {
        active(in: family).contains { $0.householdRole == "parent_admin" }
    }

    /// An adult with an account.
    func isAdult(_ member: InMemoryMember) -> Bool {
        member.role == "parent" && Self.rank(member.householdRole) >= Self.rank("adult")
            && users[member.user]?.isManaged == false
    }

    /// Whether the member made the family, and is an adult or a player in it.
    func actsAsCreator(_ member: InMemoryMember) -> Bool {
        families.contains { $0.id == member.family && $0.creator == member.user }
            && (isAdult(member) || (member.role == "player" && member.householdRole != "visitor"))
    }

    /// Whether a member stands in for the creator and the Parent Admin: an adult, while nobody has
    /// the seat and the creator is gone; where one is vouched for, only those who are.
    func standsIn(_ member: InMemoryMember) -> Bool {
        let present = active(in: member.family)
        let hasLeader = present.contains { other in
            other.householdRole == "parent_admin" || actsAsCreator(other)
                || isRestingCreator(other)
        }
        return isAdult(member) && member.status == "active" && !hasLeader
            && (member.isVouched || !present.contains { isAdult($0) && $0.isVouched })
    }

    /// Whether a member is its family's creator, and has stepped down by itself.
    private func isRestingCreator(_ member: InMemoryMember) -> Bool {
        !actsAsCreator(member) && member.ceiling == (member.role == "player" ? "kid" : "adult")
            && families.contains { $0.id == member.family && $0.creator == member.user }
    }

    /// Whether somebody has a prior right to the seat: the creator, also one that has stepped down
    /// by itself, or an adult who is vouched for.
    private func isSeatReserved(in family: String) -> Bool {
        active(in: family).contains {
            actsAsCreator($0) || isRestingCreator($0) || (isAdult($0) && $0.isVouched)
        }
    }

    /// Why a member may not choose a household role for itself; nil if it may.
    private func refusal(_ role: String, chosenBy member: InMemoryMember) -> ErrorCode? {
        let highest = max(Self.rank(member.householdRole), Self.rank(member.ceiling))
        if Self.rank(role) <= highest { return nil }
        let isClaim = role == "parent_admin"
        if isClaim, isSeatTaken(in: member.family) { return .parentAdminExists }
        if member.householdRole == "visitor" { return .visitorsOnlyRead }
        guard isClaim, isAdult(member) else { return .standingTooLow }
        let hasRight = member.isVouched || !isSeatReserved(in: member.family)
        return hasRight ? nil : .seatReserved
    }

    /// Why a member may not give another one a household role; nil if it may.
    private func refusal(
        _ role: String, givenBy caller: InMemoryMember, to member: InMemoryMember
    ) -> ErrorCode? {
        let isAdmin = caller.householdRole == "parent_admin"
        if users[member.user]?.isManaged == true {
            return isAdmin ? .targetIsManaged : .standingTooLow
        }
        if role != "parent_admin" { return isAdmin ? nil : .standingTooLow }
        if isAdmin { return .parentAdminExists }
        guard actsAsCreator(caller), isAdult(member) else { return .standingTooLow }
        return isSeatTaken(in: caller.family) ? .parentAdminExists : nil
    }

    mutating func setRole(_ call: InMemoryCall, _ id: String) throws(InMemoryRefusal) -> Answer {
        let (place, caller) = try target(call, id)
        guard let role = call.text("householdRole") else { throw InMemoryRefusal(.missingField) }
        if !Self.ranks.contains(role) { throw InMemoryRefusal(.invalidField) }
        let member = members[place]
        let isOwn = member.id == caller.id
        let told =
            isOwn
            ? refusal(role, chosenBy: member) : refusal(role, givenBy: caller, to: member)
        if let told { throw InMemoryRefusal(told) }
        if member.status != "active" { throw InMemoryRefusal(.memberIsWaiting) }
        if Self.rank(role) < Self.rank("adult") { try needsNoChildren(member) }
        members[place].householdRole = role
        if !isOwn {
            members[place].ceiling = Self.ceiling(of: role)
            members[place].isRoleOthers = true
            if role == "parent_admin" { members[place].isVouched = true }
        }
        return (200, shown(members[place]))
    }

    /// What the caller may choose for itself in a family.
    func choices(
        of caller: InMemoryMember, _ call: InMemoryCall
    ) -> [String: JSONValue] {
        func may(_ role: String) -> Bool {
            !call.isActing && refusal(role, chosenBy: caller) == nil
        }
        let roles = ["adult", "kid", "visitor"].filter(may)
        let isTaken = isSeatTaken(in: caller.family)
        return [
            "selectableRoles": .array(roles.map { .string($0) }),
            "parentAdmin": isTaken ? "taken" : may("parent_admin") ? "free" : "reserved",
        ]
    }
}
