import Testing

/// The page of "do not invite me again": what it answers is described, problems as well, because
/// `Site` holds each answer against `/openapi.json`.
@Suite("The page that refuses invitations")
struct RefusePageTests {
    @Test(
        "a link that is not one, or not complete, is answered with a page",
        arguments: [
            ("GET", "/refuse-invitations", 400), ("POST", "/refuse-invitations", 400),
            ("GET", "/refuse-invitations?token=0123456789", 404),
            ("POST", "/refuse-invitations?token=0123456789&all=true", 404),
        ])
    func isAPage(method: String, path: String, status: Int) throws {
        let answer = try Site().send(method, path)
        #expect(answer.status == status)
        #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
    }
}
