/// Number of mutants, by the way in which they were detected.
struct Score: Sendable {
    struct Counts: Sendable {
        var mutants = 0
        var byCells = 0
        var byCatalogue = 0
        /// Mutants detected by the project's other tests.
        var byTests = 0
        var alike = 0
        /// Faults that PostgreSQL does not accept as SQL; not counted as mutants.
        var impossible = 0

        var missed: Int { mutants - byCells - byCatalogue - byTests - alike }

        static func + (left: Counts, right: Counts) -> Counts {
            Counts(
                mutants: left.mutants + right.mutants, byCells: left.byCells + right.byCells,
                byCatalogue: left.byCatalogue + right.byCatalogue,
                byTests: left.byTests + right.byTests, alike: left.alike + right.alike,
                impossible: left.impossible + right.impossible)
        }
    }

    var counts: [Mutant.Kind: Counts] = [:]
    var survivors: [String] = []
    /// Reasons of ``Equivalents`` that applied to a mutant.
    var usedReasons: Set<String> = []

    /// The score including the undetected mutants.
    func with(survivors mutants: [Mutant]) -> Score {
        var score = self
        for mutant in mutants {
            score.counts[mutant.kind, default: Counts()].mutants += 1
            score.survivors.append(mutant.name)
        }
        return score
    }

    mutating func merge(_ other: Score) {
        counts.merge(other.counts, uniquingKeysWith: +)
        survivors += other.survivors
        usedReasons.formUnion(other.usedReasons)
    }
}

extension Score: CustomStringConvertible {
    /// A row for each kind. Equivalent mutants don't count towards the score.
    var description: String {
        var lines = [Self.heading]
        for kind in Mutant.Kind.allCases {
            lines.append(Self.row(kind.rawValue, counts[kind] ?? Counts()))
        }
        lines.append(Self.row("all", counts.values.reduce(Counts(), +)))
        return lines.joined(separator: "\n")
    }

    /// Headings of a row's figures.
    static let heading =
        "mutants of".padded(52)
        + ["all", "cells", "catalogue", "tests", "alike", "missed", "score"]
        .map { $0.aligned(10) }.joined()

    static func row(_ name: String, _ count: Counts) -> String {
        let different = count.mutants - count.alike
        let tenths = different == 0 ? 1000 : (different - count.missed) * 1000 / different
        let figures = [
            count.mutants, count.byCells, count.byCatalogue, count.byTests, count.alike,
            count.missed,
        ]
        return name.padded(52) + figures.map { "\($0)".aligned(10) }.joined()
            + "\(tenths / 10).\(tenths % 10) %".aligned(10)
    }
}

extension String {
    func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
    func aligned(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
