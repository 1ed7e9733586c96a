import HTTPServer
import Policy
import TestSupport
import Testing

@testable import Console

@Suite("Pages and forms of the console without a session")
struct ConsoleNobodyTests {
    /// Routes by which operators sign in, who have no session yet.
    private static let publicRoutes: Set = [
        "GET /sign-in", "POST /sign-in", "GET /link", "POST /link", "POST /sign-in/proxy",
        "GET /sign-in/code", "POST /sign-in/code", "POST /sign-in/code/check",
    ]

    /// Values of the parameters in patterns.
    private static let values = [
        ":id": ConsoleSite.ann, ":number": "1", ":name": "mail", ":operation": "block",
        ":language": "en", ":kind": "invitation",
    ]

    private static func name(_ route: ConsoleRoute) -> String {
        "\(route.method.name) \(route.pattern)"
    }

    /// Returns a path that a route's pattern matches.
    private static func path(_ route: ConsoleRoute) -> String {
        "/"
            + route.pattern.split(separator: "/").map { values[String($0)] ?? String($0) }
            .joined(separator: "/")
    }

    @Test("each route needs a session, except those by which operators sign in")
    func routes() {
        let open = ConsoleRoute.all.filter { $0.action == nil }.map(Self.name)
        #expect(Set(open) == Self.publicRoutes)
    }

    @Test("a request without a session is led to sign-in by each other route, and gets no content")
    func requests() throws {
        let site = try ConsoleSite()
        let browser = ConsoleBrowser(site)
        let routes = ConsoleRoute.all.filter { !Self.publicRoutes.contains(Self.name($0)) }
        try #require(routes.count == ConsoleRoute.all.count - Self.publicRoutes.count)
        for route in routes {
            let path = Self.path(route)
            #expect(!path.contains(":"), "\(path)")
            let isPage = route.method == .get
            let answer = try isPage ? browser.open(path) : browser.post(path, [:])
            let signIn =
                isPage && path != "/" ? "/sign-in?return=\(URLText.encoded(path))" : "/sign-in"
            #expect(answer.status == 303, "\(Self.name(route)): \(answer)")
            #expect(answer.location == signIn, "\(Self.name(route))")
            #expect(answer.text == "", "\(Self.name(route))")
            #expect(answer.header("Set-Cookie") == nil, "\(Self.name(route))")
        }
        #expect(try site.audit() == [])
    }
}
