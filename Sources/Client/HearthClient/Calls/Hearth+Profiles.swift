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
