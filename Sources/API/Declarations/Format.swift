import Domain
import JSON

/// How a value is written in a request: what reads it also describes it.
struct Format<Value: Sendable>: Sendable {
    let schema: Schema
    /// What is expected, as it follows "must be".
    let expected: String
    /// Reads it in a path or query; nil when it is not as expected.
    let fromText: @Sendable (String) -> Value?
    /// Reads it in a body.
    let fromJSON: @Sendable (JSONField) throws(JSONError) -> Value?

    /// Something written as a text.
    init(
        _ schema: Schema, _ expected: String, _ convert: @escaping @Sendable (String) -> Value?
    ) {
        self.schema = schema
        self.expected = expected
        fromText = convert
        fromJSON = { field throws(JSONError) in convert(try field.string()) }
    }

    private init(
        _ schema: Schema, _ expected: String, fromText: @escaping @Sendable (String) -> Value?,
        fromJSON: @escaping @Sendable (JSONField) throws(JSONError) -> Value?
    ) {
        self.schema = schema
        self.expected = expected
        self.fromText = fromText
        self.fromJSON = fromJSON
    }
}

extension Format where Value == String {
    /// Text whose form is a use case's business.
    static let text = Format(.string, "a string") { $0 }
}

extension Format where Value: BoundedText {
    /// Text of a bounded length.
    static var text: Format {
        let lengths = Value.allowedLengths
        return Format(
            .text(lengths), "\(lengths.lowerBound) to \(lengths.upperBound) characters long"
        ) { Value($0) }
    }
}

extension Format where Value: RawRepresentable<String> & CaseIterable {
    /// One of a closed set of words.
    static var word: Format {
        let words = Value.allCases.map(\.rawValue)
        return Format(.word(words), words.map { "\"\($0)\"" }.joined(separator: " or ")) {
            Value(rawValue: $0)
        }
    }
}

extension Format {
    /// A UUID in any letter case.
    static func id<Entity>() -> Format where Value == ID<Entity> {
        Format(.uuid, "a UUID") { ID($0) }
    }

    /// A UUID, or `managed_` and a UUID, in any letter case.
    static func shownID<Entity>() -> Format where Value == ID<Entity> {
        Format(.shownID, "an id: a UUID, or managed_ and a UUID") { text in
            let isMarked = text.prefix(8).lowercased() == "managed_"
            return ID(isMarked ? String(text.dropFirst(8)) : text)
        }
    }
}

extension Format where Value == Int {
    /// A whole number within bounds.
    static func integer(_ bounds: ClosedRange<Int>) -> Format {
        Format(
            .integer(bounds), "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)",
            fromText: { text in Int(text).flatMap { bounds.contains($0) ? $0 : nil } },
            fromJSON: { field throws(JSONError) in
                Int(exactly: try field.integer()).flatMap { bounds.contains($0) ? $0 : nil }
            })
    }
}

extension Format where Value == Double {
    /// A number within bounds.
    static func number(_ bounds: ClosedRange<Double>) -> Format {
        Format(
            .number(bounds), "a number from \(bounds.lowerBound) to \(bounds.upperBound)",
            fromText: { text in Double(text).flatMap { bounds.contains($0) ? $0 : nil } },
            fromJSON: { field throws(JSONError) in
                let number = try field.number()
                return bounds.contains(number) ? number : nil
            })
    }
}

extension Format where Value == Bool {
    /// `true` or `false`.
    static let flag = Format(
        .boolean, "true or false",
        fromText: { $0 == "true" ? true : $0 == "false" ? false : nil },
        fromJSON: { field throws(JSONError) in try field.bool() })
}
