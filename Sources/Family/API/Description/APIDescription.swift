import JSON
import FamilySettings
import Synchronization

/// The API's description (OpenAPI 3.1), made from the route table.
final class APIDescription: Sendable {
    private let made = Mutex<PreparedDocument?>(nil)
    private let baseURL: String

    init(baseURL: String) { self.baseURL = baseURL }

    /// The document; made when it is first asked for.
    var document: PreparedDocument {
        made.withLock { made in
            if let made { return made }
            var json = JSONWriter(capacity: 200_000)
            json.element(Self.document(of: Routes.table, at: baseURL))
            // Without the room that was left for writing it.
            let document = PreparedDocument(
                mediaType: "application/json", bytes: Array(json.bytes[...]))
            made = document
            return document
        }
    }

    private static func document(of table: [Endpoint], at baseURL: String) -> JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Hearth", "version": .string("\(HearthVersion.current)"),
                "description": .string(introduction),
            ],
            "servers": [["url": .string(baseURL)]],
            "paths": paths(of: table),
            "components": [
                "securitySchemes": [
                    "bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"]
                ],
                "parameters": commonParameters,
                "headers": CommonHeaders.components,
                "schemas": schemas(of: table),
            ],
        ]
    }

    private static let introduction = """
        A family backend. Times are in UTC and whole seconds. Fields of a body that a route does \
        not know are ignored, but for those that name what only the server decides. HEAD is \
        answered where GET is.
        """

    private static func paths(of table: [Endpoint]) -> JSONValue {
        var paths: [(path: String, operations: [JSONObject.Member])] = []
        for endpoint in table {
            let path = endpoint.pathTemplate
            let operation = JSONObject.Member(
                name: endpoint.method.name.lowercased(), value: endpoint.description)
            if let index = paths.firstIndex(where: { $0.path == path }) {
                paths[index].operations.append(operation)
            } else {
                paths.append((path, [operation]))
            }
        }
        return .object(
            JSONObject(
                paths.map { .init(name: $0.path, value: .object(JSONObject($0.operations))) }
            ))
    }

    private static let commonParameters: JSONValue = [
        "actingAs": [
            "name": "X-Acting-As-Member", "in": "header", "required": false,
            "description": "The managed member on whose behalf the guardian makes the request.",
            "schema": Schema.shownID.value,
        ],
        "idempotencyKey": [
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description":
                "The same request under one key has one effect and one response, for 24 hours.",
            "schema": ["type": "string", "pattern": "^[!-~]{1,255}$"],
        ],
        "ifMatch": [
            "name": "If-Match", "in": "header", "required": false,
            "description":
                "Responses have no ETag yet: `*` is accepted, a version gets 412.",
            "schema": ["type": "string"],
        ],
    ]

    /// The shapes of all answers under their names.
    private static func schemas(of table: [Endpoint]) -> JSONValue {
        var named: [String: JSONValue] = [:]
        func collect(_ shape: any DescribedShape) {
            let schema = shape.schema.value
            if let known = named[shape.name] {
                precondition(known == schema, "two shapes are called \(shape.name)")
                return
            }
            named[shape.name] = schema
            shape.parts.forEach(collect)
        }
        collect(Problem.shape)
        for endpoint in table { endpoint.operation.answers.compactMap(\.part).forEach(collect) }
        return .object(
            JSONObject(
                named.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) }))
    }
}

/// Headers that answers have.
enum CommonHeaders {
    private static let all: KeyValuePairs<String, String> = [
        "X-Request-Id": "The request's id in the log.",
        "Cache-Control": "Always `no-store`.",
        "WWW-Authenticate": "How to sign in (RFC 6750).",
        "Retry-After": "Seconds to wait before a retry.",
        "RateLimit": "The limit that was reached, and when its window ends.",
        "RateLimit-Policy": "The quota and window of the limit.",
    ]

    static var components: JSONValue {
        .object(
            JSONObject(
                all.map { name, help in
                    .init(
                        name: name,
                        value: [
                            "description": .string(help), "required": true,
                            "schema": ["type": "string"],
                        ])
                }))
    }

    /// Those of an answer of this status.
    static func of(status: Int) -> JSONValue {
        var names = ["X-Request-Id", "Cache-Control"]
        switch status {
        case 401: names.append("WWW-Authenticate")
        case 429: names += ["Retry-After", "RateLimit", "RateLimit-Policy"]
        case 503: names.append("Retry-After")
        default: break
        }
        return .object(
            JSONObject(
                names.map {
                    .init(name: $0, value: ["$ref": .string("#/components/headers/\($0)")])
                }))
    }
}
