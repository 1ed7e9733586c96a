import Domain
import JSON
import Repositories

/// The JSON object that represents a value: one declaration writes and describes it.
struct Shape<Value>: DescribedShape {
    /// Name in the API's description.
    let name: String
    let properties: [Property<Value>]
    /// The functions that write the properties, stored separately because copying whole properties
    /// for each value is slower.
    private let writers: [Property<Value>.Writer]

    init(_ name: String, _ properties: [Property<Value>]) {
        self.name = name
        self.properties = properties
        writers = properties.map(\.write)
    }

    /// Writes the members of the object.
    func write(_ value: Value, to json: inout JSONWriter) {
        for write in writers { write(value, &json) }
    }

    var schema: Schema {
        let named = properties.filter { !$0.isForOthers }
        let always = named.filter(\.isAlwaysPresent).map { JSONValue.string($0.name) }
        let schema = Schema([
            "type": "object",
            "properties": .object(
                JSONObject(
                    named.map { property in
                        let schema = property.schema.explained(as: property.name, in: name)
                        return .init(name: property.name, value: schema.value)
                    })),
            "required": .array(always),
        ])
        let others = properties.first(where: \.isForOthers)
        return others.map { schema.with(others: $0.schema) } ?? schema
    }

    var parts: [any DescribedShape] { properties.compactMap(\.part) }
}

/// A shape of any value, reduced to what the API's description needs.
protocol DescribedShape: Sendable {
    var name: String { get }
    var schema: Schema { get }
    /// The shapes to which this shape refers.
    var parts: [any DescribedShape] { get }
}

/// A member of the object that represents a value.
struct Property<Value>: Sendable {
    typealias Writer = @Sendable (Value, inout JSONWriter) -> Void

    let name: String
    let schema: Schema
    var isAlwaysPresent = true
    /// If true, the property writes members whose names depend on the value.
    var isForOthers = false
    var part: (any DescribedShape)?
    let write: Writer
}

// Constructors for the kinds of members that responses have.

extension Property {
    static func text(
        _ name: String, as schema: Schema = .string, _ read: @escaping @Sendable (Value) -> String
    ) -> Property {
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: schema) { $1.member(written, read($0)) }
    }

    static func textOrNull(
        _ name: String, as schema: Schema = .string, _ read: @escaping @Sendable (Value) -> String?
    ) -> Property {
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: schema.orNull) { $1.member(written, read($0)) }
    }

    /// A text that is omitted if it is nil.
    static func optionalText(
        _ name: String, as schema: Schema = .string, _ read: @escaping @Sendable (Value) -> String?
    ) -> Property {
        Property(name: name, schema: schema, isAlwaysPresent: false) { value, json in
            if let text = read(value) { json.member(name, text) }
        }
    }

    static func id<Entity>(
        _ name: String, _ read: @escaping @Sendable (Value) -> ID<Entity>
    ) -> Property {
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: .uuid) { value, json in
            json.member(written, atMost: ID<Entity>.length) { read(value).write(to: $0) }
        }
    }

    static func idOrNull<Entity>(
        _ name: String, _ read: @escaping @Sendable (Value) -> ID<Entity>?
    ) -> Property {
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: Schema.uuid.orNull) { value, json in
            if let id = read(value) {
                json.member(written, atMost: ID<Entity>.length) { id.write(to: $0) }
            } else {
                json.member(written, nil as String?)
            }
        }
    }

    /// The id of a user or member, with a prefix for managed members.
    static func shownID<Entity>(
        _ name: String, _ read: @escaping @Sendable (Value) -> ID<Entity>,
        isManaged: @escaping @Sendable (Value) -> Bool
    ) -> Property {
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: .shownID) { value, json in
            json.member(written, atMost: ID<Entity>.shownLength) {
                read(value).write(to: $0, isManaged: isManaged(value))
            }
        }
    }

    static func time(
        _ name: String, _ read: @escaping @Sendable (Value) -> Timestamp
    ) -> Property {
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: .timestamp) { value, json in
            json.member(written, atMost: Timestamp.longest) { read(value).write(to: $0) }
        }
    }

    static func timeOrNull(
        _ name: String, _ read: @escaping @Sendable (Value) -> Timestamp?
    ) -> Property {
        textOrNull(name, as: .timestamp) { read($0)?.description }
    }

    static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ read: @escaping @Sendable (Value) -> Word
    ) -> Property {
        text(name, as: .word(Word.allCases.map(\.rawValue))) { read($0).rawValue }
    }

    static func words<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ read: @escaping @Sendable (Value) -> [Word]
    ) -> Property {
        let schema = Schema.list(of: .word(Word.allCases.map(\.rawValue)))
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: schema) { value, json in
            json.array(written) { json in
                for word in read(value) { json.element(word.rawValue) }
            }
        }
    }

    static func flag(_ name: String, _ read: @escaping @Sendable (Value) -> Bool) -> Property {
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: .boolean) { $1.member(written, read($0)) }
    }

    static func count(_ name: String, _ read: @escaping @Sendable (Value) -> Int) -> Property {
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: .count) { $1.member(written, read($0)) }
    }

    static func countOrNull(
        _ name: String, _ read: @escaping @Sendable (Value) -> Int?
    ) -> Property {
        Property(name: name, schema: Schema.count.orNull) { $1.member(name, read($0)) }
    }

    static func numberOrNull(
        _ name: String, _ read: @escaping @Sendable (Value) -> Double?
    ) -> Property {
        Property(name: name, schema: Schema.number.orNull) { $1.member(name, read($0)) }
    }

    /// A member with the same value in every response.
    static func always(_ name: String, _ value: JSONValue) -> Property {
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: .constant(value)) { $1.member(written, value) }
    }

    /// Text members whose names depend on the value.
    static func otherTexts(
        as schema: Schema, _ read: @escaping @Sendable (Value) -> [(name: String, text: String)]
    ) -> Property {
        Property(name: "*", schema: schema, isAlwaysPresent: false, isForOthers: true) {
            for (name, text) in read($0) { $1.member(name, text) }
        }
    }

    static func texts(
        _ name: String, _ read: @escaping @Sendable (Value) -> [String]
    ) -> Property {
        Property(name: name, schema: .list(of: .string)) { value, json in
            json.member(name, JSONValue.array(read(value).map { .string($0) }))
        }
    }

    /// Members of a JSON object that only clients interpret, except those that are `known`.
    static func otherMembers(
        of read: @escaping @Sendable (Value) -> [UInt8], besides known: Set<String>
    ) -> Property {
        Property(name: "*", schema: Schema([:]), isAlwaysPresent: false, isForOthers: true) {
            guard case .object(let object)? = try? JSONValue(parsing: read($0), maxDepth: 64)
            else { return }
            for member in object.members where !known.contains(member.name) {
                $1.member(member.name, member.value)
            }
        }
    }

    /// A JSON value that only clients interpret.
    static func document(
        _ name: String, as schema: Schema = .object, _ read: @escaping @Sendable (Value) -> [UInt8]
    ) -> Property {
        Property(name: name, schema: schema) { $1.member(name, raw: read($0)) }
    }

    static func list<Element>(
        _ name: String, _ shape: Shape<Element>,
        _ read: @escaping @Sendable (Value) -> [Element]
    ) -> Property {
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: .list(of: .reference(shape.name)), part: shape) {
            value, json in
            json.array(written) { json in
                for element in read(value) { json.object { shape.write(element, to: &$0) } }
            }
        }
    }

    /// A list that is omitted if it is empty.
    static func optionalList<Element>(
        _ name: String, _ shape: Shape<Element>,
        _ read: @escaping @Sendable (Value) -> [Element]
    ) -> Property {
        let list = Property.list(name, shape, read)
        return Property(
            name: name, schema: list.schema, isAlwaysPresent: false, part: shape
        ) { value, json in
            if !read(value).isEmpty { list.write(value, &json) }
        }
    }

    static func object<Element>(
        _ name: String, _ shape: Shape<Element>, _ read: @escaping @Sendable (Value) -> Element
    ) -> Property {
        let written = JSONWriter.Name(name)
        return Property(name: name, schema: .reference(shape.name), part: shape) { value, json in
            json.object(written) { shape.write(read(value), to: &$0) }
        }
    }

    /// An object that is omitted if it is nil.
    static func optionalObject<Element>(
        _ name: String, _ shape: Shape<Element>, _ read: @escaping @Sendable (Value) -> Element?
    ) -> Property {
        Property(
            name: name, schema: .reference(shape.name), isAlwaysPresent: false, part: shape
        ) { value, json in
            guard let element = read(value) else { return }
            json.object(name) { shape.write(element, to: &$0) }
        }
    }
}

// Ids as clients see them. Ids of managed members have a prefix, so that apps know which members
// can't sign in.

extension ID {
    /// Returns the id of a user or member as clients see it.
    func shown(isManaged: Bool) -> String { isManaged ? "managed_\(self)" : description }

    /// Maximum number of characters of an id with its prefix.
    static var shownLength: Int { prefix.utf8CodeUnitCount + length }

    private static var prefix: StaticString { "managed_" }

    /// Writes the id as clients see it to the buffer, which must have room for it, and returns the
    /// number of bytes.
    func write(to buffer: UnsafeMutableBufferPointer<UInt8>, isManaged: Bool) -> Int {
        guard isManaged else { return write(to: buffer) }
        let start = Self.prefix.withUTF8Buffer { buffer.update(fromContentsOf: $0) }
        return start + write(to: UnsafeMutableBufferPointer(rebasing: buffer[start...]))
    }
}
