import Policy
import Postgres
import TestSupport
import Testing

@testable import Console

@Suite("Operations of the console that need a fresh proof by a passkey")
struct ConsoleProofTests {
    /// A session that a stolen cookie may belong to.
    enum Session: CaseIterable, Sendable {
        /// A new session, opened by a one-time link.
        case ofLink
        /// A session opened by a passkey, more than ten minutes ago.
        case ofOldProof
    }

    private static let endpoint = "33333333-3333-4333-8333-333333333333"
    private static let person = "/people/\(ConsoleSite.bo)"
    private static let webhook = "/webhooks/\(endpoint)"

    /// Forms of the operations.
    private static let forms: [(operation: String, page: String, fields: [String: String])] = [
        ("set-address", person, ["email": "bo.at.home@example.com"]),
        ("export", person, [:]),
        ("rotate", webhook, ["hours": "0"]),
        ("remove-webhook", webhook, [:]),
        ("erase", person, ["id": ConsoleSite.bo]),
    ]

    let site: ConsoleSite

    init() throws {
        site = try ConsoleSite()
        try site.asOwner(
            """
            INSERT INTO app.webhook_endpoints (id, url, secret_hash)
                VALUES ('\(Self.endpoint)', 'https://hooks.example/', sha256('x'))
            """)
    }

    /// Returns another browser with the cookie of an admin's session.
    private func thief(of session: Session) throws -> ConsoleBrowser {
        let owner =
            switch session {
            case .ofLink: try site.browser(of: "root@example.com")
            case .ofOldProof: try site.provenBrowser(of: "root@example.com")
            }
        if session == .ofOldProof {
            try site.asOwner(
                "UPDATE app.console_sessions SET proved_at = now() - interval '11 minutes'")
        }
        let thief = ConsoleBrowser(site)
        thief.cookies = owner.cookies
        return thief
    }

    /// Returns everything that these operations change, and the audit log without views of people.
    private func state() throws -> String {
        try site.scalar(
            """
            SELECT concat_ws('; ',
                (SELECT string_agg(concat_ws(' ', u.id, u.email, u.deleted_at), ', ' ORDER BY u.id)
                 FROM app.users AS u),
                (SELECT string_agg(concat_ws(' ', e.id, e.secret_hash), ', ' ORDER BY e.id)
                 FROM app.webhook_endpoints AS e),
                (SELECT count(*) FROM app.email_tokens),
                (SELECT count(*) FROM jobs.live),
                (SELECT string_agg(a.action, ', ' ORDER BY a.at, a.id)
                 FROM app.audit_log AS a WHERE a.action <> 'user.view'))
            """)
    }

    @Test(
        "a session without a fresh proof is led to confirm each of them, and changes nothing",
        arguments: Session.allCases)
    func stolenCookies(_ session: Session) throws {
        let browser = try thief(of: session)
        let token = try browser.formToken()
        let before = try state()
        for form in Self.forms {
            let path = "\(form.page)/\(form.operation)"
            let fields = form.fields.merging(["form_token": token]) { $1 }
            for answer in [try browser.open(path), try browser.post(path, fields)] {
                #expect(answer.status == 303, "\(path): \(answer)")
                #expect(answer.location == "/confirm?return=\(URLText.encoded(path))", "\(path)")
                #expect(answer.text == "", "\(path)")
            }
            #expect(try state() == before, "\(path)")
        }
    }

    @Test("each operation that needs a fresh proof is tested here, and takes effect with one")
    func proved() throws {
        let names = ConsoleOperation.all.filter(\.action.needsFreshProof).map(\.name)
        #expect(Set(names) == Set(Self.forms.map(\.operation)))
        let browser = try site.provenBrowser(of: "root@example.com")
        for form in Self.forms {
            let before = try state()
            let path = "\(form.page)/\(form.operation)"
            let done = try browser.perform(path, form.fields)
            let isDone = done.location?.contains("?done=\(form.operation)") == true
            #expect(done.status == 200 || isDone, "\(path): \(done)")
            #expect(try state() != before, "\(path)")
        }
    }
}
