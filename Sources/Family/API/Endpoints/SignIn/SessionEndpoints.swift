import Domain
import Identity
import UseCases

/// Hearth's own sessions: begun with another issuer's token, refreshed, listed, ended.
enum SessionEndpoints {
    static let device = Input<Label?>.optional(
        "device", .text.orEmpty, "The name of the device in the person's list of sessions.")
    private static let token = Input<String>.required(
        "token", alias: "subject_token", .anyText, "A token of a trusted issuer.")
    static let nonce = Input<String?>.optional(
        "nonce", .anyText,
        "The nonce with which the client requested the token; the token's claim is the nonce's "
            + "SHA-256 in hex. Required if the issuer's entry says so.")
    private static let code = Input<String?>.optional(
        "authorizationCode", .anyText,
        "The authorization code that Apple returned with the token. With it Hearth detects that "
            + "the person has revoked the app's access, and revokes the access when the account is "
            + "erased.")
    private static let fullName = Input<PersonName?>.optional(
        "fullName", .text.orEmpty,
        "The person's name, which Apple returns the first time only. It is used if neither the "
            + "token nor the account has a name.")
    private static let refreshToken = Input<String>.required(
        "refresh_token", .anyText, "The refresh token of the latest response.")

    static let exchange = Operation.open(
        "exchangeToken", "Opens a session for the person of another issuer's token.",
        inputs: [token, nonce, code, fullName, device],
        responses: [.ok(Shapes.signedIn, "Signed in.")],
        refusals: [.accountRequired, .accountBlocked], faults: [.notFound]
    ) { services, call in
        let signIn = try services.signIn(by: .exchange)
        // The provider accepts a code once, so all inputs are read before it is used.
        let (authorizationCode, device) = (try call[code], try call[device])
        let foreign = try ForeignSignIn(
            try call[token], nonce: call[nonce], fullName: call[fullName], services)
        let grant = try authorizationCode.flatMap { try foreign.grant(for: $0, services) }
        let signedIn = try services.recordingSignIn(by: .exchange, of: nil, call.request) {
            try signIn.exchange(
                by: foreign.context, device: device, grant: grant,
                language: services.site.language(of: call.request))
        }
        return try SignedInAnswer(signedIn, services).reply
    }

    static let refresh = Operation.open(
        "refreshSession", "Continues a session: returns new access and refresh tokens.",
        inputs: [refreshToken], responses: [.ok(Shapes.signedIn, "The session continues.")],
        refusals: [.invalidRefreshToken, .sessionEnded, .accountBlocked], faults: [.notFound]
    ) { services, call in
        let signIn = try services.signIn()
        return try SignedInAnswer(try signIn.refresh(call[refreshToken]), services).reply
    }

    static let signOut = Operation.open(
        "signOut", "Ends the session of a refresh token; its access tokens end with it.",
        inputs: [refreshToken], responses: [.success],
        refusals: [.invalidRefreshToken], faults: [.notFound]
    ) { services, call in
        let signIn = try services.signIn()
        let session = try signIn.signOut(call[refreshToken])
        services.readCache?.drop(.session(session))
        services.signInLog.add(
            .signOut, by: nil, of: .session(session), from: .init(of: call.request))
        return .of(Shapes.success, ())
    }

    private static let path = Input<ReturnPath>.required(
        "path", .pagePath, "The page to open, such as `/family`.")
    private static let back = Input<String?>.optional(
        "return", .anyText,
        "Where a button of the pages leads back to: an address with the app's scheme "
            + "(`HEARTH_APP_SCHEME`), or another page.")

    static let pageTicket = Operation(
        "createPageTicket",
        "Returns an address that opens a page in a browser and signs the caller in there. It works "
            + "once, within a minute.",
        inputs: [path, back], responses: [.ok(Shapes.pageTicket)],
        refusals: .byAccount + [.sessionRequired], faults: [.notFound]
    ) { services, call in
        let tickets = try services.pageTickets()
        let (path, text) = (try call[path], try call[back])
        let back = ReturnAddress(text, scheme: services.site.app.scheme)
        if text != nil, back == nil {
            throw Problem.invalidField("return", "a page of this site, or an address of the app")
        }
        let ticket = try tickets.create(.init(path, back: back), by: call.context)
        return .of(Shapes.pageTicket, services.site.pageLink(ticket: ticket))
    }

    static let list = Operation.read(
        "listSessions", "Lists the sessions of the caller's account, the most recently used first.",
        responses: [.ok(Shapes.sessions)], refusals: .byAccount
    ) { call in
        try SessionService.list(by: call.context).map { .of(Shapes.sessions, $0) }
    }

    private static let session = Input<SessionID>.path(
        "id", .id(), absent: Problem(.sessionNotFound), "A session's id.")

    static let end = Operation(
        "endSession", "Ends a session of the caller's account.",
        inputs: [session], responses: [.success],
        refusals: .byAccount + [.sessionNotFound]
    ) { services, call in
        let session = try call[session]
        try services.sessions.end(session, by: call.context)
        services.readCache?.drop(.session(session))
        services.recordSignOut(by: call.context, call.request)
        return .of(Shapes.success, ())
    }

    static let endOthers = Operation(
        "endOtherSessions", "Ends all sessions of the caller's account except the current one.",
        responses: [.success], refusals: .byAccount
    ) { services, call in
        try services.sessions.endOthers(by: call.context)
        services.dropCachedReads(of: call.context)
        services.recordSignOut(by: call.context, call.request)
        return .of(Shapes.success, ())
    }
}
