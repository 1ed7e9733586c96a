import Domain

/// Calls of API functions about members.
enum MemberOperations {
    /// All people with a membership in some case, in either family, and a person in neither.
    static let targets: [(family: SampleFamily, person: SamplePerson)] =
        [
            SamplePerson.me, .founder, .chief, .aunt, .uncle, .sitter, .guest, .teen, .gone,
            .waiting,
            .niece, .moved, .child, .toddler, .lost, .cousin, .grown, .stranger,
        ].map { (.a, $0) } + [SamplePerson.me, .boss, .rival, .other].map { (.b, $0) }

    static let all: [Operation] = targets.flatMap(on)

    private static func on(_ target: (family: SampleFamily, person: SamplePerson)) -> [Operation] {
        let (family, person) = target
        let id = "'\(person.memberID(in: family))'"
        let deputy: SamplePerson = family == .a ? .chief : .boss
        let deputyID = "'\(deputy.memberID(in: family))'"
        func call(
            _ name: String, _ sql: String, _ questions: [Question],
            unless obstacle: @escaping @Sendable (Asker) -> Bool = { _ in false },
            first: Set<String> = []
        ) -> Operation {
            Operation(
                name: "\(name) \(person) in \(family)", sql: "SELECT \(sql)", kind: .call,
                questions: questions, obstacle: obstacle, toldFirst: first)
        }
        let isDeputy = person == deputy
        let removals =
            [Question(.memberRemove, family, person)]
            + (person.isManaged ? [Question(.managedRemove, family, person)] : [])
        // Naming a successor requires the right even where there is nothing to hand over. The
        // successor itself matters only where there is something.
        let reassignment: @Sendable (Asker, SamplePerson) -> [Question] = { asker, to in
            let isNeeded = asker.world.isLastGuardian(person, in: family)
            let successor = asker.world.isBlocked(deputy) ? .uncle : deputy
            return [
                Question(
                    .managedReassign, family, person, to: isNeeded ? to : successor,
                    guardianGoes: true)
            ]
        }
        let isGuardian: @Sendable (Asker) -> Bool = {
            $0.world.isLastGuardian(person, in: family)
        }
        let keepsChildren: @Sendable (Asker) -> Bool = {
            isGuardian($0) && !$0.takesChildrenAlong(person, in: family)
        }
        var operations = [
            call(
                "remove", "app.remove_member(\(id), NULL, false, false)", removals,
                unless: keepsChildren),
            call(
                "remove, with a new code,", "app.remove_member(\(id), NULL, true, false)",
                removals + [Question(.codeRegenerate, family)], unless: keepsChildren),
            call(
                "turn down", "app.remove_member(\(id), NULL, false, true)", removals,
                unless: { $0.world.row(person, in: family)?.status != .invited }),
            call(
                "approve", "app.approve_member(\(id))",
                [Question(.memberApprove, family, person)],
                unless: { $0.world.row(person, in: family)?.status != .invited }),
            call(
                "transfer the seat to", "app.transfer_admin('\(family.id)', \(id))",
                [Question(.adminTransfer, family, person)]),
            call(
                "rename child", "app.update_managed_member(\(id), 'New', NULL)",
                [Question(.managedUpdate, family, person)]),
        ]
        if [SamplePerson.aunt, .uncle].contains(person) {
            operations.append(
                call(
                    "remove, handing over to oneself,",
                    "app.remove_member(\(id), '\(SamplePerson.me.memberID(in: .a))', false, false)",
                    removals + [
                        Question(.managedReassign, family, person, to: .me, guardianGoes: true)
                    ]))
        }
        if !isDeputy {
            var handingOver = call(
                "remove, handing over,", "app.remove_member(\(id), \(deputyID), false, false)",
                removals)
            handingOver.alsoAsked = { reassignment($0, deputy) }
            operations += [handingOver, changing(target, to: .kid, handingOverTo: deputy)]
        }
        var toNoAdult = call(
            "remove, handing over to no adult,",
            "app.remove_member(\(id), '\(SamplePerson.sitter.memberID(in: .a))', false, false)",
            removals)
        toNoAdult.alsoAsked = { reassignment($0, .sitter) }
        operations.append(toNoAdult)
        return operations
            + [SamplePerson.aunt, .sitter, .me, .boss].map { guardian in
                var question = Question(.managedReassign, family, person)
                question.guardian = guardian
                let home: SampleFamily = guardian == .boss ? .b : .a
                return call(
                    "give to \(guardian)",
                    "app.reassign_managed_member(\(id), '\(guardian.memberID(in: home))')",
                    [question]
                )
            } + HouseholdRole.allCases.map { changing(target, to: $0) }
    }

    private static func changing(
        _ target: (family: SampleFamily, person: SamplePerson), to householdRole: HouseholdRole,
        handingOverTo deputy: SamplePerson? = nil
    ) -> Operation {
        let (family, person) = target
        var question = Question(.memberSetRole, family, person)
        question.newRole = householdRole
        let to = deputy.map { "'\($0.memberID(in: family))'" } ?? "NULL"
        var operation = Operation(
            name: "make \(person) in \(family) \(householdRole)"
                + (deputy == nil ? "" : ", handing over"),
            sql: "SELECT app.change_household_role('\(person.memberID(in: family))', "
                + "'\(householdRole.rawValue)', \(to), NULL, NULL, false)",
            kind: .call, questions: [question],
            obstacle: { asker in
                guard let row = asker.world.row(person, in: family) else { return false }
                return row.status == .invited
                    || (householdRole < .adult && deputy == nil
                        && asker.world.isLastGuardian(person, in: family))
            },
            toldFirst: ["member_is_waiting"])
        operation.alsoAsked = { asker in
            deputy.map {
                asker.world.isBlocked($0) && asker.world.isLastGuardian(person, in: family)
            } == true ? [.impossible] : []
        }
        return operation
    }
}

extension Asker {
    /// Whether removing a guardian also removes its children: it is not vouched for or is blocked,
    /// the seat is vacant, and the creator removes it.
    fileprivate func takesChildrenAlong(_ guardian: SamplePerson, in family: SampleFamily) -> Bool {
        world.creators[family] == subject && world.isCreatorActive(in: family)
            && !world.isSeatTaken(in: family)
            && world.row(guardian, in: family).map {
                !$0.isVouched || world.isBlocked(guardian)
            } == true
    }
}
