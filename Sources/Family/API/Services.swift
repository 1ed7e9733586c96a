package import Basics
package import Identity
package import Monitoring
package import Postgres
import Synchronization
package import Telemetry
package import UseCases

/// The services that endpoints use.
package final class Services: Sendable {
    package let database: Database
    /// The database for sign-ins.
    let signInDatabase: Database
    /// Verifies the tokens of requests from every trusted issuer.
    package let verifier: TokenVerifier
    package let site: PublicSite
    package let log: Log
    package let metrics: Metrics
    let invitationKeys: InvitationKeys
    /// Configuration of sign-in; nil if Hearth issues no tokens of its own.
    package let signIn: SignInSetup?
    let clock: WallClock
    let meters: RequestMeters
    /// Metrics of the database and the queues; empty until started.
    package let databaseMeters: DatabaseMeters
    package let issuerKeyMeters: IssuerKeyMeters
    package let signInMeters: SignInMeters
    /// Records sign-ins for the owners of accounts.
    package let signInLog: SignInLog
    let codeAlarm: CodeAlarm
    let readiness: CheckReadiness
    let liveStreams = LiveRegistry()
    let providerSlots = ProviderSlots()
    /// The open streams of pages, counted separately from the streams of apps.
    let pageStreams = LiveRegistry()
    /// Chooses the server for each read, and delays responses to changes until reads see them.
    package let reads: any ReadRouter
    /// The last responses to reads; nil if none are cached.
    let readCache: ReadCache?
    /// Access of apps' servers; nil if Hearth serves no API keys.
    package let serverAccess: ServerAccess?
    /// Wakes requests that wait for changes.
    package let changes: ChangeWatch
    let description: APIDescription
    /// The purposes to which guardians and accounts are asked to consent.
    package let consentRegister: ConsentRegister
    private let codeSettings: CodeSettings
    /// Forwarder to PostgREST; nil if there is none.
    let rest: RestForwarder?
    /// Maximum number of changes in a response of `GET /api/sync`.
    let changesPerPage: Int
    /// Seconds after which a batch tries no further operation.
    let batchSeconds: Double
    /// Chooses the requests that are traced; nil if none are.
    let tracer: Tracer?
    private let draining = Atomic<Bool>(false)
    /// Whether the settings of family codes have been stored in the database.
    private let hasCodeSettings = Atomic<Bool>(false)
    /// Result of the last readiness check.
    private let lastState = Mutex(CheckReadiness.State.ready)

    /// - Parameters:
    ///   - reads: The router of reads; nil for ``PrimaryReads``.
    ///   - readCacheBytes: Bound of the memory for responses to reads; 0 caches none.
    ///   - signInPool: Connections for sign-ins; nil if they share those of `database`.
    ///   - servers: Connections with the role `hearth_server`; nil if API keys are not served.
    ///   - tracer: Chooses the requests that are traced; nil for none.
    package init(
        database: Database, verifier: TokenVerifier, site: PublicSite,
        invitationKeys: InvitationKeys, consents: ConsentPurposes = ConsentPurposes(),
        codes: CodeSettings = CodeSettings(), rest: RestForwarder? = nil,
        signIn: SignInSetup? = nil, reads: (any ReadRouter)? = nil,
        readCacheBytes: Int = 32 * 1024 * 1024, signInPool: Pool? = nil, servers: Pool? = nil,
        log: Log, metrics: Metrics, clock: WallClock = .system,
        changesPerPage: Int = SyncChanges.pageLimit, batchSeconds: Double = 10,
        tracer: Tracer? = nil
    ) {
        self.tracer = tracer
        self.signIn = signIn
        self.database = database
        self.verifier = verifier
        self.site = site
        self.invitationKeys = invitationKeys
        consentRegister = ConsentRegister(consents)
        codeSettings = codes
        self.rest = rest
        self.changesPerPage = changesPerPage
        self.batchSeconds = batchSeconds
        self.log = log
        self.metrics = metrics
        self.clock = clock
        log.declareMetric(in: metrics)
        meters = RequestMeters(metrics)
        signInDatabase = database.preferring(signInPool)
        databaseMeters = DatabaseMeters(metrics, database.pool, log, alsoCounting: signInPool)
        issuerKeyMeters = IssuerKeyMeters(metrics, log)
        signInMeters = SignInMeters(metrics, log, signIn?.tokens.keys, clock)
        signInLog = SignInLog(
            database.pool, preferring: signInPool,
            onDrop: { [signInMeters] in signInMeters.noteLostEvents($0) },
            onFailure: { log.warning("could not write the log of sign-ins", [.error($0)]) })
        codeAlarm = CodeAlarm(metrics, log)
        readiness = CheckReadiness(database, invitationKeys)
        serverAccess = servers.map {
            ServerAccess($0) {
                log.warning("could not record the requests of API keys", [.error($0)])
            }
        }
        let reads = reads ?? PrimaryReads(database)
        self.reads = reads
        ReadMeters.declare(in: metrics, reads)
        readCache = ReadCache(limitBytes: readCacheBytes)
        readCache?.declare(in: metrics)
        changes = ChangeWatch(
            database.pool, readLagSeconds: reads.longestLagSeconds,
            awaitReplication: { reads.awaitReplication() }
        ) {
            log.warning(
                "could not check for changes that clients wait for; retrying",
                [.error($0)])
        }
        description = APIDescription(baseURL: site.baseURL)
    }

    /// The form of a new family code: `FAM-` with an X for each further character.
    var formOfCodes: String { "FAM-" + String(repeating: "X", count: codeSettings.length) }

    /// Whether this instance is shutting down and takes no new requests.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Checks whether requests can be served. A new obstacle is logged once.
    ///
    /// If the database was unreachable at the start, this stores the settings of family codes in it
    /// before requests rely on them.
    package func checkReadiness() -> CheckReadiness.State {
        var state = readiness.check()
        if state == .ready, (try? storeCodeSettings()) == nil { state = .databaseAway }
        let hasChanged = lastState.withLock { last in
            defer { last = state }
            return last != state
        }
        if hasChanged, state != .ready {
            log.error(
                "this process is not ready from now on: /readyz returns 503",
                [.reason(state.reason)])
        }
        return state
    }

    /// Stores the settings that the database needs. If it is unreachable, a thread keeps retrying.
    package func storeSettings() {
        do {
            try consentRegister.apply(to: database)
        } catch {
            log.warning(
                "could not store the purposes of consent; requests that need them try again",
                [.error(error)])
        }
        do {
            try storeCodeSettings()
        } catch {
            log.warning(
                "could not store the settings of family codes; retrying every second",
                [.error(error)])
            let isStarted = SystemThread.startDetached { [self] in
                repeat {
                    MonotonicClock.pause(seconds: Self.settingsRetrySeconds)
                } while !isDraining && (try? storeCodeSettings()) == nil
            }
            if !isStarted {
                log.error("could not start the thread that stores the settings of family codes")
            }
        }
    }

    private static let settingsRetrySeconds = 1.0

    /// Stores the settings of family codes, unless that has succeeded before.
    private func storeCodeSettings() throws {
        guard !hasCodeSettings.load(ordering: .acquiring) else { return }
        try codeSettings.store(in: database)
        hasCodeSettings.store(true, ordering: .releasing)
    }

    /// Returns the time up to which a caller may wait: after this number of seconds, but no later
    /// than its token expires.
    func deadline(after seconds: Double, for caller: Caller) -> Deadline {
        let deadline = Deadline.after(seconds: seconds)
        guard let expiry = caller.tokenExpiresAt else { return deadline }
        let left = Double(expiry) - Double(clock.now()) / 1_000
        return min(deadline, .after(seconds: max(0, left)))
    }

    /// Drops the cached responses to reads of the caller's account.
    func dropCachedReads(of context: RequestContext) {
        guard let account = context.trace?.user ?? context.caller.session?.account else { return }
        readCache?.drop(.account(account))
    }

    /// Makes `/readyz` respond 503 from now on, so that load balancers stop sending requests.
    /// Requests that wait for changes get their responses.
    package func beginDraining() {
        draining.store(true, ordering: .relaxed)
        changes.stop()
    }
}

// The use cases by subject, created from the services of this process.

extension Services {
    var families: FamilyService { FamilyService(database) }
    var codes: CodeService { CodeService(database) }
    var members: MemberService { MemberService(database, consentRegister) }
    var children: ChildService { ChildService(database) }
    var guardians: GuardianService { GuardianService(database) }
    var invitations: InvitationService { InvitationService(database, invitationKeys) }
    var receivedInvitations: ReceivedInvitationService { ReceivedInvitationService(database) }
    var consents: ConsentService {
        ConsentService(database, consentRegister, invitationKeys.consentCodes)
    }
    var profiles: ProfileService { ProfileService(database) }
    var accounts: AccountService { AccountService(database, invitationKeys.deletionCodes) }
    var identities: IdentityService { IdentityService(database, offering: offeredSignInMethods) }
    var sessions: SessionService { SessionService(database, consents) }

    /// - Throws: 404 if Hearth issues no tokens of its own, or if the method is switched off.
    func signIn(by way: SignInSetup.Way? = nil) throws(Problem) -> SignInService {
        let setup = try signInSetup(by: way)
        return SignInService(
            signInDatabase, setup.keys, setup.passwords,
            asking: { [self] in try isGranted($0, $1, $2) },
            onReuse: { [signInMeters] in signInMeters.noteReuse() })
    }

    /// - Throws: 404 if Hearth issues no tokens of its own, or if both methods with mailed codes
    ///   are switched off.
    func signInByMail() throws(Problem) -> SignInService {
        let setup = try signInSetup()
        // Signing up with a password also ends with a mailed code.
        guard setup.offers(.email) || setup.offers(.password) else { throw .routeNotFound }
        return try signIn()
    }

    /// - Throws: 404 if Hearth issues no tokens of its own, or if both methods with mailed codes
    ///   are switched off.
    func addressChanges() throws(Problem) -> AddressChangeService {
        let setup = try signInSetup()
        guard setup.offers(.email) || setup.offers(.password) else { throw .routeNotFound }
        return AddressChangeService(database, setup.keys)
    }

    /// - Throws: 404 if Hearth serves no API keys.
    func servers() throws(Problem) -> ServerService {
        guard let serverAccess else { throw .routeNotFound }
        return ServerService(serverAccess, invitationKeys)
    }

    /// - Throws: 404 if Hearth issues no tokens of its own.
    func pageTickets() throws(Problem) -> PageTicketService {
        PageTicketService(database, try signInSetup().keys)
    }

    /// - Throws: 404 if Hearth issues no tokens of its own, or if passkeys are switched off.
    func passkeys() throws(Problem) -> PasskeyService {
        let setup = try signInSetup(by: .passkey)
        return PasskeyService(
            signInDatabase, setup.keys, setup.party,
            onCopiedPasskey: { [signInMeters] in signInMeters.noteCopiedPasskey() })
    }
}
