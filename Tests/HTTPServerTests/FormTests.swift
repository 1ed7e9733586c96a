import HTTPServer
import Testing

@Suite("Cookies and forms")
struct FormTests {
    @Test("a cookie is found by its whole name, whatever surrounds it")
    func cookies() {
        let cookies = Cookies(parsing: "a=1;b = x=y ; c=;=d; e;  __Host-f=\"g\"")
        #expect(cookies.value("a") == "1" && cookies.value("b") == "x=y")
        #expect(cookies.value("c") == "" && cookies.value("__Host-f") == "\"g\"")
        for name in ["", "e", "A", "d", "Host-f", "b "] { #expect(cookies.value(name) == nil) }
    }

    @Test("cookies that share a name are all ignored, even across several headers")
    func twice() {
        let headers = Headers([
            .init(name: "Cookie", value: "a=1; b=2"), .init(name: "cookie", value: "b=3; c=4"),
        ])
        let cookies = Cookies(headers)
        #expect(cookies.value("a") == "1" && cookies.value("c") == "4")
        #expect(cookies.value("b") == nil)
    }

    @Test("form fields are decoded, and a repeated field has no value")
    func form() throws {
        let form = try #require(FormBody(parsing: Array("a=1+2&b=%C3%A9%26&c&d=1&d=1".utf8)))
        #expect(form.value("a") == "1 2" && form.value("b") == "é&" && form.value("c") == "")
        #expect(form.value("d") == nil && form.value("e") == nil)
        #expect(FormBody(parsing: [])?.value("a") == nil)
    }

    @Test("a malformed, non-UTF-8 or too large form is refused")
    func malformed() {
        for body in ["a=%", "a=%G0", "a=%C3", "a=%00"] {
            #expect(FormBody(parsing: Array(body.utf8)) == nil, "\(body)")
        }
        #expect(FormBody(parsing: [0x61, 0x3D, 0xFF]) == nil)
        let many = (0...FormBody.fieldLimit).map { "f\($0)=x" }.joined(separator: "&")
        #expect(FormBody(parsing: Array(many.utf8)) == nil)
    }
}
