import HTTPServer
import Testing

private func path(_ text: String) -> [String] {
    Request(.get, text)?.segments ?? []
}

@Suite("Routing") struct RouterTests {
    let router: Router<String> = {
        var router = Router<String>()
        router.add(.get, "/", "root")
        router.add(.get, "/api/family", "list")
        router.add(.get, "/api/family/:id", "one")
        router.add(.patch, "/api/family/:id", "change")
        router.add(.get, "/api/family/members", "members")
        router.add(.delete, "/api/family/members/me", "leave")
        router.add(.delete, "/api/family/members/:memberId", "remove")
        router.add(.patch, "/api/family/members/:memberId", "set role")
        router.add(.get, "/api/family/code/:code", "preview")
        router.add(.post, "/api/family/code/join", "join")
        router.add(.get, "/api/family/:id/qr.svg", "qr")
        router.add(.post, "/a/:x/c", "parameter first")
        router.add(.post, "/a/b/:y", "literal first")
        return router
    }()

    private func find(
        _ method: Method, _ target: String
    ) -> (endpoint: String, parameters: PathParameters)? {
        guard case .found(let route, let parameters) = router.match(method, path(target)) else {
            return nil
        }
        return (route.endpoint, parameters)
    }

    private func allowed(_ method: Method, _ target: String) -> [String]? {
        guard case .methodNotAllowed(let allow) = router.match(method, path(target)) else {
            return nil
        }
        return allow.map(\.name)
    }

    @Test(
        "a path matches the route of its pattern",
        arguments: [
            ("/", "root"), ("/api/family", "list"), ("/api/family/17", "one"),
            ("/api/family/members", "members"), ("/api/family/17/qr.svg", "qr"),
            ("/api/family/code/FAM-ABC123", "preview"), ("/api/family?x=/y", "list"),
        ])
    func found(target: String, endpoint: String) {
        #expect(find(.get, target)?.endpoint == endpoint)
    }

    @Test("parameters hold their decoded segments")
    func parameters() {
        #expect(find(.get, "/api/family/a%20b%2Fc")?.parameters["id"] == "a b/c")
        #expect(find(.patch, "/api/family/members/7")?.parameters["memberId"] == "7")
        #expect(find(.patch, "/api/family/members/7")?.parameters["id"] == nil)
    }

    @Test("a literal segment wins over a parameter")
    func literalsWin() {
        #expect(find(.delete, "/api/family/members/me")?.endpoint == "leave")
        #expect(find(.delete, "/api/family/members/%6De")?.endpoint == "leave")
        #expect(find(.delete, "/api/family/members/you")?.endpoint == "remove")
        #expect(find(.post, "/a/b/c")?.endpoint == "literal first")
        #expect(find(.post, "/a/x/c")?.endpoint == "parameter first")
    }

    @Test("a literal path without a route for the method returns the methods that it has")
    func literalsDecide() {
        #expect(allowed(.patch, "/api/family/members/me") == ["DELETE"])
        #expect(allowed(.get, "/api/family/code/join") == ["POST"])
        #expect(find(.get, "/api/family/code")?.endpoint == "one")
        #expect(find(.get, "/api/family/code")?.parameters["id"] == "code")
    }

    @Test("HEAD matches the route of GET")
    func head() {
        #expect(find(.head, "/api/family")?.endpoint == "list")
        #expect(find(.head, "/api/family/members/me") == nil)
        var router = router
        router.add(.head, "/api/family", "own")
        guard case .found(let route, _) = router.match(.head, path("/api/family")) else {
            Issue.record("not found")
            return
        }
        #expect(route.endpoint == "own")
    }

    @Test(
        "an unknown path is not found",
        arguments: [
            "/api", "/api/", "/api/family/", "/api/family/17/", "/api//17", "/API/family", "/x",
            "/api/family/17/qr.png", "//", "*",
        ])
    func notFound(target: String) {
        guard case .notFound = router.match(.get, path(target)) else {
            Issue.record("\(target) was found")
            return
        }
    }

    @Test("a known path without a route for the method returns the methods that it has")
    func methodNotAllowed() {
        #expect(allowed(.post, "/api/family") == ["GET", "HEAD"])
        #expect(allowed(.post, "/api/family/17") == ["GET", "HEAD", "PATCH"])
        #expect(allowed(.post, "/api/family/members/me") == ["DELETE"])
        #expect(allowed(.delete, "/api/family/code/join") == ["POST"])
        #expect(allowed(Method("get"), "/api/family") == ["GET", "HEAD"])
        #expect(allowed(.head, "/a/b/c") == ["POST"])
    }

    @Test("routes are listed in the order in which they were added")
    func listed() {
        #expect(router.routes.count == 13)
        #expect(router.routes[2].pattern == "/api/family/:id")
        #expect(router.routes[2].method == .get)
    }
}
