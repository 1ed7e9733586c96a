import Policy

/// A small fault in one rule of the module Policy.
struct RuleMutant: Sendable {
    let action: Action
    let name: String
    let rule: Rule

    /// Mutants of every rule: with each other scope, with the opposite answer for a managed member,
    /// without one clause, without one fact of a clause or with another fact about the membership
    /// in its place, and with an additional clause.
    static let all: [RuleMutant] = Action.allCases.flatMap { action in
        variants(of: Rule.of(action)).map {
            RuleMutant(action: action, name: "\(action.name): \($0.name)", rule: $0.rule)
        }
    }

    private static let standings: [(name: String, fact: Facts)] = [
        ("account", .account), ("member", .member), ("admin", .admin), ("creator", .creator),
        ("adult", .adult), ("player", .player), ("visitor", .visitor), ("vouched", .vouched),
        ("waiting", .waiting),
    ]

    private static func variants(of rule: Rule) -> [(name: String, rule: Rule)] {
        func with(_ clauses: [Clause]) -> Rule {
            Rule(rule.scope, acting: rule.whileActing, clauses)
        }
        var found: [(name: String, rule: Rule)] = [
            (
                "the other answer while acting",
                Rule(rule.scope, acting: !rule.whileActing, rule.clauses)
            ),
            ("to everybody", with([Clause([])])),
        ]
        found += Rule.Scope.allCases.map {
            ("scope \($0)", Rule($0, acting: rule.whileActing, rule.clauses))
        }
        for (index, clause) in rule.clauses.enumerated() {
            var others = rule.clauses
            others.remove(at: index)
            found.append(("without clause \(index)", with(others)))
            found += changed(clause).map {
                ("clause \(index) \($0.name)", with(others + [$0.clause]))
            }
        }
        found += standings.map { ("to \($0.name) besides", with(rule.clauses + [Clause($0.fact)])) }
        return found.filter { !isSame($0.rule, rule) }
    }

    private static func changed(_ clause: Clause) -> [(name: String, clause: Clause)] {
        var found: [(name: String, clause: Clause)] = []
        for fact in clause.all.each {
            let rest = clause.all.subtracting(fact)
            found.append(("without \(fact.rawValue)", Clause(rest, not: clause.none)))
            if let own = standings.first(where: { $0.fact == fact }) {
                found += standings.filter { $0.fact != fact }.map {
                    (
                        "\($0.name) for \(own.name)",
                        Clause(rest.union($0.fact), not: clause.none)
                    )
                }
            }
        }
        for fact in clause.none.each {
            found.append(
                (
                    "without not \(fact.rawValue)",
                    Clause(clause.all, not: clause.none.subtracting(fact))
                ))
        }
        return found
    }

    /// Whether the two rules are equivalent: each clause of one allows only what a clause of the
    /// other allows.
    private static func isSame(_ left: Rule, _ right: Rule) -> Bool {
        left.scope == right.scope && left.whileActing == right.whileActing
            && allows(left, all: right) && allows(right, all: left)
    }

    private static func allows(_ wide: Rule, all narrow: Rule) -> Bool {
        narrow.clauses.allSatisfy { clause in
            wide.clauses.contains {
                $0.all.isSubset(of: clause.all) && $0.none.isSubset(of: clause.none)
            }
        }
    }
}

extension Facts {
    /// The single facts of the set.
    fileprivate var each: [Facts] {
        (0..<64).map { Facts(rawValue: 1 << $0) }.filter { !isDisjoint(with: $0) }
    }
}
