import Postgres
import Repositories

/// Reads of several callers, as one batch.
///
/// Callers who act for themselves are named together, by one statement, and share those of their
/// statements that can be shared (`Statement.shared`): run once, for all of them. A caller is told
/// apart by the place at which it was named, which this batch alone gives out. What each place sees
/// is decided by the same views as for a caller alone.
///
/// Reads that find their caller themselves (`Read.addFinding`) share a statement of their own if
/// there are enough: they read so little that it would cost more to name their callers before. Of
/// the settings that row-level security reads, they neither read nor write one.
///
/// All other reads follow, each behind a beginning of its own, which sets every setting that
/// row-level security reads and ends the sharing.
struct ReadsTogether<Value> {
    private enum Part {
        /// Behind the beginning of its caller's request.
        case begun(Batch.Place<RequestIdentity>, (Answers, Subject) throws -> Value)
        /// By a statement that finds the caller.
        case finding((Answers) throws -> Value)
    }

    private let reads: [Read<Value>]
    /// In the order of the reads; none is nil.
    private let parts: [Part?]

    init(_ reads: [Read<Value>], in batch: inout Batch) {
        self.reads = reads
        // Loops: what other modules' generic functions are called with, they look up each time.
        var sharing = 0
        for read in reads where read.mayShare { sharing += 1 }
        var parts: [Part?] = []
        parts.reserveCapacity(reads.count)
        for read in reads { parts.append(sharing > 1 ? Self.share(read, in: &batch) : nil) }
        batch.endSharing()
        var finding = 0
        for read in reads where read.addFinding != nil { finding += 1 }
        // For two, one statement costs as much as one for each.
        let findTogether = finding > 2
        var index = 0
        while findTogether, index < reads.count {
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

    /// Nil if the read can't share statements with others.
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

    /// Each read's result.
    ///
    /// - Parameter isLeft: Whether a read, as its caller was found, is to be run alone: then its
    ///   result is nil.
    func results(
        of answers: Answers, unless isLeft: (RequestIdentity, RequestContext) -> Bool
    ) throws -> [Result<Value, any Error>?] {
        var results: [Result<Value, any Error>?] = []
        results.reserveCapacity(reads.count)
        while results.count < reads.count {
            switch parts[results.count] {
            case .begun(let begin, let finish):
                let context = reads[results.count].context
                let found = try answers.row(begin)
                results.append(
                    isLeft(found, context)
                        ? nil : Result { try finish(answers, try Subject(found, context)) })
            case .finding(let find): results.append(Result { try find(answers) })
            case nil: preconditionFailure("a read that was not added")
            }
        }
        return results
    }
}

extension Read {
    /// Whether its statements may be shared with other callers.
    fileprivate var mayShare: Bool { addFinding == nil && context.isOneself }
}
