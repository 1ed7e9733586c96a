import Domain
import UseCases

extension Shapes {
    /// What the caller may choose for itself, beside what it belongs to.
    static func choices<Value>(
        _ read: @escaping @Sendable (Value) -> OwnChoices
    ) -> [Property<Value>] {
        [
            .words("selectableRoles") { read($0).selectableRoles },
            .word("parentAdmin") { read($0).parentAdmin },
        ]
    }
}
