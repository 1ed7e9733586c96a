import Postgres
import TestSupport
import Testing

@Suite("Shared statements")
struct SharedStatementTests {
    /// A caller's index in the batch, and the name that was passed for it.
    private struct Named: RowDecodable {
        let position: Int64
        let name: String?
        static let row = RowDecoder(Self.init)
    }

    private static let naming = SharedStatement<Named, String?>(
        "SELECT position, position, name FROM unnest($1) WITH ORDINALITY AS n (name, position)")
    /// Returns the requested number of rows, each with its caller's index.
    private static let count = Statement<Scalar<Int64>, Int64>(
        "SELECT g FROM generate_series(1, $1) AS g",
        forEach: "SELECT q.caller_index * 100 + g FROM generate_series(1, q.p1) AS g")
    private static let echo = Statement<Scalar<String?>, String?, Bool>(
        "SELECT $1 WHERE $2", forEach: "SELECT q.p1 WHERE q.p2")
    private static let unshared = Statement<Scalar<Int32>>("SELECT 1")

    private func send(_ batch: Batch) throws -> BatchResults {
        try TestDatabase.with(.empty) { try Connection($0.settings()).send(batch) }
    }

    @Test("each call of a shared statement gets its own rows, however many")
    func calls() throws {
        var batch = Batch()
        let first = batch.addCaller(Self.naming, "first")
        let two = batch.add(Self.count, 2)
        let none = batch.add(Self.count, 0)
        let second = batch.addCaller(Self.naming, nil)
        let three = batch.add(Self.count, 3)
        let word = batch.add(Self.echo, "word", true)
        let third = batch.addCaller(Self.naming, "")
        let null = batch.add(Self.echo, nil, true)
        let absent = batch.add(Self.echo, "word", false)
        let last = batch.add(Self.count, 0)
        batch.endSharing()
        let alone = batch.add(Self.count, 2)
        #expect(batch.statementCount == 4)
        let results = try send(batch)
        #expect(try results.row(first).name == "first")
        #expect(try results.row(second).name == nil)
        #expect(try results.row(third).name == "" && results.row(third).position == 3)
        #expect(try results.rows(two).map(\.value) == [101, 102])
        #expect(try results.rows(none).isEmpty && results.rows(last).isEmpty)
        #expect(try results.rows(three).map(\.value) == [201, 202, 203])
        #expect(try results.row(word).value == "word")
        #expect(try results.row(null).value == nil)
        #expect(try results.first(absent) == nil)
        #expect(try results.rows(alone).map(\.value) == [1, 2])
    }

    @Test("a caller that can't be shared is removed, and the others keep their indexes")
    func removed() throws {
        var batch = Batch()
        let first = batch.addCaller(Self.naming, "first")
        let two = batch.add(Self.count, 2)
        _ = batch.addCaller(Self.naming, "taken out")
        batch.add(Self.count, 5)
        batch.add(Self.echo, "word", true)
        #expect(batch.isWhollyShared)
        batch.add(Self.unshared)
        #expect(!batch.isWhollyShared)
        #expect(batch.statementCount == 4, "nothing is left out silently")
        batch.removeCaller()
        #expect(batch.statementCount == 2)
        let second = batch.addCaller(Self.naming, "second")
        let one = batch.add(Self.count, 1)
        #expect(batch.isWhollyShared)
        batch.endSharing()
        #expect(batch.statementCount == 2)
        let results = try send(batch)
        #expect(try results.row(first).position == 1)
        #expect(try results.row(second).position == 2 && results.row(second).name == "second")
        #expect(try results.rows(two).map(\.value) == [101, 102])
        #expect(try results.rows(one).map(\.value) == [201])
    }

    @Test("rows of a call that are not contiguous are refused")
    func scattered() throws {
        let scattered = SharedStatement<Scalar<Int64>, Int64>(
            "SELECT c, c FROM (VALUES (1::bigint), (2), (1)) AS v (c), unnest($1)")
        var batch = Batch()
        let key = batch.addCaller(scattered, 1)
        batch.endSharing()
        let results = try send(batch)
        let error = #expect(throws: PostgresError.self) { try results.rows(key) }
        #expect(error?.code == .unexpectedRows)
    }
}
