/// A statement that is run once for several calls: its parameters are arrays, with an element for
/// each call, and the first column of its rows is the number of the call that they answer, from 1.
/// The rows of one call stand together.
package struct SharedStatement<Row: RowDecodable, each Parameter: PostgresEncodable>: Sendable {
    let prepared: PreparedText
    /// Whether the places of the callers are its first parameter.
    let namesPlaces: Bool

    /// - Parameter text: With `$1`... for the arrays.
    package init(_ text: String) {
        var types: [PostgresType] = []
        for type in repeat (each Parameter).self { types.append(type.postgresType.array) }
        prepared = PreparedText(text, parameterTypes: types)
        namesPlaces = false
    }

    /// - Parameter text: A statement for one call, with `q.place` for the place of its caller and
    ///   `q.p1`... for its parameters.
    init(forEach text: String) {
        var types: [PostgresType] = [.int4Array]
        for type in repeat (each Parameter).self { types.append(type.postgresType.array) }
        let arrays = types.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let names = types.indices.dropFirst().map { "p\($0), " }.joined()
        // With OFFSET the statement is run for one call after the other, by the plan that it has
        // alone.
        prepared = PreparedText(
            """
            SELECT q.call, r.* FROM unnest(\(arrays)) WITH ORDINALITY AS q (place, \(names)call)
            CROSS JOIN LATERAL (\(text) OFFSET 0) AS r
            """, parameterTypes: types)
        namesPlaces = true
    }
}

/// The calls of one shared statement, while a batch is put together.
struct GatheredCalls: Sendable {
    /// The number of the statement.
    let statement: Int
    /// Its place among the steps of the batch.
    let step: Int
    let namesPlaces: Bool
    /// The caller of each call.
    private(set) var places: [Int32] = []
    /// The parameters of the calls, one after the other.
    var values = Bindings()

    init(statement: Int, step: Int, namesPlaces: Bool) {
        self.statement = statement
        self.step = step
        self.namesPlaces = namesPlaces
    }

    /// Adds a call whose values have been bound; its number, from 1.
    mutating func add(by place: Int32) -> Int {
        places.append(place)
        return places.count
    }

    /// Forgets the calls of the last caller.
    mutating func forget(callsBy place: Int32) {
        guard places.last == place else { return }
        let width = values.slots.count / places.count
        while places.last == place {
            places.removeLast()
            values.removeLast(width)
        }
    }

    /// Binds the arrays.
    func bind(to bindings: inout Bindings) {
        if namesPlaces { places.bind(to: &bindings) }
        let width = values.slots.count / places.count
        for parameter in 0..<width {
            bindings.bindArray(
                of: stride(from: parameter, to: values.slots.count, by: width), in: values)
        }
    }
}

extension Batch {
    /// Begins with the next caller, whose calls of shared statements are gathered with those of the
    /// callers before. The first statement of each caller is the one that names it.
    ///
    /// - Returns: The place of that statement's answer.
    package mutating func addCaller<Row, each Parameter>(
        _ naming: SharedStatement<Row, repeat each Parameter>,
        _ values: repeat each Parameter,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Place<Row> {
        callers += 1
        isSharing = true
        isWhollyShared = true
        return gather(naming, repeat each values, callSite: PostgresError.CallSite(file, line))
    }

    /// Takes all calls of the last caller away: some of its statements can't be shared.
    package mutating func removeCaller() {
        for index in gathered.indices { gathered[index].forget(callsBy: callers) }
        // Without a call is only what this caller was the first to call: the last steps.
        while let last = gathered.last, last.places.isEmpty {
            gathered.removeLast()
            steps.removeLast()
        }
        callers -= 1
    }

    /// Ends sharing: statements that are added from now on are run for themselves.
    package mutating func endSharing() {
        isSharing = false
        for calls in gathered {
            let start = bindings.slots.count
            calls.bind(to: &bindings)
            steps[calls.step].slots = start..<bindings.slots.count
        }
        gathered = []
    }

    /// Adds a call of the last caller's.
    mutating func gather<Row, each Parameter>(
        _ statement: SharedStatement<Row, repeat each Parameter>,
        _ values: repeat each Parameter, callSite: PostgresError.CallSite
    ) -> Place<Row> {
        let number = statement.prepared.number
        let index: Int
        if let known = gathered.firstIndex(where: { $0.statement == number }) {
            index = known
        } else {
            index = gathered.count
            gathered.append(
                GatheredCalls(
                    statement: number, step: steps.count, namesPlaces: statement.namesPlaces))
            steps.append(Step(statement: statement.prepared, slots: 0..<0, callSite: callSite))
        }
        repeat (each values).bind(to: &gathered[index].values)
        return Place(index: gathered[index].step, call: gathered[index].add(by: callers))
    }
}
