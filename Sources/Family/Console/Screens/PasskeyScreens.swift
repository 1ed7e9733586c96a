import Basics
import Domain
import HTTPServer
import JSON
import Repositories
import UseCases

/// The operator's own passkeys.
enum PasskeyScreens {
    static let routes: [ConsoleRoute] = [
        .page("/passkeys") { visit in try list(visit) },
        .form("/passkeys", add),
        .form("/passkeys/:id/remove", remove),
    ]

    private static func list(
        _ visit: ConsoleVisit, problem: String? = nil, code: String? = nil, status: Int = 200
    ) throws -> Response {
        guard let token = visit.token else { return visit.redirectToSignIn() }
        let current = try visit.signedIn()
        let known = try visit.services.signIn.passkeys(of: token)
        let parts = ConsoleParts(visit)
        let rows = known.map { passkey in
            [
                HTML("\(passkey.label ?? "Passkey")"), ConsoleParts.time(passkey.createdAt),
                ConsoleParts.time(passkey.lastUsedAt),
                parts.form(
                    to: "/passkeys/\(passkey.id)/remove",
                    "<button type=\"submit\" class=\"danger\">Remove</button>"),
            ]
        }
        let welcome: HTML =
            visit.parameter("new") == nil || !known.isEmpty
            ? "" : "<p>You are signed in. Add a passkey now, so that you need no link again.</p>\n"
        return visit.reply(
            "Passkeys",
            """
            <h1>Your passkeys</h1>
            \(SignInScreens.alert(problem))\(welcome)\
            \(ConsoleParts.table(
                "Passkeys", ["Name", "Added", "Last used", ""], rows,
                empty: "You have no passkey for this console."))
            \(try adding(visit, current, known))
            """, status: status)
    }

    private static func adding(
        _ visit: ConsoleVisit, _ current: ConsoleOperator, _ known: [ConsolePasskey]
    ) throws -> HTML {
        guard current.isProofFresh else {
            return """
                <p>To add a passkey, first \
                <a href="/confirm?return=%2Fpasskeys">confirm that it is you</a>.</p>

                """
        }
        let signIn = visit.services.signIn
        let challenge = try signIn.registration(of: current.account, now: visit.services.now())
        let options = ConsolePasskeyOptions.registration(
            challenge, current, known: known, signIn.relyingParty)
        let form = ConsoleParts(visit).form(
            to: "/passkeys", hidden: [("credential", "")],
            """
            <div class="field"><label for="label">Name of the passkey</label>
            <input id="label" name="label" maxlength="80" autocomplete="off"></div>
            \(SignInScreens.passkeyButton("Add a passkey"))
            """, style: "question",
            attributes: " data-passkey=\"create\" data-options=\"\(options)\" hidden")
        return """
            <h2>Add a passkey</h2>
            \(form)<noscript><p>Adding a passkey needs JavaScript.</p></noscript>

            """
    }

    private static func add(_ visit: ConsoleVisit) throws -> Response {
        guard let token = visit.token else { return visit.redirectToSignIn() }
        do {
            try visit.services.signIn.add(
                SignInScreens.credential(of: visit),
                label: visit.field("label").flatMap { Label($0) } ?? visit.browser,
                to: visit.signedIn().account, token, now: visit.services.now())
            return ConsoleReply.redirect(to: "/passkeys")
        } catch let refusal as Refusal {
            return try list(visit, problem: SignInScreens.sentence(refusal), status: 403)
        } catch let refusal as OperatorRefusal where !refusal.isBarred {
            visit.record(refusal)
            return try list(visit, problem: refusal.sentence, status: 409)
        }
    }

    private static func remove(_ visit: ConsoleVisit) throws -> Response {
        guard let token = visit.token else { return visit.redirectToSignIn() }
        guard try visit.services.signIn.remove(visit.id(Passkey.self), token) else {
            throw ConsoleAbsence(sentence: "You have no such passkey.")
        }
        return ConsoleReply.redirect(to: "/passkeys")
    }
}
