import CPostgres

extension Connection {
    /// The error of a failed result.
    func error(of result: OpaquePointer, _ step: Batch.Step?) -> PostgresError {
        let fields = PostgresError.ServerFields(result: result)
        guard PQstatus(handle) == CONNECTION_OK, !fields.endsSession else {
            // The reason is the server's last message, otherwise libpq's.
            let reason =
                fields.message.isEmpty
                ? PQerrorMessage(handle).map { String(cString: $0).trimmingNewlines } ?? ""
                : fields.message
            return PostgresError(
                .connectionLost, reason, server: fields, query: step?.statement.text,
                at: step?.callSite)
        }
        return PostgresError(
            .server, fields.message, server: fields, query: step?.statement.text,
            at: step?.callSite)
    }

    /// The wire is broken, or the protocol has lost its place: the connection ends here.
    func lost(_ step: Batch.Step?) -> PostgresError {
        isBroken = true
        let reason = PQerrorMessage(handle).map { String(cString: $0).trimmingNewlines } ?? ""
        return PostgresError(
            .connectionLost, reason.isEmpty ? "the connection was closed" : reason,
            query: step?.statement.text, at: step?.callSite)
    }

    /// The deadline has passed: the statement is cancelled and the connection given up.
    func tooLate(_ step: Batch.Step?) -> PostgresError {
        isBroken = true
        canceller.cancelInBackground()
        return PostgresError(
            .deadlineExceeded, "no answer before the deadline; the statement was cancelled",
            query: step?.statement.text, at: step?.callSite)
    }
}

extension PostgresError.ServerFields {
    /// Whether the server closes the session after it: its severity says so, whatever the state.
    var endsSession: Bool { severity == "FATAL" || severity == "PANIC" }
}
