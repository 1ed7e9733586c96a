extension Hearth {
    /// Invites a child without an account to have one: whoever accepts becomes this member, and
    /// nobody acts for it from then on. The child's primary guardian does this; doing it again
    /// renews the invitation.
    ///
    /// - Parameters:
    ///   - role: The side that the person will be on: a player stays a kid, a parent is an adult.
    /// - Returns: The invitation; for one by link with the link to share.
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
