/// The logic of a sheet on which a person chooses for whom to act.
@MainActor
public final class ProfileSwitcherScreen: Screen {
    /// What the sheet shows.
    public private(set) var state: ProfileSwitcherState {
        didSet { if state != oldValue { onChange?(state) } }
    }
    /// Called after each change of the state.
    public var onChange: (@MainActor (ProfileSwitcherState) -> Void)?

    private let hearth: Hearth
    private let session: ProfileSession
    private let family: FamilyID?

    /// - Parameter family: Can be left out by a member of exactly one family.
    public init(_ hearth: Hearth, session: ProfileSession, family: FamilyID? = nil) {
        self.hearth = hearth
        self.session = session
        self.family = family
        state = ProfileSwitcherState(
            active: session.activeProfile, own: session.availableProfiles[0])
    }

    /// Reads the profiles. If a child that was acted for is gone, the person acts for itself again.
    public func load() async {
        do {
            try await hearth.refreshProfiles(of: session, in: family)
            state.phase = .loaded
        } catch is CancellationError {
            return
        } catch {
            // What was read before is still there, offline.
            if state.phase == .loading {
                state.phase = session.managedProfiles.isEmpty ? .failed : .loaded
            }
        }
        show()
    }

    /// Shows what changes in the session until the task is cancelled.
    public func follow() async {
        for await _ in session.changes { show() }
    }

    /// Acts as one of the rows. At once: Hearth is asked nothing.
    public func choose(_ profile: SwitchableProfile) {
        session.switchProfile(to: profile)
        show()
    }

    /// Adds a child; it can be chosen right away.
    public func add(named name: String, avatarKey: String? = nil) async throws {
        try await hearth.addManagedMember(named: name, avatarKey: avatarKey, to: family)
        await load()
    }

    private func show() {
        state.active = session.activeProfile
        state.own = session.availableProfiles[0]
        state.managed = session.managedProfiles
    }
}
