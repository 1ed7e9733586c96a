import Basics
import API
import Crypto
import Domain
import Foundation
import FoundationNetworking
import HTTPServer
import Identity
import JSON
import Postgres
import Configuration
import Telemetry
import Synchronization
import TestSupport
import Testing
import UseCases

/// A running API with its own port and its own migrated database.
final class Site: Sendable {
    let test: TestDatabase
    let services: Services
    /// The connections of sign-ins.
    let signInPool: Pool
    let handler: RequestHandler
    /// Default lifetime of tokens in seconds.
    private let tokenSeconds: Int64
    let server: Server
    private let issuer: Issuer

    /// Public URL of these sites, with which their links begin.
    static let publicURL = "https://family.test"
    private let contract = Mutex<Contract?>(nil)
    private let load: Load
    /// Sockets for requests; nil if requests go through `URLSession`.
    private let sockets: KeptSockets?
    private let sent = Atomic(0)

    /// Number of requests that a test sends.
    enum Load {
        /// Requests are sent as apps send them, everything is logged, and each response is compared
        /// with the API's description.
        case few
        /// Hundreds of thousands of requests go over sockets that are kept open. Only warnings are
        /// logged, and one in 64 responses is compared with the description.
        case many

        fileprivate var logLevel: LogLevel { self == .few ? .debug : .warning }
        fileprivate var compares: Int { self == .few ? 1 : 64 }
    }

    init(
        databaseURL: String? = nil, on database: TestDatabase? = nil,
        reads: ((Database) throws -> any ReadRouter)? = nil,
        public site: PublicSite = PublicSite(baseURL: Site.publicURL),
        rest: RestForwarder? = nil, consents: ConsentPurposes = ConsentPurposes(),
        codes: CodeSettings? = nil,
        signIn: SignInSetup? = try? SigningFile.services(), trustsLocalProxy: Bool = false,
        changesPerPage: Int = 500, batchSeconds: Double = 10, tokenSeconds: Int64 = 600,
        clock: WallClock = .system, secret: UInt8 = 9,
        linksAddresses: Bool = false,
        processors: Int = Processors.usable, load: Load = .few,
        readCacheBytes: Int = 32 * 1024 * 1024,
        others: [Issuer] = [], servesKeys: Bool = true, tracer: Tracer? = nil
    ) throws {
        self.tokenSeconds = tokenSeconds
        self.load = load
        test = try database ?? TestDatabase(.migrated)
        issuer = Issuer(
            name: Person.issuer, kind: .supabase, audiences: ["authenticated"],
            isPrimary: true, confirmsEmails: true, linksAddresses: linksAddresses,
            keys: try IssuerKeys(secret: Self.secret()))
        let settings = try databaseURL.map { try ConnectionSettings(url: $0) }
        var pool = Pool.Settings()
        pool.size = 4
        pool.leaseTimeoutSeconds = 60
        let lines = LogLines()
        let database = Database(Pool(settings ?? test.settings(as: "hearth_api"), pool))
        var own = pool
        own.size = 1
        signInPool = Pool(database.pool.connectionSettings, own)
        services = Services(
            database: database,
            verifier: TokenVerifier(
                [issuer] + (signIn.map { [$0.tokens.trusted] } ?? []) + others, waiterLimit: 2),
            site: site, invitationKeys: try Self.keys(secret), consents: consents,
            codes: codes ?? CodeSettings(),
            rest: rest, signIn: signIn, reads: try reads?(database),
            readCacheBytes: readCacheBytes,
            signInPool: signInPool,
            servers: servesKeys ? Pool(test.settings(as: "hearth_server"), pool) : nil,
            log: Log(level: load.logLevel, format: .json) { lines.add($0) },
            metrics: Metrics(), clock: clock, changesPerPage: changesPerPage,
            batchSeconds: batchSeconds, tracer: tracer)
        self.lines = lines
        // A new database has the default settings.
        if codes != nil { services.storeSettings() }
        var http = ServerSettings()
        http.port = 0
        http.threads = 8
        http.processors = processors
        if trustsLocalProxy {
            http.trustedProxies = [try #require(AddressRange("127.0.0.1"))]
        }
        let handler = RequestHandler(services)
        self.handler = handler
        server = try Server(http, handler: handler) { _ in }
        sockets = load == .many ? KeptSockets(port: server.port) : nil
    }

    deinit {
        services.beginDraining()
        server.stop()
        services.reads.stop()
        services.serverAccess?.stop()
        services.database.pool.close()
        signInPool.close()
        // If this fails, the database is removed together with its temporary cluster.
        try? test.drop()
    }

    let lines: LogLines
    var port: UInt16 { server.port }

    /// A token of a person.
    func token(
        of person: Person, lifetimeSeconds: Int64? = nil, issuedSecondsAgo age: Int64 = 0
    ) throws -> String {
        var draft = TokenDraft(subject: person.subject)
        draft.email = person.email
        draft.fullName = person.name
        draft.role = person.role
        draft.lifetimeSeconds = (lifetimeSeconds ?? tokenSeconds) + age
        return try issuer.mint(draft, now: Int64(Date().timeIntervalSince1970) - age)
    }

    /// A token of a new person.
    func token(_ role: MemberRole) throws -> String { try token(of: Person(role: role.rawValue)) }

    /// A Supabase token that represents no person: one of an anonymous user or, with another role,
    /// a key of the project. Its subject is a random id unless one is given.
    func anonymousToken(
        of id: UserID = .random(), role: String = "authenticated", isAnonymous: Bool = true
    ) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        var claims = JSONWriter()
        claims.object {
            $0.member("iss", issuer.name)
            $0.member("sub", id.description)
            $0.member("aud", "authenticated")
            $0.member("role", role)
            $0.member("email", "\(id)@example.com")
            $0.member("iat", now)
            $0.member("exp", now + 600)
            $0.member("is_anonymous", isAnonymous)
        }
        let signed =
            Base64URL.text(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "."
            + Base64URL.text(claims.bytes)
        return signed + "." + Base64URL.text(try Self.secret().authenticate(Array(signed.utf8)))
    }

    private static func secret() throws -> HMACKey {
        try HMACKey([UInt8](repeating: 7, count: 32))
    }

    /// - Parameter secret: Each byte of the secret key.
    static func keys(_ secret: UInt8 = 9) throws -> InvitationKeys {
        try #require(try InvitationKeys([[UInt8](repeating: secret, count: 32)]))
    }

    /// Sends a request as apps do, and compares the response with the API's description.
    func send(
        _ method: String, _ path: String, token: String? = nil, body: String? = nil,
        headers: [String: String] = [:]
    ) throws -> Answer {
        let answer = try exchange(method, path, token: token, body: body, headers: headers)
        if sent.add(1, ordering: .relaxed).newValue % load.compares == 0 {
            try described().check(answer, to: method, path)
        }
        return answer
    }

    /// The API's description, which is read once.
    func described() throws -> Contract {
        if let known = contract.withLock({ $0 }) { return known }
        let fresh = try Contract(exchange("GET", "/openapi.json").body)
        contract.withLock { $0 = fresh }
        return fresh
    }

    /// Sends a request and waits for the response.
    func exchange(
        _ method: String, _ path: String, token: String? = nil, body: String? = nil,
        headers: [String: String] = [:]
    ) throws -> Answer {
        var headers = headers
        if let token { headers["Authorization"] = "Bearer \(token)" }
        if body != nil, headers["Content-Type"] == nil {
            headers["Content-Type"] = "application/json"
        }
        if let sockets { return try sockets.exchange(method, path, body, headers) }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.timeoutInterval = 30
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = body.map { Data($0.utf8) }
        let result = Mutex<Result<Answer, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        URLSession.shared.dataTask(with: request) { data, response, error in
            result.withLock {
                if let error { $0 = .failure(error) }
                if let response = response as? HTTPURLResponse {
                    $0 = .success(Answer(response, data ?? Data()))
                }
            }
            done.signal()
        }.resume()
        guard done.wait(timeout: .now() + 40) == .success,
            let outcome = result.withLock({ $0 })
        else { throw TimedOut() }
        return try outcome.get()
    }
}

/// The response to a request.
struct Answer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    init(_ response: HTTPURLResponse, _ data: Data) {
        status = response.statusCode
        headers = Dictionary(
            response.allHeaderFields.map { ("\($0)".lowercased(), "\($1)") },
            uniquingKeysWith: { first, _ in first })
        body = Array(data)
    }

    init(status: Int, headers: [String: String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The string at a field of the body; nil if it is missing or not a string.
    func text(_ name: String) -> String? {
        guard let value = try? JSONField(JSONValue(parsing: body))[name].string() else {
            return nil
        }
        return value
    }
}

/// Collects the lines of a log.
final class LogLines: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    func add(_ line: [UInt8]) { bytes.withLock { $0 += line } }
    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}
