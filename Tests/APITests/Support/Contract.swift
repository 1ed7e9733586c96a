import Foundation
import JSON
import Testing

/// The API's description, with which tests compare every response.
struct Contract: Sendable {
    /// Violation of the description by a response.
    struct Breach: Error, CustomStringConvertible {
        let description: String
    }

    private let document: JSONField
    private let templates: [(segments: [String], parameters: Int, path: JSONField)]

    init(_ bytes: [UInt8]) throws {
        let document = JSONField(try JSONValue(parsing: bytes))
        self.document = document
        templates = try document["paths"].object().members.map { member in
            let segments = Self.segments(of: member.name)
            let parameters = segments.count { $0.hasPrefix("{") }
            return (segments, parameters, try document["paths"][member.name])
        }
    }

    private static func segments(of path: String) -> [String] {
        path.components(separatedBy: "/")
    }

    /// The operation of a request; nil if there is none.
    func operation(_ method: String, _ target: String) throws -> JSONField? {
        let path = Self.segments(of: String(target.prefix { $0 != "?" }))
        let found = templates.filter { template in
            template.segments.count == path.count
                && zip(template.segments, path).allSatisfy {
                    $0.hasPrefix("{") ? !$1.isEmpty : $0 == $1
                }
        }.min { $0.parameters < $1.parameters }
        return try found?.path[method.lowercased()].ifPresent
    }

    /// Throws unless the response's status, headers and body are described.
    func check(_ answer: Answer, to method: String, _ target: String) throws {
        guard let operation = try operation(method, target) else {
            guard [404, 405, 204].contains(answer.status) || method == "HEAD" else {
                throw Breach(description: "\(method) \(target): \(answer.status) from nowhere")
            }
            return
        }
        let place = "\(method) \(target): \(answer.status) \(answer.text("code") ?? "")"
        guard let response = try operation["responses"]["\(answer.status)"].ifPresent else {
            throw Breach(description: "\(place) is not described")
        }
        for header in try response["headers"].object().members
        where answer.headers[header.name.lowercased()] == nil {
            let known = try document["components"]["headers"][header.name]
            if try known["required"].bool() == false { continue }
            throw Breach(description: "\(place): no \(header.name)")
        }
        if answer.status == 304 { return }
        let type = (answer.headers["content-type"] ?? "").prefix { $0 != ";" }
        guard let content = try response["content"][String(type)].ifPresent else {
            throw Breach(description: "\(place): \(type) is not described")
        }
        guard type.hasSuffix("json") else { return }
        let body = JSONField(try JSONValue(parsing: answer.body, maxDepth: 64))
        if let codes = try response["x-codes"].ifPresent?.elements() {
            let code = try body["code"].value
            guard codes.contains(where: { $0.value == code }) else {
                throw Breach(description: "\(place): the route does not name this code")
            }
        }
        try check(body, content["schema"], place)
    }

    /// Throws unless a value matches a schema of the description.
    func check(_ field: JSONField, _ schema: JSONField, _ place: String) throws {
        func require(_ isMet: Bool, _ keyword: String) throws {
            if isMet { return }
            throw Breach(
                description: "\(place): `\(field.path)` breaks \(keyword) of \(schema.path)")
        }
        let value = field.value ?? .null
        if let reference = try schema["$ref"].ifPresent?.string() {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            try check(field, document["components"]["schemas"][name], place)
        }
        for part in try schema["allOf"].ifPresent?.elements() ?? [] {
            try check(field, part, place)
        }
        if let either = try schema["anyOf"].ifPresent?.elements() {
            let fits = either.contains { (try? check(field, $0, place)) != nil }
            try require(fits, "anyOf")
        }
        if let types = try schema["type"].ifPresent { try require(fits(value, types), "type") }
        if let words = try schema["enum"].ifPresent?.elements() {
            try require(words.contains { $0.value == value }, "enum")
        }
        if let only = try schema["const"].ifPresent { try require(only.value == value, "const") }
        if case .string(let text) = value, let pattern = try schema["pattern"].ifPresent?.string() {
            try require(try text.firstMatch(of: Regex(pattern)) != nil, "pattern")
        }
        if case .integer(let number) = value {
            let least = try schema["minimum"].ifPresent?.number() ?? -.infinity
            let most = try schema["maximum"].ifPresent?.number() ?? .infinity
            try require((least...most).contains(Double(number)), "bounds")
        }
        if case .object = value {
            for name in try schema["required"].ifPresent?.elements() ?? [] {
                try require(try field[name.string()].value != nil, "required \(name.string())")
            }
            let described = try schema["properties"].ifPresent?.object().members ?? []
            for property in described {
                let member = try field[property.name]
                if member.value == nil { continue }
                try check(member, schema["properties"][property.name], place)
            }
            if let others = try schema["additionalProperties"].ifPresent {
                let names = Set(described.map(\.name))
                for member in try field.object().members where !names.contains(member.name) {
                    try check(field[member.name], others, place)
                }
            }
        }
        if case .array = value, let items = try schema["items"].ifPresent {
            for element in try field.elements() { try check(element, items, place) }
        }
    }

    private func fits(_ value: JSONValue, _ types: JSONField) throws -> Bool {
        let names =
            if case .array = types.value { try types.elements().map { try $0.string() } } else {
                [try types.string()]
            }
        return names.contains { name in
            switch (name, value) {
            case ("null", .null), ("boolean", .bool), ("integer", .integer), ("number", .integer),
                ("number", .number), ("string", .string), ("array", .array), ("object", .object):
                true
            default: false
            }
        }
    }
}
