import Domain
import Postgres
import TestSupport

/// Position of a disagreement.
struct Sighting: Sendable {
    struct StatementKey: Hashable, Sendable {
        let channel: Channel
        /// Index in ``Channel/statements``.
        let index: Int
    }

    let played: Case
    /// The statement; nil if the database could not be prepared.
    let key: StatementKey?
}

/// Counts of a run.
struct Tally: Sendable {
    var cases = 0
    var counts: [Outcome: Int] = [:]
    var readCells = 0
    var mismatchCount = 0
    /// Disagreements, with their number and the first case that showed them.
    var mismatches: [String: (count: Int, example: String)] = [:]
    private(set) var firstMismatch: Sighting?
    /// Number of times that each statement was allowed, by the statement's name.
    var allowed: [String: Int] = [:]

    var cells: Int { counts.values.reduce(0, +) }

    mutating func add(_ outcome: Outcome, _ count: Int = 1) {
        counts[outcome, default: 0] += count
    }

    mutating func mismatch(_ what: String, in played: Case, at key: Sighting.StatementKey?) {
        mismatchCount += 1
        if firstMismatch == nil { firstMismatch = Sighting(played: played, key: key) }
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

/// Runs cases on one connection and compares the results.
///
/// One prover serves many mutants: a session's plans stay cached unless a mutant invalidates them.
final class Prover {
    private let connection: Connection
    private(set) var tally = Tally()
    private var stopsAtMismatch = false

    /// - Parameter database: A database with the stage of ``Stage``.
    /// - Parameter seconds: Time limit of one statement.
    init(_ database: TestDatabase, seconds: Double = 120) throws {
        var settings = database.settings()
        settings.statementTimeoutSeconds = seconds
        connection = try Connection(settings)
    }

    /// Whether the prover can no longer be used, because a statement took too long.
    var isBroken: Bool { connection.isBroken }

    func execute(_ script: String) throws { try connection.execute(script: script) }

    func catalogueDifferences() throws -> [String] { try Catalogue.differences(connection) }

    /// The first case with a disagreement, if any. A failed preparation and a statement that
    /// exceeds its time limit count as disagreements.
    func firstMismatch(
        in cases: [Case], of selection: Selection, after change: String
    ) throws -> Sighting? {
        tally = Tally()
        stopsAtMismatch = true
        defer { stopsAtMismatch = false }
        try playAll(cases[...], of: selection, after: change)
        return tally.firstMismatch
    }

    /// Runs many cases, a few in each transaction. Vacuums in between, because dead rows slow down
    /// every look-up.
    func playAll(
        _ cases: ArraySlice<Case>, of selection: Selection = .all, after change: String = ""
    ) throws {
        for start in stride(from: cases.startIndex, to: cases.endIndex, by: 24) {
            try execute("BEGIN;" + change)
            for played in cases[start..<min(start + 24, cases.endIndex)] {
                try playOrNote(played, of: selection)
                if isBroken { return }
                if stopsAtMismatch, tally.mismatchCount > 0 { break }
            }
            try execute("ROLLBACK")
            if stopsAtMismatch, tally.mismatchCount > 0 { return }
            try sweep()
        }
    }

    /// Vacuums every table that rows which were rolled back have made large. Without it each
    /// look-up reads them again, and the proof slows down from case to case.
    func sweep() throws {
        let grown: String? = try connection.query(
            """
            SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
            WHERE relkind = 'r' AND relnamespace IN ('app'::regnamespace, 'jobs'::regnamespace)
                AND pg_relation_size(oid) > 4 * current_setting('block_size')::integer
            """
        ).scalar()
        if let grown { try execute("VACUUM \(grown)") }
    }

    private func playOrNote(_ played: Case, of selection: Selection) throws {
        do {
            try play(played, of: selection)
        } catch let error as PostgresError
            where stopsAtMismatch && [.server, .deadlineExceeded].contains(error.code)
        {
            tally.mismatch(error.debugDescription, in: played, at: nil)
        }
    }

    private func play(_ played: Case, of selection: Selection) throws {
        try execute("SAVEPOINT empty;" + Stage.script(of: played) + "SAVEPOINT staged;")
        for channel in Channel.allCases {
            let indices = selection.indices(in: channel)
            guard !indices.isEmpty, let beginning = channel.beginning(played) else { continue }
            try execute(channel.session)
            let wanted = selection.flags(in: channel)
            let answers: String = try connection.query(
                """
                SELECT proof.\(identifier: String(describing: channel))(
                    \(beginning), nullif(\(wanted), '')::boolean[])
                """
            ).scalar()
            try execute("ROLLBACK TO staged")
            compare(
                played, channel, indices,
                answers.split(separator: "\n", omittingEmptySubsequences: false))
        }
        try execute("ROLLBACK TO empty")
        tally.cases += 1
    }

    private func compare(
        _ played: Case, _ channel: Channel, _ indices: [Int], _ lines: [Substring]
    ) {
        let asker = Asker(played)
        let readings = channel.readings
        let operations = channel.operations
        for (index, line) in zip(indices, lines) {
            let at = Sighting.StatementKey(channel: channel, index: index)
            if index < readings.count {
                compare(readings[index], at, asker, String(line))
            } else {
                compare(operations[index - readings.count], at, asker, line)
            }
        }
    }

    private func compare(
        _ operation: Operation, _ key: Sighting.StatementKey, _ asker: Asker, _ line: Substring
    ) {
        let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        let answer = Answer(state: fields[0], constraint: fields[1], value: fields[2])
        let expectation =
            key.channel == .anonymous
            ? Operation.Expectation(outcome: .refusedByPolicy) : operation.expectation(asker)
        let expected = expectation.outcome
        let found = answer.outcome(of: operation, touchesNothing: key.channel != .anonymous)
        if let disagreement = expectation.disagreement {
            tally.mismatch("\(operation.name): \(disagreement)", in: asker.played, at: key)
        } else if let code = expectation.code, answer.toldCode != code {
            tally.mismatch(
                "\(key.channel): \(operation.name): expected \(code), found \(line)",
                in: asker.played, at: key)
        } else if let found, found == expected {
            tally.add(found)
            if found == .allowed { tally.allowed[operation.name, default: 0] += 1 }
        } else if expected == .refusedByPolicy, operation.toldFirst.contains(answer.constraint) {
            tally.add(.refusedByInvariant)
        } else {
            tally.mismatch(
                "\(key.channel): \(operation.name): expected \(expected.rawValue), found \(line)",
                in: asker.played, at: key)
        }
    }

    private func compare(
        _ reading: Reading, _ key: Sighting.StatementKey, _ asker: Asker, _ line: String
    ) {
        var reader = Reader(asker)
        var expected = reading.expected(&reader)
        let cells = reading.cells(asker.world)
        tally.readCells += cells
        for disagreement in reader.disagreements {
            tally.mismatch("\(reading.name): \(disagreement)", in: asker.played, at: key)
        }
        let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        var seen: [String] = []
        if key.channel == .anonymous {
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
                "\(key.channel): \(reading.name): missing \(expected.subtracting(seen).sorted()), "
                    + "extra \(Set(seen).subtracting(expected).sorted())", in: asker.played,
                at: key)
        }
    }
}
