import Testing

/// The page on which an invited person refuses further invitations. `Site` compares each response,
/// including problems, with `/openapi.json`.
@Suite("The page for refusing invitations")
struct RefusePageTests {
    @Test(
        "an invalid or incomplete link is answered with a page",
        arguments: [
            ("GET", "/refuse-invitations", 400), ("POST", "/refuse-invitations", 400),
            ("GET", "/refuse-invitations?token=0123456789", 404),
            ("POST", "/refuse-invitations?token=0123456789&all=true", 404),
        ])
    func isAPage(method: String, path: String, status: Int) throws {
        let answer = try Site().send(method, path)
        #expect(answer.status == status)
        #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains("This link doesn’t work anymore"))
        #expect(text.contains("Use the link in the latest invitation"))
    }
}
