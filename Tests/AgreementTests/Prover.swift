import Domain
import Postgres
import TestSupport

/// What a run has counted.
struct Tally: Sendable {
    var cases = 0
    var counts: [Outcome: Int] = [:]
    var readCells = 0
    var mismatchCount = 0
    /// What does not agree: how often, and in which case it showed first.
    var mismatches: [String: (count: Int, example: String)] = [:]
    /// Statements by name, with how often each was allowed.
    var allowed: [String: Int] = [:]

    var cells: Int { counts.values.reduce(0, +) }

    mutating func add(_ outcome: Outcome, _ count: Int = 1) {
        counts[outcome, default: 0] += count
    }

    mutating func mismatch(_ what: String, in played: Case) {
        mismatchCount += 1
        mismatches[what, default: (0, played.name)].count += 1
    }

    mutating func merge(_ other: Tally) {
        cases += other.cases
        readCells += other.readCells
        mismatchCount += other.mismatchCount
        mismatches.merge(other.mismatches) { ($0.count + $1.count, $0.example) }
        counts.merge(other.counts, uniquingKeysWith: +)
        allowed.merge(other.allowed, uniquingKeysWith: +)
    }
}

extension Tally: CustomStringConvertible {
    var description: String {
        let rows = [
            ("actors", cases), ("cells", cells + mismatchCount),
            ("of them rows and columns read", readCells),
            ("allowed", counts[.allowed] ?? 0),
            ("refused by policy", counts[.refusedByPolicy] ?? 0),
            ("refused by invariant", counts[.refusedByInvariant] ?? 0),
            ("mismatches", mismatchCount),
        ]
        return rows.map { $0.padded(32) + "\($1)".aligned(10) }.joined(separator: "\n")
    }
}

/// Plays cases on one connection and compares.
final class Prover {
    private let connection: Connection
    private(set) var tally = Tally()

    /// - Parameter database: One that ``Stage`` has been set in.
    init(_ database: TestDatabase) throws {
        var settings = database.settings()
        settings.statementTimeoutSeconds = 120
        connection = try Connection(settings)
    }

    func execute(_ script: String) throws { try connection.execute(script: script) }

    func catalogueDifferences() throws -> [String] { try Catalogue.differences(connection) }

    /// Plays cases within a transaction that is rolled back, after `change` has been made in it.
    ///
    /// - Parameter stopsAtMismatch: Give up at the first case that shows one.
    func play(
        _ cases: some Sequence<Case>, after change: String = "", stopsAtMismatch: Bool = false
    )
        throws
    {
        try execute("BEGIN;" + change)
        for played in cases {
            for channel in Channel.allCases {
                guard let beginning = channel.beginning(played) else { continue }
                try play(played, channel, beginning)
                if stopsAtMismatch, tally.mismatchCount > 0 { break }
            }
            tally.cases += 1
            if stopsAtMismatch, tally.mismatchCount > 0 { break }
        }
        try execute("ROLLBACK")
    }

    /// Plays many cases, a few in each transaction: what they leave behind is swept up in between,
    /// else every look-up would wade through it.
    func playAll(_ cases: [Case], after change: String = "") throws {
        for start in stride(from: 0, to: cases.count, by: 24) {
            try play(cases[start..<min(start + 24, cases.count)], after: change)
            try execute("VACUUM")
        }
    }

    private func play(_ played: Case, _ channel: Channel, _ beginning: String) throws {
        try execute("SAVEPOINT played;" + Stage.script(of: played) + channel.session)
        let answers: String = try connection.query(
            "SELECT proof.\(identifier: String(describing: channel))(\(beginning))"
        ).scalar()
        try execute("ROLLBACK TO played")
        compare(played, channel, answers.split(separator: "\n", omittingEmptySubsequences: false))
    }

    private func compare(_ played: Case, _ channel: Channel, _ lines: [Substring]) {
        let asker = Asker(played)
        let readings = channel.readings
        for (reading, line) in zip(readings, lines) {
            compare(reading, channel, asker, String(line))
        }
        for (operation, line) in zip(channel.operations, lines.dropFirst(readings.count)) {
            compare(operation, channel, asker, line)
        }
    }

    private func compare(
        _ operation: Operation, _ channel: Channel, _ asker: Asker, _ line: Substring
    ) {
        let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        let answer = Answer(state: fields[0], constraint: fields[1], value: fields[2])
        var (expected, disagreement) = operation.expectation(asker)
        if channel == .anonymous { (expected, disagreement) = (.refusedByPolicy, nil) }
        let found = answer.outcome(of: operation)
        if let disagreement {
            tally.mismatch("\(operation.name): \(disagreement)", in: asker.played)
        } else if let found, found == expected {
            tally.add(found)
            if found == .allowed { tally.allowed[operation.name, default: 0] += 1 }
        } else if expected == .refusedByPolicy, operation.toldFirst.contains(answer.constraint) {
            tally.add(.refusedByInvariant)
        } else {
            tally.mismatch(
                "\(channel): \(operation.name): expected \(expected.rawValue), found \(line)",
                in: asker.played)
        }
    }

    private func compare(
        _ reading: Reading, _ channel: Channel, _ asker: Asker, _ line: String
    ) {
        var reader = Reader(asker)
        var expected = reading.expected(&reader)
        let cells = reading.cells(asker.world)
        tally.readCells += cells
        for disagreement in reader.disagreements {
            tally.mismatch("\(reading.name): \(disagreement)", in: asker.played)
        }
        let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        var seen: [String] = []
        if channel == .anonymous {
            expected = fields[0] == "42501" ? [] : ["refused"]
        } else if fields[0] != "00000" {
            seen = ["error \(fields[0])"]
        } else {
            seen = fields[2].split(separator: ",").map(String.init)
        }
        let marks = expected.reduce(0) { $0 + max(1, $1.utf8.count - 2) }
        if Set(seen) == expected, seen.count == expected.count {
            tally.add(.allowed, min(marks, cells))
            tally.add(.refusedByPolicy, max(0, cells - marks))
        } else {
            tally.mismatch(
                "\(channel): \(reading.name): missing \(expected.subtracting(seen).sorted()), "
                    + "extra \(Set(seen).subtracting(expected).sorted())", in: asker.played)
        }
    }
}
