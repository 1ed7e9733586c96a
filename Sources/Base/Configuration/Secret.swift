/// Text that is never shown: printing, interpolating, dumping or logging it shows `(secret)`.
package struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let text: String

    /// Wraps a secret text.
    package init(_ text: String) {
        self.text = text
    }

    /// Returns the text itself, for the code that uses it.
    package func reveal() -> String { text }

    /// The placeholder `(secret)`.
    package var description: String { "(secret)" }
    /// The placeholder `(secret)`.
    package var debugDescription: String { "(secret)" }
    /// Hides the value from reflection.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Expectation where Value == Secret {
    /// A secret of at least this many bytes.
    package static func secret(minimumBytes: Int = 1) -> Expectation {
        Expectation(minimumBytes > 1 ? "at least \(minimumBytes) bytes" : "some text") {
            $0.utf8.count >= minimumBytes ? Secret($0) : nil
        }
    }
}

extension Expectation where Value == [Secret] {
    /// One or more secrets of at least this many bytes each, separated by commas, blanks or line
    /// breaks. The first is used, the others are still accepted.
    package static func secrets(minimumBytes: Int) -> Expectation {
        Expectation(
            "one or more keys of at least \(minimumBytes) bytes each, separated by commas"
        ) { word in
            let parts = word.split { $0 == "," || $0.isWhitespace }
            guard !parts.isEmpty, parts.allSatisfy({ $0.utf8.count >= minimumBytes }) else {
                return nil
            }
            return parts.map { Secret(String($0)) }
        }
    }
}
