import Domain
import HTTPServer
import JSON
import Postgres
import TestSupport
import Testing

@testable import API

/// Supabase tokens that represent no person, although their subject is a member's id.
@Suite("Anonymous tokens and service keys with a member's subject")
struct NobodyTests {
    /// A family with all kinds of readable data, and the ids that lead to them.
    struct Setting {
        let home: FamilyFixture<Site>
        let child: String
        let member: String
        let invitation: String
        let received: String
        let link: String

        init() throws {
            home = try Site().home()
            child = try home.child(of: home.admin)
            member = try home.member(home.adult)
            invitation = try home.invite("waiting@example.com")
            received = try home.entry.home("Others").invite(home.admin.email)
            link = try home.link().token
            let stored = try home.admin.put("/groups/\(home.id)/preferences", #"{"a": 1}"#)
            try #require(stored.status == 200)
        }

        /// Routes that need a caller, and routes of invitations, each with a valid request.
        var questions: [(method: String, path: String, body: String?)] {
            Routes.table.filter { $0.needsCaller || "\($0.pattern)".contains("/invite/") }
                .map { endpoint in
                    let pattern = "\(endpoint.pattern)"
                    return (endpoint.method.name, path(pattern), body(endpoint.method, pattern))
                }
        }

        private func path(_ pattern: String) -> String {
            let id =
                pattern.hasPrefix("/api/me/")
                ? received
                : pattern.contains("/invitations/")
                    ? invitation
                    : pattern.contains("/managed/") ? child : home.id
            let path = pattern.replacing(":id", with: id).replacing(":memberId", with: member)
                .replacing(":code", with: home.code).replacing(":token", with: link)
            let isOfFamily = ["members", "me", "invitations", "player-details", "audit"].contains(
                String(path.split(separator: "/").last ?? ""))
            return isOfFamily && path != "/api/me" ? path + "?familyId=\(home.id)" : path
        }

        private func body(_ method: Method, _ pattern: String) -> String? {
            if method == .get || method == .delete { return nil }
            // Each route reads the fields that it knows.
            return """
                {"familyId": "\(home.id)", "memberId": "\(member)", "familyName": "Taken",
                "fullName": "Taken", "displayName": "Taken", "familyCode": "\(home.code)",
                "email": "x@example.com", "role": "parent", "householdRole": "adult"}
                """.replacing(
                    "\"familyId\"",
                    with: pattern.hasSuffix("/invite") ? "\"familyUnitId\"" : "\"familyId\"")
        }

        /// Row counts of all tables except the counters of attempts.
        func counts() throws -> [String] {
            let connection = try Connection(home.entry.test.settings(as: nil))
            let tables = try connection.query(
                """
                SELECT schemaname || '.' || relname FROM pg_stat_user_tables
                WHERE schemaname IN ('app', 'jobs') AND relname <> 'rate_limits' ORDER BY 1
                """
            ).map { (row) throws(PostgresError) in try row.read(String.self) }
            return try tables.map { table in
                let rows = try connection.query(SQL(unsafe: "SELECT count(*) FROM \(table)"))
                return "\(table) \(try rows.scalar(Int.self))"
            }
        }
    }

    static let setting = Result { try Setting() }

    @Test(
        "anonymous tokens and service keys get a stranger's responses and leave no row",
        arguments: [
            ("authenticated", true), ("anon", false), ("service_role", false),
            ("supabase_admin", false), ("service_role", true),
        ])
    func everyRoute(role: String, isAnonymous: Bool) throws {
        let setting = try Self.setting.get()
        let (site, admin) = (setting.home.entry, setting.home.admin)
        let nobody = try site.anonymousToken()
        let claimed = try site.anonymousToken(of: admin.id, role: role, isAnonymous: isAnonymous)
        let before = try setting.counts()
        for question in setting.questions {
            let answers = try [nobody, claimed].map {
                try site.send(question.method, question.path, token: $0, body: question.body)
            }
            let what = "\(question.method) \(question.path): \(answers[1])"
            #expect(answers[0].withoutRequest == answers[1].withoutRequest, "\(what)")
            #expect(answers[1].status < 500 && answers[1].status != 401, "\(what)")
            let acting = try site.send(
                question.method, question.path, token: claimed, body: question.body,
                headers: ["X-Acting-As-Member": setting.child])
            // Two reads answer for the caller, whichever member is named.
            let isAnswered = acting.withoutRequest == answers[1].withoutRequest
            #expect(acting.status >= 400 || isAnswered, "acting: \(what)")
        }
        #expect(try setting.counts() == before)
        // The member itself can read the family.
        let own = try admin.get("/api/family")
        #expect(try own.json["families"].elements().count == 1)
    }

    @Test("tokens with unknown roles are refused")
    func otherRoles() throws {
        let home = try Self.setting.get().home
        for role in ["postgres", "supabase_auth_admin", "Service_Role", "anon "] {
            let token = try home.entry.anonymousToken(
                of: home.admin.id, role: role, isAnonymous: false)
            #expect(try home.entry.send("GET", "/api/me", token: token).status == 401, "\(role)")
        }
    }
}

extension Answer {
    /// The response without its request id.
    fileprivate var withoutRequest: String {
        description.replacing(#/"requestId":"[^"]*"/#, with: "")
    }
}
