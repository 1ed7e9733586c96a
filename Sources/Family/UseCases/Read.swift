import Postgres

/// A read for a caller: its statements, and how their results are decoded.
///
/// Reads change nothing, so they can be run again, and those of several callers can share a round
/// trip (``Database/run(together:)``).
package struct Read<Value>: Sendable {
    let caller: Caller
    /// Puts the statements into the batch and returns what reads their answers.
    let add: @Sendable (inout Batch) -> (Answers, Subject) throws -> Value

    init(
        by caller: Caller,
        _ add: @escaping @Sendable (inout Batch) -> (Answers, Subject) throws -> Value
    ) {
        self.caller = caller
        self.add = add
    }

    /// Both reads of one caller, this one first.
    package func with<Other>(_ other: Read<Other>) -> Read<(Value, Other)> {
        Read<(Value, Other)>(by: caller) { [add] batch in
            let first = add(&batch)
            let second = other.add(&batch)
            return { (try first($0, $1), try second($0, $1)) }
        }
    }

    /// The same read, whose value is made into another.
    package func map<Other>(_ transform: @escaping @Sendable (Value) throws -> Other) -> Read<Other>
    {
        Read<Other>(by: caller) { [add] batch in
            let read = add(&batch)
            return { try transform(try read($0, $1)) }
        }
    }
}

extension Database {
    /// Runs a read in a round trip and a transaction of its own.
    ///
    /// - Throws: As ``request(by:writes:_:)``.
    package func run<Value>(_ read: Read<Value>) throws -> Value {
        try request(by: read.caller, read.add)
    }

    /// Runs reads of several callers in one round trip.
    ///
    /// Each read begins with its own caller, which sets every setting that row-level security
    /// reads, so it sees exactly what it would see alone. Together they cost the database, its
    /// connection and the processors' caches far less than one after the other.
    /// - Returns: Each read's result, or nil if it must run alone: because its caller must be
    ///   stored first, or because a failure may be another read's fault.
    /// - Throws: `PostgresError` if the database can't be reached, or does not answer all of them
    ///   by the deadline of one. Retrying each of them would only add load.
    package func run<Value>(
        together reads: [Read<Value>]
    ) throws -> [Result<Value, any Error>?] {
        var batch = Batch()
        let places = reads.map { read in
            (begin: Self.begin(read.caller, true, &batch), finish: read.add(&batch))
        }
        let answers: Answers
        do {
            answers = try pool.withConnection { try $0.send(batch) }
        } catch let error as PostgresError where error.mayConcernOneStatement {
            return reads.map { _ in nil }
        }
        return try zip(reads, places).map { read, place in
            let found = try answers.row(place.begin)
            if Self.isNews(found, read.caller, true) { return nil }
            return Result { try place.finish(answers, try Subject(found, read.caller)) }
        }
    }
}

extension PostgresError {
    /// Whether the rest of a batch may go through without what this is about, or on another
    /// connection.
    fileprivate var mayConcernOneStatement: Bool {
        sqlState != nil || code == .connectionLost
    }
}
