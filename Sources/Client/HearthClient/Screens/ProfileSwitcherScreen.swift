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

/// What a sheet shows on which a person chooses for whom to act.
public struct ProfileSwitcherState: Sendable, Hashable {
    /// How much is known.
    public enum Phase: Sendable, Hashable {
        /// Nothing has been read yet: show placeholder rows.
        case loading
        /// The profiles are there.
        case loaded
        /// The profiles could not be read: show the person's own, with `errorText`.
        case failed
    }

    /// How much is known.
    public internal(set) var phase = Phase.loading
    /// As whom calls are made.
    public internal(set) var active: SwitchableProfile
    /// The person's own profile.
    public internal(set) var own: SwitchableProfile
    /// The children whose guardian the person is, in the order in which they were added.
    public internal(set) var managed: [SwitchableProfile] = []

    /// All rows.
    public var rows: [SwitchableProfile] { [own] + (phase == .loaded ? managed : []) }
    /// Whether there is a heading above the children.
    public var showsFamilyMembersHeader: Bool { phase == .loaded && !managed.isEmpty }
    /// Whether there is a button to add a child.
    public var showsAddButton: Bool { phase == .loaded }
    /// What explains that button while there is no child.
    public var caption: String? {
        phase == .loaded && managed.isEmpty
            ? "Add a profile for a family member who doesn't have their own device." : nil
    }
    /// What stands below the person's own row if the rest is missing.
    public var errorText: String? {
        phase == .failed
            ? "Couldn't load family members. Pull to refresh on the home screen." : nil
    }
    /// Whether the sheet can be made as high as the screen.
    public var needsLargeSheet: Bool { rows.count > 3 }
    /// Whether calls are made for a child: show the badge and the banner.
    public var isActing: Bool { active.isManaged }

    /// Whether a row has the check mark.
    public func isActive(_ profile: SwitchableProfile) -> Bool {
        profile.memberID == active.memberID
    }

    /// What a banner says while the person acts for a child, such as "Voting as Max"; nil
    /// otherwise.
    public func banner(_ doing: String) -> String? {
        isActing ? "\(doing) \(active.displayName)" : nil
    }

    /// How the button in the navigation bar is read out.
    public var buttonLabel: String {
        if phase == .loading { return "Profile. Double-tap to switch profiles." }
        return isActing
            ? "Viewing as \(active.displayName). Double-tap to switch profiles."
            : "Profile: \(active.displayName). Double-tap to switch profiles."
    }

    /// What is read out after a switch.
    public var announcement: String {
        isActing ? "Now viewing as \(active.displayName)" : "Now viewing as yourself"
    }

    /// The letter that stands in for a picture.
    public static func monogram(of profile: SwitchableProfile) -> String {
        profile.displayName.first.map { $0.uppercased() } ?? "?"
    }
}
