import HTTPServer
import JSON

// Description of a route in the OpenAPI document.

extension Endpoint {
    /// Path in OpenAPI's form, such as `/api/family/{id}`.
    var pathTemplate: String {
        "\(pattern)".split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }
            .joined(separator: "/")
    }

    /// Returns the OpenAPI description of the route.
    func description(_ examples: ExampleMaker) -> JSONValue {
        var members: [JSONObject.Member] = [
            .init(name: "operationId", value: .string(operation.name)),
            .init(name: "summary", value: .string(operation.summary)),
            .init(
                name: "tags", value: .array(Tag.of(self).map { [.string($0.rawValue)] } ?? [])),
            .init(
                name: "security",
                value: needsKey
                    ? [["apiKey": []]] : needsCaller ? [["bearer": []]] : [[:], ["bearer": []]]),
            .init(name: "parameters", value: .array(parameters(examples))),
        ]
        if let body = body(examples) { members.append(.init(name: "requestBody", value: body)) }
        members.append(.init(name: "responses", value: responses(examples)))
        return .object(JSONObject(members))
    }

    private func parameters(_ examples: ExampleMaker) -> [JSONValue] {
        var parameters = operation.inputs.map(\.declaration).filter { $0.location != .body }
            .map { input -> JSONValue in
                [
                    "name": .string(input.name), "in": .string(input.location.rawValue),
                    "required": .bool(input.isRequired),
                    "description": .string(input.explanation),
                    "schema": input.schema.value,
                    "example": examples.example(of: input.schema.value, field: input.name),
                ]
            }
        if needsCaller {
            parameters.append(["$ref": "#/components/parameters/actingAs"])
            if takesKey {
                parameters.append(["$ref": "#/components/parameters/idempotencyKey"])
            }
            if operation.isTagged {
                parameters.append(["$ref": "#/components/parameters/ifNoneMatch"])
            }
            if [.put, .patch, .delete].contains(method) {
                parameters.append(["$ref": "#/components/parameters/ifMatch"])
            }
        }
        return parameters
    }

    private func body(_ examples: ExampleMaker) -> JSONValue? {
        let fields = operation.inputs.map(\.declaration).filter { $0.location == .body }
        let schema: JSONValue
        let example: JSONValue
        if operation.takesDocument {
            schema = Schema.reference(APIDescription.document).value
            example = Glossary.document
        } else if takesBody, !fields.isEmpty {
            schema = Self.schema(of: fields)
            example = examples.example(of: schema)
        } else {
            return nil
        }
        return [
            "required": .bool(operation.takesDocument || fields.contains(where: \.isRequired)),
            "content": .object(
                JSONObject(
                    operation.bodyTypes.map {
                        .init(name: $0, value: ["schema": schema, "example": example])
                    })),
        ]
    }

    private static func schema(of fields: [InputDeclaration]) -> JSONValue {
        let properties = fields.filter { !$0.isForOthers }.flatMap { field in
            let published = JSONObject.Member(
                name: field.name, value: field.schema.described(field.explanation).value)
            let others = field.otherNames.map { name in
                JSONObject.Member(
                    name: name,
                    value: field.schema.deprecated.described("Another name of `\(field.name)`.")
                        .value)
            }
            return [published] + others
        }
        let required = fields.filter(\.isRequired).map { JSONValue.string($0.name) }
        var members: [JSONObject.Member] = [
            .init(name: "type", value: "object"),
            .init(name: "properties", value: .object(JSONObject(properties))),
            .init(name: "required", value: .array(required)),
        ]
        if let others = fields.first(where: \.isForOthers) {
            let schema = others.schema.described(others.help)
            members.append(.init(name: "additionalProperties", value: schema.value))
        }
        return .object(JSONObject(members))
    }

    private var isReplayable: Bool { isMutation && needsCaller }

    private func responses(_ examples: ExampleMaker) -> JSONValue {
        var members = operation.responses.map { answer in
            JSONObject.Member(
                name: "\(answer.status)",
                value: [
                    "description": .string(answer.help),
                    "headers": CommonHeaders.of(
                        status: answer.status,
                        isTagged: operation.isTagged || operation.isGuarded,
                        isReplayable: isReplayable),
                    "content": answer.mediaType.isEmpty ? [:] : answer.contents(examples),
                ])
        }
        if operation.isTagged {
            members.append(
                .init(
                    name: "304",
                    value: [
                        "description": "The client's copy (If-None-Match) is current.",
                        "headers": CommonHeaders.of(status: 304, isTagged: true),
                    ]))
        }
        let byStatus = Dictionary(grouping: problems, by: \.status)
        for (status, codes) in byStatus.sorted(by: { $0.key < $1.key }) {
            members.append(
                .init(name: "\(status)", value: failure(status, codes.map(\.rawValue))))
        }
        return .object(JSONObject(members))
    }

    private func failure(_ status: Int, _ codes: [String]) -> JSONValue {
        let schema = Schema.reference(ProblemSchemas.name(of: status)).value
        var types = [JSONObject.Member(name: Problem.mediaType, value: ["schema": schema])]
        // A failure of a page is a page; refusals of the HTTP server itself stay problem documents.
        if operation.failurePage != nil {
            types.append(.init(name: "text/html", value: ["schema": ["type": "string"]]))
        }
        return [
            "description": .string(codes.joined(separator: ", ")),
            "headers": CommonHeaders.of(status: status, isReplayable: isReplayable),
            "content": .object(JSONObject(types)),
            // The codes with this status that the route can return.
            "x-codes": .array(codes.map { .string($0) }),
        ]
    }
}

extension DeclaredResponse {
    /// Returns the content of each media type.
    fileprivate func contents(_ examples: ExampleMaker) -> JSONValue {
        let content = content(examples)
        return .object(
            JSONObject(
                ([mediaType] + alternatives).map { JSONObject.Member(name: $0, value: content) }))
    }

    /// Returns the schema of the body, with an example if it is JSON.
    fileprivate func content(_ examples: ExampleMaker) -> JSONValue {
        guard mediaType.hasSuffix("json") else { return ["schema": schema.value] }
        return [
            "schema": schema.value, "example": example ?? examples.example(of: schema.value),
        ]
    }
}
