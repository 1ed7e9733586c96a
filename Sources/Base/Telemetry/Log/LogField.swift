package import Configuration

/// One field of a line of the log.
///
/// The set of fields is closed, and no field takes text that a person typed or a client sent: ids
/// are numbers, names are source literals, and error texts are cleaned first. A token, a code, an
/// e-mail address or a secret can't get into the log by accident.
package struct LogField: Sendable {
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

extension LogField {
    /// Something that has an id of 128 bits, such as a user; `key` is the field's name in the log.
    package init(_ key: StaticString, id: UInt128) {
        self.init(key: key, value: .uuid(id))
    }
}

// MARK: - A request

extension LogField {
    /// The id under which the caller and the log know a request.
    package static func requestID(_ id: RequestID) -> LogField {
        LogField(key: "requestId", value: .text(id.text))
    }

    /// A request's method and route as the route table writes them, such as
    /// `GET /api/family/invite/:token`; never the path that came.
    package static func route(_ pattern: StaticString) -> LogField {
        LogField(key: "route", value: .literal(pattern))
    }

    /// The answer's status.
    package static func status(_ code: Int) -> LogField {
        LogField(key: "status", value: .integer(code))
    }

    /// How long something took.
    package static func duration(microseconds: Int) -> LogField {
        LogField(key: "durationMs", value: .microseconds(microseconds))
    }

    /// The trace and the caller's span that a request belongs to (W3C Trace Context).
    package static func trace(_ context: TraceContext) -> [LogField] {
        [
            LogField(key: "traceId", value: .text(context.traceText)),
            LogField(key: "spanId", value: .hexadecimal(context.parent)),
        ]
    }
}

// MARK: - The service

extension LogField {
    /// Why something is so, from a list in the source.
    package static func reason(_ reason: StaticString) -> LogField {
        LogField(key: "reason", value: .literal(reason))
    }

    /// The name of something in the source: a queue, a pool, a kind of job.
    package static func name(_ name: StaticString) -> LogField {
        LogField(key: "name", value: .literal(name))
    }

    /// The count that the line is about.
    package static func count(_ count: Int) -> LogField {
        LogField(key: "count", value: .integer(count))
    }

    /// How many there may be.
    package static func limit(_ limit: Int) -> LogField {
        LogField(key: "limit", value: .integer(limit))
    }

    /// The number of a try, from 1.
    package static func attempt(_ number: Int) -> LogField {
        LogField(key: "attempt", value: .integer(number))
    }

    /// A job, by its number.
    package static func job(_ id: Int) -> LogField {
        LogField(key: "jobId", value: .integer(id))
    }

    /// Where a server of ours listens.
    package static func listen(_ address: ListenAddress) -> LogField {
        LogField(key: "listen", value: .text(address.description))
    }

    /// The signal that came, by its name.
    package static func signal(_ name: StaticString) -> LogField {
        LogField(key: "signal", value: .literal(name))
    }

    /// The error that ended a program, for its operator, cleaned by `Redaction`.
    package static func failure(_ text: String) -> LogField {
        let lines = text.split(separator: "\n").joined(separator: "\n")
        return LogField(key: "error", value: .text(Redaction.clean(lines)))
    }

    /// Output of a C library, cleaned by `Redaction`.
    static func libraryText(_ text: String) -> LogField {
        LogField(key: "text", value: .text(Redaction.clean(text)))
    }

    /// An error's text for developers, cleaned by `Redaction`.
    package static func error(_ error: any Error) -> LogField {
        LogField(key: "error", value: .text(Redaction.clean(String(reflecting: error))))
    }
}
