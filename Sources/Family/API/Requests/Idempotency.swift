import Crypto
import Domain
import HTTPServer
import JSON
import Telemetry
import UseCases

/// Gives all requests with the same `Idempotency-Key` one effect and one response.
struct Idempotency: EffectStage {
    let services: Services
    let failures: FailureTable

    func run(_ exchange: Exchange, _ next: (Exchange) throws -> Reply) throws -> Reply {
        guard let key = try IdempotencyKey.sent(with: exchange.request) else {
            return try next(exchange)
        }
        return try KeyedRequest(services, failures, exchange, key: key).respond(next)
    }

    /// Returns the response to an earlier request with the same key; nil if there is none. Runs
    /// nothing, and leaves the key free.
    func earlierReply(to exchange: Exchange) throws -> Reply? {
        guard let key = try IdempotencyKey.sent(with: exchange.request) else { return nil }
        return try KeyedRequest(services, failures, exchange, key: key).earlierReply()
    }

    /// Header that marks a response as a replay.
    fileprivate static let replayed = (name: "Idempotency-Replayed", value: "true")

    /// Returns true if a response is a replay of an earlier one.
    static func isReplay(_ reply: Reply) -> Bool {
        reply.headers.contains { $0.name == replayed.name }
    }
}

/// A request with an `Idempotency-Key`.
private struct KeyedRequest {
    let services: Services
    let failures: FailureTable
    let exchange: Exchange
    let context: RequestContext
    let request: IdempotentRequest
    var operation: Operation { exchange.endpoint.operation }
    var id: RequestID { exchange.id }

    init(
        _ services: Services, _ failures: FailureTable, _ exchange: Exchange, key: String
    ) throws(Problem) {
        let lengths = IdempotentRequest.allowedKeyLengths
        let endpoint = exchange.endpoint
        let known = IdempotentRequest(
            route: "\(endpoint.method.name) \(endpoint.pattern)", key: key,
            digest: Self.digest(of: exchange), latestFormat: StoredReply.latestFormat)
        guard let known else {
            throw .invalidParameter(
                "Idempotency-Key", "\(lengths.lowerBound) to \(lengths.upperBound) characters long")
        }
        guard let context = exchange.context else { throw Authentication.missing }
        self.services = services
        self.failures = failures
        self.exchange = exchange
        self.context = context
        request = known
    }

    /// Returns the stored response, or runs the operation and stores its response.
    func respond(_ next: (Exchange) throws -> Reply) throws -> Reply {
        let result: IdempotentResult<Result<Reply, Problem>>
        do {
            result = try services.database.once(by: context, request) { context in
                do {
                    var exchange = exchange
                    exchange.context = context
                    let reply = try next(exchange)
                    return (.success(reply), try StoredReply(reply).storedResponse)
                } catch  where context.isRefusalCommitted {
                    let problem = failures.problem(error, of: exchange)
                    return (.failure(problem), StoredReply(problem)?.storedResponse)
                }
            }
        } catch {
            if let overtaken = exchange.change?.overtaken(by: error) { throw overtaken }
            return try refuse(failures.problem(error, of: exchange))
        }
        switch result {
        case .done(let outcome): return try outcome.get()
        case .replay(let status, let response): return try replay(status, response)
        }
    }

    /// The error that releases a claimed key.
    private struct NotRunYet: Error {}

    /// Returns the stored response; nil if there is none.
    func earlierReply() throws -> Reply? {
        do {
            let result: IdempotentResult<Void> =
                try services.database.once(by: context, request) { _ in throw NotRunYet() }
            guard case .replay(let status, let response) = result else { return nil }
            return try replay(status, response)
        } catch is NotRunYet {
            return nil
        }
    }

    /// Stores a refusal in a separate transaction, since its own was rolled back, and returns it.
    ///
    /// If the same request succeeds elsewhere before that, returns its response instead. A refusal
    /// that can't be stored is still returned, because it had no effect.
    private func refuse(_ problem: Problem) throws -> Reply {
        guard let response = StoredReply(problem)?.storedResponse else {
            throw problem.code == .fault(.outcomeUnknown) ? Self.outcomeUnknown : problem
        }
        let result: IdempotentResult<Void>
        do {
            result = try services.database.once(by: context, request) { _ in ((), response) }
        } catch let error as Refusal {
            let reason = Problem(error)
            throw StoredReply(reason) == nil ? reason : problem
        } catch {
            services.log.warning(
                "could not store a refusal under its idempotency key",
                [.requestID(id), .error(error)])
            throw problem
        }
        guard case .replay(let status, let response) = result else { throw problem }
        return try replay(status, response)
    }

    private static let outcomeUnknown = Problem(
        .outcomeUnknown,
        "It is not known whether this was stored. "
            + "Send it again under the same Idempotency-Key to find out.",
        headers: [("Retry-After", "1")])

    private func replay(_ status: Int, _ response: String) throws -> Reply {
        var reply = try stored(status, response)
        reply.headers.append(Idempotency.replayed)
        return reply
    }

    /// Returns the stored response in the form that the caller may get now.
    private func stored(_ status: Int, _ response: String) throws -> Reply {
        switch StoredReply(status: status, text: response) {
        case nil:
            services.log.warning(
                "could not decode the response stored under an idempotency key", [.requestID(id)])
            throw Refusal(.retryLater)
        case .problem(var problem)?:
            problem.headers.append(Idempotency.replayed)
            throw problem
        case .reply(var reply, let link)?:
            if let replay = operation.replay {
                var again = try replay(services, exchange.call(), reply)
                again.tag = again.tag ?? reply.tag
                return again
            }
            try requireAccess(to: reply)
            if let link { try addLink(of: link, to: &reply) }
            return reply
        }
    }

    /// Refuses a caller who may no longer see a stored response.
    ///
    /// A response without a family is replayed only if the operation declares that it shows nothing
    /// of one. Any other is a bug of the operation: the caller gets 500 instead of the response.
    private func requireAccess(to reply: Reply) throws {
        if let family = reply.family {
            for action in operation.replayNeeds {
                try services.families.require(action, in: family, by: context)
            }
            return
        }
        let isDeclared = operation.responses.contains {
            $0.status == reply.status && $0.isOutsideFamilies
        }
        guard isDeclared else {
            services.log.error(
                "a response stored under an idempotency key does not name its family",
                [.requestID(id), .route(exchange.endpoint.pattern)])
            throw Problem.internalFault
        }
    }

    /// Adds the invitation's current link; an invitation that is no longer pending has none.
    private func addLink(of invitation: InvitationID, to reply: inout Reply) throws {
        let token: InvitationToken?
        do {
            token = try services.invitations.recallToken(
                by: context, invitation: invitation)
        } catch let error as Refusal where error.code == .invitationNotFound {
            return
        }
        guard let token else { return }
        try reply.add(
            JSONObject.Member(
                name: Reply.SharedLink.name, value: .string(services.site.joinLink(token))))
    }

    /// Returns the digest of everything that distinguishes requests on the same route.
    private static func digest(of exchange: Exchange) -> SHA256Digest {
        let request = exchange.request
        var text: [UInt8] = []
        for segment in request.segments { text += segment.utf8 + [0] }
        text.append(0)
        for parameter in request.query.parameters {
            text += parameter.name.utf8 + [0] + parameter.value.utf8 + [0]
        }
        text.append(0)
        return SHA256Digest(of: text + (exchange.repeatableContent ?? request.body))
    }
}

/// A response as it is stored for its replay: status, ids and values, without links, and with the
/// data that determine who may get it again.
///
/// Programs of other releases read it too. A response that the previous release can't read gets a
/// new format number; that release then answers `retry_later`.
enum StoredReply {
    case reply(Reply, link: InvitationID?)
    case problem(Problem)

    /// The latest format that this release reads.
    static let latestFormat: Int16 = 2

    /// Returns nil for problems that are not replayed: errors of the server, temporary problems,
    /// those that may end differently next time, and those about the key itself.
    init?(_ problem: Problem) {
        switch (problem.status, problem.code) {
        case (401, _), (412, _), (429, _), (500..., _): return nil
        case (_, .refusal(.idempotencyKeyInUse)), (_, .refusal(.idempotencyKeyReused)),
            (_, .refusal(.retryLater)), (_, .refusal(.freshSignInRequired)),
            (_, .refusal(.signInAgain)), (_, .refusal(.codeWrong)), (_, .refusal(.erasureBlocked)),
            (_, .refusal(.operatorRoleStands)), (_, .refusal(.accountBlocked)):
            return nil
        default: self = .problem(problem)
        }
    }

    /// Creates the stored form of an endpoint's response, whose body must be JSON.
    init(_ reply: Reply) throws(JSONError) {
        var stored = reply
        if reply.link != nil {
            let members = try JSONField(JSONValue(parsing: reply.body)).object().members
            let others = members.filter { $0.name != Reply.SharedLink.name }
            stored.body = Array(JSONValue.object(JSONObject(others)).text().utf8)
            stored.link = nil
        }
        self = .reply(stored, link: reply.link?.invitation)
    }

    /// The row to store.
    var storedResponse: StoredResponse {
        switch self {
        case .reply(let reply, _): StoredResponse(status: reply.status, format: 1, text: text)
        case .problem(let problem):
            StoredResponse(status: problem.status, format: 2, text: text)
        }
    }

    private var text: String {
        var json = JSONWriter()
        json.object { json in
            switch self {
            case .reply(let reply, let link):
                json.member("family", reply.family?.description)
                json.member("link", link?.description)
                json.member("tag", reply.tag)
                json.member("location", reply.location)
                json.member("text", String(decoding: reply.body, as: UTF8.self))
            case .problem(let problem):
                json.member("problem", problem.code.rawValue)
                json.member("message", problem.message)
                if let family = problem.family {
                    json.member("ownFamily", family.id)
                    json.member("ownFamilyName", family.name)
                }
                json.array("errors") { json in
                    for field in problem.wrongFields {
                        json.object { WrongField.shape.write(field, to: &$0) }
                    }
                }
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Parses a stored response; returns nil if this program can't read it, for example a problem
    /// that only a newer program knows.
    init?(status: Int, text: String) {
        do throws(JSONError) {
            let stored = JSONField(try JSONValue(parsing: Array(text.utf8), maxDepth: 64))
            if let code = try stored["problem"].ifPresent {
                guard let code = ProblemCode(rawValue: try code.string()) else { return nil }
                var problem = Problem(code, try stored["message"].string())
                if let id = try stored["ownFamily"].ifPresent?.string() {
                    problem.family = .init(id: id, name: try stored["ownFamilyName"].string())
                }
                problem.wrongFields = try Self.wrongFields(stored["errors"])
                self = .problem(problem)
                return
            }
            let family = try stored["family"].ifPresent?.string()
            let link = try stored["link"].ifPresent?.string()
            let tag = try stored["tag"].ifPresent?.string()
            let location = try stored["location"].ifPresent?.string()
            self = .reply(
                Reply(
                    status: status, mediaType: "application/json",
                    body: Array(try stored["text"].string().utf8), location: location,
                    family: family.flatMap { FamilyID($0) }, tag: tag),
                link: link.flatMap { InvitationID($0) })
        } catch {
            return nil
        }
    }

    /// Parses the stored wrong fields. The list is empty if an earlier release stored none; codes
    /// that only a newer release knows are left out.
    private static func wrongFields(_ stored: JSONField) throws(JSONError) -> [WrongField] {
        guard let stored = stored.ifPresent else { return [] }
        var fields: [WrongField] = []
        for field in try stored.elements() {
            guard let code = RefusalCode(rawValue: try field["code"].string()) else { continue }
            fields.append(
                WrongField(
                    pointer: try field["pointer"].string(), detail: try field["detail"].string(),
                    code: code))
        }
        return fields
    }
}
