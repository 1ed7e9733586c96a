import Postgres

/// A read on a caller's behalf: what it asks the database, and what it makes of the answers.
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
    /// Each begins with its own caller, by which every setting that row-level security looks at is
    /// written anew, and sees what it would see alone. At once they cost the database, its
    /// connection and the processors' caches far less than one after the other.
    /// - Returns: For each what came of it, or nil when it has to be run alone: because its caller
    ///   has to be written down first, or because something failed that may be another's fault.
    /// - Throws: `PostgresError` when the database can't be asked at all, or does not answer all of
    ///   them by the deadline of one: to ask it for each once more would not help it.
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
