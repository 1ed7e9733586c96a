import Domain
import Policy

/// Calls of API functions about the guardians of children.
enum GuardianOperations {
    private static let children: [SamplePerson] = [
        .niece, .moved, .child, .toddler, .lost, .cousin, .teen, .grown,
    ]
    private static let guardians: [SamplePerson] = [.aunt, .uncle, .sitter, .me, .boss]

    static let all: [Operation] = children.flatMap { child in guardians.flatMap { on(child, $0) } }

    private static func on(_ child: SamplePerson, _ guardian: SamplePerson) -> [Operation] {
        let home: SampleFamily = guardian == .boss ? .b : .a
        let ids = "('\(child.memberID(in: .a))', '\(guardian.memberID(in: home))')"
        func call(
            _ name: String, _ function: String, _ action: Action,
            unless reason: @escaping @Sendable (Asker) -> RefusalCode? = { _ in nil }
        ) -> Operation {
            Operation(
                name: "\(name) \(guardian) of \(child)", sql: "SELECT app.\(function)\(ids)",
                kind: .call, questions: [Question(action, .a, child, to: guardian)],
                reason: reason)
        }
        return [
            call("make guardian", "add_guardian", .guardianAdd),
            call(
                "dismiss guardian", "remove_guardian", .guardianRemove,
                unless: {
                    let world = $0.world
                    return world.active(child, in: .a).map {
                        world.isLastGuardian(guardian, of: $0)
                    } == true ? .guardianHasManagedMembers : nil
                }),
            call("make primary guardian", "make_primary_guardian", .guardianPromote),
        ]
    }
}
