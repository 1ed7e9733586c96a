import Foundation
import FoundationNetworking
import JSON
import Synchronization

/// The API's response.
struct Answer: Sendable {
    let status: Int
    let headers: [String: String]
    let data: Data
    /// Records which fields of the body are read.
    let reading = Reading()

    init(_ response: HTTPURLResponse, _ data: Data) {
        status = response.statusCode
        headers = Dictionary(
            response.allHeaderFields.map { ("\($0)".lowercased(), "\($1)") },
            uniquingKeysWith: { first, _ in first })
        self.data = data
    }

    var text: String { String(decoding: data, as: UTF8.self) }

    var json: Content {
        Content(value: try? JSONValue(parsing: Array(data), maxDepth: 64), reading: reading)
    }

    /// Decodes the body as an app whose fields are named as in the API.
    func decoded<Value: Decodable>(_: Value.Type) throws -> Value {
        try decoded(Value.self, by: JSONDecoder())
    }

    /// Decodes the body as an app whose decoder turns `snake_case` into `camelCase`.
    func decodedFromSnakeCase<Value: Decodable>(_: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoded(Value.self, by: decoder)
    }

    func decoded<Value: Decodable>(_: Value.Type, by decoder: JSONDecoder) throws -> Value {
        let value = try decoder.decode(Value.self, from: data)
        reading.add("decoded as \(Value.self)")
        return value
    }

    /// The status with the fields of the body that were read; for a problem its code.
    var summary: String {
        if headers["content-type"]?.hasPrefix("application/problem+json") == true {
            return "\(status) `\(Content(value: json.value).code.text ?? "")`"
        }
        return ([String(status)] + reading.names).joined(separator: " ")
    }
}

/// The top-level fields of a body that were read, in order of their first use.
final class Reading: Sendable {
    private let seen = Mutex<[String]>([])

    var names: [String] { seen.withLock { $0 } }

    func add(_ name: String) {
        seen.withLock { if !$0.contains(name) { $0.append(name) } }
    }
}

/// A value in a JSON document; a missing one is nil.
@dynamicMemberLookup
struct Content: Sendable {
    let value: JSONValue?
    /// The recorder of fields that are read; only the document itself has one.
    var reading: Reading?

    subscript(dynamicMember name: String) -> Content { self[name] }

    subscript(name: String) -> Content {
        reading?.add(name)
        guard case .object(let object)? = value else { return Content(value: nil) }
        return Content(value: object[name])
    }

    subscript(index: Int) -> Content {
        items.indices.contains(index) ? items[index] : Content(value: nil)
    }

    var items: [Content] {
        guard case .array(let elements)? = value else { return [] }
        return elements.map { Content(value: $0) }
    }

    var text: String? { if case .string(let text)? = value { text } else { nil } }
    var number: Int? { if case .integer(let number)? = value { Int(number) } else { nil } }
    var flag: Bool? { if case .bool(let flag)? = value { flag } else { nil } }
    var isNull: Bool { value == .null }
    var isMissing: Bool { value == nil }
    var names: [String] {
        if case .object(let object)? = value { object.members.map(\.name) } else { [] }
    }
    /// The value as a time, if an app's parser can read it.
    var date: Date? { text.flatMap { ISO8601DateFormatter().date(from: $0) } }
}
