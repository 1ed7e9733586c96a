extension Hearth {
    /// The members of a family, and for those who may approve also the people who wait.
    ///
    /// - Parameter family: Can be left out by a member of exactly one family.
    public func members(of family: FamilyID? = nil) async throws -> [Member] {
        try await list("members", .get("/api/family/members", ["familyId": family?.rawValue]))
    }

    /// Changes what a member may do, or makes the caller Parent Admin where nobody is.
    ///
    /// - Parameter guardian: Takes over the children of a guardian who is an adult no more.
    @discardableResult
    public func setHouseholdRole(
        _ role: HouseholdRole, of member: MemberID, reassigningManagedTo guardian: MemberID? = nil
    ) async throws -> Member {
        try await value(
            .patch(
                "/api/family/members/\(member.inPath)",
                .body([
                    "householdRole": .string(role.rawValue),
                    "reassignManagedTo": guardian.map { .string($0.rawValue) },
                ])))
    }

    /// Removes a member, or rejects a person who waits for approval.
    ///
    /// - Parameters:
    ///   - guardian: Takes over the children whose guardian the member is.
    ///   - isRotatingCode: Whether the family also gets a new code.
    public func removeMember(
        _ member: MemberID, reassigningManagedTo guardian: MemberID? = nil,
        rotatingCode isRotatingCode: Bool = false
    ) async throws {
        try await done(
            .delete(
                "/api/family/members/\(member.inPath)",
                [
                    "reassignManagedTo": guardian?.rawValue,
                    "rotateCode": isRotatingCode ? "true" : nil,
                ]))
    }

    /// Ends the caller's own membership, or withdraws the request to join.
    ///
    /// - Parameters:
    ///   - family: Can be left out by a member of exactly one family.
    ///   - guardian: Takes over the children whose guardian the caller is.
    public func leaveFamily(
        _ family: FamilyID? = nil, reassigningManagedTo guardian: MemberID? = nil
    ) async throws {
        try await done(
            .delete(
                "/api/family/members/me",
                ["familyId": family?.rawValue, "reassignManagedTo": guardian?.rawValue]))
    }

    /// Withdraws the caller's request to join a family; ends no membership.
    ///
    /// - Throws: `HearthError` with `memberIsNotWaiting` if the family has approved it meanwhile,
    ///   and with `familyNotFound` if there is no request any more.
    public func withdrawRequest(to family: FamilyID) async throws {
        try await done(.delete("/api/me/requests/\(family.inPath)"))
    }

    /// Turns down the request of a person who joined by the code and waits; ends no membership.
    ///
    /// - Throws: `HearthError` with `memberIsNotWaiting` if somebody has approved it meanwhile.
    public func rejectMember(_ member: MemberID) async throws {
        try await done(.post("/api/family/members/\(member.inPath)/reject"))
    }

    /// Lets in a person who joined by the code and waits.
    @discardableResult
    public func approveMember(_ member: MemberID) async throws -> Member {
        try await value(.post("/api/family/members/\(member.inPath)/approve"))
    }

    /// Makes another adult the Parent Admin instead of the caller.
    ///
    /// - Returns: Both, as they are now.
    @discardableResult
    public func transferAdmin(
        to member: MemberID, in family: FamilyID? = nil
    ) async throws -> [Member] {
        try await list(
            "members",
            .post(
                "/api/family/admin/transfer",
                .body([
                    "memberId": .string(member.rawValue),
                    "familyId": family.map { .string($0.rawValue) },
                ])))
    }
}
