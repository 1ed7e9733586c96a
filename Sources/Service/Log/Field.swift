/// One field of a line of the log.
///
/// The set of fields is closed, and none takes text that a person typed or a client sent: ids are
/// numbers, names are literals of the source, and the text of errors is cleaned first. So a token,
/// a code, an e-mail address or a secret has no way into the log by accident.
package struct Field: Sendable {
    enum Value: Sendable {
        case text(String)
        case literal(StaticString)
        case integer(Int)
        /// Shown in milliseconds with three decimals.
        case microseconds(Int)
        case uuid(UInt128)
        case hexadecimal(UInt64)
    }

    let key: StaticString
    let value: Value
}

// MARK: - A request

extension Field {
    /// The id under which the caller and the log know a request.
    package static func requestID(_ id: RequestID) -> Field {
        Field(key: "requestId", value: .text(id.text))
    }

    /// A request's method and route as the route table writes them, such as
    /// `GET /api/family/invite/:token`; never the path that came.
    package static func route(_ pattern: StaticString) -> Field {
        Field(key: "route", value: .literal(pattern))
    }

    /// The answer's status.
    package static func status(_ code: Int) -> Field {
        Field(key: "status", value: .integer(code))
    }

    /// How long something took.
    package static func duration(microseconds: Int) -> Field {
        Field(key: "durationMs", value: .microseconds(microseconds))
    }

    /// A user, by the 128 bits of the id.
    package static func user(_ id: UInt128) -> Field {
        Field(key: "userId", value: .uuid(id))
    }

    /// A family, by the 128 bits of the id.
    package static func family(_ id: UInt128) -> Field {
        Field(key: "familyId", value: .uuid(id))
    }

    /// The trace and the caller's span that a request belongs to (W3C Trace Context).
    package static func trace(_ context: TraceContext) -> [Field] {
        [
            Field(key: "traceId", value: .text(context.traceText)),
            Field(key: "spanId", value: .hexadecimal(context.parent)),
        ]
    }
}

// MARK: - The service

extension Field {
    /// Why something is so, from a list in the source.
    package static func reason(_ reason: StaticString) -> Field {
        Field(key: "reason", value: .literal(reason))
    }

    /// What something is called in the source: a queue, a pool, a kind of job.
    package static func name(_ name: StaticString) -> Field {
        Field(key: "name", value: .literal(name))
    }

    /// How many there are of what the line speaks of.
    package static func count(_ count: Int) -> Field {
        Field(key: "count", value: .integer(count))
    }

    /// How many there may be.
    package static func limit(_ limit: Int) -> Field {
        Field(key: "limit", value: .integer(limit))
    }

    /// The number of a try, from 1.
    package static func attempt(_ number: Int) -> Field {
        Field(key: "attempt", value: .integer(number))
    }

    /// A job, by its number.
    package static func job(_ id: Int) -> Field {
        Field(key: "jobId", value: .integer(id))
    }

    /// Where a server of ours listens.
    package static func listen(_ address: ListenAddress) -> Field {
        Field(key: "listen", value: .text(address.description))
    }

    /// The signal that came.
    package static func signal(_ signal: ShutdownSignal) -> Field {
        Field(key: "signal", value: .literal(signal.name))
    }

    /// A program's version.
    package static func version(_ version: StaticString) -> Field {
        Field(key: "version", value: .literal(version))
    }

    /// A PostgreSQL error code: five digits and capital letters, `?` for anything else.
    package static func sqlState(_ code: String) -> Field {
        let isCode =
            code.utf8.count == 5
            && code.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
        return Field(key: "sqlState", value: .text(isCode ? code : "?"))
    }

    /// What ended a program, as it tells its operator, cleaned by `Redaction`.
    static func failure(_ text: String) -> Field {
        let lines = text.split(separator: "\n").joined(separator: "\n")
        return Field(key: "error", value: .text(Redaction.clean(lines)))
    }

    /// What a C library printed, cleaned by `Redaction`.
    static func libraryText(_ text: String) -> Field {
        Field(key: "text", value: .text(Redaction.clean(text)))
    }

    /// What went wrong, as the error tells it to its developers, cleaned by `Redaction`.
    package static func error(_ error: any Error) -> Field {
        Field(key: "error", value: .text(Redaction.clean(String(reflecting: error))))
    }
}
