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
    /// A change is stored on this device and waits to be sent. The banner disappears when the
    /// change has been sent; `FamilyStore.cancel(_:)` undoes the change until then.
    case waiting(String, QueuedMutation)
    /// An action failed, or a change that waited was refused or may have been made. The banner
    /// stays until it is dismissed; the next step says what to do.
    case failure(String, NextStep)

    /// Text to show.
    public var text: String {
        switch self {
        case .success(let text), .waiting(let text, _), .failure(let text, _): text
        }
    }

    /// Whether the banner announces a change that waits to be sent.
    public var isWaiting: Bool {
        if case .waiting = self { true } else { false }
    }

    /// Whether the action failed.
    public var isFailure: Bool {
        if case .failure = self { true } else { false }
    }

    /// Returns nil for a cancelled task: the screen is no longer visible.
    init?(_ error: any Error, in language: String = SentenceLanguage.current) {
        switch error {
        case is CancellationError: return nil
        case let error as HearthError:
            self = .failure(error.message(in: language), error.nextStep)
        default:
            self = .failure(ScreenSentence.fault.text(in: language), .report)
        }
    }

    /// Returns nil unless Hearth has refused a change of one of the given kinds, or may have made
    /// it.
    init?(
        _ conflict: Conflict, of kinds: [MutationKind],
        in language: String = SentenceLanguage.current
    ) {
        guard let kind = conflict.mutation, kinds.contains(kind) else { return nil }
        switch conflict.outcome {
        case .refused(let code, let message):
            let known = ErrorCode(rawValue: code) ?? .unrecognized
            self = .failure(known.message(message, in: language), .resolve)
        case .unknown:
            self = .failure(ScreenSentence.outcomeUnknown.text(in: language), .refresh)
        case .theirsKept, .yoursKept, .overwritten: return nil
        }
    }

    /// Returns whether the banner announces a change that is no longer in the queue.
    func isOutdated(by queue: [QueuedMutation]) -> Bool {
        guard case .waiting(_, let change) = self else { return false }
        return !queue.contains { $0.id == change.id }
    }
}
