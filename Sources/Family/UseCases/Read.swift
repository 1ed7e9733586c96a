package import Domain
import Postgres
import Repositories

/// A read for a caller: its statements, and how their results are decoded.
///
/// Reads change nothing, so they can be run again, and those of several callers can share a round
/// trip (``Database/run(together:)``).
package struct Read<Value>: Sendable {
    let context: RequestContext
    /// Reads by a statement that finds the caller itself, before which no request begins. Nil where
    /// there is none.
    let addFinding: AddFinding?
    private let statements: Statements

    /// What puts statements into the batch and returns what reads their answers.
    typealias Add = @Sendable (inout Batch) -> (Answers, Subject) throws -> Value
    /// The same where the statements tell the version of the one family that they show as well.
    typealias AddVersioned =
        @Sendable (inout Batch) -> (Answers, Subject) throws -> Versioned<Value>
    /// The same as `Add`, told whether several callers share the statement.
    typealias AddFinding = @Sendable (inout Batch, Bool) -> (Answers) throws -> Value

    private enum Statements {
        case plain(Add)
        case versioned(AddVersioned)
    }

    init(by context: RequestContext, finding addFinding: AddFinding? = nil, _ add: @escaping Add) {
        self.context = context
        self.addFinding = addFinding
        statements = .plain(add)
    }

    /// A read whose statements tell the version of the one family that it shows as well.
    init(by context: RequestContext, _ add: @escaping AddVersioned) {
        self.context = context
        addFinding = nil
        statements = .versioned(add)
    }

    /// Puts the statements, behind the beginning of the caller's request, into the batch.
    ///
    /// - Returns: What reads their answers.
    func add(to batch: inout Batch) -> (Answers, Subject) throws -> Value {
        switch statements {
        case .plain(let add): return add(&batch)
        case .versioned(let add):
            let read = add(&batch)
            return { try read($0, $1).value }
        }
    }

    /// The same read together with the tag of what it shows (``ReadTag``), and what `combine` makes
    /// of both.
    package func tagged<Both>(
        in family: FamilyID?, of resource: String,
        _ combine: @escaping @Sendable (String?, Value) -> Both
    ) -> Read<Both> {
        if let family, case .versioned(let add) = statements {
            return Read<Both>(by: context) { batch in
                let read = add(&batch)
                return { answers, subject in
                    let seen = try read(answers, subject)
                    let tag = ReadTag.tag(of: resource, for: subject, family, seen.version)
                    return combine(tag, seen.value)
                }
            }
        }
        return Read<Both>(by: context) { batch in
            let tag = ReadTag.add(resource, family, to: &batch)
            let read = add(to: &batch)
            return { combine(try tag($0, $1), try read($0, $1)) }
        }
    }

    /// The same read, whose value is made into another. It finds its caller in the usual way.
    package func map<Other>(_ transform: @escaping @Sendable (Value) throws -> Other) -> Read<Other>
    {
        switch statements {
        case .plain(let add):
            return Read<Other>(by: context) { batch in
                let read = add(&batch)
                return { try transform(try read($0, $1)) }
            }
        case .versioned(let add):
            return Read<Other>(by: context) { batch in
                let read = add(&batch)
                return {
                    let seen = try read($0, $1)
                    return Versioned(value: try transform(seen.value), version: seen.version)
                }
            }
        }
    }
}

/// What one family shows, and the family's version at that moment; nil if it has none.
struct Versioned<Value> {
    var value: Value
    let version: DatedVersion?
}

extension Database {
    /// Runs a read in a round trip and a transaction of its own.
    ///
    /// - Throws: As ``request(by:writes:_:)``.
    package func run<Value>(_ read: Read<Value>) throws -> Value {
        guard let addFinding = read.addFinding else {
            return try request(by: read.context) { read.add(to: &$0) }
        }
        return try leased { connection in
            var batch = Batch()
            let find = addFinding(&batch, false)
            return try find(try connection.send(batch))
        }
    }

    /// The same on a standby, if one serves.
    package func run<Value>(_ read: Read<Value>, preferring standbys: StandbyReads?) throws -> Value
    {
        if let standbys { return try standbys.run(read) }
        return try run(read)
    }

    /// As ``run(together:)`` on a standby, if one serves.
    package func run<Value>(
        together reads: [Read<Value>], preferring standbys: StandbyReads?
    ) throws -> [Result<Value, any Error>?] {
        if let standbys { return try standbys.run(together: reads) }
        return try run(together: reads)
    }

    /// Runs reads of several callers in one round trip.
    ///
    /// Each sees exactly what it would see alone (``ReadsTogether``). Together they cost the
    /// database, its connection and the processors' caches far less than one after the other.
    /// - Returns: Each read's result, or nil if it must run alone: because its caller must be
    ///   stored first, or because a failure may be another read's fault.
    /// - Throws: `PostgresError` if the database can't be reached, or does not answer all of them
    ///   by the deadline of one. Retrying each of them would only add load.
    package func run<Value>(
        together reads: [Read<Value>]
    ) throws -> [Result<Value, any Error>?] {
        var batch = Batch()
        let together = ReadsTogether(reads, in: &batch)
        let answers: Answers
        do {
            answers = try pool.withConnection { try $0.send(batch) }
        } catch let error as PostgresError where error.mayConcernOneStatement {
            return reads.map { _ in nil }
        }
        return try together.results(of: answers) { Self.isNews($0, $1, true) }
    }
}

extension PostgresError {
    /// Whether the rest of a batch may go through without what this is about, or on another
    /// connection.
    fileprivate var mayConcernOneStatement: Bool {
        sqlState != nil || code == .connectionLost
    }
}
