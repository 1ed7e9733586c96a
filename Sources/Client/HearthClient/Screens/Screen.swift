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

/// What a screen shows in a banner.
public enum ScreenNotice: Sendable, Hashable {
    /// Something was done: goes by itself after some seconds.
    case success(String)
    /// Something was not done: stays until it is dismissed, with what can be done about it.
    case failure(String, NextStep)

    /// What to show.
    public var text: String {
        switch self {
        case .success(let text), .failure(let text, _): text
        }
    }

    /// Whether something was not done.
    public var isFailure: Bool {
        if case .failure = self { true } else { false }
    }

    /// Nil for a task that was cancelled: nobody looks any more.
    init?(_ error: any Error) {
        switch error {
        case is CancellationError: return nil
        case let error as HearthError: self = .failure(error.message, error.nextStep)
        default: self = .failure("Something went wrong.", .report)
        }
    }
}
