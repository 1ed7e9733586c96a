import Postgres
import Repositories

/// Reads of several callers, as one batch.
///
/// Callers who act for themselves are named together, by one statement, and share those of their
/// statements that can be shared (`Statement.shared`): run once, for all of them. A caller is told
/// apart by the place at which it was named, which this batch alone gives out. What each place sees
/// is decided by the same views as for a caller alone.
///
/// All other reads follow, each behind a beginning of its own, which sets every setting that
/// row-level security reads and ends the sharing.
struct ReadsTogether<Value> {
    private struct Part {
        let begin: Batch.Place<RequestIdentity>
        let finish: (Answers, Subject) throws -> Value
    }

    private let reads: [Read<Value>]
    /// In the order of the reads; none is nil.
    private let parts: [Part?]

    init(_ reads: [Read<Value>], in batch: inout Batch) {
        self.reads = reads
        // Loops: what other modules' generic functions are called with, they look up each time.
        var parts: [Part?] = []
        parts.reserveCapacity(reads.count)
        var sharing = 0
        for read in reads where read.caller.sharesStatements { sharing += 1 }
        for read in reads { parts.append(sharing > 1 ? Self.share(read, in: &batch) : nil) }
        batch.endSharing()
        var index = 0
        while index < reads.count {
            if parts[index] == nil {
                let read = reads[index]
                parts[index] = Part(
                    begin: Database.begin(read.caller, true, &batch), finish: read.add(&batch))
            }
            index += 1
        }
        self.parts = parts
    }

    /// Nil if the read needs a beginning of its own.
    private static func share(_ read: Read<Value>, in batch: inout Batch) -> Part? {
        let caller = read.caller
        guard caller.sharesStatements else { return nil }
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
        let finish = read.add(&batch)
        if batch.isWhollyShared { return Part(begin: begin, finish: finish) }
        batch.removeCaller()
        return nil
    }

    /// Each read's result.
    ///
    /// - Parameter isLeft: Whether a read, as its caller was found, is to be run alone: then its
    ///   result is nil.
    func results(
        of answers: Answers, unless isLeft: (RequestIdentity, Caller) -> Bool
    ) throws -> [Result<Value, any Error>?] {
        var results: [Result<Value, any Error>?] = []
        results.reserveCapacity(reads.count)
        while results.count < reads.count {
            guard let part = parts[results.count] else {
                preconditionFailure("a read that was not added")
            }
            let caller = reads[results.count].caller
            let found = try answers.row(part.begin)
            results.append(
                isLeft(found, caller)
                    ? nil : Result { try part.finish(answers, try Subject(found, caller)) })
        }
        return results
    }
}

extension Caller {
    /// Whether the caller may be named together with others: it is itself, and nothing depends on
    /// what it has read before.
    fileprivate var sharesStatements: Bool {
        !isAnonymous && actingAs == nil && expectedVersions == nil && keyed == nil
    }
}
