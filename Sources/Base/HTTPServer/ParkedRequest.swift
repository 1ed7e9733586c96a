/// A request that can't be answered yet, and needs no thread until it can.
package struct ParkedRequest: Sendable {
    /// Called once when the request is parked: what it is given resumes the request, from any
    /// thread, at most once. It may be called before this returns. The server resumes the request
    /// itself when its client has gone, and when the server stops.
    let onParked: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Runs on a thread of the server after the request was resumed.
    let again: @Sendable () -> WorkOutcome

    /// - Parameters:
    ///   - onParked: Sees to it that the request is resumed by its deadline.
    ///   - again: Answers, or parks the request again.
    package init(
        onParked: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        again: @escaping @Sendable () -> WorkOutcome
    ) {
        self.onParked = onParked
        self.again = again
    }
}

/// What work on a request comes to.
package enum WorkOutcome: Sendable {
    case response(Response)
    case parked(ParkedRequest)
    /// A part of a response that goes on: for `HTTP/1.1` without a length, up to the close.
    case part(StreamPart)
}
