import CPostgres
package import Threads

extension Connection {
    /// Runs a text of one or several statements, separated by semicolons, without parameters.
    ///
    /// Statements outside BEGIN...COMMIT are one implicit transaction. Rows are thrown away.
    /// - Throws: The first error; statements after it have not run.
    package func execute(
        script: String, deadline: Deadline? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) throws(PostgresError) {
        mayHaveSessionState = true
        try runScript(
            script, deadline ?? defaultDeadline, PostgresError.CallSite(file, line))
    }

    /// Runs a script of which the lease of the connection need not know.
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
        if sawUnconfirmedCommit {
            throw PostgresError(
                .commitUnknown, "the synchronous standby did not confirm the commit")
        }
    }

    /// Finds out what a statement takes and gives, without running it.
    ///
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
        guard PQsendPrepare(handle, "", text, Int32(types.count), types) == 1 else {
            throw lost(step)
        }
        PQclear(try onlyResult(step, deadline))
        guard PQsendDescribePrepared(handle, "") == 1 else { throw lost(step) }
        let result = try onlyResult(step, deadline)
        let parameters = (0..<PQnparams(result)).map { PostgresType(oid: PQparamtype(result, $0)) }
        let rows = Rows(owning: result)
        return (parameters, Array(zip(rows.columnNames, rows.columnTypes)))
    }

    /// The result of a command that has just been sent, and the end of its results.
    func onlyResult(
        _ step: Batch.Step, _ deadline: Deadline
    ) throws(PostgresError) -> OpaquePointer {
        guard let result = try nextResult(step, deadline) else { throw lost(step) }
        do {
            while let more = try nextResult(step, deadline) { PQclear(more) }
        } catch {
            PQclear(result)
            throw error
        }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            let error = error(of: result, step)
            PQclear(result)
            if error.breaksConnection { isBroken = true }
            throw error
        }
        return result
    }
}
