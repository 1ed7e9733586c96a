import Policy

/// Every question that a case asks the policy, once each.
enum Census {
    static func consultations(in cases: [Case]) -> Set<Consultation> {
        var found: Set<Consultation> = []
        for played in cases {
            let asker = Asker(played)
            // Questions that the database asks elsewhere: acting, where the account begins a
            // request; removing a child, by the same function as for any member.
            for row in asker.world.rows {
                for action in [Action.actAs, .managedRemove] {
                    let question = Question(action, row.family, row.person)
                    if let asked = question.consultation(asker) { found.insert(asked) }
                }
            }
            // Masked columns of a family are asked for only where the family is visible.
            for action in [Action.codeRead, .emailRead, .playerDetailsRead] {
                let question = Question(action, .a)
                if let asked = question.consultation(asker) { found.insert(asked) }
            }
            for channel in Channel.allCases where channel.beginning(played) != nil {
                for reading in channel.readings {
                    var reader = Reader(asker)
                    _ = reading.expected(&reader)
                    found.formUnion(reader.consultations)
                }
                for operation in channel.operations {
                    let (asker, questions) = operation.asked(by: asker)
                    found.formUnion(questions.compactMap { $0.consultation(asker) })
                }
            }
        }
        return found
    }
}
