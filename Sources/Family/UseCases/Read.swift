package import Domain
import Postgres
import Repositories

/// A read for a caller: its statements, and how their results are decoded.
///
/// Reads change nothing, so they can be run again, and those of several callers can share a round
/// trip (``Database/run(batched:)``).
package struct Read<Value>: Sendable {
    let context: RequestContext
    /// Adds a statement that also identifies the caller, so that no request has to be begun; nil if
    /// the read has no such statement.
    let addFinding: AddFinding?
    private let statements: Statements

    /// Adds statements to the batch and returns a closure that reads their results.
    typealias Add = @Sendable (inout Batch) -> (BatchResults, Subject) throws -> Value
    /// Adds statements like `Add` that also return the version of the one family that they read.
    typealias AddVersioned =
        @Sendable (inout Batch) -> (BatchResults, Subject) throws -> Versioned<Value>
    /// Adds a statement that identifies the caller; the flag says whether several callers share it.
    typealias AddFinding = @Sendable (inout Batch, Bool) -> (BatchResults) throws -> Value

    private enum Statements {
        case plain(Add)
        case versioned(AddVersioned)
    }

    init(by context: RequestContext, finding addFinding: AddFinding? = nil, _ add: @escaping Add) {
        self.context = context
        self.addFinding = addFinding
        statements = .plain(add)
    }

    /// A read whose statements also return the version of the one family that they read.
    init(by context: RequestContext, _ add: @escaping AddVersioned) {
        self.context = context
        addFinding = nil
        statements = .versioned(add)
    }

    /// Adds the beginning of the caller's request and the read's statements to the batch.
    ///
    /// - Returns: A closure that reads their results.
    func add(to batch: inout Batch) -> (BatchResults, Subject) throws -> Value {
        switch statements {
        case .plain(let add): return add(&batch)
        case .versioned(let add):
            let read = add(&batch)
            return { try read($0, $1).value }
        }
    }

    /// Returns a read that also computes the tag of its data (``ReadTag``), and combines both by
    /// `combine`.
    package func tagged<Both>(
        in family: FamilyID?, of resource: String,
        _ combine: @escaping @Sendable (String?, Value) -> Both
    ) -> Read<Both> {
        if let family, case .versioned(let add) = statements {
            return Read<Both>(by: context) { batch in
                let read = add(&batch)
                return { batchResults, subject in
                    let versioned = try read(batchResults, subject)
                    let tag = ReadTag.tag(of: resource, for: subject, family, versioned.version)
                    return combine(tag, versioned.value)
                }
            }
        }
        return Read<Both>(by: context) { batch in
            let tag = ReadTag.add(resource, family, to: &batch)
            let read = add(to: &batch)
            return { combine(try tag($0, $1), try read($0, $1)) }
        }
    }

    /// Returns a read whose value is transformed. The read begins a request to identify its caller.
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
                    let former = try read($0, $1)
                    return Versioned(value: try transform(former.value), version: former.version)
                }
            }
        }
    }
}

/// The data of one family, with the family's version at the time of the read; the version is nil if
/// the caller does not see the family.
struct Versioned<Value> {
    var value: Value
    let version: DatedVersion?
}

extension Database {
    /// Runs a read in a round trip and a transaction of its own.
    ///
    /// - Throws: Like ``request(by:writes:_:)``.
    package func run<Value>(_ read: Read<Value>) throws -> Value {
        guard let addFinding = read.addFinding else {
            return try request(by: read.context) { read.add(to: &$0) }
        }
        return try withConnection { connection in
            var batch = Batch()
            let find = addFinding(&batch, false)
            return try find(try connection.send(batch))
        }
    }

    /// Runs reads of several callers in one round trip.
    ///
    /// Each sees exactly what it would see alone (``ReadBatch``). Together they cost the
    /// database, its connection and the processors' caches far less than one after the other.
    /// - Returns: Each read's result, or nil if it must run alone: because its caller must be
    ///   stored first, or because a failure may be another read's fault.
    /// - Throws: `PostgresError` if the database can't be reached, or does not respond to all
    ///   reads by the deadline of a single one. Retrying each of them would only add load.
    package func run<Value>(
        batched reads: [Read<Value>]
    ) throws -> [Result<Value, any Error>?] {
        var batch = Batch()
        let reading = ReadBatch(reads, in: &batch)
        let batchResults: BatchResults
        do {
            batchResults = try pool.withConnection { try $0.send(batch) }
        } catch let error as PostgresError where error.mayConcernOneStatement {
            return reads.map { _ in nil }
        }
        return try reading.results(of: batchResults) { Self.needsUpsert($0, $1, true) }
    }
}

extension PostgresError {
    /// Whether the error may concern only one statement or connection, so that other reads of the
    /// batch may succeed.
    fileprivate var mayConcernOneStatement: Bool {
        sqlState != nil || code == .connectionLost
    }
}

/// Reads of several callers, in one batch.
///
/// One statement names all callers who act for themselves. Statements that can be shared
/// (`Statement.shared`) run once for all of them. Each caller is identified by its index among the
/// named callers, which is valid only in this batch. The same views as for a single caller decide
/// what each index sees.
///
/// Reads that identify their caller themselves (`Read.addFinding`) share another statement if there
/// are enough: they read so little that naming their callers first would cost more. They neither
/// read nor write the settings that row-level security reads.
///
/// All other reads follow, each after the beginning of its own request, which sets every setting
/// that row-level security reads and ends the sharing.
struct ReadBatch<Value> {
    private enum Part {
        /// A read whose statements follow those that begin its caller's request.
        case begun(Batch.ResultKey<RequestIdentity>, (BatchResults, Subject) throws -> Value)
        /// A read whose own statement identifies the caller, so no request is begun for it.
        case finding((BatchResults) throws -> Value)
    }

    private let reads: [Read<Value>]
    /// Parts in the order of the reads; none is nil.
    private let parts: [Part?]

    init(_ reads: [Read<Value>], in batch: inout Batch) {
        self.reads = reads
        // Written as loops, because generic functions of other modules look up their arguments'
        // types at each call.
        var sharing = 0
        for read in reads where read.mayShare { sharing += 1 }
        var parts: [Part?] = []
        parts.reserveCapacity(reads.count)
        for read in reads { parts.append(sharing > 1 ? Self.share(read, in: &batch) : nil) }
        batch.endSharing()
        var finding = 0
        for read in reads where read.addFinding != nil { finding += 1 }
        // For two reads, a shared statement costs as much as one for each.
        let findsBatched = finding > 2
        var index = 0
        while findsBatched, index < reads.count {
            if let find = reads[index].addFinding { parts[index] = .finding(find(&batch, true)) }
            index += 1
        }
        batch.endSharing()
        index = 0
        while index < reads.count {
            if parts[index] == nil { parts[index] = Self.alone(reads[index], in: &batch) }
            index += 1
        }
        self.parts = parts
    }

    private static func alone(_ read: Read<Value>, in batch: inout Batch) -> Part {
        if let addFinding = read.addFinding { return .finding(addFinding(&batch, false)) }
        return .begun(Database.begin(read.context, true, &batch), read.add(to: &batch))
    }

    /// Adds the shared statements of a read; nil if it can't share statements.
    private static func share(_ read: Read<Value>, in batch: inout Batch) -> Part? {
        guard read.mayShare else { return nil }
        let caller = read.context.caller
        let begin =
            if let session = caller.session {
                batch.addCaller(
                    RequestIdentities.beginAll, nil, nil, nil, nil, nil, session.id,
                    session.account)
            } else {
                batch.addCaller(
                    RequestIdentities.beginAll, caller.issuer,
                    caller.subject, caller.email?.text,
                    caller.isEmailVerified, caller.fullName != nil, nil, nil)
            }
        let finish = read.add(to: &batch)
        if batch.isWhollyShared { return .begun(begin, finish) }
        batch.removeCaller()
        return nil
    }

    /// Returns each read's result.
    ///
    /// - Parameter mustRunAlone: Whether a read must run alone, given its caller's identity; then
    ///   its result is nil.
    func results(
        of batchResults: BatchResults,
        unless mustRunAlone: (RequestIdentity, RequestContext) -> Bool
    ) throws -> [Result<Value, any Error>?] {
        var results: [Result<Value, any Error>?] = []
        results.reserveCapacity(reads.count)
        while results.count < reads.count {
            switch parts[results.count] {
            case .begun(let begin, let finish):
                let context = reads[results.count].context
                let account = try batchResults.row(begin)
                results.append(
                    mustRunAlone(account, context)
                        ? nil : Result { try finish(batchResults, try Subject(account, context)) })
            case .finding(let find): results.append(Result { try find(batchResults) })
            case nil: preconditionFailure("the read was not added to the batch")
            }
        }
        return results
    }
}

extension Read {
    /// Whether the read's statements may be shared with other callers.
    fileprivate var mayShare: Bool { addFinding == nil && context.isBatchable }
}
