/// A field that can be left out, be null, or hold a value: three different wishes.
package enum Given<Value: Sendable>: Sendable {
    case absent
    case null
    case value(Value)

    /// The same of another type.
    package func map<Other>(_ change: (Value) -> Other) -> Given<Other> {
        switch self {
        case .absent: .absent
        case .null: .null
        case .value(let value): .value(change(value))
        }
    }
}
