import TestSupport
import Testing

extension PageBrowser {
    /// Signs in as a person with an account, using a mailed code.
    @discardableResult
    func enter(as person: APIClient) throws -> BrowserPage {
        try enter(person.email)
    }

    /// Signs in with a code mailed to an address, and opens `/family`.
    @discardableResult
    func enter(_ email: String) throws -> BrowserPage {
        let form = try open("/sign-in?return=/family")
        let code = try press("code", on: form, ["email": email])
        return try press("verify", on: code, ["code": site.mailed(to: email).code])
    }

    /// Follows the page's link whose path contains `part`.
    func follow(_ part: String, on page: BrowserPage) throws -> BrowserPage {
        let links = page.links.filter { $0.contains(part) }
        let link = try #require(links.first, "no link with '\(part)' in \(page)")
        return try open(page.address(of: link))
    }
}

extension BrowserPage {
    /// Targets of the page's links.
    var links: [String] {
        text.matches(of: /<a [^>]*href="([^"]*)"/).map {
            String($0.1).replacing("&amp;", with: "&")
        }
    }

    /// Whether a form of the page has this action.
    func offers(_ action: String) -> Bool { says("name=\"action\" value=\"\(action)\"") }

    /// Whether a link of the page leads to this question.
    func asks(_ question: String) -> Bool { links.contains { $0.contains("ask=\(question)") } }

    /// The page's notice about the completed action.
    var notice: String? {
        text.firstMatch(of: /class="done" role="status"><p>(.*?)<\/p>/).map { String($0.1) }
    }
}
