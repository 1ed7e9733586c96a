import CPostgres
import Glibc
package import Threads

/// Writes rows into a `COPY ... FROM STDIN` that is under way. Lives only inside its closure.
package struct CopyWriter {
    private let connection: Connection
    private let step: Batch.Step
    private let deadline: Deadline
    private var buffer: [UInt8] = []
    /// How many rows have been written.
    package private(set) var count = 0

    /// Bytes that are gathered before they go to libpq.
    private static let chunkBytes = 64 * 1024

    fileprivate init(_ connection: Connection, _ step: Batch.Step, _ deadline: Deadline) {
        self.connection = connection
        self.step = step
        self.deadline = deadline
        // The header of the binary format (COPY in PostgreSQL's documentation): signature,
        // no flags, no extension.
        buffer.append(contentsOf: Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0])
        buffer.appendBigEndian(Int32(0))
        buffer.appendBigEndian(Int32(0))
    }

    /// Appends one row: a value for each column, of exactly the column's type.
    package mutating func row<each Value: PostgresEncodable>(
        _ values: repeat each Value
    ) throws(PostgresError) {
        var bindings = Bindings()
        repeat (each values).bind(to: &bindings)
        buffer.appendBigEndian(Int16(bindings.slots.count))
        for slot in bindings.slots {
            buffer.appendBigEndian(slot.length)
            guard slot.length > 0 else { continue }
            let start = Int(slot.offset)
            buffer.append(contentsOf: bindings.bytes[start..<start + Int(slot.length)])
        }
        count += 1
        if buffer.count >= Self.chunkBytes { try flush() }
    }

    fileprivate mutating func finish() throws(PostgresError) {
        buffer.appendBigEndian(Int16(-1))
        try flush()
    }

    private mutating func flush() throws(PostgresError) {
        while true {
            let written = buffer.withUnsafeBytes {
                PQputCopyData(
                    connection.handle, $0.bindMemory(to: CChar.self).baseAddress,
                    Int32($0.count))
            }
            if written == 1 { break }
            guard written == 0 else { throw connection.lost(step) }
            try connection.drain(step, deadline)
        }
        buffer.removeAll(keepingCapacity: true)
        try connection.drain(step, deadline)
    }
}

extension Connection {
    /// Loads rows in bulk by COPY in the binary format.
    ///
    /// All rows of one call are stored or none. Row-level security does not allow COPY into a
    /// protected table; this is for its owner's own loads.
    /// - Parameter target: The table with its columns, as SQL: `app.users (id, kind)`.
    /// - Returns: How many rows the server stored.
    /// - Throws: What `body` throws, after the COPY has been aborted; or `PostgresError`.
    @discardableResult
    package func copyIn(
        _ target: String, deadline: Deadline? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ body: (inout CopyWriter) throws -> Void
    ) throws -> Int {
        let text = "COPY \(target) FROM STDIN (FORMAT binary)"
        let step = Batch.Step(
            statement: PreparedText(adHoc: text), slots: 0..<0,
            callSite: PostgresError.CallSite(file, line))
        let deadline = deadline ?? defaultDeadline
        guard !isBroken else {
            throw PostgresError(.connectionLost, "the connection is broken", at: step.callSite)
        }
        sawUnconfirmedCommit = false
        guard PQsendQuery(handle, text) == 1 else { throw lost(step) }
        guard let first = try nextResult(step, deadline) else { throw lost(step) }
        let isReady = PQresultStatus(first) == PGRES_COPY_IN
        guard isReady else {
            let failure = error(of: first, step)
            PQclear(first)
            while let more = try nextResult(step, deadline) { PQclear(more) }
            if failure.breaksConnection { isBroken = true }
            leaveReadOnlyServer(after: failure)
            throw failure
        }
        PQclear(first)
        var writer = CopyWriter(self, step, deadline)
        do {
            try body(&writer)
            try writer.finish()
        } catch {
            try abortCopy(step, deadline)
            throw error
        }
        guard PQputCopyEnd(handle, nil) == 1 else { throw lost(step) }
        let count: Int
        do {
            count = Rows(owning: try onlyResult(step, deadline)).affectedCount
        } catch {
            // All rows are on their way and so is the end of the COPY, which commits them.
            throw isInTransaction ? error : error.asCommitOutcome
        }
        try confirmImplicitCommit(step.callSite)
        return count
    }

    private func abortCopy(_ step: Batch.Step, _ deadline: Deadline) throws(PostgresError) {
        if isBroken { return }
        guard PQputCopyEnd(handle, "given up by the client") == 1 else { throw lost(step) }
        while let result = try nextResult(step, deadline) { PQclear(result) }
    }

    /// Hands libpq's buffered output to the socket.
    fileprivate func drain(_ step: Batch.Step, _ deadline: Deadline) throws(PostgresError) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                guard wait(for: Int16(POLLOUT | POLLIN), until: deadline) else {
                    throw tooLate(step)
                }
                guard PQconsumeInput(handle) == 1 else { throw lost(step) }
            default: throw lost(step)
            }
        }
    }
}
