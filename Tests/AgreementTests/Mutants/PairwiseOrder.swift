/// An order of cases in which the first ones differ most (pairwise testing): each has as many new
/// pairs of traits as possible. Most faults show with two traits, so the first cases detect most
/// faults.
enum PairwiseOrder {
    static func of(_ cases: [Case]) -> [Case] {
        let (order, rest) = divided(cases)
        // The remaining cases are alike in their pairs, so neighbours of one another come last.
        let stride = [7919, 7907].first { rest.count % $0 != 0 } ?? 1
        return order + rest.indices.map { rest[$0 * stride % rest.count] }
    }

    /// The few cases in which each pair of traits occurs that occurs in `cases`.
    static func covering(_ cases: [Case]) -> [Case] { divided(cases).covering }

    private static func divided(_ cases: [Case]) -> (covering: [Case], rest: [Case]) {
        var numbers: [String: Int] = [:]
        let traits = cases.map { played in
            Self.traits(of: played).map { name in
                let number = numbers[name] ?? numbers.count
                numbers[name] = number
                return number
            }
        }
        let size = numbers.count
        var isSeen = [Bool](repeating: false, count: size * size)
        var left = Array(cases.indices)
        var order: [Int] = []
        while true {
            var best: (index: Int, gain: Int)?
            for (index, number) in left.enumerated() {
                var gain = 0
                for one in traits[number] {
                    for other in traits[number] where !isSeen[one * size + other] { gain += 1 }
                }
                if gain > best?.gain ?? 0 { best = (index, gain) }
            }
            guard let best else { break }
            let number = left.remove(at: best.index)
            order.append(number)
            for one in traits[number] {
                for other in traits[number] { isSeen[one * size + other] = true }
            }
        }
        return (order.map { cases[$0] }, left.map { cases[$0] })
    }

    private static func traits(of played: Case) -> [String] {
        var traits = [
            "second \(played.second)", "seat \(played.seat)", "founder \(played.founder)",
            "signed in \(played.signIn)", "acting \(played.acting.map { "\($0)" } ?? "not")",
            "guardian \(played.isGuardian)", "verified \(played.isVerified)",
            "chief vouched \(played.isChiefVouched)", "blocked \(played.blockedNames)",
        ]
        guard let first = played.first else {
            return traits + ["no member, creator \(played.isCreatorWithoutRow)"]
        }
        traits += [
            "\(first.role)", "\(first.householdRole)", "\(first.status)", "via \(first.via)",
            "creator \(first.isCreator)", "vouched \(first.isVouched)",
            "under \(first.higherCeiling.map { "\($0)" } ?? "none")",
        ]
        return traits
    }
}
