public import Foundation

extension Hearth {
    /// Invites a person, by e-mail or by a link that the app shares. Inviting an address again
    /// renews its pending invitation.
    ///
    /// - Parameters:
    ///   - role: The side on which the person joins.
    ///   - householdRole: At most `adult`; chosen by Hearth if left out.
    ///   - family: Can be left out by a member of exactly one family.
    @discardableResult
    public func invite(
        _ invitee: Invitee, as role: MemberRole, householdRole: HouseholdRole? = nil,
        to family: FamilyID? = nil
    ) async throws -> SentInvitation {
        var body: [String: JSONValue] = ["role": .string(role.rawValue)]
        switch invitee {
        case .email(let address): body["email"] = .string(address)
        case .link: body["delivery"] = "link"
        }
        body["householdRole"] = householdRole.map { .string($0.rawValue) }
        body["familyUnitId"] = family.map { .string($0.rawValue) }
        return try await value(.post("/api/family/invite", .object(body)))
    }

    /// Returns a family's pending invitations, newest first, at most 100 a page.
    ///
    /// - Parameters:
    ///   - family: Can be left out by a member of exactly one family.
    ///   - cursor: The previous page's `nextCursor`.
    public func invitations(
        of family: FamilyID? = nil, after cursor: String? = nil
    ) async throws -> Page<Invitation> {
        try await page(
            "invitations",
            .get("/api/family/invitations", ["familyId": family?.rawValue, "cursor": cursor]))
    }

    /// Sends a pending invitation again, with a new link. The previous link stops working.
    ///
    /// - Returns: The link to share; nil for an invitation by e-mail.
    @discardableResult
    public func resendInvitation(_ id: InvitationID) async throws -> URL? {
        let answer = try await json(.post("/api/family/invitations/\(id.inPath)/resend"))
        return answer["inviteUrl"]?.stringValue.flatMap { URL(string: $0) }
    }

    /// Revokes a pending invitation.
    public func revokeInvitation(_ id: InvitationID) async throws {
        try await done(.delete("/api/family/invitations/\(id.inPath)"))
    }

    // MARK: The invited person

    /// Returns the invitation behind a link's token. Needs no account and changes nothing.
    public func previewInvitation(token: String) async throws -> InvitationPreview {
        try await value(.get("/api/family/invite/\(APIRequest.encoded(token))"))
    }

    /// Accepts an invitation with the token from its link.
    ///
    /// - Returns: The family that the caller has joined.
    @discardableResult
    public func acceptInvitation(token: String) async throws -> FamilyID {
        try await accepted(.post("/api/family/invite/\(APIRequest.encoded(token))/accept"))
    }

    /// Declines an invitation with the token from its link.
    public func declineInvitation(token: String) async throws {
        try await done(.post("/api/family/invite/\(APIRequest.encoded(token))/decline"))
    }

    /// Returns the pending invitations to the caller's own address, across all families.
    public func receivedInvitations() async throws -> [ReceivedInvitation] {
        try await list("invitations", .get("/api/me/invitations"))
    }

    /// Accepts an invitation to the caller's own address.
    ///
    /// - Returns: The family that the caller has joined.
    @discardableResult
    public func acceptInvitation(_ id: InvitationID) async throws -> FamilyID {
        try await accepted(.post("/api/me/invitations/\(id.inPath)/accept"))
    }

    /// Declines an invitation to the caller's own address.
    public func declineInvitation(_ id: InvitationID) async throws {
        try await done(.post("/api/me/invitations/\(id.inPath)/decline"))
    }

    private func accepted(_ call: Call) async throws -> FamilyID {
        let answer: AcceptedInvitation = try await value(call)
        return answer.familyID
    }
}

/// The response to accepting an invitation.
private struct AcceptedInvitation: FieldsDecodable {
    let familyID: FamilyID

    init(_ fields: Fields) throws(DecodingFailure) { familyID = try fields.id("familyUnitId") }
}
