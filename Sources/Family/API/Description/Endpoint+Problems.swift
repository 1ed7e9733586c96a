import Domain

// The problems that a route can return: those that it declares, and those of its kind of route.

extension Endpoint {
    /// All problems of the route without duplicates, in the order of the codes' declaration.
    var problems: [ProblemCode] {
        let faults = (operation.faults + faultsAnywhere + faultsOfInputs).map(ProblemCode.fault)
        let refusals = (operation.refusals + limits.map(\.refusal) + ofActing + ofInputs + ofEffect)
            .map(ProblemCode.refusal)
        let met = Set(faults + refusals)
        return ProblemCode.allCases.filter(met.contains)
    }

    private var faultsAnywhere: [FaultCode] {
        if needsKey {
            return [
                .malformedRequest, .notAcceptable, .bodyTooLarge, .headersTooLarge,
                .preconditionFailed, .internal, .unavailable, .databaseAway, .databaseBusy,
            ] + (isMutation ? [.outcomeUnknown] : [])
        }
        return [
            .malformedRequest, .malformedActingAs, .invalidToken, .notAcceptable, .bodyTooLarge,
            .headersTooLarge, .preconditionFailed, .internal, .unavailable, .keysPending,
            .databaseAway, .databaseBusy,
        ] + (needsCaller ? [.notSignedIn] : []) + (isMutation ? [.outcomeUnknown] : [])
    }

    private var faultsOfInputs: [FaultCode] {
        takesBody ? [.invalidBody, .unsupportedMediaType] : []
    }

    /// Refusals of tokens: any token may belong to a session or be a delegation.
    private var ofActing: [RefusalCode] {
        needsKey
            ? [.invalidAPIKey, .browserRefused, .insufficientScope]
            : [.sessionEnded, .accountBlocked, .actingRefused, .consentRequired]
    }

    private var ofInputs: [RefusalCode] {
        var refusals: [RefusalCode] = takesBody ? [.privilegedField] : []
        let declarations = operation.inputs.map(\.declaration)
        if declarations.contains(where: { $0.location != .path }) { refusals.append(.invalidField) }
        if declarations.contains(where: { $0.location == .body && $0.isRequired }) {
            refusals.append(.missingField)
        }
        return refusals
    }

    /// Refusals of replays: the caller of a repeated request may no longer see the stored response.
    private var ofEffect: [RefusalCode] {
        guard isMutation, !needsKey else { return [] }
        return [
            .idempotencyKeyInUse, .idempotencyKeyReused, .retryLater, .invalidField,
            .accountRequired, .familyNotFound, .notWhileActing, .visitorsOnlyRead, .standingTooLow,
            .tooManyKeys,
        ] + (needsCaller ? [.consentMissing] : [])
    }
}
