extension Hearth {
    /// What a member likes, as the app wrote it; an empty object until it did.
    ///
    /// - Parameter member: The user or member id of a child whose guardian the caller is; the
    ///   caller itself if left out.
    public func preferences(
        in family: FamilyID, of member: MemberID? = nil
    ) async throws -> JSONValue {
        let answer: PreferencesAnswer = try await value(
            .get("/groups/\(family.inPath)/preferences", ["member_id": member?.rawValue]))
        return answer.preferences
    }

    /// Replaces what a member likes.
    ///
    /// - Parameter preferences: An object of at most 16 KiB.
    /// - Returns: What is stored now.
    @discardableResult
    public func setPreferences(
        _ preferences: JSONValue, in family: FamilyID, of member: MemberID? = nil
    ) async throws -> JSONValue {
        var call = Call.put("/groups/\(family.inPath)/preferences", preferences)
        call.query["member_id"] = member?.rawValue
        let answer: PreferencesAnswer = try await value(call)
        return answer.preferences
    }

    /// What a family notes about its player.
    ///
    /// - Parameter family: Can be left out by a member of exactly one family.
    public func playerDetails(in family: FamilyID? = nil) async throws -> PlayerDetails {
        try await details(.get("/api/family/player-details", ["familyId": family?.rawValue]))
    }

    /// Changes what a family notes about its player.
    @discardableResult
    public func updatePlayerDetails(
        _ change: PlayerDetailsChange, in family: FamilyID? = nil
    ) async throws -> PlayerDetails {
        try await details(.post("/api/family/player-details", change.body(in: family)))
    }

    private func details(_ call: Call) async throws -> PlayerDetails {
        let answer: PlayerDetailsAnswer = try await value(call)
        return answer.details
    }
}

/// Preferences as the routes wrap them.
private struct PreferencesAnswer: FieldsDecodable {
    let preferences: JSONValue

    init(_ fields: Fields) throws(DecodingFailure) {
        preferences = fields["preferences"] ?? [:]
    }
}

/// The details as the routes wrap them.
private struct PlayerDetailsAnswer: FieldsDecodable {
    let details: PlayerDetails

    init(_ fields: Fields) throws(DecodingFailure) {
        details = PlayerDetails(try Fields(fields["playerDetails"] ?? [:]))
    }
}
