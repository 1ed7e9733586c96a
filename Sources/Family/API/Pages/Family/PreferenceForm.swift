import Basics
import HTTPServer
import JSON

/// A child's preferences as fields of a form.
///
/// Apps define the preferences, so a preference's value decides its type of field: a text, a
/// number, yes or no, or a list of words. All other preferences stay unchanged.
struct PreferenceForm {
    /// Type of a preference that the form can show.
    enum Kind {
        case text, number, truth, list
        /// A value that no field can change.
        case other
    }

    /// A preference that the form shows.
    struct Entry {
        let name: String
        let kind: Kind
        /// The value as it is typed.
        let text: String
    }

    /// Maximum number of preferences that a form shows.
    private static let limit = 40

    /// Names of the fields for a preference that is added.
    static let addedName = "new_name"
    static let addedValue = "new_value"

    private let stored: JSONObject

    /// - Throws: `JSONError` for malformed JSON, which the database does not store.
    init(_ document: [UInt8]) throws {
        self.init(try JSONValue(parsing: document))
    }

    init(_ document: JSONValue) {
        if case .object(let object) = document {
            stored = object
        } else {
            stored = JSONObject()
        }
    }

    /// Returns the values of a form that decide about its change, so that a form that is sent twice
    /// can be recognised whatever is stored by then.
    static func sentValues(of form: FormBody) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            for index in 0..<limit {
                for field in ["name", "was", "value"] {
                    let name = field + String(index)
                    json.member(name, form.value(name))
                }
            }
            for field in [addedName, addedValue] { json.member(field, form.value(field)) }
        }
        return json.bytes
    }

    /// A changed text of a form, which is shown again because the form was refused.
    struct TypedText {
        let text: String
        /// Whether the text is not of the preference's type.
        let isWrong: Bool
    }

    /// Returns the text that a form has for a preference; nil if the person has not changed it.
    ///
    /// The preference is found by the bytes of its name, because others may have added or removed
    /// preferences since the form was rendered.
    func typed(_ entry: Entry, by form: FormBody) -> TypedText? {
        let index = (0..<Self.limit).first {
            form.value("name\($0)")?.hasSameBytes(as: entry.name) == true
        }
        guard let index, let text = form.value("value\(index)"), text != form.value("was\(index)")
        else { return nil }
        let isWrong = !text.trimmed.isEmpty && !Self.isValue(text, entry.kind)
        return TypedText(text: text, isWrong: isWrong || entry.kind == .other)
    }

    private static func isValue(_ text: String, _ kind: Kind) -> Bool {
        do {
            _ = try value(text, kind)
            return true
        } catch {
            return false
        }
    }

    /// The preferences with a field. One whose name has a line break has none: browsers change line
    /// breaks, so its form would be about another preference.
    var entries: [Entry] {
        let singleLine = stored.members.filter { !$0.name.contains(where: \.isNewline) }
        let entries = singleLine.compactMap { member in
            Self.typed(member.value).map { Entry(name: member.name, kind: $0, text: $1) }
        }
        return Array(entries.prefix(Self.limit))
    }

    /// Returns the preferences with a field, and those with a changed text in a refused form that
    /// have no field any more, because an app has removed them or stores something else now.
    func entries(typedIn form: FormBody) -> [Entry] {
        var shown = entries
        for index in 0..<Self.limit {
            guard let name = form.value("name\(index)") else { break }
            let current = stored[name]
            guard let text = form.value("value\(index)"), text != form.value("was\(index)"),
                current != nil || !text.trimmed.isEmpty,
                !shown.contains(where: { $0.name.hasSameBytes(as: name) })
            else { continue }
            var field: (kind: Kind, text: String) = (.text, "")
            if let current { field = Self.typed(current) ?? (.other, "") }
            shown.append(Entry(name: name, kind: field.kind, text: field.text))
        }
        while shown.count > Self.limit,
            let last = shown.lastIndex(where: { typed($0, by: form) == nil })
        { shown.remove(at: last) }
        return shown
    }

    /// Returns the names of the preferences that none of these fields shows.
    func others(besides shown: [Entry]) -> [String] {
        stored.members.map(\.name).filter { name in
            !shown.contains { $0.name.hasSameBytes(as: name) }
        }
    }

    /// Whether a preference has this name, or one that looks the same.
    func contains(_ name: String) -> Bool { stored.members.contains { $0.name == name } }

    private static func typed(_ value: JSONValue) -> (kind: Kind, text: String)? {
        switch value {
        case .string(let text): return text.contains { $0.isNewline } ? nil : (.text, text)
        case .integer(let number): return (.number, "\(number)")
        case .number(let number): return (.number, "\(number)")
        case .bool(let isTrue): return (.truth, isTrue ? "true" : "false")
        case .array(let values):
            let words = values.compactMap { value -> String? in
                guard case .string(let word) = value, !word.contains(","), word == word.trimmed,
                    !word.isEmpty
                else { return nil }
                return word
            }
            return words.count == values.count ? (.list, words.joined(separator: ", ")) : nil
        case .null, .object: return nil
        }
    }

    /// Returns the preferences after the changes of a form. Only fields with a changed text have an
    /// effect, so that changes that other people made meanwhile stay. An empty field removes its
    /// preference.
    ///
    /// - Throws: ``Problem`` for a text that is not of the preference's type, for a changed
    ///   preference whose value has no field any more, and for a new one without a name or a value,
    ///   or with the name of another one.
    func changed(by form: FormBody) throws(Problem) -> JSONObject {
        var members = stored.members
        for index in 0..<Self.limit {
            guard let name = form.value("name\(index)"), let text = form.value("value\(index)")
            else { break }
            if text == form.value("was\(index)") { continue }
            let place = members.firstIndex { $0.name.hasSameBytes(as: name) }
            let kind = place.map { Self.typed(members[$0].value)?.kind ?? .other } ?? .text
            if kind == .other {
                throw .invalidField("otherPreference", "empty, because no field can change it")
            }
            // A conditional operator would take nil for the JSON value null.
            let value: JSONValue? =
                if text.trimmed.isEmpty { nil } else { try Self.value(text, kind) }
            if let place { members.remove(at: place) }
            if let value {
                members.insert(.init(name: name, value: value), at: place ?? members.endIndex)
            }
        }
        let name = (form.value(Self.addedName) ?? "").trimmed
        let text = (form.value(Self.addedValue) ?? "").trimmed
        if name.isEmpty, text.isEmpty { return JSONObject(members) }
        guard !name.isEmpty, !text.isEmpty, !members.contains(where: { $0.name == name }) else {
            throw .invalidField("newPreference", "a name that is not used yet, and a value")
        }
        return JSONObject(members + [.init(name: name, value: .string(text))])
    }

    private static func value(_ text: String, _ kind: Kind) throws(Problem) -> JSONValue {
        let typed = text.trimmed
        switch kind {
        case .text: return .string(text)
        case .truth where typed == "true": return .bool(true)
        case .truth where typed == "false": return .bool(false)
        case .list:
            return .array(
                typed.split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
                    .map { .string($0) })
        case .number:
            if let number = Int64(typed) { return .integer(number) }
            if let number = Double(typed), number.isFinite { return .number(number) }
        case .truth, .other: break
        }
        throw Problem.invalidField("preferences", "of the same type as before")
    }
}
