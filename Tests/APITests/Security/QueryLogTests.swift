import Configuration
import HTTPServer
import Testing

@testable import API

@Suite("Values of queries in the log")
struct QueryLogTests {
    private static let endpoints = Routes.table + PageRoutes.table

    /// Names of the parameters that routes take in a query. OpenID Connect names those of a
    /// provider's response, which the route does not declare.
    private static let names: Set<String> = {
        let inputs = Self.endpoints.flatMap { $0.operation.inputs.map(\.declaration) }
        let declared = inputs.filter { $0.location == .query }.map(\.name)
        return Set(declared).union(["state", "code", "error", "iss", "user"])
    }()

    /// Parameters whose values grant something to their holder.
    private static let secrets: Set = ["code", "key", "state", "ticket", "token"]

    /// Parameters with ids, choices and positions, and with addresses, which have a form of their
    /// own.
    private static let others: Set = [
        "all", "cursor", "email", "eraseManaged", "error", "family", "familyId", "id", "invitation",
        "iss", "issuer", "limit", "member", "member_id", "person", "reassignManagedTo", "return",
        "rotateCode", "status", "subject", "transferAdminTo", "user", "wait",
    ]

    /// A value that redaction can't recognise by its form.
    private static let value = "marigold"

    @Test("every query parameter of a route is listed either as a secret or as harmless")
    func listed() {
        #expect(Self.secrets.isDisjoint(with: Self.others))
        #expect(Self.names == Self.secrets.union(Self.others))
    }

    @Test("an address in an error text loses the value of each secret parameter")
    func redacted() {
        for name in Self.secrets {
            let text = "GET /page?\(name)=\(Self.value)&id=1 failed"
            #expect(Redaction.clean(text) == "GET /page?[secret]&id=1 failed", "\(name)")
        }
    }

    @Test("no value of a path or a query is logged, whichever route it is sent to")
    func logged() throws {
        let site = try Site()
        let query = Self.names.sorted().map { "\($0)=\(Self.value)" }.joined(separator: "&")
        for endpoint in Self.endpoints {
            let segments = "\(endpoint.pattern)".split(
                separator: "/", omittingEmptySubsequences: false
            ).map { $0.hasPrefix(":") ? Self.value : String($0) }
            let answer = try site.raw(
                """
                \(endpoint.method.name) \(segments.joined(separator: "/"))?\(query) HTTP/1.1\r
                Host: family.test\r
                Connection: close\r
                Accept: text/html, */*\r
                Content-Length: 0\r
                \r

                """)
            #expect(answer.hasPrefix("HTTP/1.1 "), "\(endpoint.pattern)")
        }
        site.services.log.flush()
        let log = site.lines.text
        for endpoint in Self.endpoints {
            #expect(log.contains(#""route":"\#(endpoint.pattern)""#), "\(endpoint.pattern)")
        }
        #expect(!log.contains(Self.value))
    }
}
