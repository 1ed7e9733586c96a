import CPostgres

/// A message of the server besides results: a NOTICE, WARNING or INFO.
package struct Notice: Sendable {
    package let severity: String
    package let sqlState: SQLState
    package let message: String
    /// The function of the server's own source that said it.
    let sourceFunction: String?

    /// Whether the server ends the session with it: an error for a running statement arrives as a
    /// notice in an idle session.
    var endsSession: Bool { severity == "FATAL" || severity == "PANIC" }

    /// Whether it says that a commit is stored here but not confirmed by the synchronous standby:
    /// the warnings of SyncRepWaitForLSN, in PostgreSQL's syncrep.c.
    var isUnconfirmedCommit: Bool {
        severity == "WARNING" && sourceFunction == "SyncRepWaitForLSN"
    }
}

/// A notification that some session sent with NOTIFY.
package struct Notification: Sendable, Equatable {
    package let channel: String
    package let payload: String
    /// The process id of the session that sent it.
    package let processID: Int32
}

extension PostgresError.ServerFields {
    /// The fields of a failed result.
    init(result: OpaquePointer?) {
        func field(_ code: Int32) -> String? {
            PQresultErrorField(result, code).map { String(cString: $0) }
        }
        // The letters are those of the protocol's ErrorResponse; postgres_ext.h names them
        // PG_DIAG_..., as character constants that Swift does not import.
        func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }
        sqlState = SQLState(field(code("C")) ?? "")
        severity = field(code("V")) ?? field(code("S")) ?? ""
        message = field(code("M")) ?? ""
        detail = field(code("D"))
        hint = field(code("H"))
        context = field(code("W"))
        position = field(code("P")).flatMap { Int($0) }
        schema = field(code("s"))
        table = field(code("t"))
        column = field(code("c"))
        constraint = field(code("n"))
        sourceFunction = field(code("R"))
    }
}
