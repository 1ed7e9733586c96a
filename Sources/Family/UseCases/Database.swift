package import Domain
import Glibc
import Jobs
import Policy
package import Postgres
import Repositories
import Synchronization

/// A use case's access to the database. Every request begins by identifying its caller.
///
/// A new caller, or the changed data of a token, is stored first in a separate transaction, so that
/// it stays stored even if the request is refused. The attempt that discovers a new caller ends
/// without an error, because the statements after `begin_request` do nothing without a caller.
package struct Database: Sendable {
    /// Id of the request for a change that this thread is handling; nil while it handles none. The
    /// audit log records the id, and every response to such a request is based only on confirmed
    /// commits (`Connection.confirmsCommits`).
    ///
    /// Set for a whole request, not by use cases: a request that finds nothing left to do also
    /// reports success, and so does a replay.
    @TaskLocal package static var changingRequest: String?

    package let pool: Pool
    /// Notifies workers of jobs that a use case has enqueued.
    let notifier: JobNotifier
    /// Connections that are used as long as one of them is free.
    private let preferred: Pool?

    package init(_ pool: Pool) {
        self.pool = pool
        preferred = nil
        notifier = JobNotifier(pool)
    }

    /// Returns the database for one kind of use case, with connections of its own.
    ///
    /// The server processes behind these keep the plans and caches of such use cases, and those of
    /// the other connections stay quick for the rest. While none of these is free or can be opened,
    /// the use cases borrow one of the others.
    ///
    /// - Parameter preferred: Its own connections; nil for none.
    package func preferring(_ preferred: Pool?) -> Database {
        Database(copying: self, preferring: preferred)
    }

    private init(copying other: Database, preferring preferred: Pool?) {
        pool = other.pool
        notifier = other.notifier
        self.preferred = preferred
    }

    /// Runs statements for a caller, in one round trip and one transaction.
    ///
    /// `add` puts the statements into the batch and returns a closure that reads their results.
    /// `add` runs again if the caller had to be stored first.
    /// - Throws: ``Refusal`` for an intended refusal by the database and for an invalid delegation;
    ///   `PostgresError` for everything else.
    package func request<Value>(
        by context: RequestContext, writes: Bool = false,
        _ add: (inout Batch) -> (BatchResults, Subject) throws -> Value
    ) throws -> Value {
        if writes, context.changesNothing {
            return try transaction(by: context, reading: add) { value, _ in value }
        }
        if let keyed = context.transaction { return try keyed.request(by: context, add) }
        return try withConnection { connection in
            try Self.upsertingUser(context, on: connection) { comparesClaims in
                var batch = Batch()
                let identity = Self.begin(context, comparesClaims, &batch)
                let read = add(&batch)
                let results = try connection.send(batch, writes: writes)
                let account = try results.row(identity)
                if Self.needsUpsert(account, context, comparesClaims) { return nil }
                return .some(try read(results, try Subject(account, context)))
            }
        }
    }

    /// Runs `body` in a transaction that begins with the statements of `add`, in one round trip.
    ///
    /// If `body` throws, the transaction has no effect. `body` may run more than once, because
    /// PostgreSQL aborts transactions that conflict.
    ///
    /// - Parameter body: Sends its last statements with `sendAndCommit`, which saves a round trip.
    /// - Throws: Like ``request(by:writes:_:)``. ``ConditionFailed`` if `body` succeeds but the
    ///   request must change nothing.
    package func transaction<Loaded, Value>(
        by context: RequestContext,
        reading add: (inout Batch) -> (BatchResults, Subject) throws -> Loaded,
        _ body: (Loaded, Transaction) throws -> Value
    ) throws -> Value {
        if let keyed = context.transaction {
            let value = try keyed.transaction(by: context, reading: add, body)
            if context.changesNothing { throw ConditionFailed() }
            return value
        }
        return try withConnection { connection in
            try Self.upsertingUser(context, on: connection) { comparesClaims in
                try connection.transaction { transaction in
                    transaction.isHeldOpen = context.changesNothing
                    var batch = Batch()
                    let identity = Self.begin(context, comparesClaims, &batch)
                    let read = add(&batch)
                    let results = try transaction.send(batch)
                    let account = try results.row(identity)
                    if Self.needsUpsert(account, context, comparesClaims) { return nil }
                    let loaded = try read(results, try Subject(account, context))
                    let value = try body(loaded, transaction)
                    if context.changesNothing { throw ConditionFailed() }
                    return .some(value)
                }
            }
        }
    }

    /// Runs one statement without a caller.
    package func query<Row, each Parameter>(
        _ statement: Statement<Row, repeat each Parameter>, _ values: repeat each Parameter
    ) throws -> [Row] {
        try withConnection { connection in
            var batch = Batch()
            let rows = batch.add(statement, repeat each values)
            return try connection.send(batch).rows(rows)
        }
    }

    /// Counts an attempt before it is made, in a separate transaction, so that no rollback undoes
    /// the count.
    ///
    /// - Throws: ``Refusal`` with `tooManyAttempts`, after which the caller must not make the
    ///   attempt.
    func countAttempt(
        by context: RequestContext, _ add: (inout Batch) -> Batch.ResultKey<LimitReached>
    ) throws {
        let limit =
            if let keyed = context.transaction {
                try keyed.countAttempt(by: context, add)
            } else {
                try request(by: context, writes: true) { batch in
                    let key = add(&batch)
                    return { results, _ in try results.first(key) }
                }
            }
        if let limit { throw limit.refusal }
    }

    /// Notifies workers of a queue after the caller's jobs are committed.
    func notifyWorkers(of queue: String, for context: RequestContext) {
        if let keyed = context.transaction {
            keyed.notifyWorkers(of: queue)
        } else {
            notifier.notifyWorkers(queue)
        }
    }

    func withConnection<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        // If every thread waited for a second connection, no connection would be returned.
        assert(LeaseGuard.begin(pool), "a thread with a connection must not wait for another one")
        defer { assert(LeaseGuard.end(pool)) }
        func use(_ connection: Connection) throws -> Value {
            connection.confirmsCommits = Self.changingRequest != nil
            return try body(connection)
        }
        return try Self.translatingRefusals {
            try Self.leasing(preferred, or: pool, use)
        }
    }

    /// Lends a connection of `preferred` if one is free, and otherwise one of `pool`.
    static func leasing<Value>(
        _ preferred: Pool?, or pool: Pool, _ body: (Connection) throws -> Value
    ) throws -> Value {
        do {
            if let value = try preferred?.withFreeConnection(body) { return value }
        } catch let error as PostgresError
            where error.code == .connectionFailed && pool.statistics.idle > 0
        {
            // The server refused to open one; `body` has not run, because a connection that is lost
            // later has another code. An open one of `pool` may serve.
        }
        return try pool.withConnection(body)
    }

    /// Translates a database refusal into the use case's error.
    static func translatingRefusals<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError {
            throw DatabaseRefusals.meaning(of: error) ?? error
        }
    }

    /// Begins the request. `comparesClaims` says whether the caller is compared with the data of
    /// the last token.
    ///
    /// An anonymous caller begins without an identity, even if its token names a subject that has
    /// an account.
    static func begin(
        _ context: RequestContext, _ comparesClaims: Bool, _ batch: inout Batch
    ) -> Batch.ResultKey<RequestIdentity> {
        let caller = context.caller
        if let versions = context.expectedVersions { batch.add(Changes.expectVersions, versions) }
        if let request = changingRequest {
            return beginChange(request, context, comparesClaims, &batch)
        }
        if caller.isAnonymous { return batch.add(RequestIdentities.beginWithoutCaller) }
        if let session = caller.session {
            guard let member = caller.actingAs else {
                return batch.add(
                    RequestIdentities.beginSessionWithoutActing, session.id, session.account)
            }
            return batch.add(
                RequestIdentities.beginSession, session.id, session.account, member)
        }
        let isVerified = comparesClaims ? caller.isEmailVerified : nil
        guard let member = caller.actingAs else {
            return batch.add(
                RequestIdentities.beginWithoutActing, caller.issuer, caller.subject,
                caller.email?.text,
                isVerified, caller.fullName != nil)
        }
        return batch.add(
            RequestIdentities.begin, caller.issuer, caller.subject, caller.email?.text, isVerified,
            caller.fullName != nil, member)
    }

    /// Begins a request for a change, and sets its id for the audit log.
    private static func beginChange(
        _ request: String, _ context: RequestContext, _ comparesClaims: Bool, _ batch: inout Batch
    ) -> Batch.ResultKey<RequestIdentity> {
        let caller = context.caller
        if caller.isAnonymous {
            return batch.add(RequestIdentities.beginChangeWithoutCaller, request)
        }
        if let session = caller.session {
            guard let member = caller.actingAs else {
                return batch.add(
                    RequestIdentities.beginChangeOfSessionWithoutActing, session.id,
                    session.account, request)
            }
            return batch.add(
                RequestIdentities.beginChangeOfSession, session.id, session.account, member,
                request)
        }
        let isVerified = comparesClaims ? caller.isEmailVerified : nil
        guard let member = caller.actingAs else {
            return batch.add(
                RequestIdentities.beginChangeWithoutActing, caller.issuer, caller.subject,
                caller.email?.text, isVerified, caller.fullName != nil, request)
        }
        return batch.add(
            RequestIdentities.beginChange, caller.issuer, caller.subject, caller.email?.text,
            isVerified, caller.fullName != nil, member, request)
    }

    /// Whether the caller must be stored before the request can continue.
    static func needsUpsert(
        _ account: RequestIdentity, _ context: RequestContext, _ comparesClaims: Bool
    ) -> Bool {
        comparesClaims && !context.caller.isAnonymous
            && (account.outcome == .unknown || account.outcome == .stale)
    }

    /// Attempts the request and, if it ends without a value, attempts it again after storing the
    /// caller.
    static func upsertingUser<Value>(
        _ context: RequestContext, on connection: Connection, _ attempt: (Bool) throws -> Value?
    ) throws -> Value {
        if let value = try attempt(true) { return value }
        let caller = context.caller
        var batch = Batch()
        batch.storeLabel(of: caller.email)
        let identity = batch.add(
            RequestIdentities.upsertUser, caller.issuer, caller.subject,
            caller.adoptedID, caller.email?.text, caller.isEmailVerified,
            caller.fullName, caller.role, caller.actingAs,
            caller.tokenIssuedAt, caller.linksAddress)
        if let language = context.wantedLanguage?() {
            batch.add(Locales.setIfUnknown, language.text)
        }
        _ = try Subject(try connection.send(batch).row(identity), context)
        guard let value = try attempt(false) else {
            preconditionFailure("a request without this comparison always completes")
        }
        return value
    }
}

/// The error that ends an allowed change if the request must change nothing
/// (``RequestContext/changesNothing``).
package struct ConditionFailed: Error {}

/// The subject of a request, as the database resolved it.
package struct Subject: Sendable {
    /// The user; while acting, the managed member; nil for an anonymous caller.
    package let user: UserID?
    /// Whether a guardian acts for the user, who is then a managed member.
    package let isActing: Bool
    /// Whether the caller is anonymous: without an account and its rights.
    package let isAnonymous: Bool

    init(_ identity: RequestIdentity, _ context: RequestContext) throws(Refusal) {
        let caller = context.caller
        if identity.outcome == .sessionEnded { throw Refusal(.sessionEnded) }
        if identity.outcome == .blocked { throw Refusal(.accountBlocked) }
        // A caller without an account can't act for anybody.
        if identity.outcome == .actingRefused || (caller.isAnonymous && caller.actingAs != nil) {
            throw Refusal(.actingRefused)
        }
        // The account was erased after the token was issued.
        if identity.subject == nil, !caller.isAnonymous {
            throw Refusal(.accountRequired, .signInEnded)
        }
        if let actor = identity.actor { context.trace?.record(user: actor) }
        user = identity.subject
        isActing = caller.actingAs != nil
        isAnonymous = caller.isAnonymous
    }

    /// Creates the subject of an account that has just signed in.
    init(signedIn user: UserID) {
        self.user = user
        isActing = false
        isAnonymous = false
    }

    /// Returns the facts of the subject with this membership.
    func facts(_ membership: Membership?) -> Facts {
        Facts(isAnonymous: isAnonymous, isActing: isActing, membership: membership)
    }
}

extension Database {
    /// Runs `body`. If a person's name is refused, the refusal names `field`.
    ///
    /// Names of people with and without accounts are in one column, so its constraints can't know
    /// the field's name.
    func namingField<Value>(_ field: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as Refusal {
            guard case .field(let name, _)? = error.parameter, Self.nameFields.contains(name) else {
                throw error
            }
            throw Refusal(error.code, .field(field), underlying: error.underlying)
        }
    }

    private static let nameFields: Set<String> = ["fullName", "displayName"]
}

/// Connections borrowed by threads, for assertions.
private enum LeaseGuard {
    private struct Lease: Hashable {
        let pool: ObjectIdentifier
        let thread: pthread_t
    }

    private static let borrowed = Mutex<Set<Lease>>([])

    /// Records that this thread borrows a connection; false if it has one of the pool already.
    static func begin(_ pool: Pool) -> Bool {
        let lease = Lease(pool: ObjectIdentifier(pool), thread: pthread_self())
        return borrowed.withLock { $0.insert(lease).inserted }
    }

    /// Records that this thread has returned its connection; false if it had none.
    static func end(_ pool: Pool) -> Bool {
        let lease = Lease(pool: ObjectIdentifier(pool), thread: pthread_self())
        return borrowed.withLock { $0.remove(lease) != nil }
    }
}
