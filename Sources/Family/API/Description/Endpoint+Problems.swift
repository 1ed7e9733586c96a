import Domain

// The problems that a route can return: those that it names, and those of its kind of route.

extension Endpoint {
    /// All of them, each once, in the order of the codes' declaration.
    var problems: [ProblemCode] {
        let faults = (operation.faults + faultsAnywhere + faultsOfInputs).map(ProblemCode.fault)
        let refusals = (operation.refusals + limits.map(\.refusal) + ofActing + ofInputs + ofEffect)
            .map(ProblemCode.refusal)
        let met = Set(faults + refusals)
        return ProblemCode.allCases.filter(met.contains)
    }

    private var faultsAnywhere: [FaultCode] {
        [
            .malformedRequest, .malformedActingAs, .invalidToken, .notAcceptable, .bodyTooLarge,
            .headersTooLarge, .preconditionFailed, .internal, .unavailable, .keysPending,
            .databaseAway, .databaseBusy,
        ] + (needsCaller ? [.notSignedIn] : []) + (isMutation ? [.outcomeUnknown] : [])
    }

    private var faultsOfInputs: [FaultCode] {
        takesBody ? [.invalidBody, .unsupportedMediaType] : []
    }

    /// Any token may be one of a session, or a delegation.
    private var ofActing: [RefusalCode] { [.sessionEnded, .actingRefused, .consentRequired] }

    private var ofInputs: [RefusalCode] {
        var refusals: [RefusalCode] = takesBody ? [.privilegedField] : []
        let declarations = operation.inputs.map(\.declaration)
        if declarations.contains(where: { $0.place != .path }) { refusals.append(.invalidField) }
        if declarations.contains(where: { $0.place == .body && $0.isRequired }) {
            refusals.append(.missingField)
        }
        return refusals
    }

    /// A request with an effect can be a repetition whose caller may no longer see the response.
    private var ofEffect: [RefusalCode] {
        guard isMutation else { return [] }
        return [
            .idempotencyKeyInUse, .idempotencyKeyReused, .retryLater, .invalidField,
            .accountRequired, .familyNotFound, .notWhileActing, .visitorsOnlyRead, .standingTooLow,
            .tooManyKeys,
        ] + (needsCaller ? [.consentMissing] : [])
    }
}
