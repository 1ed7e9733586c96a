package import Crypto
import Postgres
import Repositories

/// The outcome of a request with an idempotency key.
package enum IdempotentResult<Value> {
    /// The request was carried out now.
    case done(Value)
    /// The request was carried out before, with this response. The caller's right to see it must be
    /// checked again.
    case replay(status: Int, response: String)
}

extension Database {
    /// Carries out a request once, however often it is repeated: in one transaction that claims its
    /// key, makes its changes and stores its response.
    ///
    /// Statements that `body` sends with the given context are part of this transaction. `body`
    /// makes the response before the commit. It may run again if PostgreSQL aborts a conflicting
    /// transaction or if the caller had to be stored first. If it throws, the request has no effect
    /// and nothing is stored.
    ///
    /// - Parameter body: Returns its value, and the response to store; nil to store none.
    /// - Throws: ``Refusal``: `accountRequired` for an anonymous caller; `idempotencyKeyInUse`
    ///   while the same request is in progress elsewhere; `idempotencyKeyReused` for a key of
    ///   another request; `retryLater`; `tooManyKeys`. `PostgresError` with code `commitUnknown` if
    ///   the outcome of the COMMIT is unknown; repeating the request determines it.
    package func once<Value>(
        by context: RequestContext, _ request: IdempotentRequest,
        _ body: (RequestContext) throws -> (value: Value, response: StoredResponse?)
    ) throws -> IdempotentResult<Value> {
        // Keys belong to accounts, and an anonymous caller has none.
        if context.caller.isAnonymous { throw Refusal(.accountRequired) }
        let (result, queues) = try withConnection {
            connection -> (IdempotentResult<Value>, Set<String>) in
            let keyed = KeyedTransaction(request, on: connection)
            let result = try Self.upsertingUser(context, on: connection) { comparesClaims in
                try connection.transaction {
                    try Self.attempt(keyed, in: $0, context, comparesClaims, body)
                }
            }
            return (result, keyed.queuesToNotify)
        }
        for queue in queues { notifier.notifyWorkers(queue) }
        return result
    }

    /// Attempts the request once; nil if the caller must be stored first.
    ///
    /// A replay ends its transaction with a commit, although it has written nothing: the commit
    /// waits until the replayed effect is confirmed (`Connection.confirmsCommits`).
    private static func attempt<Value>(
        _ keyed: KeyedTransaction, in transaction: Transaction, _ context: RequestContext,
        _ comparesClaims: Bool,
        _ body: (RequestContext) throws -> (value: Value, response: StoredResponse?)
    ) throws -> IdempotentResult<Value>? {
        guard let claim = try keyed.begin(transaction, by: context, comparesClaims: comparesClaims)
        else {
            return nil
        }
        switch claim.outcome {
        case .claimed:
            var context = context
            context.transaction = keyed
            let (value, response) = try body(context)
            try keyed.commit(storing: response, of: context)
            return .done(value)
        case .replay:
            guard let status = claim.status, let response = claim.response else {
                throw PostgresError(.unexpectedRows, "a replay has no response")
            }
            return .replay(status: status, response: response)
        case .running: throw Refusal(.idempotencyKeyInUse)
        case .otherRequest: throw Refusal(.idempotencyKeyReused)
        case .newer: throw Refusal(.retryLater)
        }
    }
}

/// A request that its sender may repeat without a second effect.
///
/// A key belongs to an account, the member acted for, and a route. It is kept for 24 hours.
package struct IdempotentRequest: Sendable {
    /// Allowed number of characters of a key.
    package static let allowedKeyLengths = 1...255

    /// Method and path pattern, at most 200 bytes.
    package let route: String
    /// The key that the client chose: ``allowedKeyLengths`` characters, none of them NUL.
    package let key: String
    /// The digest of everything that distinguishes requests on the same route.
    package let digest: SHA256Digest
    /// Latest format of stored responses that this program reads.
    package let latestFormat: Int16

    /// Creates a request; nil if the key is empty, too long or contains NUL.
    package init?(route: String, key: String, digest: SHA256Digest, latestFormat: Int16) {
        guard Self.allowedKeyLengths.contains(key.unicodeScalars.count),
            !key.unicodeScalars.contains("\0")
        else { return nil }
        self.route = route
        self.key = key
        self.digest = digest
        self.latestFormat = latestFormat
    }
}

/// The part of a response that is stored for replays.
package struct StoredResponse: Sendable {
    /// Maximum length of the text, in bytes.
    package static let maximumBytes = 131_072

    /// Status of the response, 200 to 499: server errors are not replayed.
    package let status: Int16
    /// Format of the text, which a program must know to read it.
    package let format: Int16
    /// Text of the response, without secrets.
    package let text: String

    /// Traps if the status is not from 200 to 499.
    package init(status: Int, format: Int16, text: String) {
        precondition((200...499).contains(status), "a response with this status must not be stored")
        self.status = Int16(status)
        self.format = format
        self.text = text
    }
}

/// The error for a response that is too long to store. Its request, which has a key, then has no
/// effect. This is a bug: the responses of routes with an effect are bounded.
package struct StoredResponseTooLong: Error, CustomStringConvertible {
    package let bytes: Int
    package var description: String {
        "a response of \(bytes) bytes can't be stored; the maximum is "
            + "\(StoredResponse.maximumBytes)"
    }
}
