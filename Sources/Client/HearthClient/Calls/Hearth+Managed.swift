extension Hearth {
    /// Adds a child without an account. The caller becomes its guardian.
    ///
    /// - Parameters:
    ///   - name: 1 to 30 characters.
    ///   - family: Can be left out by a member of exactly one family.
    @discardableResult
    public func addManagedMember(
        named name: String, avatarKey: String? = nil, to family: FamilyID? = nil
    ) async throws -> Member {
        try await value(
            .post(
                "/api/family/managed",
                .body([
                    "displayName": .string(name), "avatarKey": avatarKey.map { .string($0) },
                    "familyId": family.map { .string($0.rawValue) },
                ])))
    }

    /// Changes the name or avatar of a child whose guardian the caller is.
    @discardableResult
    public func updateManagedMember(
        _ member: MemberID, _ change: ManagedMemberChange
    ) async throws -> Member {
        try await value(.patch("/api/family/managed/\(member.inPath)", change.body))
    }

    /// Removes a child without an account from its family.
    public func removeManagedMember(_ member: MemberID) async throws {
        try await done(.delete("/api/family/managed/\(member.inPath)"))
    }

    /// Makes another adult the guardian of one of the caller's children.
    @discardableResult
    public func reassignManagedMember(
        _ member: MemberID, to guardian: MemberID
    ) async throws -> Member {
        try await value(
            .post(
                "/api/family/managed/\(member.inPath)/guardian",
                ["memberId": .string(guardian.rawValue)]))
    }
}
