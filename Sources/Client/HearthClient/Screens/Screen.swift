/// The logic of a screen, without a user interface: its state is what the screen shows.
///
/// SwiftUI observes it through an `ObservedScreen`, such as `FamilyModel`; other code through
/// `onChange`.
@MainActor
public protocol Screen: AnyObject {
    /// Content of the screen.
    associatedtype State: Sendable & Equatable

    /// Content of the screen.
    var state: State { get }
    /// Handler that is called after each change of the state.
    var onChange: (@MainActor (State) -> Void)? { get set }
}

/// Content of a banner.
public enum ScreenNotice: Sendable, Hashable {
    /// An action succeeded. The banner disappears by itself after a few seconds.
    case success(String)
    /// An action failed. The banner stays until it is dismissed; the next step says what to do.
    case failure(String, NextStep)

    /// Text to show.
    public var text: String {
        switch self {
        case .success(let text), .failure(let text, _): text
        }
    }

    /// Whether the action failed.
    public var isFailure: Bool {
        if case .failure = self { true } else { false }
    }

    /// Returns nil for a cancelled task: the screen is no longer visible.
    init?(_ error: any Error) {
        switch error {
        case is CancellationError: return nil
        case let error as HearthError: self = .failure(error.message, error.nextStep)
        default: self = .failure("Something went wrong.", .report)
        }
    }
}
