/// A field of a request that is absent, null, or has a value; each means something different.
package enum PatchValue<Value: Sendable>: Sendable {
    case absent
    case null
    case value(Value)

    /// Transforms the value, if there is one.
    package func map<Other>(_ change: (Value) -> Other) -> PatchValue<Other> {
        switch self {
        case .absent: .absent
        case .null: .null
        case .value(let value): .value(change(value))
        }
    }
}
