import Domain
import Policy
import Testing

@Suite("The rules of the module Policy")
struct RuleTests {
    private static let consultations = Dictionary(
        grouping: Census.consultations(in: Case.core), by: \.action)

    @Test("the rules cover every row of the written table and give its reasons")
    func table() {
        let asked = Self.consultations.values.joined()
        for disagreement in Set(asked.compactMap(\.disagreement)) {
            Issue.record("\(disagreement)")
        }
        let rows = Set(asked.map(\.row))
        #expect(WrittenTable.names.filter { !rows.contains($0) } == [])
        #expect(Action.allCases.filter { Self.consultations[$0] == nil } == [])
    }

    @Test("the rules refuse with exactly the codes declared as the policy's")
    func codes() {
        let given = Set(
            Action.allCases.flatMap { action in
                let clauses = Rule.of(action).clauses
                let mentioned = clauses.reduce(Facts()) { $0.union($1.all).union($1.none) }
                return PossibleFacts.about(action, mentioned: mentioned).compactMap { facts in
                    if case .refused(let code) = decide(action, facts) { code } else { nil }
                }
            })
        #expect(given == RefusalCode.ofPolicy.union([.familyNotFound]))
    }

    @Test("every small fault in the rules makes them differ from the table")
    func faults() {
        var counts = Score.Counts()
        for mutant in RuleMutant.all {
            counts.mutants += 1
            let isNoticed = (Self.consultations[mutant.action] ?? []).contains {
                mutant.rule.decide($0.facts) != $0.written
            }
            if isNoticed {
                counts.byCells += 1
            } else if mutant.isAlike {
                counts.alike += 1
            } else {
                Issue.record("not noticed: \(mutant.name)")
            }
        }
        print(Score.heading)
        print(Score.row("rules of the module Policy", counts))
        #expect(counts.missed == 0)
    }
}

extension RuleMutant {
    /// Whether the mutant decides as the original for all possible facts.
    var isAlike: Bool {
        let original = Rule.of(action)
        let mentioned = (original.clauses + rule.clauses).reduce(Facts()) {
            $0.union($1.all).union($1.none)
        }
        return PossibleFacts.about(action, mentioned: mentioned).allSatisfy {
            rule.decide($0) == original.decide($0)
        }
    }
}
