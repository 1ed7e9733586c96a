/// How a word of a command line or a setting becomes a value, and the message if it does not.
///
/// Shared by arguments and settings, so that both have the same messages.
package struct Expectation<Value: Sendable>: Sendable {
    /// The expected form; completes "expected": `a whole number from 1 to 65535`.
    package let description: String

    /// The completions that a shell can offer.
    package let completion: Completion

    private let convert: @Sendable (String) -> Value?

    /// A custom expectation.
    ///
    /// `convert` answers nil for a word that is not what `description` says.
    package init(
        _ description: String, completion: Completion = .none,
        convert: @escaping @Sendable (String) -> Value?
    ) {
        self.description = description
        self.completion = completion
        self.convert = convert
    }

    /// The value of a word, or nil when it is not what is expected.
    package func value(of word: String) -> Value? {
        convert(word)
    }
}

/// The completions that a shell can offer for a word.
package enum Completion: Sendable, Equatable {
    /// Nothing is known.
    case none
    /// One of these words.
    case words([String])
    /// The path of a file.
    case file
    /// The path of a folder.
    case folder
}
