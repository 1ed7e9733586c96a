import Domain
import JSON

/// Written form of a value in a request. One declaration parses and describes the value.
struct Format<Value: Sendable>: Sendable {
    private(set) var schema: Schema
    /// The expected form; completes "must be".
    let expected: String
    /// If true, an empty text means the same as leaving the field out.
    private(set) var isNoneWhenEmpty = false
    /// Parses the value of a path or query; returns nil if it is not as expected.
    let fromText: @Sendable (String) -> Value?
    /// Parses the value of a body; returns nil if it is not as expected.
    private let fromJSON: @Sendable (JSONValue) -> Value?
    /// Explanation of a wrong value, written after the field's name.
    private let complaint: @Sendable (JSONValue) -> String

    /// Declares a value that is written as a text.
    ///
    /// - Parameter complaint: The explanation of a wrong text, following the field's name; nil for
    ///   the standard message.
    init(
        _ schema: Schema, _ expected: String,
        complaint: @escaping @Sendable (String) -> String? = { _ in nil },
        _ convert: @escaping @Sendable (String) -> Value?
    ) {
        self.schema = schema
        self.expected = expected
        fromText = convert
        fromJSON = { value in
            guard case .string(let text) = value else { return nil }
            return convert(text)
        }
        self.complaint = { value in
            guard case .string(let text) = value else {
                return "must be a string, found \(value.kind)"
            }
            return complaint(text) ?? "must be \(expected)"
        }
    }

    /// Declares a value that a body does not contain as a string.
    private init(
        _ schema: Schema, _ expected: String, fromText: @escaping @Sendable (String) -> Value?,
        fromJSON: @escaping @Sendable (JSONValue) -> Value?
    ) {
        self.schema = schema
        self.expected = expected
        self.fromText = fromText
        self.fromJSON = fromJSON
        complaint = { "must be \(expected), found \($0.inWords)" }
    }

    /// Parses the value of a body's field.
    func read(_ field: JSONField) throws(Problem) -> Value {
        let value = field.value ?? .null
        if let read = fromJSON(value) { return read }
        throw .field(field.path, "`\(field.path)` \(complaint(value)).", .invalidField)
    }

    /// Format of an optional field for which an empty text means the same as leaving it out.
    var orEmpty: Format {
        var format = self
        format.isNoneWhenEmpty = true
        format.schema = schema.orEmpty
        return format
    }
}

extension JSONValue {
    /// Description for error messages: a number or boolean itself, otherwise the kind of value; for
    /// an array, the number of its elements.
    fileprivate var inWords: String {
        switch self {
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .array(let elements): "an array of \(elements.count)"
        default: kind
        }
    }
}

extension Format where Value: BoundedText {
    /// Text of limited length.
    static var text: Format {
        let lengths = Value.allowedLengths
        return Format(
            .text(lengths), "\(lengths.lowerBound) to \(lengths.upperBound) characters long",
            complaint: { Value.fault(in: $0)?.description }
        ) { Value($0) }
    }
}

extension Format where Value: RawRepresentable<String> & CaseIterable {
    /// One word of a closed set.
    static var word: Format {
        let words = Value.allCases.map(\.rawValue)
        return Format(.word(words), words.map { "\"\($0)\"" }.joined(separator: " or ")) {
            Value(rawValue: $0)
        }
    }
}

extension Format {
    /// A list with a limited number of elements, which `read` parses from JSON.
    static func list<Element>(
        of element: Schema, _ counts: ClosedRange<Int>, _ expected: String,
        _ read: @escaping @Sendable (JSONValue) -> Element
    ) -> Format where Value == [Element] {
        let schema = Schema([
            "type": "array", "items": element.value,
            "minItems": .integer(Int64(counts.lowerBound)),
            "maxItems": .integer(Int64(counts.upperBound)),
        ])
        return Format(
            schema, expected, fromText: { _ in nil },
            fromJSON: { value in
                guard case .array(let elements) = value, counts.contains(elements.count) else {
                    return nil
                }
                return elements.map(read)
            })
    }
}

extension Format where Value == Int {
    /// An integer within bounds, even if written with a fraction of zero.
    static func integer(_ bounds: ClosedRange<Int>) -> Format {
        Format(
            .integer(bounds), "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)",
            fromText: { text in Int(text).flatMap { bounds.contains($0) ? $0 : nil } },
            fromJSON: { value in
                let number: Int? =
                    switch value {
                    case .integer(let number): Int(exactly: number)
                    case .number(let number): Int(exactly: number)
                    default: nil
                    }
                return number.flatMap { bounds.contains($0) ? $0 : nil }
            })
    }

    /// Format that also accepts the digits as a text, which is what forms send; an empty text means
    /// the same as leaving the field out.
    var orDigits: Format {
        let digits = Schema(["type": "string", "pattern": "^[0-9]*$"])
        var format = Format(
            Schema(["anyOf": [schema.value, digits.value]]), expected, fromText: fromText,
            fromJSON: { [fromText, fromJSON] value in
                guard case .string(let text) = value else { return fromJSON(value) }
                let digits = text.asShortText
                return digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
                    ? fromText(digits) : nil
            })
        format.isNoneWhenEmpty = true
        return format
    }
}

extension Format where Value == Double {
    /// Formats a bound, omitting a fraction of zero.
    private static func words(_ bound: Double) -> String {
        Int(exactly: bound).map { "\($0)" } ?? "\(bound)"
    }

    /// A number within bounds.
    static func number(_ bounds: ClosedRange<Double>) -> Format {
        Format(
            .number(bounds),
            "a number from \(words(bounds.lowerBound)) to \(words(bounds.upperBound))",
            fromText: { text in Double(text).flatMap { bounds.contains($0) ? $0 : nil } },
            fromJSON: { value in
                let number: Double? =
                    switch value {
                    case .integer(let number): Double(number)
                    case .number(let number): number
                    default: nil
                    }
                return number.flatMap { bounds.contains($0) ? $0 : nil }
            })
    }
}

extension Format where Value == Bool {
    /// `true` or `false`.
    static let flag = Format(
        .boolean, "true or false",
        fromText: { $0 == "true" ? true : $0 == "false" ? false : nil },
        fromJSON: { value in
            guard case .bool(let flag) = value else { return nil }
            return flag
        })
}

extension Format where Value == JSONValue {
    /// An object whose members the operation parses itself.
    static let object = Format(
        .object, "an object", fromText: { _ in nil },
        fromJSON: { value in
            guard case .object = value else { return nil }
            return value
        })
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

// Formats of domain values that are not ids, words or plain text.

extension Format where Value == EmailAddress {
    /// An e-mail address.
    static let email = Format(
        Schema([
            "type": "string", "format": "email",
            "maxLength": .integer(Int64(EmailAddress.maximumBytes)),
        ]), "an e-mail address of at most \(EmailAddress.maximumBytes) bytes"
    ) { EmailAddress($0) }
}

extension Format where Value == AvatarURL {
    /// An https URL, or an empty text.
    static let avatarURL = Format(
        Schema([
            "type": "string", "pattern": #"^$|^https://\S+$"#,
            "maxLength": .integer(Int64(AvatarURL.maximumBytes)),
        ]), "an https URL of at most \(AvatarURL.maximumBytes) bytes, or empty"
    ) { AvatarURL($0) }
}

extension Format where Value == LanguageTag {
    /// A language tag.
    static let languageTag = Format(
        Schema([
            "type": "string", "pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$",
            "maxLength": .integer(Int64(LanguageTag.maximumBytes)),
        ]), "a language such as es or es-MX"
    ) { LanguageTag($0) }
}

extension Format where Value == ReturnPath {
    /// The path of one of the pages, with its parameters.
    static let pagePath = Format(
        Schema(["type": "string", "pattern": "^/[!-~]{1,511}$"]),
        "the path of a page, such as /family"
    ) { ReturnPath($0) }
}

extension Format where Value == CalendarDate {
    /// A calendar date.
    static let date = Format(
        Schema(["type": "string", "format": "date"]), "a date such as 2009-05-31"
    ) { CalendarDate($0) }
}

extension Format where Value == String {
    /// A family's code as people type and paste it. The use case rejects malformed codes, with the
    /// apps' message.
    static let familyCode = Format(.string, "a string") { $0 }

    /// A mailed code as people type and paste it. The use case rejects malformed codes.
    static let mailedCode = Format(.string, "a string") { $0 }

    /// Text whose form the use case checks.
    static let anyText = Format(.string, "a string") { $0 }

    /// The name of a consent purpose. A malformed one matches no purpose.
    static let purpose = Format(
        Schema(["type": "string", "pattern": "^[a-z][a-z0-9_-]{0,62}$"]), "a string"
    ) { $0 }

    /// The version of a text. A malformed one never equals the current version.
    static let textVersion = Format(
        Schema(["type": "string", "pattern": "^[!-~]{1,64}$"]), "a string"
    ) { $0 }

    /// The token from an invitation's link. A malformed one matches no invitation.
    static let invitationToken = Format(sealed(characters: 43), "a string") { $0 }

    /// A cursor that a previous page returned.
    static let cursor = Format(sealed(characters: 32), "a string") { $0 }

    /// Schema of base64url text of this length.
    private static func sealed(characters: Int) -> Schema {
        Schema(["type": "string", "pattern": .string("^[A-Za-z0-9_-]{\(characters)}$")])
    }
}

extension Format where Value == Timestamp {
    /// A timestamp with its offset from UTC.
    static let moment = Format(.timestampInHeader, "a moment such as 2026-02-08T12:00:00Z") {
        Timestamp(iso8601: $0)
    }
}
