import Domain
import HTTPServer
import JSON
import Policy
import Basics
import UseCases

/// The operation of a route: its implementation and its description.
struct Operation: Sendable {
    /// Unique name in the API's description.
    let name: String
    let summary: String
    var inputs: [any DeclaredInput] = []
    let responses: [DeclaredResponse]
    /// Refusals of the operation, in addition to those of every route.
    var refusals: [RefusalCode] = []
    /// Faults of the operation, in addition to those of every route.
    var faults: [FaultCode] = []
    /// If true, the body is a JSON object whose fields the client defines.
    var takesDocument = false
    /// If true, the body is the form of a page.
    var takesForm = false
    /// Accepted media types of the body.
    private(set) var bodyTypes = ["application/json"]
    /// If true, the request body is ignored, whatever its media type.
    var ignoresBody = false
    /// Stages that requests of this operation pass, in addition to those of every request.
    var stages: StageSet
    /// Actions that the policy must allow the caller before a stored response is replayed.
    var replayNeeds: [Action] = [.familyRead]
    /// Replaces the stored response in a replay, where checking `replayNeeds` is not enough.
    var replay: (@Sendable (Services, Call, Reply) throws -> Reply)?
    /// Renders a failure as a page for people; if nil, a failure is a problem document.
    var failurePage: (@Sendable (Services, Request, Problem) -> Reply)?
    /// Source of the response's entity tag, which is compared with `If-None-Match`.
    private(set) var tagging = EntityTagSource.none
    /// If true, a caller who names a member that it may not act for gets the response for its own
    /// account instead of a refusal. Used by reads in which an app looks up the members for whom it
    /// may act.
    private(set) var ignoresRefusedDelegation = false
    let work: Work

    /// Source of an entity tag.
    enum EntityTagSource: Sendable {
        case none
        /// A tag of the response's content: for resources that are read by few statements, and for
        /// those that are changed at the same address.
        case content
        /// A tag of the version of the named family, or of the versions of the caller and all its
        /// families: for lists, because one statement finds out whether they have changed. The
        /// response must contain only data that these versions cover.
        case versions(of: @Sendable (Call) throws -> FamilyID?)

        /// A tag of the versions of the caller and all its families.
        static let allVersions = EntityTagSource.versions { _ in nil }
    }

    /// Whether its responses have an entity tag.
    var isTagged: Bool { if case .none = tagging { false } else { true } }

    /// If true, the resource that the operation changes can be read at the same address, with an
    /// entity tag. That tag is compared with `If-Match`, and the response has the new tag.
    var isGuarded: Bool { stages.contains(.conditionalChange) }

    /// The implementation, with the kind of callers that it accepts.
    enum Work: Sendable {
        /// Accepts any caller; a token that is sent must still be valid.
        case open(@Sendable (Services, OpenCall) throws -> Reply)
        case signedIn(@Sendable (Services, Call) throws -> Reply)
        /// Accepts signed-in callers; may wait for a change without blocking a thread.
        case longPoll(@Sendable (Services, Call) throws -> LongPollReply)
        /// Accepts any caller; may wait for a change without blocking a thread.
        case openLongPoll(@Sendable (Services, OpenCall) throws -> LongPollReply)
        /// Accepts signed-in callers; consists of other requests, which a ``RequestRunner`` runs.
        case composed(@Sendable (Call, RequestRunner) throws -> Reply)
        /// Accepts API keys.
        case server(@Sendable (Services, ServerCall) throws -> Reply)
        /// Accepts signed-in callers; only reads, so it can be batched with other reads.
        case read(@Sendable (Call) throws -> Read<Reply>)
    }

    /// An operation for signed-in callers.
    ///
    /// Like every operation that may have a body, it runs in `reportingAllFields`: it reads its
    /// inputs one after the other and stops at the first wrong field, but clients get all of them.
    init(
        _ name: String, _ summary: String, inputs: [any DeclaredInput] = [],
        responses: [DeclaredResponse], refusals: [RefusalCode] = [], faults: [FaultCode] = [],
        takesDocument: Bool = false, replayNeeds: [Action] = [.familyRead],
        replay: (@Sendable (Services, Call, Reply) throws -> Reply)? = nil,
        run: @escaping @Sendable (Services, Call) throws -> Reply
    ) {
        self.init(
            name, summary, inputs, responses, refusals, faults,
            .signedIn { services, call in try call.reportingAllFields { try run(services, call) } })
        self.takesDocument = takesDocument
        self.replayNeeds = replayNeeds
        self.replay = replay
    }

    /// An operation for any caller.
    static func open(
        _ name: String, _ summary: String, inputs: [any DeclaredInput] = [],
        responses: [DeclaredResponse], refusals: [RefusalCode] = [], faults: [FaultCode] = [],
        failurePage: (@Sendable (Services, Request, Problem) -> Reply)? = nil,
        run: @escaping @Sendable (Services, OpenCall) throws -> Reply
    ) -> Operation {
        var operation = Operation(
            name, summary, inputs, responses, refusals, faults,
            .open { services, call in try call.reportingAllFields { try run(services, call) } })
        operation.failurePage = failurePage
        return operation
    }

    /// An operation for API keys.
    static func server(
        _ name: String, _ summary: String, inputs: [any DeclaredInput] = [],
        responses: [DeclaredResponse], refusals: [RefusalCode] = [],
        run: @escaping @Sendable (Services, ServerCall) throws -> Reply
    ) -> Operation {
        Operation(
            name, summary, inputs, responses, refusals, [],
            .server { services, call in try call.reportingAllFields { try run(services, call) } })
    }

    /// An operation that runs other requests.
    static func composed(
        _ name: String, _ summary: String, inputs: [any DeclaredInput],
        responses: [DeclaredResponse],
        run: @escaping @Sendable (Call, RequestRunner) throws -> Reply
    ) -> Operation {
        Operation(
            name, summary, inputs, responses, [], [],
            .composed { call, runner in
                try call.reportingAllFields { try run(call, runner) }
            })
    }

    /// An operation that only reads, and may wait until there is something to return.
    static func longPoll(
        _ name: String, _ summary: String, inputs: [any DeclaredInput] = [],
        responses: [DeclaredResponse], refusals: [RefusalCode] = [], faults: [FaultCode] = [],
        run: @escaping @Sendable (Services, Call) throws -> LongPollReply
    ) -> Operation {
        Operation(name, summary, inputs, responses, refusals, faults, .longPoll(run))
    }

    /// An operation for any caller that only reads, and may wait until there is something to
    /// return.
    static func openLongPoll(
        _ name: String, _ summary: String, responses: [DeclaredResponse],
        run: @escaping @Sendable (Services, OpenCall) throws -> LongPollReply
    ) -> Operation {
        Operation(name, summary, [], responses, [], [], .openLongPoll(run))
    }

    /// An operation that only reads.
    static func read(
        _ name: String, _ summary: String, inputs: [any DeclaredInput] = [],
        responses: [DeclaredResponse], refusals: [RefusalCode] = [], faults: [FaultCode] = [],
        tag: EntityTagSource = .none,
        reading: @escaping @Sendable (Call) throws -> Read<Reply>
    ) -> Operation {
        var operation = Operation(
            name, summary, inputs, responses, refusals, faults, .read(reading))
        operation.tagging = tag
        return operation
    }

    private init(
        _ name: String, _ summary: String, _ inputs: [any DeclaredInput],
        _ responses: [DeclaredResponse], _ refusals: [RefusalCode], _ faults: [FaultCode],
        _ work: Work
    ) {
        self.name = name
        self.summary = summary
        self.inputs = inputs
        self.responses = responses
        self.refusals = refusals
        self.faults = faults
        self.work = work
        stages =
            switch work {
            case .open, .openLongPoll, .server: [.mediaTypes, .conditions]
            default: [.mediaTypes, .conditions, .changeTime, .consent]
            }
    }

    /// The operation with an entity tag of its response's content, for reads of several steps: the
    /// stage ``EntityTagComparison`` computes the tag from the reply. A `read` passes no stage
    /// around the operation; it declares its tag with the argument `tag:`, and a batch can compare
    /// this tag without reading.
    var taggedByContent: Operation {
        var operation = self
        operation.tagging = .content
        operation.stages.insert(.entityTag)
        return operation
    }

    /// The operation with `ignoresRefusedDelegation` set.
    var ignoringRefusedDelegation: Operation {
        var operation = self
        operation.ignoresRefusedDelegation = true
        return operation
    }

    /// The operation, declared to change a resource that is read at the same address with a tag.
    var guarded: Operation {
        var operation = self
        operation.stages.insert(.conditionalChange)
        return operation
    }

    /// Returns the operation with another accepted media type of its body.
    func taking(_ mediaType: String) -> Operation {
        var operation = self
        operation.bodyTypes.append(mediaType)
        return operation
    }

    /// Whether the operation requires a signed-in caller.
    var takesCaller: Bool {
        switch work {
        case .open, .openLongPoll, .server: false
        default: true
        }
    }

    /// Whether the operation requires an API key.
    var takesKey: Bool { if case .server = work { true } else { false } }

    /// Whether the operation is a read that can be batched with others.
    var isRead: Bool { if case .read = work { true } else { false } }

    /// Whether its effect and its response can be stored in one transaction.
    var canBeKeyed: Bool { if case .signedIn = work { true } else { false } }

    /// The fields of the operation's body, under all their names.
    var bodyNames: Set<String> {
        Set(
            inputs.map(\.declaration).filter { $0.location == .body && !$0.isForOthers }
                .flatMap(\.names))
    }

    /// Returns all wrong fields of a body.
    func wrongFields(in source: InputSource) -> [WrongField] {
        inputs.filter { $0.declaration.location == .body }.flatMap { $0.wrongFields(in: source) }
    }
}

/// Runs the requests of a composed operation (``Operation/Work/composed(_:)``).
struct RequestRunner {
    /// Runs a request, which is counted and logged like any other.
    let respond: (Request) -> Response
    /// Responds to a part that is no request. The response is counted and logged like that to a
    /// request for an unknown address.
    let refuse: (Problem) -> Response
    /// Whether there is time for another request.
    let hasTime: () -> Bool
}

/// A response that a route can give.
struct DeclaredResponse: Sendable {
    let status: Int
    let help: String
    let mediaType: String
    /// Additional media types with the same schema, for clients that ask for them.
    var alternatives: [String] = []
    let schema: Schema
    /// The shape that the schema refers to.
    var part: (any DescribedShape)?
    /// Example of the response; if nil, one is generated from the schema.
    var example: JSONValue?
    /// If true, the response contains no family data, so its replay needs no right in a family.
    private(set) var isOutsideFamilies = false

    static func ok<Value>(_ shape: Shape<Value>, _ help: String = "Done.") -> DeclaredResponse {
        json(200, shape, help)
    }

    static func json<Value>(
        _ status: Int, _ shape: Shape<Value>, _ help: String
    ) -> DeclaredResponse {
        DeclaredResponse(
            status: status, help: help, mediaType: "application/json",
            schema: .reference(shape.name), part: shape)
    }

    static func media(
        _ mediaType: String, status: Int = 200, schema: Schema = .string,
        example: JSONValue? = nil, _ help: String
    ) -> DeclaredResponse {
        DeclaredResponse(
            status: status, help: help, mediaType: mediaType, schema: schema, example: example)
    }
}

extension DeclaredResponse {
    /// Returns the response with an additional media type.
    func or(_ mediaType: String) -> DeclaredResponse {
        var answer = self
        answer.alternatives.append(mediaType)
        return answer
    }

    /// The response, declared to show nothing of a family. Any other response that is stored under
    /// an idempotency key must name the family whose members may get its replay.
    var outsideFamilies: DeclaredResponse {
        var answer = self
        answer.isOutsideFamilies = true
        return answer
    }

    /// A response that only confirms success.
    static var success: DeclaredResponse { ok(Shapes.success).outsideFamilies }
}

/// A response, or a wait until there is one.
enum LongPollReply: Sendable {
    /// A wait for changes that holds no thread.
    struct Wait: Sendable {
        /// Versions that the wait compares; it ends when one of them changes.
        let watched: [WatchedVersion]
        let deadline: Deadline
        /// The follower whose versions are read after a change.
        var follower: Follower?
        /// Receives a function that ends the wait early.
        var onParked: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
        /// Called after the wait; returns the response or another wait.
        let retry: @Sendable (ChangeWatch.WakeReason) throws -> LongPollReply
    }

    /// A part of a streamed response.
    struct Part: Sendable {
        /// Status and headers; set only in the first part of the stream.
        var head: Reply?
        let text: String
        /// The wait for the next part; nil at the end.
        let next: Wait?
        /// Called if the client is disconnected because it does not read. Set only in the first
        /// part of the stream.
        var onStalled: (@Sendable () -> Void)?
    }

    case reply(Reply)
    case wait(Wait)
    case part(Part)
}
