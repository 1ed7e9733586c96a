/// A statement that runs once for several calls: its parameters are arrays, with an element for
/// each call, and the first column of its rows is the number of the call, from 1. The rows of one
/// call are adjacent.
///
/// A statement has such a second text only if sharing saves PostgreSQL at least a fifth of the time
/// for a read of four or more callers. docs/measurements.md has the figures: sharing takes 27 %
/// less time for eight readers of members, 21 % less for four, and less than half the time for
/// twelve whose versions are compared.
@usableFromInline
package struct SharedStatement<Row: RowDecodable, each Parameter: PostgresEncodable>: Sendable {
    @usableFromInline let prepared: PreparedText
    /// Whether the numbers of the callers are its first parameter.
    @usableFromInline let takesCallerIndex: Bool

    /// - Parameter text: The statement, with `$1`... for the arrays.
    package init(_ text: String) {
        var types: [PostgresType] = []
        for type in repeat (each Parameter).self { types.append(type.postgresType.array) }
        prepared = PreparedText(text, parameterTypes: types)
        takesCallerIndex = false
    }

    /// - Parameter text: A statement for one call, with `q.caller_index` for the number of its
    ///   caller and `q.p1`... for its parameters.
    init(forEach text: String) {
        var types: [PostgresType] = [.int4Array]
        for type in repeat (each Parameter).self { types.append(type.postgresType.array) }
        let arrays = types.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let names = types.indices.dropFirst().map { "p\($0), " }.joined()
        // OFFSET makes PostgreSQL run the statement once per call, with the same plan as for a
        // single call.
        prepared = PreparedText(
            """
            SELECT q.call, r.* FROM unnest(\(arrays)) WITH ORDINALITY
                AS q (caller_index, \(names)call)
            CROSS JOIN LATERAL (\(text) OFFSET 0) AS r
            """, parameterTypes: types)
        takesCallerIndex = true
    }
}

/// The calls of shared statements, collected while a batch is built.
@usableFromInline struct SharedCalls: Sendable {
    /// A statement and the number of its calls.
    struct CalledStatement: Sendable {
        /// The number of the statement.
        let number: Int
        /// Index among the steps of the batch.
        let step: Int
        let takesCallerIndex: Bool
        fileprivate(set) var count = 0
    }

    /// One call.
    private struct Call: Sendable {
        /// Index of the called statement in `statements`.
        let statement: Int
        /// The number of the caller.
        let callerIndex: Int32
        /// Index of the call's first value.
        let slot: Int
    }

    /// Number of callers that share statements.
    private var callers: Int32 = 0
    private(set) var statements: [CalledStatement] = []
    /// All calls, in the order in which they were added: caller by caller.
    private var calls: [Call] = []
    /// The parameters of the calls, one call after the other.
    @usableFromInline var values = Bindings()

    mutating func beginCaller() {
        if callers == 0 {
            statements.reserveCapacity(4)
            calls.reserveCapacity(32)
        }
        callers += 1
    }

    /// Adds a call of a statement that was called before, whose values were bound last. Returns the
    /// step of the statement and the number of the call, from 1; nil if the statement is new.
    mutating func add(_ number: Int, from slot: Int) -> (step: Int, call: Int)? {
        guard let index = statements.firstIndex(where: { $0.number == number }) else {
            return nil
        }
        statements[index].count += 1
        calls.append(Call(statement: index, callerIndex: callers, slot: slot))
        return (statements[index].step, statements[index].count)
    }

    /// Adds the first call of a statement, whose values were bound last, and returns the number of
    /// the call.
    mutating func addStatement(
        _ number: Int, step: Int, takesCallerIndex: Bool, from slot: Int
    ) -> Int {
        calls.append(Call(statement: statements.count, callerIndex: callers, slot: slot))
        statements.append(
            CalledStatement(
                number: number, step: step, takesCallerIndex: takesCallerIndex, count: 1))
        return 1
    }

    /// Removes the last caller with its calls, and then the statements that no other caller has
    /// called.
    mutating func removeCaller() {
        var first = values.slotCount
        while let last = calls.last, last.callerIndex == callers {
            first = last.slot
            statements[last.statement].count -= 1
            calls.removeLast()
        }
        values.truncate(to: first)
        callers -= 1
        while let last = statements.last, last.count == 0 { statements.removeLast() }
    }

    /// Binds the arrays of a statement, with an element for each of its calls.
    func bind(_ called: CalledStatement, to bindings: inout Bindings) {
        guard let index = statements.firstIndex(where: { $0.number == called.number }) else {
            preconditionFailure("the statement is not shared")
        }
        withUnsafeTemporaryAllocation(of: Int.self, capacity: called.count) { slots in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: called.count) { indices in
                var count = 0
                var width = 0
                for (position, call) in calls.enumerated() where call.statement == index {
                    slots[count] = call.slot
                    indices[count] = call.callerIndex
                    count += 1
                    let end =
                        position + 1 < calls.count ? calls[position + 1].slot : values.slotCount
                    width = end - call.slot
                }
                if called.takesCallerIndex { bindings.bindArray(of: indices) }
                for parameter in 0..<width {
                    bindings.bindArray(of: count, in: values) { slots[$0] + parameter }
                }
            }
        }
    }
}

extension Bindings {
    /// Appends an array of integers.
    fileprivate mutating func bindArray(of numbers: UnsafeMutableBufferPointer<Int32>) {
        bind(.int4Array) { bytes in
            bytes.appendBigEndian(Int32(1))
            bytes.appendBigEndian(Int32(0))
            bytes.appendBigEndian(PostgresType.int4.oid)
            bytes.appendBigEndian(Int32(numbers.count))
            bytes.appendBigEndian(Int32(1))
            for number in numbers {
                bytes.appendBigEndian(Int32(4))
                bytes.appendBigEndian(number)
            }
        }
    }
}
