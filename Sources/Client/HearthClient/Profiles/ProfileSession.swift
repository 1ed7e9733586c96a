/// As whom calls are made: as oneself, or for a child whose guardian one is.
///
/// ```
///  authenticated user  -- switchProfile(to: child) -->  acting for the child
///          ^                                                    |
///          +-- resetToAuthenticatedUser(), or the child is gone --+
/// ```
///
/// Switching is local and immediate: it asks Hearth nothing, works offline, and decides about the
/// calls that begin afterwards. If a child is removed, or has another guardian, the next
/// `updateProfiles` returns to the caller's own profile silently; calls that were under way for the
/// child fail with `acting_refused`.
///
/// Who is signed in is something else: that is `Credentials`.
public final class ProfileSession: Sendable {
    private struct State {
        var active: SwitchableProfile
        var available: [SwitchableProfile]
    }

    private let state: Locked<State>
    private let watchers = Watchers<SwitchableProfile>()

    /// A session in which the caller acts for itself.
    public init(authenticatedUser: SwitchableProfile = .placeholder) {
        state = Locked(State(active: authenticatedUser, available: [authenticatedUser]))
    }

    /// As whom calls are made.
    public var activeProfile: SwitchableProfile { state.withLock { $0.active } }

    /// All profiles to which one can switch: the caller's own first, then the children.
    public var availableProfiles: [SwitchableProfile] { state.withLock { $0.available } }

    /// The children for whom the caller can act.
    public var managedProfiles: [SwitchableProfile] { availableProfiles.filter(\.isManaged) }

    /// Whether calls are made for a child.
    public var isActingAsManaged: Bool { activeProfile.isManaged }

    /// The child for whom calls are made; nil while the caller acts for itself.
    public var actingAsMemberID: MemberID? {
        let active = activeProfile
        return active.isManaged ? active.memberID : nil
    }

    /// The active profile now and after each change, for as long as it is iterated and the session
    /// is there. A slow watcher gets the latest only.
    public var changes: AsyncStream<SwitchableProfile> {
        state.withLock { watchers.stream(.bufferingNewest(1), first: [$0.active]) }
    }

    /// Takes the profiles that there are now. A child whose profile changed keeps being acted for;
    /// if it is gone the caller acts for itself again.
    public func updateProfiles(
        authenticatedUser: SwitchableProfile, managedMembers: [SwitchableProfile]
    ) {
        state.withLock { state in
            state.available = [authenticatedUser] + managedMembers
            let same = state.available.first { $0.memberID == state.active.memberID }
            activate(same ?? authenticatedUser, &state)
        }
    }

    /// Acts as another of the available profiles.
    ///
    /// - Returns: Whether the profile is available; if not, nothing changes.
    @discardableResult
    public func switchProfile(to profile: SwitchableProfile) -> Bool {
        state.withLock { state in
            guard let own = state.available.first(where: { $0.memberID == profile.memberID }) else {
                return false
            }
            activate(own, &state)
            return true
        }
    }

    /// Acts for oneself.
    public func resetToAuthenticatedUser() {
        state.withLock { state in
            guard let own = state.available.first(where: { !$0.isManaged }) else { return }
            activate(own, &state)
        }
    }

    private func activate(_ profile: SwitchableProfile, _ state: inout State) {
        if state.active == profile { return }
        state.active = profile
        watchers.send(profile)
    }
}

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
