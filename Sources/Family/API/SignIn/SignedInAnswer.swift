import Domain
import Identity
import JSON
import UseCases

/// The response to a successful sign-in, with the names of RFC 6749.
struct SignedInAnswer: Sendable {
    let signedIn: SignedIn
    let accessToken: String

    /// Signs the access token. The JSON routes and the pages both use this.
    init(_ signedIn: SignedIn, _ services: Services) throws {
        let now = Int64(services.clock.now() / 1_000)
        var draft = AccessTokens.Draft(
            subject: signedIn.user.description, session: signedIn.session.description,
            signedInAt: signedIn.startedAt.seconds, methods: [signedIn.method.reference])
        draft.lifetimeSeconds = AccessTokens.lifetimeSeconds
        self.signedIn = signedIn
        accessToken = try services.signInSetup().tokens.token(draft, now: now)
    }

    var reply: Reply { .of(Shapes.signedIn, self) }
}

extension Shapes {
    static let signedIn = Shape<SignedInAnswer>(
        "SignedIn",
        [
            .text("access_token", as: described("Send it as a bearer token.")) { $0.accessToken },
            .always("token_type", "Bearer"),
            .count("expires_in") { _ in Int(AccessTokens.lifetimeSeconds) },
            .text(
                "refresh_token",
                as: described(
                    "An opaque token. Each use replaces it with a new one.")
            ) {
                $0.signedIn.refreshToken
            },
            .count("refresh_expires_in") { $0.signedIn.refreshSeconds },
            .object("session", session) { $0.signedIn },
            .object("user", profile) { $0.signedIn.profile },
            .flag("isNew") { $0.signedIn.isNew },
        ])

    private static let session = Shape<SignedIn>(
        "Session",
        [.id("id", \.session), .time("startedAt", \.startedAt), .word("method", \.method)])

    static let sessions = Shape<[SessionService.Entry]>(
        "Sessions", [.list("sessions", listedSession) { $0 }])

    private static let listedSession = Shape<SessionService.Entry>(
        "ListedSession",
        [
            .id("id", \.session.id), .word("method", \.session.method),
            .textOrNull("issuer", \.session.issuer), .textOrNull("device", \.session.device),
            .time("startedAt", \.session.startedAt),
            .time("lastUsedAt", \.session.lastUsedAt), .time("endsAt", \.session.endsAt),
            .idOrNull("openedBy", \.session.openedBy), .flag("isCurrent", \.isCurrent),
        ])

    static let pageTicket = Shape<String>(
        "PageTicket",
        [
            .text("url", as: described("Open it in a browser or a web view.")) { $0 },
            .count("expiresIn") { _ in PageTicketService.lifetimeSeconds },
        ])

    private static func described(_ help: String) -> Schema { Schema.string.described(help) }
}
