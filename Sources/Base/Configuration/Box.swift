/// Holds a decoded value, so that a nil value isn't lost when its type is erased.
package struct Box<Value: Sendable>: Sendable {
    package let value: Value

    package init(value: Value) {
        self.value = value
    }
}
