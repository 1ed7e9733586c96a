import Domain
import HTTPServer
import JSON
import Policy
import Threads
import UseCases

/// The operation of a route: its implementation and its description.
struct Operation: Sendable {
    /// In the API's description: unique.
    let name: String
    let summary: String
    var inputs: [any DeclaredInput] = []
    let answers: [DeclaredAnswer]
    /// Its refusals, in addition to those of every route.
    var refusals: [RefusalCode] = []
    /// The same of what else can be wrong.
    var faults: [FaultCode] = []
    /// The body is a JSON object whose fields are the client's business.
    var takesDocument = false
    /// The body is the form of a page.
    var takesForm = false
    /// The media types of its body.
    private(set) var bodyTypes = ["application/json"]
    /// Whether a body of whatever kind is left unread.
    var ignoresBody = false
    /// The stages that its requests pass, besides those of every request.
    var stages: StageSet
    /// The action that the caller must be allowed for a replay.
    var replayNeeds: Action = .familyRead
    /// Replaces the stored response in a replay, where `replayNeeds` is not enough.
    var replay: (@Sendable (Services, Call, Reply) throws -> Reply)?
    /// How a failure is shown where people read it; nil: as a problem document.
    var failurePage: (@Sendable (Services, Request, Problem) -> Reply)?
    /// How the entity tag of its answers is made, by which they are compared with `If-None-Match`.
    private(set) var tagging = Tagging.none
    /// Whether a caller who names a member that it may not act for is answered as itself, instead
    /// of being refused: for what an app reads to learn whom it may act for.
    private(set) var answersAsOneself = false
    let work: Work

    /// How an entity tag is made.
    enum Tagging: Sendable {
        case none
        /// Of what the answer says: for what is read by few statements, and for what is changed at
        /// the same address.
        case content
        /// Of the version of the family that is named, or of those of the caller and all its
        /// families: for lists, because one statement tells whether they have changed. The answer
        /// must show nothing else.
        case versions(of: @Sendable (Call) throws -> FamilyID?)

        /// Of the versions of the caller and all its families.
        static let allVersions = Tagging.versions { _ in nil }
    }

    /// Whether its answers have an entity tag.
    var isTagged: Bool { if case .none = tagging { false } else { true } }

    /// Whether what it changes is read at the same address, with the tag of what is shown there:
    /// that is compared with `If-Match`, and its answers have the new one.
    var isGuarded: Bool { stages.contains(.conditionalChange) }

    /// What does it, and who may ask for it.
    enum Work: Sendable {
        /// Anybody; a token that is sent must still be a good one.
        case open(@Sendable (Services, OpenCall) throws -> Reply)
        case signedIn(@Sendable (Services, Call) throws -> Reply)
        /// May wait for a change without holding a thread; for somebody who is signed in.
        case patient(@Sendable (Services, Call) throws -> PatientReply)
        /// Consists of other requests of somebody who is signed in, which it gives to a function.
        case composed(@Sendable (Call, (Request) -> Response) throws -> Reply)
        /// Only reads, for somebody who is signed in: can be run together with other reads.
        case read(@Sendable (Call) throws -> Read<Reply>)
    }

    /// An operation for callers who are signed in.
    init(
        _ name: String, _ summary: String, inputs: [any DeclaredInput] = [],
        answers: [DeclaredAnswer], refusals: [RefusalCode] = [], faults: [FaultCode] = [],
        takesDocument: Bool = false, replayNeeds: Action = .familyRead,
        replay: (@Sendable (Services, Call, Reply) throws -> Reply)? = nil,
        run: @escaping @Sendable (Services, Call) throws -> Reply
    ) {
        self.init(
            name, summary, inputs, answers, refusals, faults,
            .signedIn { services, call in try call.reportingAllFields { try run(services, call) } })
        self.takesDocument = takesDocument
        self.replayNeeds = replayNeeds
        self.replay = replay
    }

    /// An operation for everybody.
    static func open(
        _ name: String, _ summary: String, inputs: [any DeclaredInput] = [],
        answers: [DeclaredAnswer], refusals: [RefusalCode] = [], faults: [FaultCode] = [],
        failurePage: (@Sendable (Services, Request, Problem) -> Reply)? = nil,
        run: @escaping @Sendable (Services, OpenCall) throws -> Reply
    ) -> Operation {
        var operation = Operation(name, summary, inputs, answers, refusals, faults, .open(run))
        operation.failurePage = failurePage
        return operation
    }

    /// An operation that does other requests.
    static func composed(
        _ name: String, _ summary: String, inputs: [any DeclaredInput],
        answers: [DeclaredAnswer],
        run: @escaping @Sendable (Call, (Request) -> Response) throws -> Reply
    ) -> Operation {
        Operation(
            name, summary, inputs, answers, [], [],
            .composed { call, perform in
                try call.reportingAllFields { try run(call, perform) }
            })
    }

    /// An operation that only reads, and may wait until there is something to answer.
    static func patient(
        _ name: String, _ summary: String, inputs: [any DeclaredInput] = [],
        answers: [DeclaredAnswer], refusals: [RefusalCode] = [], faults: [FaultCode] = [],
        run: @escaping @Sendable (Services, Call) throws -> PatientReply
    ) -> Operation {
        Operation(name, summary, inputs, answers, refusals, faults, .patient(run))
    }

    /// An operation that only reads.
    static func read(
        _ name: String, _ summary: String, inputs: [any DeclaredInput] = [],
        answers: [DeclaredAnswer], refusals: [RefusalCode] = [], faults: [FaultCode] = [],
        tag: Tagging = .none,
        reading: @escaping @Sendable (Call) throws -> Read<Reply>
    ) -> Operation {
        var operation = Operation(name, summary, inputs, answers, refusals, faults, .read(reading))
        operation.tagging = tag
        return operation
    }

    private init(
        _ name: String, _ summary: String, _ inputs: [any DeclaredInput],
        _ answers: [DeclaredAnswer], _ refusals: [RefusalCode], _ faults: [FaultCode],
        _ work: Work
    ) {
        self.name = name
        self.summary = summary
        self.inputs = inputs
        self.answers = answers
        self.refusals = refusals
        self.faults = faults
        self.work = work
        stages =
            if case .open = work {
                [.mediaTypes, .conditions]
            } else {
                [.mediaTypes, .conditions, .changeTime, .consent]
            }
    }

    /// The same with an entity tag of what its answer says, for what is read in several steps.
    var tagged: Operation {
        var operation = self
        operation.tagging = .content
        operation.stages.insert(.entityTag)
        return operation
    }

    /// The same, answered to the account itself where it may not act for the member that it names.
    var orAsOneself: Operation {
        var operation = self
        operation.answersAsOneself = true
        return operation
    }

    /// The same for a change of what is read at the same address with a tag.
    var guarded: Operation {
        var operation = self
        operation.stages.insert(.conditionalChange)
        return operation
    }

    /// The same with another media type of its body.
    func taking(_ mediaType: String) -> Operation {
        var operation = self
        operation.bodyTypes.append(mediaType)
        return operation
    }

    /// Whether it can't do without a caller who is signed in.
    var takesCaller: Bool { if case .open = work { false } else { true } }

    /// Whether it can be run together with other reads.
    var isRead: Bool { if case .read = work { true } else { false } }

    /// Whether its effect and its answer can be stored in one transaction.
    var canBeKeyed: Bool { if case .signedIn = work { true } else { false } }

    /// The fields that its body may have, under all their names.
    var bodyNames: Set<String> {
        Set(
            inputs.map(\.declaration).filter { $0.place == .body && !$0.isForOthers }
                .flatMap(\.names))
    }

    /// All fields of a body that are wrong.
    func wrongFields(in source: InputSource) -> [WrongField] {
        inputs.filter { $0.declaration.place == .body }.flatMap { $0.wrongFields(in: source) }
    }
}

/// An answer that a route can give.
struct DeclaredAnswer: Sendable {
    let status: Int
    let help: String
    let mediaType: String
    /// Media types besides, of the same schema, for clients that ask for them.
    var alternatives: [String] = []
    let schema: Schema
    /// The shape that the schema refers to.
    var part: (any DescribedShape)?
    /// Nil where one is made from the schema.
    var example: JSONValue?

    static func ok<Value>(_ shape: Shape<Value>, _ help: String = "Done.") -> DeclaredAnswer {
        json(200, shape, help)
    }

    static func json<Value>(
        _ status: Int, _ shape: Shape<Value>, _ help: String
    ) -> DeclaredAnswer {
        DeclaredAnswer(
            status: status, help: help, mediaType: "application/json",
            schema: .reference(shape.name), part: shape)
    }

    static func media(
        _ mediaType: String, status: Int = 200, schema: Schema = .string,
        example: JSONValue? = nil, _ help: String
    ) -> DeclaredAnswer {
        DeclaredAnswer(
            status: status, help: help, mediaType: mediaType, schema: schema, example: example)
    }
}

extension DeclaredAnswer {
    /// The answer in another media type as well.
    func or(_ mediaType: String) -> DeclaredAnswer {
        var answer = self
        answer.alternatives.append(mediaType)
        return answer
    }
}

/// A response, or a wait until there is one.
enum PatientReply: Sendable {
    /// A wait for changes that holds no thread.
    struct Wait: Sendable {
        /// The wait ends when one of them is at another version.
        let watched: [Watched]
        let deadline: Deadline
        /// Whose versions are read after a change.
        var follower: Follower?
        /// Is given what ends the wait before its time.
        var onParked: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
        /// Runs after the wait.
        let again: @Sendable (ChangeWatch.Ending) throws -> PatientReply
    }

    /// A part of a response that goes on.
    struct Part: Sendable {
        /// Only in the first part.
        var head: Reply?
        let text: String
        /// Nil at the end.
        let next: Wait?
        /// Called if the client is cut off because it takes nothing. Only in the first part.
        var onStalled: (@Sendable () -> Void)?
    }

    case reply(Reply)
    case wait(Wait)
    case part(Part)
}
