import Domain
import Identity
import Repositories
import UseCases

/// Sign-in methods of an account, and tokens for services that act for a child.
enum IdentityEndpoints {
    private static let token = Input<String>.required(
        "token", .anyText, "A token of a trusted issuer for the same person.")
    private static let identity = Input<IdentityID>.path(
        "id", .id(), absent: Problem(.identityNotFound), "The id of a listed sign-in method.")

    static let list = Operation.read(
        "listIdentities", "Lists the sign-in methods of the caller's account.",
        responses: [.ok(Shapes.identities)], refusals: .byAccount
    ) { call in
        try IdentityService.list(by: call.context).map { .of(Shapes.identities, $0) }
    }

    static let add = Operation(
        "addIdentity", "Adds another issuer's sign-in to the caller's account.",
        inputs: [token, SessionEndpoints.nonce], responses: [.ok(Shapes.identities)],
        refusals: .byAccount + [
            .signInAgain, .identityInUse, .identityOfIssuerExists, .operatorRoleStands,
        ]
    ) { services, call in
        let other = try ForeignSignIn(
            try call[token], nonce: call[SessionEndpoints.nonce], services)
        let identities = try services.identities.add(other.caller, by: call.context)
        return .of(Shapes.identities, identities)
    }

    static let remove = Operation(
        "removeIdentity",
        "Removes a sign-in method, but never the last one. Removing the last address also removes "
            + "the password.",
        inputs: [identity], responses: [.success],
        refusals: .byAccount + [.identityNotFound, .signInAgain, .lastIdentity]
    ) { services, call in
        try services.identities.remove(call[identity], by: call.context)
        return .of(Shapes.success, ())
    }

    private static let member = Input<UserID>.required("memberId", .shownID())
    private static let audience = Input<Label>.required(
        "audience", .text, "The service that the token is for.")

    static let delegate = Operation(
        "delegate", "Issues a token with which a service can act for a child for five minutes.",
        inputs: [member, audience], responses: [.ok(Shapes.delegation)],
        refusals: .byAccount + [.sessionRequired, .consentRequired], faults: [.notFound]
    ) { services, call in
        let setup = try services.signInSetup()
        let delegation = try services.sessions.delegate(
            for: call[member], by: call.context)
        var draft = AccessTokens.Draft(
            subject: delegation.member.description, session: delegation.session.description,
            signedInAt: delegation.signedInAt.seconds, methods: [delegation.method.reference])
        draft.actor = delegation.guardian.description
        draft.audience = try call[audience].text
        draft.lifetimeSeconds = delegationSeconds
        let token = try setup.tokens.token(draft, now: Int64(services.clock.now() / 1_000))
        return .of(Shapes.delegation, token)
    }

    fileprivate static let delegationSeconds: Int64 = 300
}

extension Shapes {
    static let identities = Shape<[ListedIdentity]>(
        "Identities", [.list("identities", identity) { $0 }])

    private static let identity = Shape<ListedIdentity>(
        "Identity",
        [
            .id("id", \.id), .word("kind", \.kind),
            .textOrNull("issuer") { $0.kind == .issuer ? $0.name : nil },
            .textOrNull("email") { $0.kind == .email ? $0.name : nil },
            .time("since", \.since),
        ])

    static let delegation = Shape<String>(
        "Delegation",
        [
            .text("access_token") { $0 },
            .always("issued_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            .always("token_type", "Bearer"),
            .count("expires_in") { _ in Int(IdentityEndpoints.delegationSeconds) },
        ])
}
