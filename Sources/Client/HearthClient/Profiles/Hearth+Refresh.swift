extension Hearth {
    /// Reads the profiles that the account can switch to into `session`.
    ///
    /// - Parameter family: Can be left out by a member of exactly one family.
    public func refreshProfiles(
        of session: ProfileSession, in family: FamilyID? = nil
    ) async throws {
        let profiles = try await profiles(in: family)
        guard let own = profiles.first(where: { !$0.isManaged }) else {
            throw HearthError.unexpectedAnswer(
                status: 200, detail: "no profile of the caller's own")
        }
        session.updateProfiles(
            authenticatedUser: own, managedMembers: profiles.filter(\.isManaged))
    }
}
