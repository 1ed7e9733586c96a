import HTTPServer
import TestSupport
import Testing

@testable import API

@Suite("Listener scopes") struct ListenerScopeTests {
    private func status(_ path: String, at scope: ListenerScope, of site: Site) throws -> Int {
        let request = try #require(Request(.get, path))
        return site.handler.at(scope).respond(to: request).status
    }

    @Test("operator routes are served at their own address, and clients get 404")
    func separate() throws {
        let site = try Site()
        // The first check takes longest, and may take two seconds.
        try eventually { try status("/readyz", at: .operators, of: site) == 200 }
        for (path, clients, operators) in [
            ("/metrics", 404, 200), ("/readyz", 404, 200), ("/healthz", 200, 200),
            ("/api/family/members", 401, 404), ("/nowhere", 404, 404), ("/%6Detrics", 404, 200),
        ] {
            #expect(try status(path, at: .clients, of: site) == clients, "\(path) for clients")
            #expect(try status(path, at: .operators, of: site) == operators, "\(path)")
            let whole = [clients, operators].first { $0 != 404 } ?? 404
            #expect(try status(path, at: .whole, of: site) == whole)
        }
    }

    @Test("every route for operators is hidden from clients, whatever the length of its path")
    func hidden() throws {
        let site = try Site()
        let routes = Routes.table.filter { $0.access == .operators }
        #expect(!routes.isEmpty)
        for route in routes {
            #expect(try status("\(route.pattern)", at: .clients, of: site) == 404)
        }
        let long = Endpoint(
            .get, "/operators/state",
            .open("readState", "Nothing.", responses: []) { _, _ in throw Problem.routeNotFound },
            .operators)
        let paths = ListenerScope.paths(of: [.operators], in: Routes.table + [long])
        #expect(paths.count == routes.count + 1)
        #expect(paths.contains(["operators", "state"]))
        let request = try #require(Request(.get, "/operators/%73tate?a=b"))
        #expect(paths.contains(request.segments))
    }

    @Test("during shutdown, readiness answers 503 and health 200")
    func draining() throws {
        let site = try Site()
        site.services.beginDraining()
        #expect(try status("/readyz", at: .operators, of: site) == 503)
        #expect(try status("/healthz", at: .operators, of: site) == 200)
    }

    @Test("wrong codes are counted for the client's address behind a proxy, not for the proxy's")
    func clientsBehindProxy() throws {
        let site = try Site()
        let handler = site.handler
        let proxy = try #require(PeerAddress(parsing: "10.0.0.1"))
        func attempt(from client: String) throws -> Int {
            let token = try site.token(.parent)
            let address: PeerAddress = try #require(PeerAddress(parsing: client))
            let request = Request(
                .post, "/api/family/code/join",
                headers: Headers([
                    .init(name: "Authorization", value: "Bearer \(token)"),
                    .init(name: "Content-Type", value: "application/json"),
                ]), body: Array(#"{"familyCode": "FAM-ZZZZZZ"}"#.utf8), peer: proxy,
                client: address)
            return handler.respond(to: try #require(request)).status
        }
        for _ in 0..<20 { #expect(try attempt(from: "192.0.2.1") == 404) }
        #expect(try attempt(from: "192.0.2.1") == 429)
        #expect(try attempt(from: "198.51.100.2") == 404)
    }
}
