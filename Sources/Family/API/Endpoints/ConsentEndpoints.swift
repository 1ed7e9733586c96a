import Domain
import UseCases

/// Consents: of guardians for children without accounts, and of accounts for themselves.
enum ConsentEndpoints {
    private static let purpose = Input<String>.path(
        "purpose", .purpose, absent: Problem(.purposeNotFound), "The name of the purpose.")
    private static let version = Input<String>.required(
        "version", .textVersion, "The version of the text that was shown.")
    private static let method = Input<ConsentMethod>.required(
        "method", .word, "The method by which the guardian proves the consent.")
    private static let code = Input<String?>.optional(
        "code", .mailedCode,
        "The mailed code. If it is missing, a request with `email_code` mails one.")
    private static let refusals: [RefusalCode] =
        [.memberNotFound, .notWhileActing] + .byStanding

    static let list = Operation(
        "listConsents",
        "Lists the consents that a child's guardians are asked for, and those that they gave.",
        inputs: [Inputs.managedMember], responses: [.ok(Shapes.consents)], refusals: refusals
    ) { services, call in
        .of(
            Shapes.consents,
            try services.consents.list(
                by: call.context, member: call[Inputs.managedMember]))
    }

    static let read = Operation(
        "readConsent", "Reads one purpose of consent for a child.",
        inputs: [Inputs.managedMember, purpose], responses: [.ok(Shapes.consent)],
        refusals: refusals + [.purposeNotFound]
    ) { services, call in
        .of(
            Shapes.consent,
            try services.consents.read(
                by: call.context, member: call[Inputs.managedMember], purpose: call[purpose]))
    }

    static let give = Operation(
        "giveConsent", "Gives consent for a child, or mails the code that proves it.",
        inputs: [Inputs.managedMember, purpose, version, method, code],
        responses: [
            .ok(Shapes.consent, "The consent is in force."),
            .json(
                202, AccountEndpoints.sentCode,
                "No consent is given yet: the code is being mailed to the verified address."),
        ],
        refusals: refusals + [
            .purposeNotFound, .consentOutdated, .codeMalformed, .codeWrong, .noVerifiedAddress,
            .accountRequired,
        ],
        replay: replayToGuardian
    ) { services, call in
        let given = try services.consents.give(
            by: call.context, member: call[Inputs.managedMember],
            ConsentService.Consent(
                purpose: call[purpose], version: call[version], method: call[method],
                code: call[code]),
            from: call.client, now: Int64(services.clock.now() / 1_000))
        guard let given else {
            return .of(AccountEndpoints.sentCode, ConsentCodes.validSeconds, status: 202)
        }
        return .of(Shapes.consent, given, family: call.knownFamily)
    }

    /// Replays a stored response to callers who may still read the child's consents.
    private static let replayToGuardian: @Sendable (Services, Call, Reply) throws -> Reply = {
        services, call, stored in
        _ = try services.consents.list(by: call.context, member: call[Inputs.managedMember])
        return stored
    }

    static let withdraw = Operation(
        "withdrawConsent", "Withdraws consent for a child, with effect from the next request.",
        inputs: [Inputs.managedMember, purpose], responses: [.ok(Shapes.consent)],
        refusals: refusals + [.purposeNotFound], replay: replayToGuardian
    ) { services, call in
        let withdrawn = try services.consents.withdraw(
            by: call.context, member: call[Inputs.managedMember], purpose: call[purpose])
        return .of(Shapes.consent, withdrawn, family: call.knownFamily)
    }

    // MARK: Consents of the account itself

    private static let ownMethod = Input<OwnConsentMethod>.required(
        "method", .word,
        "The method by which the account proves the consent: being signed in itself.")

    static let listOwn = Operation(
        "listOwnConsents",
        "Lists the consents that the account is asked for, and those that it gave.",
        responses: [.ok(Shapes.ownConsents)], refusals: .byAccount
    ) { services, call in
        .of(
            Shapes.ownConsents,
            try services.consents.listOwn(by: call.context))
    }

    static let giveOwn = Operation(
        "giveOwnConsent", "Gives the account's consent for itself.",
        inputs: [purpose, version, ownMethod],
        responses: [.ok(Shapes.ownConsent).outsideFamilies],
        refusals: .byAccount + [.purposeNotFound, .consentOutdated]
    ) { services, call in
        _ = try call[ownMethod]
        return .of(
            Shapes.ownConsent,
            try services.consents.giveOwn(
                call[purpose], version: call[version], by: call.context))
    }

    static let withdrawOwn = Operation(
        "withdrawOwnConsent",
        "Withdraws the account's consent for itself, with effect from the next request.",
        inputs: [purpose], responses: [.ok(Shapes.ownConsent).outsideFamilies],
        refusals: .byAccount + [.purposeNotFound]
    ) { services, call in
        .of(
            Shapes.ownConsent,
            try services.consents.withdrawOwn(
                call[purpose], by: call.context))
    }
}
