import Basics
import Domain
import HTTPServer
import Repositories
import UseCases

/// Signing in by the name that a trusted proxy sends.
enum ProxyScreens {
    /// Parameter of the sign-in page that an operator sees after signing out.
    private static let signedOutParameter = "signed-out"

    /// Returns the response to a request for the sign-in page in which the proxy names an operator;
    /// nil if it names nobody.
    static func enter(_ visit: ConsoleVisit) throws -> Response? {
        let proxied: ProxiedOperator
        switch visit.proxied {
        case .nobody: return nil
        case .refused(let sentence): return try SignInScreens.signIn(visit, problem: sentence)
        case .named(let named): proxied = named
        }
        guard visit.parameter(signedOutParameter) == nil else { return signedOut(visit) }
        do {
            let token = try visit.services.signIn.signIn(
                proxied, browser: visit.browser, from: visit.client)
            if let token {
                return ConsoleReply.redirect(to: visit.returnPath, cookie: visit.cookie(token))
            }
            return try SignInScreens.signIn(
                visit,
                problem: "Your single sign-on names \(proxied.email), which is not the address of "
                    + "an operator of this service, or whose account is blocked.")
        } catch let refusal as Refusal {
            return try SignInScreens.signIn(visit, problem: SignInScreens.sentence(refusal))
        } catch let refusal as OperatorRefusal {
            return try SignInScreens.signIn(visit, problem: refusal.sentence)
        }
    }

    /// The page to which signing out leads. The sign-in page would sign in again at once.
    static func pathAfterSignOut(_ visit: ConsoleVisit) -> String {
        visit.operator?.isProxied == true ? "/sign-in?\(signedOutParameter)=1" : "/sign-in"
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
