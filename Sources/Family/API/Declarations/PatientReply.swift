import Threads

/// A response, or a wait for what it is to tell.
enum PatientReply: Sendable {
    /// A wait for changes that holds no thread.
    struct Wait: Sendable {
        /// Versions of families and people, by their hashes: the wait ends when one is higher.
        let watched: [Int64: Int64]
        let deadline: Deadline
        /// Is given what ends the wait before its time.
        var onParked: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
        /// Runs after the wait; whether something watched has changed.
        let again: @Sendable (Bool) throws -> PatientReply
    }

    /// A part of a response that goes on.
    struct Part: Sendable {
        /// Only in the first part.
        var head: Reply?
        let text: String
        /// Nil at the end.
        let next: Wait?
    }

    case reply(Reply)
    case wait(Wait)
    case part(Part)
}
