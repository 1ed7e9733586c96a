/// The logic of a sheet on which a person chooses the profile to act as.
@MainActor
public final class ProfileSwitcherScreen: Screen {
    /// Content of the sheet.
    public private(set) var state: ProfileSwitcherState {
        didSet { if state != oldValue { onChange?(state) } }
    }
    /// Handler that is called after each change of the state.
    public var onChange: (@MainActor (ProfileSwitcherState) -> Void)?

    private let hearth: Hearth
    private let session: ProfileSession
    private let family: FamilyID?
    private let store: FamilyStore?

    /// - Parameters:
    ///   - family: Can be left out by a member of exactly one family.
    ///   - store: Kept up to date by a `SyncEngine`: then the screen shows stored profiles at once,
    ///     and children can be added offline. Without a store each load requests the profiles from
    ///     Hearth.
    public init(
        _ hearth: Hearth, session: ProfileSession, family: FamilyID? = nil,
        store: FamilyStore? = nil
    ) {
        self.hearth = hearth
        self.session = session
        self.family = family
        self.store = store
        state = ProfileSwitcherState(
            active: session.activeProfile, own: session.availableProfiles[0])
    }

    /// Loads the profiles. If the active child is gone, the person's own profile becomes active.
    public func load() async {
        do {
            if let store {
                try session.update(from: store, family: family)
            } else {
                try await hearth.refreshProfiles(of: session, in: family)
            }
            state.phase = .loaded
        } catch is CancellationError {
            return
        } catch {
            // Offline, the profiles that were loaded before remain.
            if state.phase == .loading {
                state.phase = session.managedProfiles.isEmpty ? .failed : .loaded
            }
        }
        show()
    }

    /// Shows changes of the session and of the store until the task is cancelled.
    public func follow() async {
        // Registered before the first read, so that no change is missed.
        let changes = store?.changes
        let watching = Task { [weak self] in
            guard let changes else { return }
            for await kinds in changes where kinds.contains(.member) { await self?.load() }
        }
        defer { watching.cancel() }
        for await _ in session.changes { show() }
    }

    /// Makes a profile active, at once and without a request.
    public func choose(_ profile: SwitchableProfile) {
        session.switchProfile(to: profile)
        show()
    }

    /// Adds a child, whose profile can then be chosen at once.
    public func add(named name: String, avatarKey: String? = nil) async throws {
        if let store, let own = try store.ownMember(in: family) {
            try store.enqueue(
                .addManagedMember(
                    named: name, avatarKey: avatarKey, to: own.familyID, guardian: own))
        } else {
            try await hearth.addManagedMember(named: name, avatarKey: avatarKey, to: family)
        }
        await load()
    }

    private func show() {
        state.active = session.activeProfile
        state.own = session.availableProfiles[0]
        state.managed = session.managedProfiles
    }
}

/// Content of a sheet on which a person chooses the profile to act as.
public struct ProfileSwitcherState: Sendable, Hashable {
    /// Progress of loading the profiles.
    public enum Phase: Sendable, Hashable {
        /// The profiles are being loaded for the first time: show placeholder rows.
        case loading
        /// The profiles are loaded.
        case loaded
        /// Loading failed: show the person's own profile, with `errorText`.
        case failed
    }

    /// Progress of loading the profiles.
    public var phase = Phase.loading
    /// Profile that calls are made as.
    public var active: SwitchableProfile
    /// The person's own profile.
    public var own: SwitchableProfile
    /// Children whose guardian the person is, in the order in which they were added.
    public var managed: [SwitchableProfile] = []

    /// Creates the state before loading; for previews, set the other properties.
    public init(active: SwitchableProfile, own: SwitchableProfile) {
        self.active = active
        self.own = own
    }

    /// All rows of the sheet.
    public var rows: [SwitchableProfile] { [own] + (phase == .loaded ? managed : []) }
    /// Whether to show a heading above the children.
    public var showsFamilyMembersHeader: Bool { phase == .loaded && !managed.isEmpty }
    /// Whether to show a button that adds a child.
    public var showsAddButton: Bool { phase == .loaded }
    /// Explanation of that button; nil if there is a child.
    public var caption: String? {
        phase == .loaded && managed.isEmpty
            ? "Add a profile for a family member who doesn't have their own device." : nil
    }
    /// Text below the person's own row if loading failed; else nil.
    public var errorText: String? {
        phase == .failed
            ? "Couldn't load family members. Pull to refresh on the home screen." : nil
    }
    /// Whether the sheet needs a large detent.
    public var needsLargeSheet: Bool { rows.count > 3 }
    /// Whether calls are made for a child: if so, show the badge and the banner.
    public var isActing: Bool { active.isManaged }

    /// Whether a row has the check mark.
    public func isActive(_ profile: SwitchableProfile) -> Bool {
        profile.userID == active.userID
    }

    /// Text of a banner while the person acts for a child, such as "Voting as Max"; else nil.
    public func banner(_ doing: String) -> String? {
        isActing ? "\(doing) \(active.displayName)" : nil
    }

    /// Accessibility label of the button in the navigation bar.
    public var buttonLabel: String {
        if phase == .loading { return "Profile. Double-tap to switch profiles." }
        return isActing
            ? "Viewing as \(active.displayName). Double-tap to switch profiles."
            : "Profile: \(active.displayName). Double-tap to switch profiles."
    }

    /// Accessibility announcement after a switch.
    public var announcement: String {
        isActing ? "Now viewing as \(active.displayName)" : "Now viewing as yourself"
    }

    /// Letter to show instead of a picture.
    public static func monogram(of profile: SwitchableProfile) -> String {
        profile.displayName.first.map { $0.uppercased() } ?? "?"
    }
}
