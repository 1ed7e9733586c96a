#if canImport(SwiftUI)
    public import SwiftUI

    /// A screen's logic as SwiftUI observes it.
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
        /// What the screen shows.
        @Published public private(set) var state: Logic.State
        /// What the screen does.
        public let screen: Logic

        /// Observes the logic of a screen; one at a time.
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
    /// For whom a person acts, for SwiftUI.
    public typealias ProfileSwitcherModel = ObservedScreen<ProfileSwitcherScreen>
#endif
