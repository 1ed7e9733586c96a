import Basics
import Domain
import HTTPServer
import Repositories
import UseCases

/// Signing in by the name that a trusted proxy sends.
enum ProxyScreens {
    static let routes: [ConsoleRoute] = [
        ConsoleRoute(method: .post, pattern: "/sign-in/proxy", action: nil) { visit in
            if visit.operator?.isProxied == true {
                return ConsoleReply.redirect(to: visit.returnPath)
            }
            return try answer(visit, signIn) ?? ConsoleReply.redirect(to: "/sign-in")
        }
    ]

    /// Parameter of the sign-in page that an operator sees after signing out.
    private static let signedOutParameter = "signed-out"
    /// Parameter of the sign-in page to which signing in leads. If the page is opened without a
    /// session, the browser has not stored the cookie, and another sign-in would not help.
    private static let enteredParameter = "entered"

    /// Returns the response to a request for the sign-in page in which the proxy names an operator;
    /// nil if it names nobody.
    ///
    /// Only a navigation signs in at once, because other sites can make a browser load the address
    /// as an image or a frame, and programs can load it often. Others get a button.
    static func enter(_ visit: ConsoleVisit) throws -> Response? {
        try answer(visit) { visit, proxied in
            if visit.parameter(signedOutParameter) != nil { return signedOut(visit) }
            if visit.parameter(enteredParameter) != nil { return lostCookie(visit) }
            return try isNavigation(visit.request)
                ? signIn(visit, proxied) : question(visit, proxied)
        }
    }

    /// Returns the response of `body` to a request in which the proxy names an operator; nil if it
    /// names nobody.
    private static func answer(
        _ visit: ConsoleVisit, _ body: (ConsoleVisit, ProxiedOperator) throws -> Response
    ) throws -> Response? {
        switch visit.proxied {
        case .nobody: nil
        case .refused(let sentence): try SignInScreens.signIn(visit, problem: sentence)
        case .named(let proxied): try body(visit, proxied)
        }
    }

    private static func isNavigation(_ request: Request) -> Bool {
        guard case .once("navigate") = request.headers.single("Sec-Fetch-Mode"),
            case .once("document") = request.headers.single("Sec-Fetch-Dest")
        else { return false }
        return true
    }

    private static func signIn(
        _ visit: ConsoleVisit, _ proxied: ProxiedOperator
    ) throws -> Response {
        do {
            let token = try visit.services.signIn.signIn(
                proxied, browser: visit.browser, from: visit.client)
            if let token {
                let path = visit.returnPath
                return ConsoleReply.redirect(
                    to: URLText.address(
                        "/sign-in",
                        [(enteredParameter, "1"), ("return", path == "/" ? nil : path)]),
                    cookie: visit.cookie(token))
            }
            return try SignInScreens.signIn(
                visit,
                problem: "Your single sign-on names \(proxied.email), which is not the address of "
                    + "an operator of this service, or whose account is blocked.")
        } catch let refusal as Refusal {
            return try SignInScreens.signIn(visit, problem: SignInScreens.sentence(refusal))
        } catch let refusal as OperatorRefusal {
            visit.record(refusal)
            return try SignInScreens.signIn(visit, problem: refusal.sentence)
        }
    }

    /// The page to which signing out leads. The sign-in page would sign in again at once.
    static func pathAfterSignOut(_ visit: ConsoleVisit) -> String {
        visit.proxied == .nobody ? "/sign-in" : "/sign-in?\(signedOutParameter)=1"
    }

    // MARK: Pages

    private static func button(_ visit: ConsoleVisit, _ label: HTML) -> HTML {
        ConsoleParts(visit).form(
            to: "/sign-in/proxy", hidden: [("return", visit.returnPath)],
            "<button type=\"submit\">\(label)</button>")
    }

    private static func question(_ visit: ConsoleVisit, _ proxied: ProxiedOperator) -> Response {
        visit.reply(
            "Sign in",
            """
            <h1>Hearth console</h1>
            <p>Your single sign-on names \(proxied.email.text).</p>
            \(button(visit, "Sign in"))
            """)
    }

    private static func lostCookie(_ visit: ConsoleVisit) -> Response {
        visit.reply(
            "Not signed in",
            """
            <h1>Your browser has not kept the cookie</h1>
            <p class="alert" role="alert">The console has signed you in, but the browser has not \
            sent its cookie back. Open the console at \(visit.services.site.baseURL), allow \
            cookies for this address, and let the proxy pass on Set-Cookie and Cookie.</p>
            \(button(visit, "Sign in again"))
            """, status: 403)
    }

    private static func signedOut(_ visit: ConsoleVisit) -> Response {
        visit.reply(
            "Signed out",
            """
            <h1>You are signed out of the console</h1>
            <p>Your single sign-on still knows you: sign out there too.</p>
            <p><a class="button" href="/sign-in">Sign in again</a></p>
            """)
    }

    /// Returns the page about what needs a fresh sign-in that the proxy has not stated.
    static func staleProof(_ visit: ConsoleVisit) throws -> Response {
        try visit.refused(
            "This needs a sign-in of the last ten minutes, and your single sign-on has stated none "
                + "(header \(ConsoleProxy.timeHeader)). Sign out there, sign in again, and repeat "
                + "this.", status: 403)
    }
}
