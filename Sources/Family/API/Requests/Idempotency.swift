import Crypto
import Domain
import HTTPServer
import JSON
import Telemetry
import UseCases

/// One effect and one answer for a request that is sent again under the same `Idempotency-Key`.
struct Idempotency {
    let services: Services
    let caller: Caller
    let request: IdempotentRequest
    let operation: Operation
    let id: RequestID

    /// The key of a request; nil when it has none.
    static func key(of request: Request) throws(Problem) -> String? {
        switch request.headers.single("Idempotency-Key") {
        case .absent: return nil
        case .once(let key): return key
        case .repeated:
            throw Problem(.malformedRequest, "More than one Idempotency-Key header was sent.")
        }
    }

    init?(
        _ services: Services, _ caller: Caller, _ endpoint: Endpoint, _ request: Request,
        id: RequestID
    ) throws(Problem) {
        guard let key = try Self.key(of: request) else { return nil }
        let lengths = IdempotentRequest.allowedKeyLengths
        let known = IdempotentRequest(
            route: "\(endpoint.method.name) \(endpoint.pattern)", key: key,
            digest: Self.digest(of: request), latestFormat: KeptAnswer.latestFormat)
        guard let known else {
            throw .invalidParameter(
                "Idempotency-Key", "\(lengths.lowerBound) to \(lengths.upperBound) characters long")
        }
        self.services = services
        self.caller = caller
        self.request = known
        operation = endpoint.operation
        self.id = id
    }

    /// The answer that was given before, or that of the operation, which then is kept.
    ///
    /// - Parameters:
    ///   - call: The request on its way through the endpoint, for a caller.
    ///   - run: What does it.
    ///   - problem: The problem for a failure.
    func answer(
        to call: (Caller) throws -> Call, running run: (Services, Call) throws -> Reply,
        problem: (any Error) -> Problem
    ) throws -> Reply {
        let told: Told<Result<Reply, Problem>>
        do {
            told = try services.database.once(by: caller, request) { caller in
                do {
                    let reply = try run(services, call(caller))
                    return (.success(reply), try KeptAnswer(reply).toKeep)
                } catch  where caller.isRefusalCommitted {
                    let problem = problem(error)
                    return (.failure(problem), KeptAnswer(problem)?.toKeep)
                }
            }
        } catch {
            return try refuse(problem(error), call)
        }
        switch told {
        case .done(let outcome): return try outcome.get()
        case .replay(let status, let answer): return try replay(status, answer, call)
        }
    }

    /// Stores a refusal, whose transaction was rolled back, in a transaction of its own, and
    /// returns it.
    ///
    /// Before it is stored, the same request may succeed elsewhere; then that response is returned.
    /// A refusal that can't be stored is still returned, because it had no effect.
    private func refuse(
        _ problem: Problem, _ call: (Caller) throws -> Call
    ) throws -> Reply {
        guard let answer = KeptAnswer(problem)?.toKeep else {
            throw problem.code == .fault(.outcomeUnknown) ? Self.outcomeUnknown : problem
        }
        let told: Told<Void>
        do {
            told = try services.database.once(by: caller, request) { _ in ((), answer) }
        } catch let error as Refusal {
            let reason = Problem(error)
            throw KeptAnswer(reason) == nil ? reason : problem
        } catch {
            services.log.warning(
                "a refusal could not be stored for replays", [.requestID(id), .error(error)])
            throw problem
        }
        guard case .replay(let status, let answer) = told else { throw problem }
        return try replay(status, answer, call)
    }

    private static let outcomeUnknown = Problem(
        .outcomeUnknown,
        "It is not known whether this was stored. "
            + "Send it again under the same Idempotency-Key to find out.",
        headers: [("Retry-After", "1")])

    /// What tells a client that this was answered before.
    private static let replayed = (name: "Idempotency-Replayed", value: "true")

    private func replay(
        _ status: Int, _ answer: String, _ call: (Caller) throws -> Call
    ) throws -> Reply {
        var reply = try stored(status, answer, call)
        reply.headers.append(Self.replayed)
        return reply
    }

    /// The stored answer, as the caller may have it now.
    private func stored(
        _ status: Int, _ answer: String, _ call: (Caller) throws -> Call
    ) throws -> Reply {
        switch KeptAnswer(status: status, text: answer) {
        case nil:
            services.log.warning("a stored response can't be read", [.requestID(id)])
            throw Refusal(.retryLater)
        case .problem(var problem)?:
            problem.headers.append(Self.replayed)
            throw problem
        case .reply(var reply, let link)?:
            if let replay = operation.replay {
                var again = try replay(services, call(caller), reply)
                again.tag = reply.tag
                return again
            }
            if let family = reply.family {
                try AuthoriseReplay(services.database)(
                    by: caller, family: family, reading: operation.replayNeeds)
            }
            if let link { try addLink(of: link, to: &reply) }
            return reply
        }
    }

    /// Adds the invitation's current link; an invitation that is no longer pending has none.
    private func addLink(of invitation: InvitationID, to reply: inout Reply) throws {
        let token: InvitationToken?
        do {
            token = try RecallInvitationToken(services.database, services.invitationKeys)(
                by: caller, invitation: invitation)
        } catch let error as Refusal where error.code == .invitationNotFound {
            return
        }
        guard let token else { return }
        let members = try JSONField(JSONValue(parsing: reply.body)).object().members
        let link = JSONObject.Member(
            name: Reply.SharedLink.name, value: .string(services.site.joinLink(token)))
        reply.body = Array(JSONValue.object(JSONObject(members + [link])).text().utf8)
    }

    /// The digest of everything that distinguishes requests on the same route.
    private static func digest(of request: Request) -> SHA256Digest {
        var text: [UInt8] = []
        for segment in request.segments { text += segment.utf8 + [0] }
        text.append(0)
        for parameter in request.query.parameters {
            text += parameter.name.utf8 + [0] + parameter.value.utf8 + [0]
        }
        text.append(0)
        return SHA256Digest(of: text + request.body)
    }
}
