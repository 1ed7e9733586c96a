/// The logic of a screen, without a user interface: what it shows is its state.
///
/// SwiftUI observes one by an `ObservedScreen`, such as `FamilyModel`; anything else by `onChange`.
@MainActor
public protocol Screen: AnyObject {
    /// What the screen shows.
    associatedtype State: Sendable & Equatable

    /// What the screen shows.
    var state: State { get }
    /// Called after each change of the state.
    var onChange: (@MainActor (State) -> Void)? { get set }
}
