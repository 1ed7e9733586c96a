import Basics
import Crypto
import Domain
import HTTPServer
import Identity
import JSON
import Repositories
import UseCases

/// Signing in with a provider of the issuers file: the link that begins it, and the callback to
/// which the provider's page leads.
///
/// The session is started by the same use case as that of `POST /api/auth/exchange`.
enum ProviderSignIn {
    // MARK: The beginning

    /// Begins a sign-in, and redirects to the provider. Changes nothing but the browser's cookies.
    static func start(_ visit: PageVisit) throws -> Reply {
        _ = try visit.services.signInSetup(by: .exchange)
        let client = try client(visit)
        // Another site must not begin a sign-in: it could have signed the browser in at the
        // provider with the attacker's account.
        switch visit.request.headers.single("Sec-Fetch-Site") {
        case .absent, .once("same-origin"), .once("none"): break
        case .once, .repeated: return visit.redirect(to: signIn(visit.returnPath()))
        }
        let isAdding = visit.parameter("add") != nil
        var session: SessionID?
        if isAdding {
            session = try visit.signedIn().caller.session?.id
            guard visit.isSignInFresh else { return visit.redirect(to: "account#ways") }
        } else if visit.session != nil {
            return visit.redirect(to: (visit.returnPath() ?? .account).relative)
        }
        let path = isAdding ? ReturnPath.account : visit.returnPath()
        guard let metadata = client.metadata.current else {
            return try failure(.away, visit, client, path, isAdding: isAdding)
        }
        let pending = try PendingProviderSignIn(
            with: client, returningTo: path, addingTo: session, now: visit.services.seconds)
        let headers = try PendingProviderSignIn.makeRoom(visit) + [pending.header(visit)]
        let target = client.address(of: pending.request(visit.site, to: client), metadata)
        return Reply(
            status: 303, mediaType: "text/plain", body: [],
            headers: PageHeaders.all.filter { $0.name == "Referrer-Policy" }
                + [("Location", target)] + headers)
    }

    /// Returns the provider that the request's path names.
    private static func client(_ visit: PageVisit) throws -> ProviderClient {
        guard let name = visit.request.segments.last,
            let client = visit.services.providers.first(where: { $0.name == name })
        else { throw Problem.routeNotFound }
        return client
    }

    /// Returns the path to which a provider's page leads back.
    static func callback(of client: ProviderClient) -> String {
        "sign-in/callback/" + FormEncoding.encoded(client.name)
    }

    /// Returns the path of the page with all ways to sign in.
    static func signIn(_ path: ReturnPath?) -> String {
        "sign-in" + (path.map { "?return=" + $0.asParameter } ?? "")
    }

    // MARK: The end

    /// Finishes a sign-in whose response is in the address, or came as a form before.
    static func receive(_ visit: PageVisit) throws -> Reply {
        _ = try visit.services.signInSetup(by: .exchange)
        let client = try client(visit)
        guard let response = ProviderResponse(visit.request.query),
            let pending = try PendingProviderSignIn.find(response.state, visit)
        else { return try unknown(visit, client) }
        let finish = Finish(visit: visit, pending: pending, client: client)
        do {
            guard pending.issuer == client.issuer else { throw ProviderFailure.mismatched }
            if let posted = pending.posted {
                return try finish.finish(posted.code, name: posted.name)
            }
            // For a provider that sends forms, a response in an address is not genuine.
            guard !client.usesFormPost else { throw ProviderFailure.mismatched }
            return try finish.finish(finish.code(of: response), name: nil)
        } catch let failure as ProviderFailure {
            return try finish.reply(failure)
        }
    }

    /// Stores the response that a provider's page has sent as a form, and returns a page that leads
    /// to `receive`: only a request of the site itself has the cookie of the browser's session.
    static func receiveForm(_ visit: PageVisit) throws -> Reply {
        _ = try visit.services.signInSetup(by: .exchange)
        let client = try client(visit)
        guard visit.isForm, let form = FormBody(parsing: visit.request.body),
            let response = ProviderResponse(form),
            var pending = try PendingProviderSignIn.find(response.state, visit)
        else { return try unknown(visit, client) }
        let finish = Finish(visit: visit, pending: pending, client: client)
        do throws(ProviderFailure) {
            guard client.usesFormPost, pending.issuer == client.issuer else { throw .mismatched }
            pending.posted = .init(code: try finish.code(of: response), name: response.name)
        } catch {
            return try finish.reply(error)
        }
        var reply = try ProviderViews(visit).finishing(pending.state, with: client)
        reply.headers.append(try pending.header(visit))
        return reply
    }

    /// Returns the page for a response that belongs to no sign-in of this browser. A person who is
    /// signed in has probably used the browser's Back button. Some providers report errors without
    /// `state`.
    private static func unknown(_ visit: PageVisit, _ client: ProviderClient) throws -> Reply {
        if let error = visit.parameter("error"), visit.request.query.values("state").isEmpty {
            return try failure(
                ProviderResponse.failure(error), visit, client, nil, isAdding: false)
        }
        if visit.session != nil { return visit.redirect(to: ReturnPath.account.relative) }
        return try failure(.expired, visit, client, nil, isAdding: false)
    }

    static func failure(
        _ failure: ProviderFailure, _ visit: PageVisit, _ client: ProviderClient?,
        _ path: ReturnPath?, isAdding: Bool
    ) throws -> Reply {
        visit.services.signInMeters.note(failure)
        return try ProviderViews(visit).failure(failure, client, path, isAdding: isAdding)
    }

    // MARK: A further sign-in of an account

    /// Adds the sign-in that the person has confirmed to the account.
    static func add(_ visit: PageVisit, _ form: FormBody, _ context: RequestContext) throws {
        let setup = try visit.services.signInSetup(by: .exchange)
        guard let sealed = Base64URL.decode(form.value("sign_in") ?? ""),
            let session = context.caller.session?.id,
            let token = try ConfirmedToken.open(sealed, of: session, setup.keys)
        else { throw Problem(Refusal(.challengeExpired)) }
        do {
            let verified = try Authentication.foreign(
                token, visit.services.verifier, now: visit.services.seconds)
            _ = try visit.services.identities.add(Caller(verified, actingAs: nil), by: context)
        } catch let problem as Problem where problem.code == .fault(.invalidToken) {
            // The provider's token has expired; the browser's session is not concerned.
            throw Problem(Refusal(.challengeExpired))
        } catch let refusal as Refusal where refusal.code == .accountRequired {
            // The provider's account was erased here after its token was issued.
            throw Problem(Refusal(.challengeExpired))
        }
        visit.services.signInMeters.noteProviderSignIn(isAdded: true)
    }
}

/// The last step of a sign-in.
private struct Finish {
    let visit: PageVisit
    let pending: PendingProviderSignIn
    let client: ProviderClient

    private var services: Services { visit.services }

    /// Returns the response's code, if the response can be the provider's.
    func code(of response: ProviderResponse) throws(ProviderFailure) -> String {
        guard response.mayBe(of: client, client.metadata.current) else { throw .mismatched }
        if let failure = response.failure { throw failure }
        guard let code = response.code else { throw .mismatched }
        return code
    }

    /// Exchanges the code, verifies the person's token, and starts a session; or asks whether to
    /// add the sign-in to the account of the browser's session.
    ///
    /// - Throws: ``ProviderFailure``; the refusals of the exchange.
    func finish(_ code: String, name: PersonName?) throws -> Reply {
        if let session = pending.session {
            if visit.session?.id != session { throw ProviderFailure.otherSession }
        } else if visit.session != nil {
            // The person has signed in in another tab meanwhile; that session is not replaced.
            return visit.redirect(
                to: (pending.returnPath ?? .account).relative, cookie: pending.removal(visit))
        }
        let tokens = try tokens(of: code)
        let verified = try verified(tokens)
        var reply: Reply
        if let session = pending.session {
            let sealed = try ConfirmedToken.seal(
                tokens.idToken, of: session, services.signInSetup().keys)
            reply = try ProviderViews(visit).question(client, verified.email, sealed)
        } else {
            let grant = client.hasTeam ? tokens.refreshToken : nil
            let signIn = try services.signIn(by: .exchange)
            let signedIn = try services.recordingSignIn(
                by: .exchange, of: nil, visit.request
            ) {
                try signIn.exchange(
                    by: RequestContext(Caller(verified, actingAs: nil).named(name)),
                    device: visit.device,
                    grant: grant.map {
                        ProviderTokenGrant(client: client.clientID, refreshToken: $0)
                    },
                    language: visit.wantedLanguage)
            }
            services.signInMeters.noteProviderSignIn(isAdded: false)
            reply = try visit.enter(signedIn, pending.returnPath)
        }
        reply.headers.append(pending.removal(visit))
        return reply
    }

    /// Exchanges the code. The thread waits for the provider for a few seconds at most, and only
    /// some of the threads may wait simultaneously.
    private func tokens(of code: String) throws -> ProviderClient.Tokens {
        guard let metadata = client.metadata.current else { throw ProviderFailure.away }
        let outcome = try services.providerSlots.withSlot(for: visit.client) {
            try client.exchange(
                code: code, of: pending.request(visit.site, to: client), metadata,
                now: services.seconds)
        }
        switch outcome {
        case nil: throw ProviderFailure.busy
        case .granted(let tokens)?: return tokens
        case .refused?: throw ProviderFailure.expired
        case .misconfigured(let error)?:
            services.log.error(
                "an identity provider refused the client that the issuers file names",
                [.error(ProviderUnavailable("\(client.issuer): \(error)"))])
            throw ProviderFailure.misconfigured
        case .unavailable(let reason)?:
            services.log.warning(
                "the identity provider did not exchange an authorization code",
                [.error(ProviderUnavailable(reason))])
            throw ProviderFailure.away
        }
    }

    private func verified(_ tokens: ProviderClient.Tokens) throws -> VerifiedToken {
        do throws(TokenRefusal) {
            return try services.verifier.verifyIDToken(
                tokens.idToken, of: client, nonce: pending.nonce,
                accessToken: tokens.accessToken, now: services.seconds)
        } catch {
            services.log.warning("a provider's ID token was refused", [.error(error)])
            switch error {
            case .keysUnavailable, .keysPending, .keysAwaited: throw ProviderFailure.away
            case .unavailable: throw Problem.internalFault
            default: throw ProviderFailure.mismatched
            }
        }
    }

    /// Returns the page for a failure. A sign-in that can't be finished any more is removed from
    /// the browser.
    func reply(_ failure: ProviderFailure) throws -> Reply {
        var reply = try ProviderSignIn.failure(
            failure, visit, client, pending.returnPath, isAdding: pending.session != nil)
        if failure != .busy { reply.headers.append(pending.removal(visit)) }
        return reply
    }
}

/// A verified token, sealed in the browser until the person confirms that its sign-in is added to
/// the account.
private enum ConfirmedToken {
    static func seal(
        _ token: String, of session: SessionID, _ keys: SignInKeys
    ) throws(CryptoError) -> String {
        let sealed = try keys.providerSignIns[0].seal(Array(token.utf8), for: context(session))
        return Base64URL.text(sealed)
    }

    /// Returns the token; nil if it was not sealed for the session.
    static func open(
        _ sealed: [UInt8], of session: SessionID, _ keys: SignInKeys
    ) throws(CryptoError) -> String? {
        for key in keys.providerSignIns {
            if let token = try key.open(sealed, for: context(session)) {
                return String(decoding: token, as: UTF8.self)
            }
        }
        return nil
    }

    private static func context(_ session: SessionID) -> [UInt8] {
        Array("further sign-in of \(session)".utf8)
    }
}
