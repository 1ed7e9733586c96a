import HTTPServer
import JSON
import Telemetry

/// The schemas of problems: one for each status, with the codes that have it.
///
/// Responses refer to them by a plain `$ref`, because client generators keep those: most ignore a
/// schema that is composed for a single response.
enum ProblemSchemas {
    /// Returns the name of the schema of a status.
    static func name(of status: Int) -> String { "\(Problem.shape.name)\(status)" }

    /// Returns the schemas of all statuses that these routes can return.
    static func all(of table: [Endpoint]) -> [JSONObject.Member] {
        let met = Set(table.flatMap(\.problems))
        let byStatus = Dictionary(
            grouping: ProblemCode.allCases.filter(met.contains), by: \.status)
        return byStatus.sorted { $0.key < $1.key }.map { status, codes in
            .init(name: name(of: status), value: schema(of: status, codes))
        }
    }

    private static func schema(of status: Int, _ codes: [ProblemCode]) -> JSONValue {
        guard case .object(let base) = Problem.shape.schema.value else { return .null }
        let members = base.members.map { member -> JSONObject.Member in
            guard member.name == "properties", case .object(let properties) = member.value
            else { return member }
            return .init(
                name: member.name,
                value: .object(JSONObject(properties.members.map { narrow($0, status, codes) })))
        }
        let examples = codes.prefix(1).compactMap(example)
        let title = ReasonPhrase.of(status) ?? Problem.shape.name
        return .object(
            JSONObject(
                members + [
                    .init(name: "description", value: .string("\(title).")),
                    .init(name: "examples", value: .array(examples)),
                ]))
    }

    /// Returns a property of every problem, narrowed to this status.
    private static func narrow(
        _ property: JSONObject.Member, _ status: Int, _ codes: [ProblemCode]
    ) -> JSONObject.Member {
        let schema: Schema
        switch property.name {
        case "status": schema = Schema(["type": "integer", "const": .integer(Int64(status))])
        case "code": schema = .word(codes.map(\.rawValue))
        default: return property
        }
        return .init(
            name: property.name,
            value: schema.explained(as: property.name, in: Problem.shape.name).value)
    }

    private static func example(_ code: ProblemCode) -> JSONValue? {
        guard let request = RequestID("4f1e8c0a2b6d9357") else { return nil }
        var json = JSONWriter()
        json.object { Problem.shape.write((Problem(code, code.text), request), to: &$0) }
        return try? JSONValue(parsing: json.bytes)
    }
}
