extension Hearth {
    /// Returns the caller's own profile with all its families; while acting, the managed member's.
    ///
    /// The first call of a new account registers it with Hearth.
    public func profile() async throws -> Profile { try await value(.get("/api/me")) }

    /// Changes the caller's profile; while acting, the managed member's.
    @discardableResult
    public func updateProfile(_ change: ProfileChange) async throws -> Profile {
        try await value(.patch("/api/me", change.body))
    }

    /// Returns the profiles that the account can switch to: its own first, then the children whose
    /// guardian it is, in the order in which they were added. Acting for a child doesn't change the
    /// list.
    ///
    /// - Parameter family: Can be left out by a member of exactly one family.
    public func profiles(in family: FamilyID? = nil) async throws -> [SwitchableProfile] {
        var call = Call.get("/api/me/profiles", ["familyId": family?.rawValue])
        call.isOwn = true
        return try await list("profiles", call)
    }
}

extension Hearth {
    /// Returns a member's preferences as the app stored them; an empty object if it stored none.
    ///
    /// - Parameter person: A child whose guardian the caller is; the caller itself if left out.
    public func preferences(
        in family: FamilyID, of person: UserID? = nil
    ) async throws -> JSONValue {
        let answer: PreferencesResponse = try await value(
            .get("/groups/\(family.inPath)/preferences", ["member_id": person?.rawValue]))
        return answer.preferences
    }

    /// Replaces a member's preferences.
    ///
    /// - Parameters:
    ///   - preferences: An object of at most 16 KiB.
    ///   - person: A child whose guardian the caller is; the caller itself if left out.
    /// - Returns: The stored preferences.
    @discardableResult
    public func setPreferences(
        _ preferences: JSONValue, in family: FamilyID, of person: UserID? = nil
    ) async throws -> JSONValue {
        var call = Call.put("/groups/\(family.inPath)/preferences", preferences)
        call.query["member_id"] = person?.rawValue
        let answer: PreferencesResponse = try await value(call)
        return answer.preferences
    }

    /// Returns the details that a family stores about its player.
    ///
    /// - Parameter family: Can be left out by a member of exactly one family.
    public func playerDetails(in family: FamilyID? = nil) async throws -> PlayerDetails {
        try await details(.get("/api/family/player-details", ["familyId": family?.rawValue]))
    }

    /// Changes the details that a family stores about its player.
    @discardableResult
    public func updatePlayerDetails(
        _ change: PlayerDetailsChange, in family: FamilyID? = nil
    ) async throws -> PlayerDetails {
        try await details(.post("/api/family/player-details", change.body(in: family)))
    }

    private func details(_ call: Call) async throws -> PlayerDetails {
        let answer: PlayerDetailsResponse = try await value(call)
        return answer.details
    }
}

/// The response body that wraps preferences.
private struct PreferencesResponse: FieldsDecodable {
    let preferences: JSONValue

    init(_ fields: Fields) throws(DecodingFailure) {
        preferences = fields["preferences"] ?? [:]
    }
}

/// The response body that wraps player details.
private struct PlayerDetailsResponse: FieldsDecodable {
    let details: PlayerDetails

    init(_ fields: Fields) throws(DecodingFailure) {
        details = PlayerDetails(try Fields(fields["playerDetails"] ?? [:]))
    }
}

extension Hearth {
    /// Returns the consents that a child's guardians are asked for, and those given. The caller
    /// must be one of the guardians.
    public func consents(for child: MemberID) async throws -> [Consent] {
        try await list("consents", .get("/api/family/managed/\(child.inPath)/consents"))
    }

    /// Returns a child's consent to one purpose.
    public func consent(to purpose: String, for child: MemberID) async throws -> Consent {
        try await value(.get(Self.path(purpose, child)))
    }

    /// Gives consent, proved by being signed in.
    ///
    /// - Parameter version: The version of the text that was shown.
    @discardableResult
    public func giveConsent(
        to purpose: String, version: String, for child: MemberID
    ) async throws -> Consent {
        try await value(
            .put(
                Self.path(purpose, child),
                ["version": .string(version), "method": "signed_in"]))
    }

    /// Mails the caller a code that proves consent. It goes to the caller's verified address.
    public func sendConsentCode(
        for purpose: String, version: String, child: MemberID
    ) async throws {
        try await done(
            .put(
                Self.path(purpose, child),
                ["version": .string(version), "method": "email_code"]))
    }

    /// Gives consent, proved by the mailed code.
    @discardableResult
    public func giveConsent(
        to purpose: String, version: String, for child: MemberID, code: String
    ) async throws -> Consent {
        try await value(
            .put(
                Self.path(purpose, child),
                [
                    "version": .string(version), "method": "email_code", "code": .string(code),
                ]))
    }

    /// Withdraws consent, with immediate effect.
    @discardableResult
    public func withdrawConsent(to purpose: String, for child: MemberID) async throws -> Consent {
        try await value(.delete(Self.path(purpose, child)))
    }

    /// Returns the consents that the account is asked for on its own behalf, and whether they are
    /// given.
    public func ownConsents() async throws -> [Consent] {
        try await list("consents", .get("/api/me/consents"))
    }

    /// Gives the account's consent for itself.
    ///
    /// - Parameter version: The version of the text that was shown.
    @discardableResult
    public func giveOwnConsent(to purpose: String, version: String) async throws -> Consent {
        try await value(
            .put(Self.ownPath(purpose), ["version": .string(version), "method": "self"]))
    }

    /// Withdraws the account's consent for itself, with immediate effect.
    @discardableResult
    public func withdrawOwnConsent(to purpose: String) async throws -> Consent {
        try await value(.delete(Self.ownPath(purpose)))
    }

    private static func ownPath(_ purpose: String) -> String {
        "/api/me/consents/\(APIRequest.encoded(purpose))"
    }

    private static func path(_ purpose: String, _ child: MemberID) -> String {
        "/api/family/managed/\(child.inPath)/consents/\(APIRequest.encoded(purpose))"
    }
}

extension Hearth {
    /// Returns the options with which the system creates a passkey for the account.
    ///
    /// The person must have signed in during the last ten minutes.
    public func newPasskeyOptions() async throws -> PasskeyOptions {
        var call = Call.post("/api/auth/passkeys/options", ["purpose": "register"])
        call.isOwn = true
        return try PasskeyOptions(try await json(call))
    }

    /// Adds a passkey that the system has created. The person is notified by e-mail.
    ///
    /// If no response arrives, check the list of passkeys: the new one may be there.
    ///
    /// - Parameter label: Name that the person gives the passkey, such as the device; at most 80
    ///   characters.
    /// - Returns: All passkeys of the account.
    @discardableResult
    public func addPasskey(
        _ credential: PasskeyCredential, label: String? = nil
    ) async throws -> [Passkey] {
        var body: JSONValue = ["credential": credential.value]
        if let label { body = ["credential": credential.value, "label": .string(label)] }
        var call = Call.post("/api/auth/passkeys/register", body)
        call.isOwn = true
        // A challenge can be used once.
        call.isRepeatable = false
        return try await list("passkeys", call)
    }

    /// Returns the passkeys of the account, oldest first.
    public func passkeys() async throws -> [Passkey] {
        var call = Call.get("/api/me/passkeys")
        call.isOwn = true
        return try await list("passkeys", call)
    }

    /// Removes a passkey. The account's last way to sign in can't be removed.
    public func removePasskey(_ passkey: ID<Passkey>) async throws {
        var call = Call.delete("/api/me/passkeys/\(passkey.inPath)")
        call.isOwn = true
        try await done(call)
    }
}
