import JSON

/// The API as one TypeScript file without dependencies: the types of requests and responses, the
/// problems of each operation, and a client over `fetch`.
///
/// It is generated from the API's description, so it can't differ from what the routes declare.
struct TypeScriptClient {
    private let document: JSONValue

    /// - Parameter document: The OpenAPI description.
    init(_ document: JSONValue) { self.document = document }

    /// Content of the file.
    var text: String {
        [Self.head, schemas, operations, requests, Self.client].joined(separator: "\n")
    }

    private static let head = """
        // Hearth's API for TypeScript. Written by 'hearth-api --typescript'; don't edit.

        """

    private var schemas: String {
        members(document["components"]?["schemas"]).map { schema in
            let comment: JSONValue? = schema.value["description"]
            let type = TypeScriptType(indent: 0).text(schema.value)
            return (TypeScriptType.comment(comment) + ["export type \(schema.name) = \(type);"])
                .joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }

    /// An operation with its path and method.
    private struct Route {
        let path: String
        let method: String
        let operation: JSONValue

        var name: String {
            if case .string(let name)? = operation["operationId"] { name } else { "" }
        }
    }

    private var routes: [Route] {
        members(document["paths"]).flatMap { path in
            members(path.value).map {
                Route(path: path.name, method: $0.name.uppercased(), operation: $0.value)
            }
        }
    }

    private var operations: String {
        let entries = routes.map { route in
            TypeScriptType.comment(route.operation["summary"]).map { "  \($0)\n" }.joined()
                + """
                  \(route.name): {
                    request: \(request(route));
                    success: \(union(success(route)));
                    problem: \(union(problems(route)));
                  };

                """
        }
        return """
            /**
             * What each operation takes and answers. A newer server may send problems with codes
             * that are not listed here: give each `switch` a default.
             */
            export interface Operations {
            \(entries.joined())}

            """
    }

    private func request(_ route: Route) -> String {
        var parts: [String] = []
        for location in ["path", "query"] {
            let inputs = parameters(route, in: location)
            guard !inputs.isEmpty else { continue }
            let fields = inputs.map { input in
                let name = TypeScriptType.literal(input["name"] ?? .null)
                let type = TypeScriptType(indent: 0).text(input["schema"] ?? .null)
                return "\(name)\(input["required"] == .bool(true) ? "" : "?"): \(type)"
            }
            let mark = inputs.contains { $0["required"] == .bool(true) } ? "" : "?"
            parts.append("\(location)\(mark): { \(fields.joined(separator: "; ")) }")
        }
        if let body = route.operation["requestBody"] {
            let schema = body["content"]?["application/json"]?["schema"] ?? .null
            let mark = body["required"] == .bool(true) ? "" : "?"
            parts.append("body\(mark): \(TypeScriptType(indent: 4).text(schema))")
        }
        return parts.isEmpty ? "{}" : "{ \(parts.joined(separator: "; ")) }"
    }

    /// Returns the parameters in a part of the request. Those that all operations share are options
    /// of the client.
    private func parameters(_ route: Route, in location: String) -> [JSONValue] {
        guard case .array(let inputs)? = route.operation["parameters"] else { return [] }
        return inputs.filter { $0["in"] == .string(location) }
    }

    private func success(_ route: Route) -> [String] {
        responses(route) { $0.hasPrefix("2") }.map { status, media, schema in
            let type =
                switch Self.reading(media) {
                case "json": TypeScriptType(indent: 4).text(schema)
                case "bytes": "ArrayBuffer"
                default: "string"
                }
            return "{ status: \(status); body: \(type) }"
        }
    }

    private func problems(_ route: Route) -> [String] {
        responses(route) { !$0.hasPrefix("2") }.filter { Self.reading($0.media) == "json" }
            .map { TypeScriptType(indent: 4).text($0.schema) }
    }

    private func responses(
        _ route: Route, where isWanted: (String) -> Bool
    ) -> [(status: String, media: String, schema: JSONValue)] {
        members(route.operation["responses"]).filter { isWanted($0.name) }.flatMap { response in
            members(response.value["content"]).map {
                (response.name, $0.name, $0.value["schema"] ?? .null)
            }
        }
    }

    /// Returns the form in which the client reads a body of this media type.
    private static func reading(_ media: String) -> String {
        if media.hasSuffix("json") { return "json" }
        return media.hasPrefix("text/") || media.hasSuffix("xml") ? "text" : "bytes"
    }

    /// The table of operations that the client uses at run time.
    private var requests: String {
        let entries = routes.map { route in
            let media = responses(route) { $0.hasPrefix("2") }.first?.media ?? ""
            let words = [route.method, route.path, Self.reading(media)]
                .map { TypeScriptType.literal(.string($0)) }
            return "  \(route.name): [\(words.joined(separator: ", "))],\n"
        }
        return """
            const operations: Record<keyof Operations, readonly [string, string, string]> = {
            \(entries.joined())};

            """
    }

    private func union(_ types: [String]) -> String {
        types.isEmpty ? "never" : TypeScriptType.union(types)
    }

    private func members(_ value: JSONValue?) -> [JSONObject.Member] {
        guard case .object(let object)? = value else { return [] }
        return object.members
    }
}

extension JSONValue {
    /// Returns the member of an object; nil for any other value.
    fileprivate subscript(name: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }
}
