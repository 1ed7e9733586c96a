/// Holds a decoded value, so that an absent optional isn't lost when its type is erased.
package struct Box<Value: Sendable>: Sendable {
    /// The value.
    package let value: Value

    /// Holds a value.
    package init(value: Value) {
        self.value = value
    }
}
