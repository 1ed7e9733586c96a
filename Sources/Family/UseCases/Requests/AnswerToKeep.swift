/// The part of a response that is stored for replays.
package struct AnswerToKeep: Sendable {
    /// Bytes that the text may have.
    package static let maximumBytes = 131_072

    /// 200 to 499: errors of the server are not replayed.
    package let status: Int16
    /// The format of the text, which a program must know to read it.
    package let format: Int16
    /// Nothing secret.
    package let text: String

    package init(status: Int, format: Int16, text: String) {
        precondition((200...499).contains(status), "an answer that is not to be told again")
        self.status = Int16(status)
        self.format = format
        self.text = text
    }
}

/// An answer is longer than what is kept; so its request has no effect under a key. A fault of ours:
/// answers of routes that have an effect are bounded.
package struct AnswerTooLong: Error, CustomStringConvertible {
    package let bytes: Int
    package var description: String {
        "an answer of \(bytes) bytes can't be kept, \(AnswerToKeep.maximumBytes) at most"
    }
}
