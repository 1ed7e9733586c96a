// Which problems the requests of a route can meet: those that it names, and those that come with
// being a route of its kind.

extension Endpoint {
    /// All of them, each once, in the order of the codes' declaration.
    var problems: [ProblemCode] {
        let met = Set(operation.refusals + everywhere + bySigningIn + byInputs + byEffect)
        return ProblemCode.allCases.filter(met.contains)
    }

    private var everywhere: [ProblemCode] {
        [
            .malformedRequest, .malformedActingAs, .invalidToken, .notAcceptable, .bodyTooLarge,
            .headersTooLarge, .preconditionFailed, .internal, .unavailable,
        ]
    }

    private var bySigningIn: [ProblemCode] {
        operation.needsCaller ? [.notSignedIn, .actingRefused] : []
    }

    private var byInputs: [ProblemCode] {
        var problems: [ProblemCode] = []
        let declarations = operation.inputs.map(\.declaration)
        if takesBody { problems += [.invalidBody, .privilegedField, .unsupportedMediaType] }
        if declarations.contains(where: { $0.place != .path }) { problems.append(.invalidField) }
        if declarations.contains(where: { $0.place == .body && $0.isRequired }) {
            problems.append(.missingField)
        }
        return problems
    }

    /// A request that has an effect can be one that is repeated, whose sender may not know its
    /// answer any more.
    private var byEffect: [ProblemCode] {
        guard isMutation else { return [] }
        return [
            .idempotencyKeyInUse, .idempotencyKeyReused, .retryLater, .invalidField,
            .accountRequired,
            .familyNotFound, .notWhileActing, .visitorsOnlyRead, .standingTooLow, .outcomeUnknown,
            .tooManyKeys,
        ]
    }
}
