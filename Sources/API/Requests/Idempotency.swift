import Crypto
import Domain
import HTTPServer
import JSON
import Service
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
            digest: Self.digest(of: request))
        guard let known else {
            throw .invalidField(
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
    /// - Parameter problem: What a failure is to the client.
    func answer(
        to call: () throws -> Call, problem: (any Error) -> Problem
    ) throws -> Reply {
        switch try ClaimIdempotencyKey(services.database)(by: caller, request) {
        case .running:
            throw Problem(
                .idempotencyKeyInUse, "The same request is being answered at this moment.",
                headers: [("Retry-After", "1")])
        case .otherRequest:
            throw Problem(
                .idempotencyKeyReused, "This Idempotency-Key was used for another request.")
        case .replay(let status, let answer):
            return try replay(status, answer, call)
        case .claimed(let claim):
            do {
                let reply = try operation.run(services, call())
                finish(claim, try KeptAnswer(reply))
                return reply
            } catch {
                let problem = problem(error)
                // What may have been stored must not be tried again at once: its claim lapses.
                if problem.code != .outcomeUnknown { finish(claim, KeptAnswer(problem)) }
                throw problem
            }
        }
    }

    /// Keeps the answer, or frees the key when there is none to be kept. What has happened has
    /// happened: when this fails the client is told the answer all the same.
    private func finish(_ claim: ClaimIdempotencyKey.Claim, _ answer: KeptAnswer?) {
        do {
            let text = answer?.text ?? ""
            if let answer, text.utf8.count <= FinishIdempotencyKey.maximumAnswerBytes {
                try FinishIdempotencyKey(services.database)(
                    by: caller, request, claim, status: answer.status, answer: text)
            } else {
                try GiveUpIdempotencyKey(services.database)(by: caller, request, claim)
            }
        } catch {
            services.log.warning(
                "an answer could not be kept for its replay", [.requestID(id), .error(error)])
        }
    }

    private func replay(
        _ status: Int, _ answer: String, _ call: () throws -> Call
    ) throws -> Reply {
        switch try KeptAnswer(status: status, text: answer) {
        case nil: throw Problem.internalFault
        case .problem(let code, let message)?: throw Problem(code, message)
        case .reply(var reply, let link)?:
            if let replay = operation.replay { return try replay(services, call(), reply) }
            if let family = reply.family {
                try AuthoriseReplay(services.database)(
                    by: caller, family: family, reading: operation.replayNeeds)
            }
            if let link { try addLink(of: link, to: &reply) }
            return reply
        }
    }

    /// Adds the invitation's present link; an invitation that isn't pending any more has none.
    private func addLink(of invitation: InvitationID, to reply: inout Reply) throws {
        let token: InvitationToken?
        do {
            token = try RecallInvitationToken(services.database, services.invitationKeys)(
                by: caller, invitation: invitation)
        } catch let error as UseCaseError where error.code == .invitationNotFound {
            return
        }
        guard let token else { return }
        let members = try JSONField(JSONValue(parsing: reply.body)).object().members
        let link = JSONObject.Member(
            name: Reply.SharedLink.name, value: .string(services.site.joinLink(token)))
        reply.body = Array(JSONValue.object(JSONObject(members + [link])).text().utf8)
    }

    /// Of all that tells a request from another on the same route.
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
