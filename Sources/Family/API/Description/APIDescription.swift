import JSON
import FamilySettings
import Synchronization

/// The API's description (OpenAPI 3.1), generated from the route table.
final class APIDescription: Sendable {
    private let made = Mutex<PreparedDocument?>(nil)
    private let baseURL: String

    init(baseURL: String) { self.baseURL = baseURL }

    /// The document; generated on first use.
    var document: PreparedDocument {
        made.withLock { made in
            if let made { return made }
            var json = JSONWriter(capacity: 500_000)
            json.element(Self.document(of: Routes.table + PageRoutes.openings, at: baseURL))
            // A copy without the spare capacity of the writer.
            let document = PreparedDocument(
                mediaType: "application/json", bytes: Array(json.bytes[...]))
            made = document
            return document
        }
    }

    /// Returns the document of these routes.
    static func document(of table: [Endpoint], at baseURL: String) -> JSONValue {
        let schemas = schemas(of: table)
        let examples = ExampleMaker(components: schemas)
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Hearth", "version": .string("\(HearthVersion.current)"),
                "description": .string(introduction),
            ],
            "servers": [["url": .string(baseURL)]],
            "tags": .array(
                Tag.allCases.map {
                    ["name": .string($0.rawValue), "description": .string($0.help)]
                }),
            "paths": paths(of: table, examples),
            "components": [
                "securitySchemes": [
                    "bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"],
                    "apiKey": ["type": "http", "scheme": "bearer", "bearerFormat": "hk_..."],
                ],
                "parameters": commonParameters,
                "headers": CommonHeaders.components,
                "schemas": .object(
                    JSONObject(
                        schemas.sorted { $0.key < $1.key }
                            .map { .init(name: $0.key, value: $0.value) })),
            ],
        ]
    }

    private static let introduction = """
        A family backend. Times are in UTC and whole seconds. Unknown fields of a body are \
        ignored, except fields that only the server may set: these are refused. Routes with GET \
        also accept HEAD.
        """

    private static func paths(of table: [Endpoint], _ examples: ExampleMaker) -> JSONValue {
        var paths: [(path: String, operations: [JSONObject.Member])] = []
        for endpoint in table {
            let path = endpoint.pathTemplate
            let operation = JSONObject.Member(
                name: endpoint.method.name.lowercased(), value: endpoint.description(examples))
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
            "description": """
            The key under which this request has one effect and one response for 24 hours, \
            however often it is sent.
            """,
            "schema": ["type": "string", "pattern": "^[!-~]{1,255}$"],
        ],
        "ifNoneMatch": [
            "name": "If-None-Match", "in": "header", "required": false,
            "description":
                "The ETag of an earlier response. The response is 304 if nothing has changed.",
            "schema": ["type": "string"],
        ],
        "ifMatch": [
            "name": "If-Match", "in": "header", "required": false,
            "description": """
            The ETag from reading this resource. The response is 412 if the resource has \
            changed. If reading it returns no ETag, only `*` is accepted.
            """,
            "schema": ["type": "string"],
        ],
    ]

    /// The component for bodies whose fields the client defines. It is named, because client
    /// generators create a type for each occurrence of an unnamed schema.
    static let document = "JSONDocument"

    /// Returns the shapes of all responses and the problems of all statuses, by name.
    static func schemas(of table: [Endpoint]) -> [String: JSONValue] {
        var named: [String: JSONValue] = [:]
        func collect(_ shape: any DescribedShape) {
            let schema = shape.schema.value
            if let known = named[shape.name] {
                precondition(known == schema, "two shapes have the name \(shape.name)")
                return
            }
            named[shape.name] = schema
            shape.parts.forEach(collect)
        }
        collect(Problem.shape)
        for endpoint in table { endpoint.operation.responses.compactMap(\.part).forEach(collect) }
        named[document] =
            Schema.object.described(
                "An object whose fields the client defines."
            ).value
        for problem in ProblemSchemas.all(of: table) { named[problem.name] = problem.value }
        return named
    }
}
