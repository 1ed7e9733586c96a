import CPostgres
import Glibc
package import Basics

// One round trip: all statements are written, then one synchronisation point, then all results are
// read (libpq's pipeline mode). A communication error ends the connection; an error from the server
// does not.

extension Connection {
    /// Sends the steps and returns one result for each. The round trip is a step of the traces of
    /// the current thread.
    func roundTrip(
        _ steps: [Batch.Step], _ bindings: Bindings, _ deadline: Deadline
    ) throws(PostgresError) -> [Rows] {
        let recordings = TraceScope.current
        if recordings.isEmpty { return try exchange(steps, bindings, deadline) }
        let start = MonotonicClock.nanoseconds()
        do throws(PostgresError) {
            let rows = try exchange(steps, bindings, deadline)
            Self.record(steps, from: start, in: recordings, nil)
            return rows
        } catch {
            Self.record(steps, from: start, in: recordings, error)
            throw error
        }
    }

    /// Adds a round trip to traces: the number of its statements, and the source file and line that
    /// added the last one, but neither their text nor their values.
    private static func record(
        _ steps: [Batch.Step], from start: Int, in recordings: [TraceRecording],
        _ error: PostgresError?
    ) {
        let end = MonotonicClock.nanoseconds()
        var attributes: [TraceSpan.Attribute] = [
            .init("db.system.name", .literal("postgresql")),
            .init("db.operation.batch.size", .integer(steps.count)),
        ]
        if let place = steps.last?.callSite {
            attributes.append(.init("code.file.path", .literal(place.file)))
            attributes.append(.init("code.line.number", .integer(Int(place.line))))
        }
        if let state = error?.sqlState {
            attributes.append(.init("db.response.status_code", .name("\(state)")))
        }
        for recording in recordings {
            recording.add(
                "round trip", .client, start: start, end: end, attributes,
                failure: error.map { "\($0.code)" })
        }
    }

    private func exchange(
        _ steps: [Batch.Step], _ bindings: Bindings, _ deadline: Deadline
    ) throws(PostgresError) -> [Rows] {
        guard !isBroken else {
            throw PostgresError(
                .connectionLost, "the connection is broken", at: steps.first?.callSite)
        }
        sawUnconfirmedCommit = false
        guard PQenterPipelineMode(handle) == 1 else { throw lost(steps.first) }
        // Steps whose statement has to be prepared first, which is rare.
        var preparing: [Int] = []
        for (index, step) in steps.enumerated() where try write(step, bindings) {
            preparing.append(index)
        }
        guard PQpipelineSync(handle) == 1 else { throw lost(steps.first) }

        var results: [Rows] = []
        results.reserveCapacity(steps.count)
        var failure: PostgresError?
        for (index, step) in steps.enumerated() {
            if preparing.contains(index) {
                let result = try readResult(step, deadline, &failure)
                recordPrepared(step.statement, isPrepared: result != nil)
                PQclear(result)
            }
            if let result = try readResult(step, deadline, &failure) {
                results.append(Rows(owning: result))
            }
        }
        try readSynchronisation(steps.last, deadline, &failure)
        guard PQexitPipelineMode(handle) == 1 else { throw lost(steps.last) }
        if let failure {
            if failure.breaksConnection { isBroken = true }
            throw failure
        }
        return results
    }

    /// Writes one step. Returns true if its statement is prepared first, which adds a result.
    private func write(
        _ step: Batch.Step, _ bindings: Bindings
    ) throws(PostgresError) -> Bool {
        let statement = step.statement
        let isAdHoc = statement.number < 0 || !settings.preparesStatements
        var isPreparing = false
        if !isAdHoc, !isPreparedHere(statement.number) {
            isPreparing = true
            let types = statement.parameterTypes.map(\.oid)
            let sent = PQsendPrepare(
                handle, statement.name, statement.text, Int32(types.count), types)
            guard sent == 1 else { throw lost(step) }
            // Recorded before the response arrives, because the same batch may use the statement
            // again.
            recordPrepared(statement, isPrepared: true)
        }
        let slots = bindings.slots[step.slots]
        let sent = bindings.bytes.withUnsafeBytes { bytes in
            withParameterArrays(slots, bytes) { values, lengths, formats, types in
                let count = Int32(slots.count)
                return isAdHoc
                    ? PQsendQueryParams(
                        handle, statement.text, count, types, values, lengths, formats, 1)
                    : PQsendQueryPrepared(
                        handle, statement.name, count, values, lengths, formats, 1)
            }
        }
        guard sent == 1 else { throw lost(step) }
        return isPreparing
    }

    /// Lays out the parameters on the stack in the form that libpq takes.
    private func withParameterArrays(
        _ slots: ArraySlice<Bindings.Slot>, _ bytes: UnsafeRawBufferPointer,
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?,
            UnsafePointer<Oid>?
        ) -> Int32
    ) -> Int32 {
        let count = slots.count
        if count == 0 { return body(nil, nil, nil, nil) }
        return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) {
            values in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: count * 2) { numbers in
                withUnsafeTemporaryAllocation(of: Oid.self, capacity: count) { types in
                    for (index, slot) in slots.enumerated() {
                        values[index] = pointer(to: slot, in: bytes)
                        numbers[index] = slot.length
                        numbers[count + index] = 1
                        types[index] = slot.type.oid
                    }
                    guard let numbers = numbers.baseAddress else { return 0 }
                    return body(
                        values.baseAddress, numbers, numbers + count, types.baseAddress)
                }
            }
        }
    }

    private func pointer(
        to slot: Bindings.Slot, in bytes: UnsafeRawBufferPointer
    ) -> UnsafePointer<CChar>? {
        guard slot.length >= 0 else { return nil }
        guard let base = bytes.baseAddress else {
            // An empty value where no parameter has bytes: libpq accepts any address but null.
            return UnsafePointer(bitPattern: 8)
        }
        return (base + Int(slot.offset)).assumingMemoryBound(to: CChar.self)
    }

    /// Reads one statement's result; nil when it failed or was skipped after a failure.
    private func readResult(
        _ step: Batch.Step, _ deadline: Deadline, _ failure: inout PostgresError?
    ) throws(PostgresError) -> OpaquePointer? {
        guard let result = try nextResult(step, deadline) else { throw lost(step) }
        let status = PQresultStatus(result)
        switch status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            do throws(PostgresError) {
                guard try nextResult(step, deadline) == nil else { throw lost(step) }
            } catch {
                PQclear(result)
                throw error
            }
            return result
        case PGRES_PIPELINE_ABORTED:
            PQclear(result)
        default:
            let error = self.error(of: result, step)
            PQclear(result)
            if error.code == .connectionLost {
                isBroken = true
                throw error
            }
            failure = failure ?? error
        }
        guard try nextResult(step, deadline) == nil else { throw lost(step) }
        return nil
    }

    /// Reads up to the synchronisation point, where the implicit transaction commits if there is no
    /// explicit one. A deferred constraint fails here, after every statement has succeeded.
    private func readSynchronisation(
        _ step: Batch.Step?, _ deadline: Deadline, _ failure: inout PostgresError?
    ) throws(PostgresError) {
        guard let result = try nextResult(step, deadline) else { throw lost(step) }
        defer { PQclear(result) }
        if PQresultStatus(result) == PGRES_PIPELINE_SYNC { return }
        guard PQresultStatus(result) == PGRES_FATAL_ERROR else { throw lost(step) }
        let error = self.error(of: result, step)
        if error.code == .connectionLost {
            isBroken = true
            throw error
        }
        failure = failure ?? error
        var next = try nextResult(step, deadline)
        if next == nil { next = try nextResult(step, deadline) }
        guard let next else { throw lost(step) }
        defer { PQclear(next) }
        guard PQresultStatus(next) == PGRES_PIPELINE_SYNC else { throw lost(step) }
    }

    /// Returns the next result from the connection; nil at the end of a statement's results.
    func nextResult(
        _ step: Batch.Step?, _ deadline: Deadline
    ) throws(PostgresError) -> OpaquePointer? {
        var isFlushed = false
        while true {
            if !isFlushed {
                switch PQflush(handle) {
                case 0: isFlushed = true
                case 1: break
                default: throw lost(step)
                }
            }
            if PQisBusy(handle) == 0 { return PQgetResult(handle) }
            let events = Int16(isFlushed ? POLLIN : POLLIN | POLLOUT)
            guard wait(for: events, until: deadline) else { throw deadlineExceeded(step) }
            if PQconsumeInput(handle) != 1 { throw lost(step) }
        }
    }

    /// Waits until the socket is ready; returns false when the deadline passes first.
    func wait(for events: Int16, until deadline: Deadline) -> Bool {
        var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        while true {
            let ready = poll(&descriptor, 1, deadline.pollMilliseconds)
            if ready > 0 { return true }
            if ready == 0, deadline.hasPassed { return false }
            if ready < 0, errno != EINTR { return true }
        }
    }

    private func isPreparedHere(_ number: Int) -> Bool {
        number < isPrepared.count && isPrepared[number]
    }

    private func recordPrepared(_ statement: PreparedText, isPrepared value: Bool) {
        while isPrepared.count <= statement.number { isPrepared.append(false) }
        isPrepared[statement.number] = value
    }
}

extension Connection {
    /// Runs a script of one or more statements, separated by semicolons, without parameters.
    ///
    /// Statements outside BEGIN...COMMIT are one implicit transaction. Rows are discarded.
    /// - Throws: The first error; statements after it have not run.
    package func execute(
        script: String, deadline: Deadline? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) throws(PostgresError) {
        mayHaveSessionState = true
        try runScript(
            script, deadline ?? defaultDeadline, PostgresError.CallSite(file, line))
    }

    /// Runs a script without marking the session state as changed.
    func runScript(
        _ script: String, _ deadline: Deadline, _ callSite: PostgresError.CallSite
    ) throws(PostgresError) {
        let step = Batch.Step(
            statement: PreparedText(adHoc: script), slots: 0..<0, callSite: callSite)
        guard !isBroken else {
            throw PostgresError(.connectionLost, "the connection is broken", at: callSite)
        }
        sawUnconfirmedCommit = false
        completedStatements = 0
        guard PQsendQuery(handle, script) == 1 else { throw lost(step) }
        var failure: PostgresError?
        while let result = try nextResult(step, deadline) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: completedStatements += 1
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
                isBroken = true
                throw PostgresError(
                    .unexpectedRows, "a script can't carry the data of a COPY",
                    at: step.callSite)
            default: failure = failure ?? error(of: result, step)
            }
        }
        if PQstatus(handle) != CONNECTION_OK { isBroken = true }
        if let failure {
            if failure.breaksConnection { isBroken = true }
            throw failure
        }
        if sawUnconfirmedCommit { throw PostgresError.unconfirmedCommit() }
    }

    /// Returns the parameters and columns of a statement without running it.
    ///
    /// Takes one round trip: behind a pooler, each round trip may go to another session of the
    /// server.
    /// - Returns: The types of its parameters and the names and types of its columns.
    package func describe(
        _ text: String, parameterTypes: [PostgresType], deadline: Deadline? = nil
    ) throws(PostgresError) -> (
        parameters: [PostgresType], columns: [(name: String, type: PostgresType)]
    ) {
        let step = Batch.Step(
            statement: PreparedText(adHoc: text), slots: 0..<0,
            callSite: PostgresError.CallSite(#fileID, #line))
        let deadline = deadline ?? defaultDeadline
        let types = parameterTypes.map(\.oid)
        guard PQenterPipelineMode(handle) == 1,
            PQsendPrepare(handle, "", text, Int32(types.count), types) == 1,
            PQsendDescribePrepared(handle, "") == 1, PQpipelineSync(handle) == 1
        else { throw lost(step) }
        var failure: PostgresError?
        PQclear(try readResult(step, deadline, &failure))
        let result = try readResult(step, deadline, &failure)
        let parameters = (0..<PQnparams(result)).map { PostgresType(oid: PQparamtype(result, $0)) }
        let rows = result.map { Rows(owning: $0) }
        try readSynchronisation(step, deadline, &failure)
        guard PQexitPipelineMode(handle) == 1 else { throw lost(step) }
        if let failure {
            if failure.breaksConnection { isBroken = true }
            throw failure
        }
        return (parameters, rows.map { Array(zip($0.columnNames, $0.columnTypes)) } ?? [])
    }
}
