import Basics
import Credentials
import Crypto
import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

/// Sign-in with a passkey or a one-time link, re-authentication, and sign-out.
/// ``ProxyScreens`` and ``CodeScreens`` have the other ways to sign in.
enum SignInScreens {
    static let routes: [ConsoleRoute] = [
        ConsoleRoute(method: .get, pattern: "/sign-in", action: nil) { visit in
            if visit.operator != nil { return ConsoleReply.redirect(to: visit.returnPath) }
            return try ProxyScreens.enter(visit) ?? signIn(visit)
        },
        ConsoleRoute(method: .post, pattern: "/sign-in", action: nil, run: enterByPasskey),
        ConsoleRoute(method: .get, pattern: "/link", action: nil, run: showLink),
        ConsoleRoute(method: .post, pattern: "/link", action: nil, run: useLink),
        .form("/sign-out", signOut),
        .page("/confirm") { visit in try confirmation(visit) },
        .form("/confirm", confirm),
    ]

    // MARK: Passkeys

    static func signIn(_ visit: ConsoleVisit, problem: String? = nil) throws -> Response {
        let challenge = try visit.services.signIn.assertion(of: nil, now: visit.services.now())
        let parts = ConsoleParts(visit)
        let options = ConsolePasskeyOptions.assertion(challenge, visit.services.signIn.relyingParty)
        return visit.reply(
            "Sign in",
            """
            <h1>Hearth console</h1>
            \(alert(problem))<p>Operators sign in with a passkey of this console.</p>
            \(parts.form(
                to: "/sign-in",
                hidden: [("return", visit.returnPath), ("credential", "")],
                passkeyButton("Sign in with a passkey"),
                attributes: " data-passkey=\"get\" data-options=\"\(options)\" hidden"))
            <noscript><p>Passkeys need JavaScript. A one-time link does not.</p></noscript>
            \(CodeScreens.request(visit))\
            <p class="hint">No passkey yet, or lost it? An admin of the service can make a \
            one-time link: <code>hearth-admin operator passkey ADDRESS</code></p>

            """, status: problem == nil ? 200 : 403)
    }

    private static func enterByPasskey(_ visit: ConsoleVisit) throws -> Response {
        do {
            let token = try visit.services.signIn.signIn(
                credential(of: visit), browser: visit.browser, from: visit.client,
                now: visit.services.now())
            return ConsoleReply.redirect(to: visit.returnPath, cookie: visit.cookie(token))
        } catch let refusal as Refusal {
            return try signIn(visit, problem: sentence(refusal))
        } catch let refusal as OperatorRefusal {
            visit.record(refusal)
            return try signIn(visit, problem: refusal.sentence)
        }
    }

    // MARK: One-time links

    /// Shows the link's page. Changes nothing, because programs that check links open them too.
    private static func showLink(_ visit: ConsoleVisit) throws -> Response {
        guard let token = visit.parameter("token").flatMap({ ConsoleToken($0) }),
            let owner = try visit.services.signIn.owner(ofLink: token)
        else { return expiredLink(visit) }
        let parts = ConsoleParts(visit)
        return visit.reply(
            "Sign in",
            """
            <h1>Hearth console</h1>
            <p>This link signs in \(owner.isEmpty ? "an operator" : owner), once.</p>
            \(parts.form(
                to: "/link", hidden: [("token", token.text)],
                "<button type=\"submit\">Sign in</button>"))
            """)
    }

    private static func useLink(_ visit: ConsoleVisit) throws -> Response {
        guard let link = visit.field("token").flatMap({ ConsoleToken($0) }),
            let token = try visit.services.signIn.useLink(link, browser: visit.browser)
        else { return expiredLink(visit) }
        return ConsoleReply.redirect(to: "/passkeys?new=1", cookie: visit.cookie(token))
    }

    private static func expiredLink(_ visit: ConsoleVisit) -> Response {
        visit.reply(
            "Link expired",
            """
            <h1>This link no longer works</h1>
            <p>A link works once, and not for long. An admin of the service can make another one: \
            <code>hearth-admin operator passkey ADDRESS</code></p>
            <p><a href="/sign-in">Sign in with a passkey</a></p>
            """, status: 410)
    }

    // MARK: The session

    private static func signOut(_ visit: ConsoleVisit) throws -> Response {
        if let token = visit.token { try visit.services.signIn.end(token) }
        return ConsoleReply.redirect(
            to: ProxyScreens.pathAfterSignOut(visit), cookie: visit.cookie(nil))
    }

    private static func confirmation(
        _ visit: ConsoleVisit, problem: String? = nil
    ) throws -> Response {
        let current = try visit.signedIn()
        if current.isProxied { return try ProxyScreens.staleProof(visit) }
        guard current.passkeyCount > 0 else {
            guard current.isProofFresh else {
                return try visit.refused(
                    "This needs a passkey, and you have none for this console. An admin of the "
                        + "service can make a one-time link, which lets you add one: "
                        + "hearth-admin operator passkey ADDRESS", status: 403)
            }
            return visit.reply(
                "Confirm",
                """
                <h1>Add a passkey first</h1>
                <p>This needs a passkey, and you have none for this console.</p>
                <p><a class="button" href="/passkeys">Passkeys</a> \(back(visit))</p>
                """, status: 403)
        }
        let challenge = try visit.services.signIn.assertion(
            of: current.account, now: visit.services.now())
        let options = ConsolePasskeyOptions.assertion(challenge, visit.services.signIn.relyingParty)
        return visit.reply(
            "Confirm",
            """
            <h1>Confirm that it is you</h1>
            \(alert(problem))<p>This needs your passkey. Once you have confirmed, you have ten \
            minutes to finish.</p>
            \(ConsoleParts(visit).form(
                to: "/confirm", hidden: [("return", visit.returnPath), ("credential", "")],
                passkeyButton("Confirm with a passkey"),
                attributes: " data-passkey=\"get\" data-options=\"\(options)\" hidden"))
            <p>\(back(visit))</p>
            """, status: problem == nil ? 200 : 403)
    }

    /// Returns the link to the page that the operator came from. Where the confirmation leads is
    /// no such page if it is an operation, which asks for the confirmation again: the address of an
    /// operation is that of its object's page with the operation's name.
    private static func back(_ visit: ConsoleVisit) -> HTML {
        let path = visit.returnPath
        let segments = path.prefix { $0 != "?" }.split(separator: "/")
        let page = segments.count > 2 ? "/" + segments.dropLast().joined(separator: "/") : path
        return "<a class=\"button plain\" href=\"\(page)\">Back</a>"
    }

    private static func confirm(_ visit: ConsoleVisit) throws -> Response {
        guard let token = visit.token else { return visit.redirectToSignIn() }
        do {
            try visit.services.signIn.prove(
                credential(of: visit), account: visit.signedIn().account, token,
                from: visit.client, now: visit.services.now())
            return ConsoleReply.redirect(to: visit.returnPath)
        } catch let refusal as Refusal {
            return try confirmation(visit, problem: sentence(refusal))
        }
    }

    // MARK: Parts

    static func alert(_ problem: String?) -> HTML {
        problem.map { "<p class=\"alert\" role=\"alert\">\($0)</p>\n" } ?? ""
    }

    static func passkeyButton(_ label: HTML) -> HTML {
        """
        <button type="submit">\(label)</button>
        <p class="alert" role="status" data-passkey-failure hidden>That did not work. Try again.</p>
        """
    }

    /// Returns the authenticator's response in a form.
    static func credential(of visit: ConsoleVisit) throws -> JSONField {
        guard let text = visit.field("credential"),
            let value = try? JSONValue(parsing: Array(text.utf8))
        else { throw Refusal(.passkeyInvalid) }
        return JSONField(value)
    }

    /// Returns the message for a refused passkey.
    static func sentence(_ refusal: Refusal) -> String {
        switch refusal.code {
        case .challengeExpired: "That took too long, or was sent before. Try again."
        case .tooManyAttempts: "Too many attempts from your network. Try again in some minutes."
        case .passkeyInvalid:
            "This passkey can't be used here. It needs a PIN, a finger or a face, and the address "
                + "in the browser must be the console's."
        default: "This passkey is not known here."
        }
    }
}

/// Options for `navigator.credentials`, in the form that the page's script reads.
enum ConsolePasskeyOptions {
    private static let milliseconds = JSONValue.integer(PasskeyChallenge.seconds * 1_000)

    static func assertion(_ challenge: PasskeyChallenge, _ party: RelyingParty) -> String {
        text([
            "challenge": .string(Base64URL.text(challenge.bytes)), "rpId": .string(party.id),
            "allowCredentials": [], "userVerification": "required", "timeout": milliseconds,
        ])
    }

    static func registration(
        _ challenge: PasskeyChallenge, _ current: ConsoleOperator, known: [ConsolePasskey],
        _ party: RelyingParty
    ) -> String {
        let name = JSONValue.string(current.email ?? current.name)
        return text([
            "challenge": .string(Base64URL.text(challenge.bytes)),
            "rp": ["id": .string(party.id), "name": "Hearth console"],
            "user": [
                "id": .string(Base64URL.text(current.account.handle)), "name": name,
                "displayName": name,
            ],
            "pubKeyCredParams": .array(
                CredentialKey.Algorithm.allCases.map {
                    ["type": "public-key", "alg": .integer(Int64($0.rawValue))]
                }),
            "excludeCredentials": .array(
                known.map {
                    [
                        "type": "public-key",
                        "id": .string(Base64URL.text($0.credentialID.bytes)),
                    ]
                }),
            "authenticatorSelection": [
                "residentKey": "required", "requireResidentKey": true,
                "userVerification": "required",
            ],
            "attestation": "none", "timeout": milliseconds,
        ])
    }

    private static func text(_ publicKey: JSONValue) -> String {
        JSONValue.object(["publicKey": publicKey]).text()
    }
}
