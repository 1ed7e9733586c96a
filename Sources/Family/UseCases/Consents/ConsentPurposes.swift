import JSON
package import Policy

/// The consents that guardians and accounts are asked for, from the file of `HEARTH_CONSENTS_FILE`:
/// a JSON array of objects.
///
/// | field | meaning |
/// |---|---|
/// | `purpose` | its name: lower-case letters, digits, `_` and `-`; required, unique |
/// | `version` | the version of the text, such as `2026-03`; required |
/// | `for` | `child` (default): guardians consent for each child; `account`: each for itself |
/// | `required` | a child's preferences are written only with it; an account is asked for it |
/// | `refuses` | of an account: the permissions that it lacks without this consent; default: none |
/// | `title`, `text` | for people: a string, or an object of strings by language; required |
package struct ConsentPurposes: Sendable {
    /// A purpose of consent.
    package struct Purpose: Sendable, Equatable {
        /// Name of the purpose, unique in the file.
        package let name: String
        /// Version of the text. A required consent is valid only for the current version.
        package let version: String
        /// Whether the consent is required. Without a required consent, a child's preferences
        /// aren't written and services don't act for the child; an account is asked for it.
        package let isRequired: Bool
        /// If true, accounts consent for themselves; if false, guardians consent for children.
        package let isForAccounts: Bool
        /// Actions that are refused to an account without this consent.
        package let refused: [Action]
        /// Titles by language; `und` for a text without a language.
        package let title: [LocalText]
        /// Texts by language, like ``title``.
        package let text: [LocalText]
    }

    /// A text in a language.
    package struct LocalText: Sendable, Equatable {
        /// Language as in the file; `und` for a text without one.
        package let language: String
        package let text: String
    }

    /// All mistakes in the file, each a sentence that says where it is.
    package struct Mistakes: Error, Sendable, Equatable, CustomStringConvertible {
        package let sentences: [String]

        package init(sentences: [String]) { self.sentences = sentences }

        package var description: String { sentences.joined(separator: "\n") }
    }

    /// Maximum number of purposes.
    package static let limit = 100

    /// All purposes, in the order of the file.
    package let all: [Purpose]

    /// Creates an empty list of purposes.
    package init() { all = [] }

    /// Reads the file's contents.
    package init(parsing bytes: [UInt8]) throws(Mistakes) {
        let elements: [JSONField]
        do throws(JSONError) {
            elements = try JSONField(try JSONValue(parsing: bytes)).elements()
        } catch {
            throw Mistakes(sentences: [error.description(in: bytes)])
        }
        var purposes: [Purpose] = []
        var sentences: [String] = []
        if elements.count > Self.limit {
            sentences.append("The document must name at most \(Self.limit) purposes")
        }
        for element in elements {
            var reader = PurposeReader(element)
            if let purpose = reader.purpose() {
                if purposes.contains(where: { $0.name == purpose.name }) {
                    sentences.append("`\(element.path).purpose` is a duplicate")
                }
                purposes.append(purpose)
            }
            sentences += reader.mistakes
        }
        guard sentences.isEmpty else { throw Mistakes(sentences: sentences) }
        all = purposes
    }

    /// Returns the purposes for accounts, or those for children.
    func purposes(forAccounts: Bool) -> ConsentPurposes {
        ConsentPurposes(all: all.filter { $0.isForAccounts == forAccounts })
    }

    private init(all: [Purpose]) { self.all = all }

    /// The purpose of this name.
    package subscript(name: String) -> Purpose? { all.first { $0.name == name } }

    /// Actions that a missing consent can refuse: all that change something, except those with
    /// which a person leaves, declines an invitation, decides about consents, or manages or erases
    /// their own account.
    package static let refusable: [Action] = [
        .familyCreate, .familyUpdate, .codeRegenerate, .codeJoin, .memberRemove, .memberSetRole,
        .memberApprove, .adminTransfer, .invitationCreate, .invitationRevoke, .invitationResend,
        .invitationAccept, .managedCreate, .managedUpdate, .managedRemove, .managedReassign,
        .managedGraduate, .guardianAdd, .guardianRemove, .guardianPromote, .profileUpdate,
        .preferencesWrite, .playerDetailsWrite, .attributesWrite,
    ]
}

/// Reads one purpose. Continues after a mistake, so that all are reported at once.
private struct PurposeReader {
    private static let fields = [
        "purpose", "version", "for", "required", "refuses", "title", "text",
    ]

    private let field: JSONField
    private(set) var mistakes: [String] = []

    init(_ field: JSONField) { self.field = field }

    mutating func purpose() -> ConsentPurposes.Purpose? {
        guard let object = parse({ field throws(JSONError) in try field.object() }) else {
            return nil
        }
        for member in object.members where !Self.fields.contains(member.name) {
            addMistake(member.name, "is unknown; known are \(Self.fields.joined(separator: ", "))")
        }
        let name = word("purpose", "1 to 63 of a-z, 0-9, _ and -, a letter first") {
            let bytes = Array($0.utf8)
            guard let first = bytes.first, bytes.count <= 63 else { return false }
            return Self.isLetter(first)
                && bytes.allSatisfy {
                    Self.isLetter($0) || (48...57).contains($0) || $0 == 95 || $0 == 45
                }
        }
        let version = word("version", "1 to 64 visible ASCII characters") {
            (1...64).contains($0.utf8.count) && $0.utf8.allSatisfy { (33...126).contains($0) }
        }
        let isRequired = parse { field throws(JSONError) in
            try field["required"].ifPresent?.bool() ?? false
        }
        let isForAccounts = audience()
        let refused = refusedActions(isForAccounts: isForAccounts ?? true)
        let title = texts("title")
        let text = texts("text")
        guard mistakes.isEmpty, let name, let version, let isRequired, let isForAccounts,
            let refused, let title, let text
        else { return nil }
        return ConsentPurposes.Purpose(
            name: name, version: version, isRequired: isRequired, isForAccounts: isForAccounts,
            refused: refused, title: title, text: text)
    }

    /// Reads whether the purpose is for accounts; nil after a mistake.
    private mutating func audience() -> Bool? {
        let word = parse { field throws(JSONError) in
            try field["for"].ifPresent?.string() ?? "child"
        }
        guard let word else { return nil }
        if word != "child", word != "account" { addMistake("for", "must be child or account") }
        return word == "account"
    }

    private mutating func refusedActions(isForAccounts: Bool) -> [Action]? {
        let names = parse { field throws(JSONError) in
            try field["refuses"].ifPresent?.elements().map { (name) throws(JSONError) in
                try name.string()
            } ?? []
        }
        guard let names else { return nil }
        if !names.isEmpty, !isForAccounts {
            addMistake("refuses", "is for purposes with \"for\": \"account\" only")
        }
        let known = ConsentPurposes.refusable
        let refused = names.compactMap { name in known.first { $0.name == name } }
        if refused.count < names.count || Set(names).count < names.count {
            addMistake(
                "refuses",
                "must name each permission once, of these: "
                    + known.map(\.name).joined(separator: ", "))
        }
        return refused
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte) }

    private mutating func word(
        _ name: String, _ expected: String, _ isExpected: (String) -> Bool
    ) -> String? {
        let word = parse { field throws(JSONError) in try field[name].string() }
        guard let word else { return nil }
        if isExpected(word) { return word }
        addMistake(name, "must be \(expected)")
        return nil
    }

    private mutating func texts(_ name: String) -> [ConsentPurposes.LocalText]? {
        let expected = "a text, or a text for each language"
        let field = parse { field throws(JSONError) in try field[name] }
        guard let field else { return nil }
        var texts: [ConsentPurposes.LocalText] = []
        switch field.value {
        case nil:
            addMistake(name, "is missing: expected \(expected)")
            return nil
        case .string(let text)?: texts = [.init(language: "und", text: text)]
        case .object(let object)?:
            for member in object.members {
                let text = parse { _ throws(JSONError) in try field[member.name].string() }
                guard let text else { return nil }
                texts.append(.init(language: member.name, text: text))
            }
        default: break
        }
        if texts.isEmpty || texts.contains(where: { $0.text.isEmpty || $0.language.isEmpty }) {
            addMistake(name, "must be \(expected)")
        }
        return texts
    }

    private mutating func parse<Value>(
        _ body: (JSONField) throws(JSONError) -> Value
    ) -> Value? {
        do throws(JSONError) {
            return try body(field)
        } catch {
            mistakes.append(error.description)
            return nil
        }
    }

    private mutating func addMistake(_ name: String, _ fault: String) {
        mistakes.append("`\(field.path).\(name)` \(fault)")
    }
}
