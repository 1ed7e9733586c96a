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
#endif
