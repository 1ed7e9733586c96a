import Foundation

/// The members of a JSON object, read by name. A missing member, or one of another type, reads as
/// empty: a field that a later Hearth changes must not keep an app from showing the rest. Only ids
/// are required.
struct Fields {
    private let members: [String: JSONValue]

    /// - Throws: `DecodingFailure` if the value is not an object.
    init(_ value: JSONValue) throws(DecodingFailure) {
        guard case .object(let members) = value else { throw DecodingFailure("an object") }
        self.members = members
    }

    subscript(name: String) -> JSONValue? { members[name] }

    func id<Subject>(_ name: String) throws(DecodingFailure) -> ID<Subject> {
        guard let id: ID<Subject> = optionalID(name) else { throw DecodingFailure("`\(name)`") }
        return id
    }

    func optionalID<Subject>(_ name: String) -> ID<Subject>? {
        guard let text = optionalText(name), !text.isEmpty else { return nil }
        return ID(text)
    }

    func text(_ name: String) -> String { optionalText(name) ?? "" }

    func optionalText(_ name: String) -> String? {
        if case .string(let text)? = members[name] { text } else { nil }
    }

    func word<Word: RawRepresentable<String>>(_ name: String) -> Word? {
        Word(rawValue: text(name))
    }

    func flag(_ name: String) -> Bool { members[name]?.boolValue ?? false }
    func count(_ name: String) -> Int { members[name]?.intValue ?? 0 }

    /// Returns all members that are strings, except those named.
    func texts(besides names: Set<String>) -> [String: String] {
        members.compactMapValues(\.stringValue).filter { !names.contains($0.key) }
    }

    func date(_ name: String) -> Date? {
        if case .string(let text)? = members[name] { Timestamp.date(text) } else { nil }
    }

    func list<Element>(
        _ name: String, _ element: (Fields) throws(DecodingFailure) -> Element
    ) throws(DecodingFailure) -> [Element] {
        guard case .array(let values)? = members[name] else { return [] }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for value in values { elements.append(try element(try Fields(value))) }
        return elements
    }
}

/// A response that does not have the form that this release expects.
struct DecodingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    let missing: String

    init(_ missing: String) { self.missing = missing }

    var description: String { "the response lacks \(missing)" }
}

/// A model that is decoded from the fields of a JSON object.
protocol FieldsDecodable {
    init(_ fields: Fields) throws(DecodingFailure)
}
