extension Hearth {
    /// Makes another adult of the family a guardian of a child, besides those that it has. The new
    /// guardian is told, and may decline.
    @discardableResult
    public func addGuardian(_ guardian: MemberID, of child: MemberID) async throws -> Member {
        try await value(
            .post(
                "/api/family/managed/\(child.inPath)/guardians",
                ["memberId": .string(guardian.rawValue)]))
    }

    /// Makes a guardian the primary one of a child; the present one stays a guardian.
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
