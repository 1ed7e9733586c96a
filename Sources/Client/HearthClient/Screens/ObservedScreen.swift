#if canImport(SwiftUI)
    public import SwiftUI

    /// A screen's logic that SwiftUI can observe.
    ///
    /// ```swift
    /// @StateObject var model = FamilyModel(FamilyScreen(hearth))
    ///
    /// var body: some View {
    ///     List(model.state.families) { Text($0.name) }
    ///         .task { await model.screen.load() }
    /// }
    /// ```
    @MainActor
    public final class ObservedScreen<Logic: Screen>: ObservableObject {
        /// Content of the screen.
        @Published public private(set) var state: Logic.State
        /// Logic of the screen.
        public let screen: Logic

        /// Observes the logic of a screen. Only one observer can be attached at a time.
        public init(_ screen: Logic) {
            self.screen = screen
            state = screen.state
            screen.onChange = { [weak self] in self?.state = $0 }
        }
    }

    /// A person's families, codes and joining, for SwiftUI.
    public typealias FamilyModel = ObservedScreen<FamilyScreen>
    /// The members of a family, for SwiftUI.
    public typealias MembersModel = ObservedScreen<MembersScreen>
    /// Invitations, for SwiftUI.
    public typealias InvitationsModel = ObservedScreen<InvitationsScreen>
    /// The choice of the profile to act as, for SwiftUI.
    public typealias ProfileSwitcherModel = ObservedScreen<ProfileSwitcherScreen>
    /// Signing in, for SwiftUI.
    public typealias SignInModel = ObservedScreen<SignInScreen>

    /// A profile session that SwiftUI can observe on every system.
    @MainActor
    public final class ObservedProfileSession: ObservableObject {
        /// Profile that calls are made as.
        @Published public private(set) var activeProfile: SwitchableProfile
        /// The session.
        public let session: ProfileSession
        private var following: Task<Void, Never>?

        /// Observes a session until this object is deinitialised.
        public init(_ session: ProfileSession) {
            self.session = session
            activeProfile = session.activeProfile
            following = Task { [weak self] in
                for await profile in session.changes { self?.activeProfile = profile }
            }
        }

        deinit { following?.cancel() }
    }
#endif

#if canImport(Observation)
    public import Observation

    /// A screen's logic that SwiftUI observes through Observation, on iOS 17 and macOS 14.
    ///
    /// ```swift
    /// @State var model = ObservableScreen(FamilyScreen(hearth, store: store))
    /// ```
    @available(iOS 17, macOS 14, *)
    @MainActor
    @Observable
    public final class ObservableScreen<Logic: Screen> {
        /// Content of the screen.
        public private(set) var state: Logic.State
        /// Logic of the screen.
        @ObservationIgnored public let screen: Logic

        /// Observes the logic of a screen. Only one observer can be attached at a time.
        public init(_ screen: Logic) {
            self.screen = screen
            state = screen.state
            screen.onChange = { [weak self] in self?.state = $0 }
        }
    }
#endif
