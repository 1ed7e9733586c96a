/// What becomes of a field that can also be empty.
public enum Edit<Value: Sendable & Hashable>: Sendable, Hashable {
    /// It stays as it is.
    case keep
    /// It is emptied.
    case clear
    /// It gets this value.
    case set(Value)
}

extension JSONValue {
    /// The member of a body: none for what stays.
    static func edit<Value>(_ edit: Edit<Value>, _ json: (Value) -> JSONValue) -> JSONValue? {
        switch edit {
        case .keep: nil
        case .clear: .null
        case .set(let value): json(value)
        }
    }

    /// An object of the members that have a value.
    static func body(_ members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues { $0 })
    }
}
