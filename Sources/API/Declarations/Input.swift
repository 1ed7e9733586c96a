import HTTPServer
import JSON

/// Something that a request carries: declared once, it is read, checked and described from its
/// declaration, and is the key to its value in a `Call`.
struct Input<Value: Sendable>: DeclaredInput {
    let declaration: InputDeclaration
    let read: @Sendable (InputSource) throws(Problem) -> Value
}

/// An input of any type: what a route's list holds.
protocol DeclaredInput: Sendable {
    var declaration: InputDeclaration { get }
}

/// What the description of a route tells of an input.
struct InputDeclaration: Sendable {
    enum Place: String, Sendable { case path, query, body }

    let name: String
    /// Another name that clients use for it.
    var alias: String?
    let place: Place
    let isRequired: Bool
    let schema: Schema
    let help: String
}

/// Where inputs are read from.
struct InputSource {
    let parameters: PathParameters
    let query: Query
    /// The body: an object.
    let body: JSONField
}

/// A field that can be left out, be null, or hold a value: three different wishes.
enum Given<Value: Sendable>: Sendable {
    case absent
    case null
    case value(Value)
}

// MARK: - Path and query

extension Input {
    /// A part of the path. What can't be one leads to nothing, as what never was: `absent`.
    static func path(
        _ name: String, _ format: Format<Value>, absent: Problem, _ help: String = ""
    ) -> Input {
        Input(
            declaration: InputDeclaration(
                name: name, place: .path, isRequired: true, schema: format.schema, help: help)
        ) { source throws(Problem) in
            guard let value = source.parameters[name].flatMap(format.fromText) else { throw absent }
            return value
        }
    }

    /// A parameter of the query, nil when it is left out.
    static func query<Wrapped>(
        _ name: String, _ format: Format<Wrapped>, _ help: String = ""
    ) -> Input where Value == Wrapped? {
        Input(
            declaration: InputDeclaration(
                name: name, place: .query, isRequired: false, schema: format.schema, help: help)
        ) { source throws(Problem) in
            let given = source.query.values(name)
            guard let text = given.first else { return nil }
            guard given.count == 1, let value = format.fromText(text) else {
                throw .invalidField(name, format.expected)
            }
            return value
        }
    }
}

// MARK: - Fields of the body

extension Input {
    /// A field that must be there.
    static func required(
        _ name: String, alias: String? = nil, _ format: Format<Value>, _ help: String = ""
    ) -> Input {
        Input(
            declaration: InputDeclaration(
                name: name, alias: alias, place: .body, isRequired: true, schema: format.schema,
                help: help)
        ) { source throws(Problem) in
            guard let field = try source.field(name, alias).ifPresent else {
                throw Problem(.missingField, "`\(name)` is missing: expected \(format.expected).")
            }
            return try field.value(format)
        }
    }

    /// A field that is nil when it is left out or null.
    static func optional<Wrapped>(
        _ name: String, alias: String? = nil, _ format: Format<Wrapped>, _ help: String = ""
    ) -> Input where Value == Wrapped? {
        Input(
            declaration: InputDeclaration(
                name: name, alias: alias, place: .body, isRequired: false,
                schema: format.schema.orNull, help: help)
        ) { source throws(Problem) in
            try source.field(name, alias).ifPresent.map { field throws(Problem) in
                try field.value(format)
            }
        }
    }

    /// A field in which null means something else than leaving it out.
    static func clearable<Wrapped>(
        _ name: String, alias: String? = nil, _ format: Format<Wrapped>, _ help: String = ""
    ) -> Input where Value == Given<Wrapped> {
        Input(
            declaration: InputDeclaration(
                name: name, alias: alias, place: .body, isRequired: false,
                schema: format.schema.orNull, help: help)
        ) { source throws(Problem) in
            let field = try source.field(name, alias)
            if field.value == nil { return .absent }
            guard let present = field.ifPresent else { return .null }
            return .value(try present.value(format))
        }
    }
}

extension InputSource {
    /// The field of either name.
    fileprivate func field(_ name: String, _ alias: String?) throws(Problem) -> JSONField {
        do {
            let field = try body[name]
            if field.value == nil, let alias { return try body[alias] }
            return field
        } catch {
            throw Problem(.invalidBody, "\(error).")
        }
    }
}

extension JSONField {
    fileprivate func value<Value>(_ format: Format<Value>) throws(Problem) -> Value {
        do {
            if let value = try format.fromJSON(self) { return value }
        } catch {
            throw Problem(.invalidField, "\(error).")
        }
        throw .invalidField(path, format.expected)
    }
}
