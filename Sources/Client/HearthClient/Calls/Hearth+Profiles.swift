extension Hearth {
    /// The caller's own profile, with all its families; while acting, the managed member's.
    ///
    /// The first call of a new account makes it known to Hearth.
    public func profile() async throws -> Profile { try await value(.get("/api/me")) }

    /// Changes the profile, while acting the managed member's.
    @discardableResult
    public func updateProfile(_ change: ProfileChange) async throws -> Profile {
        try await value(.patch("/api/me", change.body))
    }

    /// The profiles that the account can switch to: its own first, then the children whose guardian
    /// it is, in the order in which they were added. The same while acting.
    ///
    /// - Parameter family: Can be left out by a member of exactly one family.
    public func profiles(in family: FamilyID? = nil) async throws -> [SwitchableProfile] {
        var call = Call.get("/api/me/profiles", ["familyId": family?.rawValue])
        call.isOwn = true
        return try await list("profiles", call)
    }
}

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

extension Hearth {
    /// What the guardians of a child are asked to consent to, and what they did. The caller is one
    /// of them.
    public func consents(for child: MemberID) async throws -> [Consent] {
        try await list("consents", .get("/api/family/managed/\(child.inPath)/consents"))
    }

    /// One of them.
    public func consent(to purpose: String, for child: MemberID) async throws -> Consent {
        try await value(.get(Self.path(purpose, child)))
    }

    /// Gives consent as one who is signed in.
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

    /// Has a code mailed to the caller's verified address, by which consent can be proved.
    public func sendConsentCode(
        for purpose: String, version: String, child: MemberID
    ) async throws {
        try await done(
            .put(
                Self.path(purpose, child),
                ["version": .string(version), "method": "email_code"]))
    }

    /// Gives consent and proves it by the code that was mailed.
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

    /// Withdraws consent; it counts at once.
    @discardableResult
    public func withdrawConsent(to purpose: String, for child: MemberID) async throws -> Consent {
        try await value(.delete(Self.path(purpose, child)))
    }

    /// What the account is asked to consent to for itself, and whether it did.
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

    /// Withdraws the account's consent for itself; it counts at once.
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
    /// What the system needs to make a passkey for the account.
    ///
    /// The person must have signed in during the last ten minutes.
    public func newPasskeyOptions() async throws -> PasskeyOptions {
        var call = Call.post("/api/auth/passkeys/options", ["purpose": "register"])
        call.isOwn = true
        return try PasskeyOptions(try await json(call))
    }

    /// Adds a passkey that the system has made. The person is told by e-mail.
    ///
    /// If no answer came, look at the list of passkeys: it may be there.
    ///
    /// - Parameter label: What the person calls it, such as the device, at most 80 characters.
    /// - Returns: All passkeys of the account.
    @discardableResult
    public func addPasskey(
        _ credential: PasskeyCredential, label: String? = nil
    ) async throws -> [Passkey] {
        var body: JSONValue = ["credential": credential.value]
        if let label { body = ["credential": credential.value, "label": .string(label)] }
        var call = Call.post("/api/auth/passkeys/register", body)
        call.isOwn = true
        // The challenge counts once.
        call.isRepeatable = false
        return try await list("passkeys", call)
    }

    /// The passkeys of the account, the oldest first.
    public func passkeys() async throws -> [Passkey] {
        var call = Call.get("/api/me/passkeys")
        call.isOwn = true
        return try await list("passkeys", call)
    }

    /// Takes a passkey away. The last way to sign in stays.
    public func removePasskey(_ passkey: ID<Passkey>) async throws {
        var call = Call.delete("/api/me/passkeys/\(passkey.inPath)")
        call.isOwn = true
        try await done(call)
    }
}
