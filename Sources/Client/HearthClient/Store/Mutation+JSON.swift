import Foundation

extension Mutation {
    /// As the queue keeps it.
    var json: JSONValue {
        .body([
            "method": .string(method), "path": .string(path),
            "query": .object(query.mapValues { .string($0) }), "body": body,
            "target": target?.json, "effect": effect.json, "answersThing": .bool(answersThing),
        ])
    }

    /// Nil for what only another release of the library has written.
    init?(_ json: JSONValue) {
        guard let method = json["method"]?.stringValue, let path = json["path"]?.stringValue,
            let effect = json["effect"].flatMap(Effect.init)
        else { return nil }
        self.init(
            method: method, path: path,
            query: json["query"]?.objectValue?.compactMapValues(\.stringValue) ?? [:],
            body: json["body"], target: json["target"].flatMap(ThingKey.init), effect: effect,
            answersThing: json["answersThing"]?.boolValue ?? false)
    }
}

extension Mutation.Effect {
    fileprivate var json: JSONValue {
        switch self {
        case .merge(let patch): ["merge": patch]
        case .replace(let value): ["replace": value]
        case .remove: "remove"
        case .none: "none"
        }
    }

    fileprivate init?(_ json: JSONValue) {
        if let patch = json["merge"] {
            self = .merge(patch)
        } else if let value = json["replace"] {
            self = .replace(value)
        } else if json == "remove" {
            self = .remove
        } else if json == "none" {
            self = .none
        } else {
            return nil
        }
    }

    /// What a thing is with it; nil for none.
    func applied(to value: JSONValue?) -> JSONValue? {
        switch self {
        case .merge(let patch): value?.merged(patch)
        case .replace(let value): value
        case .remove: nil
        case .none: value
        }
    }
}

extension JSONValue {
    /// The value after a merge patch (RFC 7396).
    func merged(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members = objectValue ?? [:]
        for (name, change) in changes {
            members[name] = change == .null ? nil : (members[name] ?? .null).merged(change)
        }
        return .object(members)
    }
}
