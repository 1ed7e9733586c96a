import Domain
import Glibc
import Postgres
import Repositories

/// The one transaction of a request that carries an idempotency key: it begins by claiming the key
/// and ends by storing the response, so that effect and response are stored together or not at all.
///
/// All statements of a ``Caller`` with this transaction are part of it. Only
/// ``Database/once(by:_:_:)`` commits it.
///
/// Sendable although connections are not, because callers are: all that is done with it is done on
/// the thread that made it, and each entry checks that it is on this thread.
package final class KeyedTransaction: @unchecked Sendable {
    /// Why the request stops; thrown through the use case to ``Database/once(by:_:_:)``.
    enum Interruption: Error {
        /// The caller must be stored first; then the request starts again.
        case news
        /// It was done before, with this response.
        case replay(status: Int, answer: String)
    }

    private let thread = pthread_self()
    private let request: IdempotentRequest
    private let connection: Connection
    /// Nil before the first attempt.
    private var transaction: Transaction?
    /// Whether the caller is compared with the data of the last token.
    private var isCompared = true
    /// Whether this transaction has begun with the claim.
    private var hasClaimed = false
    /// Whether the attempt has been counted, in any run of the transaction.
    private var hasCounted = false
    private var commitsRefusals = false
    private var queues: Set<String> = []

    init(_ request: IdempotentRequest, on connection: Connection) {
        self.request = request
        self.connection = connection
    }

    /// Takes over a transaction that has sent nothing yet.
    func begin(_ transaction: Transaction, isCompared: Bool) {
        requireThread()
        transaction.isHeldOpen = true
        self.transaction = transaction
        self.isCompared = isCompared
        hasClaimed = false
        commitsRefusals = false
        queues = []
    }

    /// As ``Database/request(by:writes:_:)``, as a part of the transaction.
    func request<Value>(
        by caller: Caller, _ add: (inout Batch) -> (Answers, Subject) throws -> Value
    ) throws -> Value {
        let transaction = open()
        return try Database.meant {
            let value = try ask(caller, add) { try transaction.send($0) }
            return value
        }
    }

    /// As ``Database/transaction(by:reading:_:)``, as a part of the transaction.
    func transaction<Known, Value>(
        by caller: Caller, reading add: (inout Batch) -> (Answers, Subject) throws -> Known,
        _ body: (Known, Transaction) throws -> Value
    ) throws -> Value {
        let transaction = open()
        return try Database.meant {
            try body(try ask(caller, add) { try transaction.send($0) }, transaction)
        }
    }

    /// Counts an attempt in a transaction of its own, before this one begins, and only once even if
    /// it runs again. A replay is not counted.
    ///
    /// - Returns: The limit that was reached.
    func count(
        by caller: Caller, _ add: (inout Batch) -> Batch.Place<LimitReached>
    ) throws -> LimitReached? {
        requireThread()
        if hasCounted { return nil }
        precondition(!connection.isInTransaction, "counting belongs before the effect")
        let limit = try Database.meant {
            try ask(
                caller,
                { batch in
                    let place = add(&batch)
                    return { answers, _ in try answers.first(place) }
                }, { try connection.send($0, writes: true) })
        }
        // The claim ended with the transaction of the count.
        hasClaimed = false
        hasCounted = limit == nil
        return limit
    }

    /// From now on a refusal keeps what the transaction has written.
    func commitRefusals() {
        requireThread()
        commitsRefusals = true
    }

    var isRefusalCommitted: Bool {
        requireThread()
        return commitsRefusals
    }

    /// Notifies workers of a queue after the commit.
    func wake(_ queue: String) {
        requireThread()
        queues.insert(queue)
    }

    /// The queues to notify workers of.
    var awakened: Set<String> {
        requireThread()
        return queues
    }

    /// Keeps the answer, if there is one to be kept, and commits.
    func end(keeping answer: AnswerToKeep?, of caller: Caller) throws {
        let transaction = open()
        transaction.isHeldOpen = false
        // The code that began the transaction commits it.
        guard let answer else { return }
        let bytes = answer.text.utf8.count
        guard bytes <= AnswerToKeep.maximumBytes else { throw AnswerTooLong(bytes: bytes) }
        try Database.meant {
            if hasClaimed {
                var batch = Batch()
                add(answer, to: &batch)
                _ = try transaction.sendAndCommit(batch)
                return
            }
            try ask(
                caller,
                { batch in
                    add(answer, to: &batch)
                    return { _, _ in }
                }, { try transaction.sendAndCommit($0) })
        }
    }

    /// Leaves the transaction to be committed as it is: the claim has kept all statements of the
    /// request from doing anything.
    func endAsReplay() {
        open().isHeldOpen = false
        queues = []
    }

    private func add(_ answer: AnswerToKeep, to batch: inout Batch) {
        batch.add(
            IdempotencyKeys.keep, request.route, request.key,
            PostgresBytes(request.digest.bytes), answer.status, answer.format, answer.text)
    }

    /// Sends statements behind the beginning of the request and, the first time, the claim.
    private func ask<Value>(
        _ caller: Caller, _ add: (inout Batch) -> (Answers, Subject) throws -> Value,
        _ send: (Batch) throws -> Answers
    ) throws -> Value {
        var batch = Batch()
        let identity = Database.begin(caller, isCompared, &batch)
        let claim =
            hasClaimed
            ? nil
            : batch.add(
                IdempotencyKeys.claim, request.route, request.key,
                PostgresBytes(request.digest.bytes), request.latestFormat)
        let read = add(&batch)
        let answers = try send(batch)
        let found = try answers.row(identity)
        if Database.isNews(found, caller, isCompared) { throw Interruption.news }
        let subject = try Subject(found, caller)
        if let claim { try settle(try answers.row(claim)) }
        return try read(answers, subject)
    }

    /// Lets the request on only if its key was claimed.
    private func settle(_ row: KeyClaim) throws {
        switch row.outcome {
        case .claimed: hasClaimed = true
        case .running: throw Refusal(.idempotencyKeyInUse)
        case .otherRequest: throw Refusal(.idempotencyKeyReused)
        case .newer: throw Refusal(.retryLater)
        case .replay:
            guard let status = row.status, let answer = row.answer else {
                throw PostgresError(.unexpectedRows, "a replay without an answer")
            }
            throw Interruption.replay(status: status, answer: answer)
        }
    }

    private func open() -> Transaction {
        requireThread()
        guard let transaction else { preconditionFailure("used before the transaction began") }
        return transaction
    }

    private func requireThread() {
        precondition(pthread_equal(thread, pthread_self()) != 0, "used on another thread")
    }
}
