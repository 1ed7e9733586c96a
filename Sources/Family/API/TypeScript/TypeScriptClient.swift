import JSON

/// The API in TypeScript: the types of requests and responses, the refusals of each operation, and
/// the table of operations with which a client calls them.
///
/// It is generated from the API's description, so it can't differ from what the routes declare. The
/// client itself is written by hand, in `clients/typescript/src`; `TypeScriptRuntime` has its text.
struct TypeScriptClient {
    private let document: JSONValue

    /// - Parameter document: The OpenAPI description.
    init(_ document: JSONValue) { self.document = document }

    /// Content of `clients/typescript/src/api.ts`: everything that depends on the declarations.
    var declarations: String {
        [
            Self.head, schemas, problems, codes, operations, serverOperations, withoutCall, table,
            serverTable,
        ].joined(separator: "\n")
    }

    /// Declarations and client in one file without imports.
    var text: String { declarations + "\n" + TypeScriptRuntime.text }

    private static let head = """
        // Types of Hearth's API, and the table of its operations.
        // Generated from the API's declarations; don't edit.

        """

    private var schemas: String {
        members(document["components"]?["schemas"]).filter { !$0.name.hasPrefix("Problem") }.map {
            schema in
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

        var isChange: Bool { method != "GET" }
    }

    private var routes: [Route] {
        members(document["paths"]).flatMap { path in
            members(path.value).map {
                Route(path: path.name, method: $0.name.uppercased(), operation: $0.value)
            }
        }
    }

    /// Types of refusals: all codes with their statuses, and the problem of a code.
    private var problems: String {
        let statuses = ProblemCode.allCases.map { code in
            TypeScriptType.comment(.string(code.advice)).map { "  \($0)\n" }.joined()
                + "  \(code.rawValue): \(code.status);\n"
        }
        let schema = document["components"]?["schemas"]?["Problem"]
        let kept = members(schema?["properties"]).filter { !["status", "code"].contains($0.name) }
        let fields: JSONValue = [
            "type": "object", "properties": .object(JSONObject(kept)),
            "required": schema?["required"] ?? [],
        ]
        return """
            /** HTTP status of each code, with advice. */
            export interface RefusalStatuses {
            \(statuses.joined())}

            /** A machine-readable reason of a refusal. */
            export type RefusalCode = keyof RefusalStatuses;

            /** Fields that problems of all codes have (RFC 9457). */
            export type ProblemFields = \(TypeScriptType(indent: 0).text(fields));

            /** The problem of a code; of several codes, a union that `code` tells apart. */
            export type Problem<Code extends RefusalCode = RefusalCode> = {
              [One in Code]: ProblemFields & { code: One; status: RefusalStatuses[One] };
            }[Code];

            """
    }

    /// Groups of codes that many operations share, so that each operation lists only its own.
    private var codes: String {
        """
        /** Codes that every operation can return. */
        export type CommonCode = \(Self.union(commonCodes));

        /** Further codes that every change can return. */
        export type ChangeCode = \(Self.union(changeCodes));

        """
    }

    private var commonCodes: [String] { sharedCodes(called.map(codes)) }

    private var changeCodes: [String] {
        let common = commonCodes
        return sharedCodes(called.filter(\.isChange).map(codes)).filter { !common.contains($0) }
    }

    /// Returns the codes that are in all lists.
    private func sharedCodes(_ lists: [[String]]) -> [String] {
        (lists.first ?? []).filter { code in lists.allSatisfy { $0.contains(code) } }
    }

    /// Returns the codes that an operation can return.
    private func codes(_ route: Route) -> [String] {
        var codes: [String] = []
        for response in members(route.operation["responses"]) {
            guard case .array(let listed)? = response.value["x-codes"] else { continue }
            for case .string(let code) in listed where !codes.contains(code) { codes.append(code) }
        }
        return codes
    }

    private static func union(_ words: [String]) -> String {
        words.isEmpty
            ? "never" : TypeScriptType.union(words.map { TypeScriptType.literal(.string($0)) })
    }

    private var operations: String {
        let (common, change) = (commonCodes, changeCodes)
        let entries = called.map { route in
            let own = codes(route).filter {
                !common.contains($0) && !(route.isChange && change.contains($0))
            }
            let groups = route.isChange ? ["CommonCode", "ChangeCode"] : ["CommonCode"]
            let all = groups + own.map { TypeScriptType.literal(.string($0)) }
            return TypeScriptType.comment(route.operation["summary"]).map { "  \($0)\n" }.joined()
                + """
                  \(route.name): {
                    request: \(request(route));
                    options: \(Self.union(headers(route).map(\.option)));
                    success: \(union(success(route)));
                    code: \(TypeScriptType.union(all));
                  };

                """
        }
        return """
            /**
             * What each operation takes and returns. A newer server may refuse with codes that are
             * not listed here: give each `switch` a default.
             */
            export interface Operations {
            \(entries.joined())}

            /** Name of an operation. */
            export type OperationName = keyof Operations;

            """
    }

    /// The operations for servers, which share no codes with those for people.
    private var serverOperations: String {
        let entries = forServers.map { route in
            TypeScriptType.comment(route.operation["summary"]).map { "  \($0)\n" }.joined()
                + """
                  \(route.name): {
                    request: \(request(route));
                    success: \(union(success(route)));
                    code: \(Self.union(codes(route)));
                  };

                """
        }
        return """
            /** What each operation for servers takes and returns. `HearthServer` calls them. */
            export interface ServerOperations {
            \(entries.joined())}

            /** Name of an operation for servers. */
            export type ServerOperationName = keyof ServerOperations;

            """
    }

    private var serverTable: String {
        """
        /** Method, path and properties of each operation for servers. */
        export const serverOperations: {
          readonly [Name in ServerOperationName]: readonly [string, string, string];
        } = {
        \(entries(of: forServers).joined())};

        """
    }

    /// The operations that the client leaves out, with the reason.
    private var withoutCall: String {
        let entries = routes.compactMap { route in
            Self.reasonWithoutCall(route.operation).map {
                "  \(route.name): \(TypeScriptType.literal(.string($0)));\n"
            }
        }
        return """
            /** Operations of the API that are not called by name, and why. */
            export interface OperationsWithoutCall {
            \(entries.joined())}

            """
    }

    /// Returns why an operation has no call; nil if it has one.
    private static func reasonWithoutCall(_ operation: JSONValue) -> String? {
        if operation["operationId"] == .string("live") {
            return "An endless stream: `live()` follows it."
        }
        guard case .array(let tags)? = operation["tags"] else { return nil }
        if tags.contains(.string(Tag.pages.rawValue)) {
            return "A page for people, or a file that phones and services look for."
        }
        if tags.contains(.string(Tag.operations.rawValue)) {
            return "For load balancers and monitoring."
        }
        if tags.contains(.string(Tag.server.rawValue)) {
            return "For servers, with an API key: `HearthServer` calls it."
        }
        if tags.contains(.string(Tag.description.rawValue)) {
            return "Describes the API; this file is made from the same declarations."
        }
        return nil
    }

    private var called: [Route] { routes.filter { Self.reasonWithoutCall($0.operation) == nil } }

    private var forServers: [Route] {
        routes.filter { route in
            guard case .array(let tags)? = route.operation["tags"] else { return false }
            return tags.contains(.string(Tag.server.rawValue))
        }
    }

    /// A header that some operations accept, as an option of a call.
    private enum Header: String, CaseIterable {
        case actingAs = "X-Acting-As-Member"
        case idempotencyKey = "Idempotency-Key"
        case ifMatch = "If-Match"
        case ifNoneMatch = "If-None-Match"
        case confirmationCode = "X-Confirmation-Code"
        case changedAt = "X-Changed-At"
        case baseVersion = "X-Base-Version"

        /// Name of the option.
        var option: String { "\(self)" }

        /// Letter of the header in the table of operations.
        var letter: String {
            switch self {
            case .actingAs: "a"
            case .idempotencyKey: "k"
            case .ifMatch: "m"
            case .ifNoneMatch: "n"
            case .confirmationCode: "c"
            case .changedAt: "t"
            case .baseVersion: "v"
            }
        }
    }

    private func headers(_ route: Route) -> [Header] {
        guard case .array(let inputs)? = route.operation["parameters"] else { return [] }
        let names = inputs.compactMap { input -> JSONValue? in
            guard case .string(let reference)? = input["$ref"] else { return input["name"] }
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            return document["components"]?["parameters"]?[name]?["name"]
        }
        return Header.allCases.filter { names.contains(.string($0.rawValue)) }
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

    /// The table of operations that the client uses at run time: method, path, and letters. The
    /// letters stand for the headers that the operation accepts (`Header.letter`), for a call
    /// without a token (`o`), and for a body that is not JSON (`x` for text, `b` for bytes).
    private var table: String {
        """
        /** Method, path and properties of each operation. */
        export const operations: {
          readonly [Name in OperationName]: readonly [string, string, string];
        } = {
        \(entries(of: called).joined())};

        """
    }

    private func entries(of routes: [Route]) -> [String] {
        routes.map { route in
            var letters = headers(route).map(\.letter).joined()
            if case .array(let ways)? = route.operation["security"], ways.contains(.object([:])) {
                letters += "o"
            }
            switch Self.reading(responses(route) { $0.hasPrefix("2") }.first?.media ?? "") {
            case "text": letters += "x"
            case "bytes": letters += "b"
            default: break
            }
            let words = [route.method, route.path, letters]
                .map { TypeScriptType.literal(.string($0)) }
            return "  \(route.name): [\(words.joined(separator: ", "))],\n"
        }
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
