import Foundation
import HTTPServer
import Testing

@testable import API

@Suite("Compression of public documents")
struct CodingTests {
    static let shared = Result { try Site() }
    private var site: Site { get throws { try Self.shared.get() } }

    /// Content coding of the response to a request with these Accept-Encoding headers, or `plain`;
    /// the status line if the request is refused.
    private func coding(_ accepted: [String], _ path: String = "/openapi.json") throws -> String {
        let fields = accepted.map { "Accept-Encoding: \($0)\r\n" }.joined()
        let answer = try site.raw(
            "HEAD \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(fields)\r\n")
        let lines = answer.components(separatedBy: "\r\n")
        #expect(lines.contains("Vary: Accept-Encoding"), "\(answer)")
        guard lines[0] == "HTTP/1.1 200 OK" else { return lines[0] }
        let prefix = "Content-Encoding: "
        let found = lines.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count)
        return found.map(String.init) ?? "plain"
    }

    @Test("documents and style sheets are compressed for clients that prefer gzip")
    func negotiated() throws {
        let cases: [([String], String)] = [
            ([], "plain"), ([""], "plain"), (["gzip"], "gzip"), (["x-gzip"], "gzip"),
            (["GZIP"], "gzip"), (["gzip, deflate, br"], "gzip"), (["deflate", "gzip"], "gzip"),
            (["*"], "gzip"), (["identity"], "plain"), (["br"], "plain"), (["gzip;q=0"], "plain"),
            (["gzip;q=0, *"], "plain"), (["*;q=0, gzip"], "gzip"), (["gzip;q=0.001"], "gzip"),
            (["gzip;q=0.5, identity;q=0.8"], "plain"), (["gzip ; q=1.0, identity;q=0.9"], "gzip"),
            (["identity;q=0, gzip;q=0.1"], "gzip"), (["gzip;q=2"], "plain"),
            (["gzip;q=x"], "plain"), (["identity;q=0.5, *;q=0"], "plain"),
            (["*;q=0"], "HTTP/1.1 406 Not Acceptable"),
            (["identity;q=0, br"], "HTTP/1.1 406 Not Acceptable"),
        ]
        for path in ["/openapi.json", "/client.ts", "/pages.css", "/docs", "/docs.css"] {
            for (accepted, expected) in cases {
                #expect(try coding(accepted, path) == expected, "\(path) \(accepted)")
            }
        }
    }

    @Test("a compressed response is the same document and at most a fifth of its size")
    func same() throws {
        // URLSession asks for gzip and decompresses it.
        let unpacked = try site.send("GET", "/openapi.json")
        #expect(unpacked.headers["content-encoding"] == "gzip")
        let plain = try site.send("GET", "/openapi.json", headers: ["Accept-Encoding": "identity"])
        #expect(plain.headers["content-encoding"] == nil && plain.body == unpacked.body)
        let length = try #require(unpacked.headers["content-length"].flatMap { Int($0) })
        #expect(length * 5 < plain.body.count)
    }

    @Test("personal data is never compressed")
    func secrets() throws {
        let person = try site.person(.parent)
        for path in ["/api/me", "/api/family"] {
            let answer = try person.send("GET", path, headers: ["Accept-Encoding": "gzip"])
            #expect(answer.status == 200 && answer.headers["content-encoding"] == nil)
        }
    }

    @Test("all responses with one document share its bytes")
    func shared() throws {
        let document = try site.services.description.document
        let places = try ["gzip", "identity"].map { coding in
            try (0..<2).map { _ in
                let headers = Headers([.init(name: "Accept-Encoding", value: coding)])
                let request = try #require(Request(.get, "/openapi.json", headers: headers))
                let body = try document.reply(to: request).response.body
                return try #require(body.withUnsafeBytes { $0.baseAddress })
            }
        }
        for place in places { #expect(place[0] == place[1]) }
    }
}
