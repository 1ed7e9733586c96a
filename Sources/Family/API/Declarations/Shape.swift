import JSON

/// The JSON object that a value is shown as: one declaration writes and describes it.
struct Shape<Value>: DescribedShape {
    /// In the API's description.
    let name: String
    let properties: [Property<Value>]
    /// The functions that write the properties, kept apart because copying whole properties for
    /// each value is slower.
    private let writers: [Property<Value>.Writer]

    init(_ name: String, _ properties: [Property<Value>]) {
        self.name = name
        self.properties = properties
        writers = properties.map(\.write)
    }

    /// Writes the members of an object.
    func write(_ value: Value, to json: inout JSONWriter) {
        for write in writers { write(value, &json) }
    }

    var schema: Schema {
        let named = properties.filter { !$0.isForOthers }
        let always = named.filter(\.isAlwaysThere).map { JSONValue.string($0.name) }
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

/// A shape of any value, as far as the API's description needs it.
protocol DescribedShape: Sendable {
    var name: String { get }
    var schema: Schema { get }
    /// The shapes that it refers to.
    var parts: [any DescribedShape] { get }
}

/// A member of the object that a value is shown as.
struct Property<Value>: Sendable {
    typealias Writer = @Sendable (Value, inout JSONWriter) -> Void

    let name: String
    let schema: Schema
    var isAlwaysThere = true
    /// It writes members whose names only the value knows.
    var isForOthers = false
    var part: (any DescribedShape)?
    let write: Writer
}
