import Postgres
import Repositories

/// What came of a request that carries an idempotency key.
package enum Told<Value> {
    /// It was done now.
    case done(Value)
    /// It was done before, and this was answered. Whether the caller may still know it is to be
    /// decided anew.
    case replay(status: Int, answer: String)
}

extension Database {
    /// Does a request once, however often it is repeated: in one transaction that claims its key,
    /// has its effect and keeps its answer.
    ///
    /// What `body` asks of the database by the caller that it is given is part of this transaction.
    /// It makes the answer before anything is committed, and may run again: where PostgreSQL gives
    /// transactions up that stand in each other's way, and where the caller had to be written down
    /// first. When it throws, nothing of it has happened, and nothing is kept.
    ///
    /// - Parameter body: Gives its value, and what is to be told again; nil: nothing.
    /// - Throws: ``Refusal``: `accountRequired` for an anonymous caller; `idempotencyKeyInUse`
    ///   while the same request is being done elsewhere; `idempotencyKeyReused` for a key of
    ///   another request; `retryLater`; `tooManyKeys`. `PostgresError` with code `commitUnknown`
    ///   when no answer to the COMMIT came: the same request again finds out.
    package func once<Value>(
        by caller: Caller, _ request: IdempotentRequest,
        _ body: (Caller) throws -> (value: Value, answer: AnswerToKeep?)
    ) throws -> Told<Value> {
        // Keys are kept per account, and there is none.
        if caller.isAnonymous { throw Refusal(.accountRequired) }
        let (told, queues) = try leased { connection -> (Told<Value>, Set<String>) in
            let keyed = KeyedTransaction(request, on: connection)
            var caller = caller
            caller.keyed = keyed
            do {
                let value = try Self.asKnown(caller, on: connection) { isCompared in
                    try Self.attempt(keyed, caller, isCompared, on: connection, body)
                }
                return (.done(value), keyed.awakened)
            } catch KeyedTransaction.Interruption.replay(let status, let answer) {
                return (.replay(status: status, answer: answer), [])
            }
        }
        for queue in queues { wakeUps.wake(queue) }
        return told
    }

    /// Nil when the caller has to be written down first.
    private static func attempt<Value>(
        _ keyed: KeyedTransaction, _ caller: Caller, _ isCompared: Bool, on connection: Connection,
        _ body: (Caller) throws -> (value: Value, answer: AnswerToKeep?)
    ) throws -> Value? {
        do {
            return try connection.transaction { transaction in
                keyed.begin(transaction, isCompared: isCompared)
                let (value, answer) = try body(caller)
                try keyed.end(keeping: answer, of: caller)
                return value
            }
        } catch KeyedTransaction.Interruption.news {
            return nil
        }
    }

    /// Counts an attempt before it is made, in a transaction of its own: so no rollback forgets it.
    ///
    /// - Throws: ``Refusal`` with `tooManyAttempts`; then it must not be made.
    func count(
        by caller: Caller, _ add: (inout Batch) -> Batch.Place<LimitReached>
    ) throws {
        let limit =
            if let keyed = caller.keyed {
                try keyed.count(by: caller, add)
            } else {
                try request(by: caller, writes: true) { batch in
                    let place = add(&batch)
                    return { answers, _ in try answers.first(place) }
                }
            }
        if let limit { throw limit.refusal }
    }

    /// Has workers look into a queue, once what the caller has enqueued is committed.
    func wake(_ queue: String, for caller: Caller) {
        if let keyed = caller.keyed { keyed.wake(queue) } else { wakeUps.wake(queue) }
    }
}

extension Caller {
    /// Whether a refusal that is told now stands beside what its attempt has written, instead of
    /// undoing it.
    package var isRefusalCommitted: Bool { keyed?.isRefusalCommitted ?? false }
}
