import Domain
import Glibc
import Postgres
import Repositories

/// The only transaction of a request that carries an idempotency key. It begins by claiming the key
/// and ends by storing the response, so that effect and response are stored together or not at all.
///
/// All statements of a ``RequestContext`` with this transaction are part of it. Only
/// ``Database/once(by:_:_:)`` commits it.
///
/// Sendable although connections are not, because contexts are. It is used only on the thread that
/// made it, and each entry point checks this.
package final class KeyedTransaction: @unchecked Sendable {
    private let thread = pthread_self()
    private let request: IdempotentRequest
    private let connection: Connection
    /// The transaction; nil before the first attempt.
    private var transaction: Transaction?
    /// Whether this transaction holds the claim.
    private var hasClaimed = false
    /// Whether this transaction has sent more than the claim.
    private var hasBegunEffect = false
    /// Whether the attempt has been counted, in any run of the transaction.
    private var hasCounted = false
    private var commitsRefusals = false
    private var queues: Set<String> = []

    init(_ request: IdempotentRequest, on connection: Connection) {
        self.request = request
        self.connection = connection
    }

    /// Takes over a transaction that has sent nothing yet, and claims the key in it.
    ///
    /// - Parameter comparesClaims: Whether the caller is compared with the data of the last token.
    /// - Returns: The outcome of the claim; nil if the caller must be stored first. If the key was
    ///   not claimed, the transaction no longer has a caller and can only end.
    func begin(
        _ transaction: Transaction, by context: RequestContext, comparesClaims: Bool
    ) throws -> KeyClaim? {
        requireThread()
        self.transaction = transaction
        hasClaimed = false
        hasBegunEffect = false
        commitsRefusals = false
        queues = []
        var batch = Batch()
        let identity = Database.begin(context, comparesClaims, &batch)
        let claim = addClaim(to: &batch)
        let results = try Database.translatingRefusals { try transaction.send(batch) }
        let account = try results.row(identity)
        if Database.needsUpsert(account, context, comparesClaims) {
            try transaction.startOver()
            return nil
        }
        _ = try Subject(account, context)
        let row = try results.row(claim)
        hasClaimed = row.outcome == .claimed
        transaction.isHeldOpen = hasClaimed
        return row
    }

    /// Runs statements like ``Database/request(by:writes:_:)``, as a part of the transaction.
    func request<Value>(
        by context: RequestContext, _ add: (inout Batch) -> (BatchResults, Subject) throws -> Value
    ) throws -> Value {
        let transaction = requireTransaction()
        hasBegunEffect = true
        return try Database.translatingRefusals {
            try sendAfterBeginning(context, add) { try transaction.send($0) }
        }
    }

    /// Runs `body` like ``Database/transaction(by:reading:_:)``, as a part of the transaction.
    func transaction<Loaded, Value>(
        by context: RequestContext,
        reading add: (inout Batch) -> (BatchResults, Subject) throws -> Loaded,
        _ body: (Loaded, Transaction) throws -> Value
    ) throws -> Value {
        let transaction = requireTransaction()
        hasBegunEffect = true
        return try Database.translatingRefusals {
            try body(try sendAfterBeginning(context, add) { try transaction.send($0) }, transaction)
        }
    }

    /// Counts an attempt in a separate transaction, and only once even if the keyed transaction
    /// runs again. The keyed transaction has so far only claimed the key, and starts over. A replay
    /// is not counted.
    ///
    /// - Returns: The limit that was reached.
    /// - Throws: ``Refusal`` with `idempotencyKeyInUse` if the same request claimed the key in
    ///   between.
    func countAttempt(
        by context: RequestContext, _ add: (inout Batch) -> Batch.ResultKey<LimitReached>
    ) throws -> LimitReached? {
        if hasCounted { return nil }
        precondition(!hasBegunEffect, "attempts must be counted before the effect")
        try requireTransaction().startOver()
        hasClaimed = false
        let limit = try Database.translatingRefusals {
            try sendAfterBeginning(
                context,
                { batch in
                    let key = add(&batch)
                    return { results, _ in try results.first(key) }
                }, { try connection.send($0, writes: true) })
        }
        // The transaction of the count has ended, and with it the claim.
        hasClaimed = false
        hasCounted = limit == nil
        return limit
    }

    /// Makes later refusals commit what the transaction has written.
    func commitRefusals() {
        requireThread()
        commitsRefusals = true
    }

    var isRefusalCommitted: Bool {
        requireThread()
        return commitsRefusals
    }

    /// Notifies workers of a queue after the commit.
    func notifyWorkers(of queue: String) {
        requireThread()
        queues.insert(queue)
    }

    /// Queues whose workers must be notified.
    var queuesToNotify: Set<String> {
        requireThread()
        return queues
    }

    /// Stores the response, if there is one, and commits.
    func commit(storing response: StoredResponse?, of context: RequestContext) throws {
        let transaction = requireTransaction()
        transaction.isHeldOpen = false
        // The code that began the transaction commits it.
        guard let response else { return }
        let bytes = response.text.utf8.count
        guard bytes <= StoredResponse.maximumBytes else {
            throw StoredResponseTooLong(bytes: bytes)
        }
        try Database.translatingRefusals {
            if hasClaimed {
                var batch = Batch()
                add(response, to: &batch)
                _ = try transaction.sendAndCommit(batch)
                return
            }
            try sendAfterBeginning(
                context,
                { batch in
                    add(response, to: &batch)
                    return { _, _ in }
                }, { try transaction.sendAndCommit($0) })
        }
    }

    private func add(_ response: StoredResponse, to batch: inout Batch) {
        batch.add(
            IdempotencyKeys.storeResponse, request.route, request.key,
            PostgresBytes(request.digest.bytes), response.status, response.format, response.text)
    }

    private func addClaim(to batch: inout Batch) -> Batch.ResultKey<KeyClaim> {
        batch.add(
            IdempotencyKeys.claim, request.route, request.key,
            PostgresBytes(request.digest.bytes), request.latestFormat)
    }

    /// Sends statements after the beginning of the request and, if the transaction has started
    /// over, the claim. The caller is not compared again: that happened when the key was first
    /// claimed.
    private func sendAfterBeginning<Value>(
        _ context: RequestContext, _ add: (inout Batch) -> (BatchResults, Subject) throws -> Value,
        _ send: (Batch) throws -> BatchResults
    ) throws -> Value {
        var batch = Batch()
        let identity = Database.begin(context, false, &batch)
        let claim = hasClaimed ? nil : addClaim(to: &batch)
        let read = add(&batch)
        let results = try send(batch)
        let subject = try Subject(try results.row(identity), context)
        if let claim {
            // The key was claimed before the transaction started over. If that fails now, the same
            // request claimed it in between.
            guard try results.row(claim).outcome == .claimed else {
                throw Refusal(.idempotencyKeyInUse)
            }
            hasClaimed = true
        }
        return try read(results, subject)
    }

    private func requireTransaction() -> Transaction {
        requireThread()
        guard let transaction else { preconditionFailure("used before the transaction began") }
        return transaction
    }

    private func requireThread() {
        precondition(pthread_equal(thread, pthread_self()) != 0, "used on another thread")
    }
}
