import JSON
import Policy
import UseCases

/// What answers the requests of one route, and all that its description tells.
struct Operation: Sendable {
    /// In the API's description: unique.
    let name: String
    let summary: String
    var inputs: [any DeclaredInput] = []
    let answers: [DeclaredAnswer]
    /// What it can refuse, beyond what every route can.
    var refusals: [ProblemCode] = []
    /// The body is a JSON object whose fields are the client's business.
    var takesDocument = false
    /// What the caller must be allowed to when an answer is told again.
    var replayNeeds: Action = .familyRead
    /// What is told instead of a kept answer, for what `replayNeeds` can't say.
    var replay: (@Sendable (Services, Call, Reply) throws -> Reply)?
    /// How a failure is shown where people read it; nil: as a problem document.
    var failurePage: (@Sendable (Services, Problem) -> Reply)?
    let run: @Sendable (Services, Call) throws -> Reply
    /// For what only reads: the read, which can be run together with others.
    private(set) var reading: (@Sendable (Services, Call) throws -> Read<Reply>)?

    init(
        _ name: String, _ summary: String, inputs: [any DeclaredInput] = [],
        answers: [DeclaredAnswer], refusals: [ProblemCode] = [],
        takesDocument: Bool = false, replayNeeds: Action = .familyRead,
        replay: (@Sendable (Services, Call, Reply) throws -> Reply)? = nil,
        failurePage: (@Sendable (Services, Problem) -> Reply)? = nil,
        run: @escaping @Sendable (Services, Call) throws -> Reply
    ) {
        self.name = name
        self.summary = summary
        self.inputs = inputs
        self.answers = answers
        self.refusals = refusals
        self.takesDocument = takesDocument
        self.replayNeeds = replayNeeds
        self.replay = replay
        self.failurePage = failurePage
        self.run = run
    }

    /// An operation that is one read.
    init(
        _ name: String, _ summary: String, inputs: [any DeclaredInput] = [],
        answers: [DeclaredAnswer], refusals: [ProblemCode] = [],
        reading: @escaping @Sendable (Services, Call) throws -> Read<Reply>
    ) {
        self.init(name, summary, inputs: inputs, answers: answers, refusals: refusals) {
            try $0.database.run(try reading($0, $1))
        }
        self.reading = reading
    }

    /// The fields that its body may have, under all their names.
    var bodyNames: Set<String> {
        Set(inputs.map(\.declaration).filter { $0.place == .body }.flatMap(\.names))
    }
}

/// An answer that a route can give.
struct DeclaredAnswer: Sendable {
    let status: Int
    let help: String
    let mediaType: String
    let schema: Schema
    /// The shape that the schema refers to.
    var part: (any DescribedShape)?

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
        _ mediaType: String, status: Int = 200, schema: Schema = .string, _ help: String
    ) -> DeclaredAnswer {
        DeclaredAnswer(status: status, help: help, mediaType: mediaType, schema: schema)
    }
}
