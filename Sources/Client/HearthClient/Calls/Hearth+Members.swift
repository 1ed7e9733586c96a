extension Hearth {
    /// Returns the members of a family and, if the caller may approve them, the people who wait for
    /// approval.
    ///
    /// - Parameter family: Can be left out by a member of exactly one family.
    public func members(of family: FamilyID? = nil) async throws -> [Member] {
        try await list("members", .get("/api/family/members", ["familyId": family?.rawValue]))
    }

    /// Returns one member of a family.
    public func member(_ id: MemberID) async throws -> Member {
        try await value(.get("/api/family/members/\(id.inPath)"))
    }

    /// Changes a member's household role, or makes the caller Parent Admin while the seat is free.
    ///
    /// - Parameter guardian: Member who takes over the children of a guardian who stops being an
    ///   adult.
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
    ///   - guardian: Member who takes over the children whose guardian is removed.
    ///   - isRotatingCode: If true, the family also gets a new code.
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

    /// Ends the caller's own membership, or withdraws the caller's request to join.
    ///
    /// - Parameters:
    ///   - family: Can be left out by a member of exactly one family.
    ///   - guardian: Member who takes over the children whose guardian the caller is.
    public func leaveFamily(
        _ family: FamilyID? = nil, reassigningManagedTo guardian: MemberID? = nil
    ) async throws {
        try await done(
            .delete(
                "/api/family/members/me",
                ["familyId": family?.rawValue, "reassignManagedTo": guardian?.rawValue]))
    }

    /// Withdraws the caller's request to join a family. Never ends a membership.
    ///
    /// - Throws: `HearthError` with `memberIsNotWaiting` if the family has approved the request
    ///   meanwhile, and with `familyNotFound` if the request no longer exists.
    public func withdrawRequest(to family: FamilyID) async throws {
        try await done(.delete("/api/me/requests/\(family.inPath)"))
    }

    /// Rejects a person who joined by the code and waits for approval. Never ends a membership.
    ///
    /// - Throws: `HearthError` with `memberIsNotWaiting` if the person was approved meanwhile.
    public func rejectMember(_ member: MemberID) async throws {
        try await done(.post("/api/family/members/\(member.inPath)/reject"))
    }

    /// Approves a person who joined by the code and waits for approval.
    @discardableResult
    public func approveMember(_ member: MemberID) async throws -> Member {
        try await value(.post("/api/family/members/\(member.inPath)/approve"))
    }

    /// Hands the seat of Parent Admin from the caller to another adult.
    ///
    /// - Returns: Both members after the change.
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

    /// Returns a child without an account.
    public func managedMember(_ id: MemberID) async throws -> Member {
        try await value(.get("/api/family/managed/\(id.inPath)"))
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

extension Hearth {
    /// Makes another adult of the family an additional guardian of a child. The new guardian is
    /// notified and may decline.
    @discardableResult
    public func addGuardian(_ guardian: MemberID, of child: MemberID) async throws -> Member {
        try await value(
            .post(
                "/api/family/managed/\(child.inPath)/guardians",
                ["memberId": .string(guardian.rawValue)]))
    }

    /// Makes a guardian the child's primary guardian. The previous one stays a guardian.
    @discardableResult
    public func makePrimaryGuardian(
        _ guardian: MemberID, of child: MemberID
    ) async throws -> Member {
        try await value(
            .patch(
                "/api/family/managed/\(child.inPath)/guardians/\(guardian.inPath)",
                ["isPrimary": true]))
    }

    /// Ends another adult's guardianship of a child.
    @discardableResult
    public func removeGuardian(_ guardian: MemberID, of child: MemberID) async throws -> Member {
        try await value(
            .delete("/api/family/managed/\(child.inPath)/guardians/\(guardian.inPath)"))
    }

    /// Ends the caller's own guardianship of a child that has another guardian.
    public func declineGuardianship(of child: MemberID) async throws {
        try await done(.delete("/api/family/managed/\(child.inPath)/guardians/me"))
    }
}

extension Hearth {
    /// Invites a child without an account to have one. The account that accepts becomes this
    /// member, and nobody acts for it from then on. Only the child's primary guardian can do this;
    /// doing it again renews the invitation.
    ///
    /// - Parameter role: The person's side afterwards: a player stays a kid, a parent becomes an
    ///   adult.
    /// - Returns: The invitation, with the link to share if it is one by link.
    @discardableResult
    public func startGraduation(
        of child: MemberID, to invitee: Invitee, as role: MemberRole = .player
    ) async throws -> SentInvitation {
        var body: [String: JSONValue] = ["role": .string(role.rawValue)]
        switch invitee {
        case .email(let address): body["email"] = .string(address)
        case .link: body["delivery"] = "link"
        }
        return try await value(
            .post("/api/family/managed/\(child.inPath)/graduation", .object(body)))
    }
}
