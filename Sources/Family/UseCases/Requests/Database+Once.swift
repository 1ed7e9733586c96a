import Postgres
import Repositories

/// The outcome of a request with an idempotency key.
package enum Told<Value> {
    /// It was done now.
    case done(Value)
    /// It was done before, with this response. The caller's right to see it must be checked again.
    case replay(status: Int, answer: String)
}

extension Database {
    /// Does a request once, however often it is repeated: in one transaction that claims its key,
    /// has its effect and keeps its answer.
    ///
    /// Statements that `body` sends with the given caller are part of this transaction. `body`
    /// makes the response before the commit. It may run again if PostgreSQL aborts a conflicting
    /// transaction or if the caller had to be stored first. If it throws, nothing has happened and
    /// nothing is stored.
    ///
    /// - Parameter body: Returns its value, and the response to store; nil to store none.
    /// - Throws: ``Refusal``: `accountRequired` for an anonymous caller; `idempotencyKeyInUse`
    ///   while the same request is being done elsewhere; `idempotencyKeyReused` for a key of
    ///   another request; `retryLater`; `tooManyKeys`. `PostgresError` with code `commitUnknown` if
    ///   the COMMIT's outcome is unknown; repeating the request finds it out.
    package func once<Value>(
        by caller: Caller, _ request: IdempotentRequest,
        _ body: (Caller) throws -> (value: Value, answer: AnswerToKeep?)
    ) throws -> Told<Value> {
        // Keys belong to accounts, and an anonymous caller has none.
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

    /// Nil if the caller must be stored first.
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
}

extension Caller {
    /// Whether a refusal commits what its attempt has written, instead of rolling it back.
    package var isRefusalCommitted: Bool { keyed?.isRefusalCommitted ?? false }
}
