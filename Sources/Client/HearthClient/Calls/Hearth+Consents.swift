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
