extension Expectation where Value == String {
    /// Any text except an empty one.
    package static let text = Expectation("some text") { $0.isEmpty ? nil : $0 }

    /// The path of a file. Its existence is not checked here.
    package static let file = Expectation("the path of a file", completion: .file) {
        isPath($0) ? $0 : nil
    }

    /// The path of a folder. Its existence is not checked here.
    package static let folder = Expectation("the path of a folder", completion: .folder) {
        isPath($0) ? $0 : nil
    }

    /// One of the given words, case-sensitive.
    package static func word(_ words: [String]) -> Expectation {
        Expectation(listing(words), completion: .words(words)) { words.contains($0) ? $0 : nil }
    }

    /// Whether the word is a path. A NUL would truncate the path in the kernel. A text with a line
    /// break is the content of a file, perhaps a secret one, and not its path.
    private static func isPath(_ word: String) -> Bool {
        !word.isEmpty && !word.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }
}

extension Expectation where Value == Int {
    /// A whole number within bounds, in decimal digits.
    package static func integer(_ bounds: ClosedRange<Int>) -> Expectation {
        Expectation("a whole number from \(bounds.lowerBound) to \(bounds.upperBound)") { word in
            // Int.init accepts a leading "+", which is a typing mistake in a port or a count.
            guard !word.hasPrefix("+"), let number = Int(word) else { return nil }
            return bounds.contains(number) ? number : nil
        }
    }
}

extension Expectation where Value == Double {
    /// A number of seconds, with an optional fraction.
    package static func seconds(_ bounds: ClosedRange<Double>) -> Expectation {
        Expectation(
            "a number of seconds from \(plain(bounds.lowerBound)) to \(plain(bounds.upperBound))"
        ) { word in
            let isDecimal = word.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 }
            guard isDecimal, let number = Double(word) else { return nil }
            return bounds.contains(number) ? number : nil
        }
    }

    /// Formats a whole number without a fraction: `60`, not `60.0`.
    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? String(number)
    }
}

extension Expectation where Value == Bool {
    /// A switch: `on` or `off`; `true`, `false`, `yes`, `no`, `1`, `0` are accepted as well.
    package static let toggle = Expectation("on or off", completion: .words(["on", "off"])) {
        switch $0.lowercased() {
        case "on", "true", "yes", "1": true
        case "off", "false", "no", "0": false
        default: nil
        }
    }
}

extension Expectation where Value: CaseIterable & RawRepresentable<String> {
    /// Any of an enumeration's raw values.
    package static var oneOf: Expectation { oneOf(except: []) }

    /// Any of an enumeration's raw values, with exceptions.
    package static func oneOf(except excluded: [Value]) -> Expectation {
        let excludedWords = excluded.map(\.rawValue)
        let words = Value.allCases.map(\.rawValue).filter { !excludedWords.contains($0) }
        return Expectation(listing(words), completion: .words(words)) { word in
            words.contains(word) ? Value(rawValue: word) : nil
        }
    }
}

/// Joins words for a message: `a`, `a or b`, `a, b or c`.
package func listing(_ words: [String], conjunction: String = "or") -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
}
