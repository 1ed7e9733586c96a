import Crypto
import Foundation
import Testing

/// A browser with the features that Hearth's pages need: it keeps cookies, follows redirects and
/// sends forms with all their fields.
final class PageBrowser {
    let site: Site
    var language = "en"
    var agent = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
    /// Cookies by name.
    var cookies: [String: String] = [:]
    /// Headers of form requests, as browsers send them.
    var formHeaders = ["Sec-Fetch-Site": "same-origin", "Origin": "null"]
    /// Client address in a network that no other browser uses, because attempts are counted by
    /// network.
    let address: String

    /// - Parameter address: nil for a random one.
    init(_ site: Site, address: String? = nil) {
        self.site = site
        let random = (0..<3).map { _ in String(Int.random(in: 1...254)) }
        self.address = address ?? "10." + random.joined(separator: ".")
    }

    /// The browser's cookie of the pages.
    var cookie: String? { cookies["__Host-hearth"] ?? cookies["hearth"] }

    /// The ticket of the last mailed code.
    var ticket: String? {
        cookies["__Host-hearth-mail"].flatMap { Base64URL.decode($0) }.flatMap {
            String(decoding: $0, as: UTF8.self).split(separator: "\n").first.map(String.init)
        }
    }

    func set(_ cookie: String, named name: String = "__Host-hearth") { cookies[name] = cookie }

    /// Opens a page, and follows its redirects.
    func open(_ path: String) throws -> BrowserPage {
        try follow(request("GET", path, [:], nil))
    }

    /// Opens a page without following redirects.
    func openOnly(_ path: String) throws -> BrowserPage { try request("GET", path, [:], nil) }

    /// Presses the button of an action, and follows redirects.
    func press(
        _ action: String, on page: BrowserPage, _ values: [String: String] = [:]
    ) throws -> BrowserPage {
        try follow(pressOnly(action, on: page, values))
    }

    /// Presses the button of an action without following redirects.
    func pressOnly(
        _ action: String, on page: BrowserPage, _ values: [String: String] = [:]
    ) throws -> BrowserPage {
        let form = try page.form(withAction: action)
        var fields = form.fields.merging(values) { _, new in new }
        if !action.isEmpty { fields["action"] = action }
        return try post(page.address(of: form.target), fields)
    }

    func post(_ path: String, _ fields: [String: String]) throws -> BrowserPage {
        let body = fields.map { "\(Self.encoded($0))=\(Self.encoded($1))" }.joined(separator: "&")
        let type = ["Content-Type": "application/x-www-form-urlencoded"]
        return try request("POST", path, type.merging(formHeaders) { _, new in new }, body)
    }

    private func follow(_ page: BrowserPage) throws -> BrowserPage {
        var page = page
        for _ in 0..<5 {
            guard page.status == 303 else { return page }
            let location = try #require(page.header("Location"))
            try #require(!location.contains(":") && !location.hasPrefix("/"))
            page = try request("GET", page.address(of: location), [:], nil)
        }
        throw TooManyRedirects()
    }

    private struct TooManyRedirects: Error {}

    private func request(
        _ method: String, _ path: String, _ headers: [String: String], _ body: String?
    ) throws -> BrowserPage {
        var lines = [
            "\(method) \(path) HTTP/1.1", "Host: family.test", "Connection: close",
            "Accept: text/html,*/*;q=0.8", "Accept-Language: \(language)", "User-Agent: \(agent)",
            "X-Forwarded-For: \(address)",
        ]
        if !cookies.isEmpty {
            lines.append(
                "Cookie: " + cookies.map { "\($0)=\($1)" }.joined(separator: "; "))
        }
        lines += headers.map { "\($0): \($1)" }
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
        let page = try BrowserPage(site.raw(text), at: path)
        for field in page.headers where field.name == "set-cookie" {
            let pair = field.value.prefix { $0 != ";" }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] =
                field.value.contains("Max-Age=0") ? nil : String(pair[1])
        }
        return page
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}

/// A page as the browser received it.
struct BrowserPage: CustomStringConvertible {
    let status: Int
    /// Path and query of the page.
    let path: String
    /// Header fields, with lower-case names.
    let headers: [(name: String, value: String)]
    let text: String

    init(_ answer: String, at path: String) throws {
        self.path = path
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

    /// Text that shows that the page displays markup or the description of a value. Names of people
    /// in tests contain no HTML tags of pages.
    private var signsOfMarkup: [String] {
        guard header("Content-Type")?.hasPrefix("text/html") == true else { return [] }
        let tag =
            /&(lt|#60);\/?(a|p|em|strong|bdi|time|span|div|[uo]l|li|h[12]|form|input|label)\b/
        return text.matches(of: tag).map { String($0.output.0) }
            + ["HTML(", "Optional(", "&amp;middot;", "&amp;lt;"].filter(text.contains)
    }

    /// Returns the address of a relative link of the page.
    func address(of link: String) -> String {
        var folders = path.prefix { $0 != "?" }.split(
            separator: "/", omittingEmptySubsequences: false
        ).dropLast()
        var rest = link[...]
        while rest.hasPrefix("../") {
            folders = folders.count > 1 ? folders.dropLast() : folders
            rest = rest.dropFirst(3)
        }
        return (folders + [rest]).joined(separator: "/")
    }

    func header(_ name: String) -> String? {
        headers.first { $0.name == name.lowercased() }?.value
    }

    func says(_ words: String) -> Bool { text.contains(words) }

    /// Text of the page's heading, without markup.
    var heading: String {
        guard let found = text.firstMatch(of: /<h1[^>]*>(.*?)<\/h1>/.dotMatchesNewlines()) else {
            return ""
        }
        return String(found.1).replacing(/<[^>]*>/, with: "")
    }

    /// The page's error message.
    var alert: String? {
        text.firstMatch(of: /role="alert">(.*?)<\/p>/.dotMatchesNewlines()).map { String($0.1) }
    }

    struct Form {
        let target: String
        let fields: [String: String]
    }

    /// The Content-Security-Policy of all pages.
    static let policy =
        "default-src 'none'; img-src 'self'; connect-src 'self'; script-src 'self'; "
        + "style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// The first form with this action; for an empty text, the first form without an action.
    func form(withAction action: String) throws -> Form {
        let forms = text.matches(
            of: /<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/.dotMatchesNewlines())
        let form = forms.first { form in
            action.isEmpty
                ? !form.2.contains("name=\"action\"")
                : form.2.contains("name=\"action\" value=\"\(action)\"")
        }
        let found = try #require(form, "no form for '\(action)' in \(text)")
        var fields: [String: String] = [:]
        for field in found.2.matches(of: /<input[^>]*>/) {
            let tag = String(field.output)
            guard let name = tag.firstMatch(of: /name="([^"]*)"/) else { continue }
            if tag.contains("type=\"checkbox\"") { continue }
            if tag.contains("type=\"radio\""), !tag.contains(" checked") { continue }
            // A browser sends both, and a page reads the first.
            #expect(fields[String(name.1)] == nil, "two fields have the name \(name.1)")
            fields[String(name.1)] =
                tag.firstMatch(of: /value="([^"]*)"/).map { String($0.1) } ?? ""
        }
        return Form(target: String(found.1), fields: fields)
    }

    var description: String { "\(status) \(text)" }
}
