/// The conversion of a word of a command line or setting into a value, with its error message.
///
/// Shared by arguments and settings, so that both have the same messages.
package struct Expectation<Value: Sendable>: Sendable {
    /// The expected form; completes "expected": `a whole number from 1 to 65535`.
    package let description: String

    /// The completions that a shell can offer.
    package let completion: Completion

    private let convert: @Sendable (String) -> Value?

    /// Whether the word is the path of a file or folder.
    var isPath: Bool { [.file, .folder].contains(completion) }

    /// Creates a custom expectation.
    ///
    /// `convert` returns nil for a word that does not have the form of `description`.
    package init(
        _ description: String, completion: Completion = .none,
        convert: @escaping @Sendable (String) -> Value?
    ) {
        self.description = description
        self.completion = completion
        self.convert = convert
    }

    /// Returns the value of a word, or nil if the word does not have the expected form.
    package func value(of word: String) -> Value? {
        convert(word)
    }
}

/// The completions that a shell can offer for a word.
package enum Completion: Sendable, Equatable {
    /// The shell offers nothing.
    case none
    /// Any of these words.
    case words([String])
    /// The path of a file.
    case file
    /// The path of a folder.
    case folder
}
