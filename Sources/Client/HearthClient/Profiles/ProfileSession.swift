#if canImport(Observation)
    public import Observation
#endif

/// The profile that calls are made as: the caller's own, or that of a child whose guardian the
/// caller is.
///
/// ```
///  authenticated user  -- switchProfile(to: child) -->  acting for the child
///          ^                                                    |
///          +-- resetToAuthenticatedUser(), or the child is gone --+
/// ```
///
/// Switching is local and immediate: it sends nothing to Hearth, works offline, and applies to
/// calls that begin afterwards. If the child is removed, or the caller is no longer its guardian,
/// the next `updateProfiles` silently returns to the caller's own profile; calls for the child
/// that are in progress fail with `acting_refused`.
///
/// This is independent of who is signed in, which `Credentials` decides.
///
/// SwiftUI observes `activeProfile` and `availableProfiles` from iOS 17 and macOS 14 on; on earlier
/// systems use an `ObservedProfileSession`.
public final class ProfileSession: Sendable {
    private struct State {
        var active: SwitchableProfile
        var available: [SwitchableProfile]
    }

    /// Observers of the properties, where the system has them (an `ObservationRegistrar`).
    private let observers: (any Sendable)? = ProfileSession.makeObservers()

    private let state: Locked<State>
    private let watchers = Watchers<SwitchableProfile>()

    /// Creates a session in which the caller acts for itself.
    public init(authenticatedUser: SwitchableProfile = .placeholder) {
        state = Locked(State(active: authenticatedUser, available: [authenticatedUser]))
    }

    /// Profile that calls are made as.
    public var activeProfile: SwitchableProfile {
        noteAccess()
        return state.withLock { $0.active }
    }

    /// Profiles that the caller can switch to: its own first, then the children.
    public var availableProfiles: [SwitchableProfile] {
        noteAccess()
        return state.withLock { $0.available }
    }

    /// The children for whom the caller can act.
    public var managedProfiles: [SwitchableProfile] { availableProfiles.filter(\.isManaged) }

    /// Whether calls are made for a child.
    public var isActingAsManaged: Bool { activeProfile.isManaged }

    /// The child for whom calls are made; nil while the caller acts for itself.
    public var actingAs: UserID? {
        let active = activeProfile
        return active.isManaged ? active.userID : nil
    }

    /// Emits the active profile now and after each change, until the session is deinitialised. A
    /// slow consumer gets only the latest value.
    public var changes: AsyncStream<SwitchableProfile> {
        state.withLock { watchers.stream(.bufferingNewest(1), first: [$0.active]) }
    }

    /// Updates the available profiles. If the active child is still among them, it stays active
    /// with its new profile; otherwise the caller acts for itself again.
    public func updateProfiles(
        authenticatedUser: SwitchableProfile, managedMembers: [SwitchableProfile]
    ) {
        changing { state in
            state.available = [authenticatedUser] + managedMembers
            let same = state.available.first { $0.userID == state.active.userID }
            activate(same ?? authenticatedUser, &state)
        }
    }

    /// Makes one of the available profiles active.
    ///
    /// - Returns: Whether the profile is available; if not, nothing changes.
    @discardableResult
    public func switchProfile(to profile: SwitchableProfile) -> Bool {
        changing { state in
            guard let own = state.available.first(where: { $0.userID == profile.userID }) else {
                return false
            }
            activate(own, &state)
            return true
        }
    }

    /// Makes the caller's own profile active.
    public func resetToAuthenticatedUser() {
        changing { state in
            guard let own = state.available.first(where: { !$0.isManaged }) else { return }
            activate(own, &state)
        }
    }

    /// Changes the state, and notifies observers outside the lock.
    private func changing<Result>(_ body: (inout State) -> Result) -> Result {
        #if canImport(Observation)
            if #available(iOS 17, macOS 14, *),
                let registrar = observers as? ObservationRegistrar
            {
                return registrar.withMutation(of: self, keyPath: \.activeProfile) {
                    registrar.withMutation(of: self, keyPath: \.availableProfiles) {
                        state.withLock(body)
                    }
                }
            }
        #endif
        return state.withLock(body)
    }

    private func noteAccess() {
        #if canImport(Observation)
            if #available(iOS 17, macOS 14, *),
                let registrar = observers as? ObservationRegistrar
            {
                registrar.access(self, keyPath: \.activeProfile)
                registrar.access(self, keyPath: \.availableProfiles)
            }
        #endif
    }

    private static func makeObservers() -> (any Sendable)? {
        #if canImport(Observation)
            if #available(iOS 17, macOS 14, *) { return ObservationRegistrar() }
        #endif
        return nil
    }

    private func activate(_ profile: SwitchableProfile, _ state: inout State) {
        if state.active == profile { return }
        state.active = profile
        watchers.send(profile)
    }
}

#if canImport(Observation)
    @available(iOS 17, macOS 14, *)
    extension ProfileSession: Observable {}
#endif

extension ProfileSession {
    /// Updates the session with the profiles in a store: the person's own, and the children whose
    /// guardian the person is. Needs no network. Does nothing before the first sync.
    ///
    /// - Parameter family: Can be left out by a member of exactly one family.
    public func update(from store: FamilyStore, family: FamilyID? = nil) throws {
        guard let own = try store.ownProfile() else { return }
        let families = try family.map { [$0] } ?? store.families().map(\.id)
        let children = try families.flatMap { try store.members(of: $0) }.filter { member in
            member.isManaged && member.status == .active
                && (member.guardianID == own.id
                    || member.guardians.contains { $0.userID == own.id })
        }
        updateProfiles(
            authenticatedUser: SwitchableProfile(
                userID: own.id, displayName: own.displayName,
                avatarKey: own.avatarKey, isManaged: false),
            managedMembers: children.map { child in
                SwitchableProfile(
                    userID: child.userID, displayName: child.displayName,
                    avatarKey: child.avatarKey, isManaged: true, guardianID: child.guardianID,
                    guardians: child.guardians, familyID: child.familyID)
            })
    }
}

extension Hearth {
    /// Updates `session` with the profiles that the account can switch to.
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
