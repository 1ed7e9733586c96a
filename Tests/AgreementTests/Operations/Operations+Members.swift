import Domain

/// What is tried through the functions of the API on members.
enum MemberOperations {
    /// Everybody with a row in some case, in either family, and one who is nowhere.
    static let targets: [(household: Household, person: Person)] =
        [
            Person.me, .founder, .chief, .aunt, .sitter, .guest, .teen, .gone, .waiting, .niece,
            .moved, .child, .lost, .stranger,
        ].map { (.a, $0) } + [Person.me, .boss, .rival, .other].map { (.b, $0) }

    static let all: [Operation] = targets.flatMap(on)

    private static func on(_ target: (household: Household, person: Person)) -> [Operation] {
        let (household, person) = target
        let id = "'\(person.memberID(in: household))'"
        let deputy: Person = household == .a ? .chief : .boss
        let deputyID = "'\(deputy.memberID(in: household))'"
        func call(
            _ name: String, _ sql: String, _ questions: [Question],
            unless obstacle: @escaping @Sendable (Asker) -> Bool = { _ in false },
            first: Set<String> = []
        ) -> Operation {
            Operation(
                name: "\(name) \(person) in \(household)", sql: "SELECT \(sql)", kind: .call,
                questions: questions, obstacle: obstacle, toldFirst: first)
        }
        let isDeputy = person == deputy
        let removals =
            [Question(.memberRemove, household, person)]
            + (person.isManaged ? [Question(.managedRemove, household, person)] : [])
        let reassignment = Question(
            .managedReassign, household, person, to: deputy, guardianGoes: true)
        let isGuardian: @Sendable (Asker) -> Bool = { $0.world.hasWards(person, in: household) }
        var operations = [
            call(
                "remove", "app.remove_member(\(id), NULL, false)", removals, unless: isGuardian),
            call(
                "remove, with a new code,", "app.remove_member(\(id), NULL, true)",
                removals + [Question(.codeRegenerate, household)], unless: isGuardian),
            call(
                "approve", "app.approve_member(\(id))",
                [Question(.memberApprove, household, person)],
                unless: { $0.world.row(person, in: household)?.status != .invited }),
            call(
                "transfer the seat to", "app.transfer_admin('\(household.id)', \(id))",
                [Question(.adminTransfer, household, person)]),
            call(
                "rename child", "app.update_managed_member(\(id), 'New', NULL)",
                [Question(.managedUpdate, household, person)]),
        ]
        if !isDeputy {
            operations += [
                call(
                    "remove, handing over,", "app.remove_member(\(id), \(deputyID), false)",
                    removals + [reassignment]),
                changing(target, to: .kid, handingOverTo: deputy),
            ]
        }
        var toNoAdult = call(
            "remove, handing over to no adult,",
            "app.remove_member(\(id), '\(Person.sitter.memberID(in: .a))', false)", removals)
        // Where there is nothing to hand over, naming somebody takes the right all the same.
        toNoAdult.alsoAsked = { asker in
            let to = isGuardian(asker) ? .sitter : deputy
            return [
                Question(.managedReassign, household, person, to: to, guardianGoes: true)
            ]
        }
        operations.append(toNoAdult)
        return operations
            + [Person.aunt, .sitter, .me, .boss].map { guardian in
                var question = Question(.managedReassign, household, person)
                question.guardian = guardian
                let home: Household = guardian == .boss ? .b : .a
                return call(
                    "give to \(guardian)",
                    "app.reassign_managed_member(\(id), '\(guardian.memberID(in: home))')",
                    [question]
                )
            } + HouseholdRole.allCases.map { changing(target, to: $0) }
    }

    private static func changing(
        _ target: (household: Household, person: Person), to householdRole: HouseholdRole,
        handingOverTo deputy: Person? = nil
    ) -> Operation {
        let (household, person) = target
        var question = Question(.memberSetRole, household, person)
        question.newRole = householdRole
        let to = deputy.map { "'\($0.memberID(in: household))'" } ?? "NULL"
        return Operation(
            name: "make \(person) in \(household) \(householdRole)"
                + (deputy == nil ? "" : ", handing over"),
            sql: "SELECT app.set_household_role('\(person.memberID(in: household))', "
                + "'\(householdRole.rawValue)', \(to))",
            kind: .call, questions: [question],
            obstacle: { asker in
                guard let row = asker.world.row(person, in: household) else { return false }
                return row.status == .invited
                    || (householdRole < .adult && deputy == nil
                        && asker.world.hasWards(person, in: household))
            },
            toldFirst: ["member_is_waiting"])
    }
}
