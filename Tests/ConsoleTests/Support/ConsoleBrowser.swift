import Foundation
import Glibc
import TestSupport
import Testing

/// A browser of an operator: it stores cookies, and sends forms with all their fields. Requests go
/// over real sockets.
final class ConsoleBrowser {
    let site: ConsoleSite
    /// Cookies by name.
    var cookies: [String: String] = [:]
    /// Headers with which browsers open a page.
    var pageHeaders = ["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"]
    /// Headers of form requests, as browsers send them.
    var formHeaders = ["Sec-Fetch-Site": "same-origin", "Origin": "null"]
    /// Headers that the proxy before the console adds, in order.
    var proxyHeaders: [(name: String, value: String)] = []
    /// Address from which the proxy connects.
    var peer = "127.0.0.1"
    /// Client address, in a network that no other browser uses.
    let address =
        "10."
        + (0..<3).map { _ in String(Int.random(in: 1...254)) }
        .joined(separator: ".")

    init(_ site: ConsoleSite) { self.site = site }

    /// Opens a page without following redirects.
    func open(_ path: String) throws -> ConsolePage {
        try request("GET", path, pageHeaders, nil)
    }

    /// Sends a page's form whose action is a path, with further values.
    func send(
        _ path: String, from page: ConsolePage, _ values: [String: String] = [:]
    ) throws -> ConsolePage {
        try post(path, try page.fields(of: path).merging(values) { _, new in new })
    }

    /// Sends the search form of a page, and opens the results without following further redirects.
    func search(_ text: String, from page: ConsolePage) throws -> ConsolePage {
        let sent = try send("/search", from: page, ["q": text])
        return try open(try #require(sent.location, "\(sent)"))
    }

    /// Opens the confirmation page of an operation, and sends its form.
    func perform(_ path: String, _ values: [String: String] = [:]) throws -> ConsolePage {
        let question = try open(path)
        guard question.status == 200 else { return question }
        return try send(
            String(path.prefix { $0 != "?" }), from: question, values)
    }

    func post(_ path: String, _ fields: [String: String]) throws -> ConsolePage {
        let body = fields.map { "\(Self.encoded($0))=\(Self.encoded($1))" }.joined(separator: "&")
        let type = ["Content-Type": "application/x-www-form-urlencoded"]
        return try request("POST", path, type.merging(formHeaders) { _, new in new }, body)
    }

    /// Returns the value of the field that binds forms to this browser's session.
    func formToken() throws -> String {
        try #require(try open("/passkeys").fields(of: "/sign-out")["form_token"])
    }

    /// Opens the stream of changes of a part.
    func stream(_ part: String) throws -> ConsoleEvents {
        try ConsoleEvents(text("GET", "/live?part=\(part)", [:], nil), port: site.server.port)
    }

    private func request(
        _ method: String, _ path: String, _ headers: [String: String], _ body: String?
    ) throws -> ConsolePage {
        let page = try ConsolePage(
            Self.exchange(
                text(method, path, headers, body), port: site.server.port, from: peer))
        for field in page.headers where field.name == "set-cookie" {
            let pair = field.value.prefix { $0 != ";" }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] =
                field.value.contains("Max-Age=0") ? nil : String(pair[1])
        }
        return page
    }

    /// The text of a request.
    private func text(
        _ method: String, _ path: String, _ headers: [String: String], _ body: String?
    ) -> String {
        var lines = [
            "\(method) \(path) HTTP/1.1", "Host: console.test", "Connection: close",
            "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
            "X-Forwarded-For: \(address)",
        ]
        if !cookies.isEmpty {
            lines.append("Cookie: " + cookies.map { "\($0)=\($1)" }.joined(separator: "; "))
        }
        lines += headers.map { "\($0): \($1)" }
        lines += proxyHeaders.map { "\($0.name): \($0.value)" }
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    /// Sends a request over a new connection from an address of this machine, and returns the whole
    /// response.
    static func exchange(
        _ text: String, port: UInt16, from source: String = "127.0.0.1"
    ) throws -> String {
        let descriptor = try connection(text, port: port, from: source)
        defer { close(descriptor) }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { break }
            received += buffer.prefix(count)
        }
        return String(decoding: received, as: UTF8.self)
    }

    /// Sends a request over a new connection from an address of this machine, and returns the
    /// connection's descriptor.
    static func connection(
        _ text: String, port: UInt16, from source: String = "127.0.0.1"
    ) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var local = sockaddr_in()
        local.sin_family = sa_family_t(AF_INET)
        local.sin_addr.s_addr = inet_addr(source)
        let bound = withUnsafePointer(to: &local) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(bound == 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(connected == 0)
        let bytes = Array(text.utf8)
        try #require(
            Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
        return descriptor
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}

/// An open stream of server-sent events.
final class ConsoleEvents {
    private let descriptor: Int32
    private var received: [UInt8] = []

    init(_ request: String, port: UInt16) throws {
        descriptor = try ConsoleBrowser.connection(request, port: port)
    }

    deinit { close(descriptor) }

    /// Returns the head of the response.
    func head() throws -> String { try #require(try next(until: "\r\n\r\n")) }

    /// Returns the next event or comment; nil at the end of the stream.
    func next() throws -> String? { try next(until: "\n\n") }

    /// Returns the next event, without comments before it; nil at the end of the stream.
    func event() throws -> String? {
        while let text = try next() {
            if text.contains("event: ") { return text }
        }
        return nil
    }

    private func next(until end: String) throws -> String? {
        while true {
            let text = String(decoding: received, as: UTF8.self)
            if let found = text.range(of: end) {
                received.removeFirst(text[..<found.upperBound].utf8.count)
                return String(text[..<found.lowerBound])
            }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            // A stream that is open but silent is not at its end.
            try #require(count >= 0, "no event within 30 s")
            if count == 0 { return nil }
            received += buffer.prefix(count)
        }
    }
}

/// A page as the browser received it.
struct ConsolePage: CustomStringConvertible {
    let status: Int
    /// Header fields, with lower-case names.
    let headers: [(name: String, value: String)]
    let text: String

    init(_ answer: String) throws {
        let parts = try #require(answer.range(of: "\r\n\r\n"))
        let lines = answer[..<parts.lowerBound].components(separatedBy: "\r\n")
        status = try #require(Int(lines[0].split(separator: " ")[1]))
        headers = lines.dropFirst().map { line in
            let field = line.split(separator: ":", maxSplits: 1)
            return (
                field[0].lowercased(),
                field.count > 1 ? field[1].trimmingCharacters(in: .whitespaces) : ""
            )
        }
        text = String(answer[parts.upperBound...])
        #expect(signsOfMarkup == [], "the page shows markup or a value as text: \(text)")
    }

    /// Texts in the page that show that it displays markup or the description of a value.
    private var signsOfMarkup: [String] {
        guard header("Content-Type")?.hasPrefix("text/html") == true else { return [] }
        // Sources of e-mails are shown as they are.
        let text = text.replacing(/<pre[^>]*>.*?<\/pre>/.dotMatchesNewlines(), with: "")
        let tag = /&(lt|#60);\/?(a|p|em|code|time|span|div|[uo]l|li|h[12]|form|input|label|td)\b/
        return text.matches(of: tag).map { String($0.output.0) }
            + ["HTML(", "Optional(", "&amp;amp;", "&amp;lt;"].filter(text.contains)
    }

    func header(_ name: String) -> String? {
        headers.first { $0.name == name.lowercased() }?.value
    }

    func says(_ words: String) -> Bool { text.contains(words) }

    /// Target of a redirect.
    var location: String? { header("Location") }

    /// The page's error message.
    var alert: String? {
        text.firstMatch(of: /role="alert">(.*?)<\/p>/.dotMatchesNewlines()).map {
            Self.unescaped(String($0.1))
        }
    }

    /// Text of the page's heading.
    var heading: String {
        text.firstMatch(of: /<h1[^>]*>(.*?)<\/h1>/.dotMatchesNewlines()).map { String($0.1) } ?? ""
    }

    /// Paths of the page's links and forms.
    var targets: Set<String> {
        Set(text.matches(of: /(?:href|action)="([^"]*)"/).map { String($0.1) })
    }

    /// Returns the fields of the first form whose action is a path, with their values.
    func fields(of path: String) throws -> [String: String] {
        let forms = text.matches(
            of: /<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/.dotMatchesNewlines())
        let form = try #require(forms.first { $0.1 == path }, "no form to \(path) in \(text)")
        var fields: [String: String] = [:]
        for field in form.2.matches(of: /<input[^>]*>/) {
            let tag = String(field.output)
            guard let name = tag.firstMatch(of: /name="([^"]*)"/), !tag.contains("checkbox") else {
                continue
            }
            fields[String(name.1)] =
                tag.firstMatch(of: /value="([^"]*)"/).map { Self.unescaped(String($0.1)) } ?? ""
        }
        return fields
    }

    /// Returns the options for a passkey in a form of the page.
    func options() throws -> String {
        let found = try #require(text.firstMatch(of: /data-options="([^"]*)"/), "\(text)")
        return Self.unescaped(String(found.1))
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&amp;", with: "&")
    }

    var description: String { "\(status) \(text)" }
}
