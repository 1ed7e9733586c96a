import JSON
import Postgres
import TestSupport
import Testing

@Suite("hearth-admin operator")
struct OperatorTests {
    let office: Office

    init() throws { office = try Office() }

    private func roles() throws -> [String] {
        try office.json("operator list")["operators"].elements().map {
            "\(try $0["email"].string()) \(try $0["role"].string())"
        }
    }

    @Test("roles are given, changed and removed, and each change is in the audit log")
    func roleChanges() throws {
        let added = try office.json("operator add ann@example.com --role admin")
        #expect(try added["userId"].string() == Office.ann && added["role"].string() == "admin")
        #expect(try added["link"].string().hasPrefix("http://localhost:8090/link?token="))
        let link = try office.json("operator passkey ann@example.com --minutes 5")["link"].string()
        #expect(try link != added["link"].string())
        let stranger = try office.admin("operator passkey dee@example.com")
        #expect(stranger.code == 1 && stranger.errors.contains("[operator_not_found]"))
        _ = try office.json("operator add bo@example.com --role viewer")
        #expect(try office.admin("operator add bo@example.com --role viewer").code == 0)
        let other = try office.admin("operator add bo@example.com --role admin")
        #expect(other.code == 1 && other.errors.contains("[operator_exists]"), "\(other.errors)")
        _ = try office.json("operator role bo@example.com support")
        #expect(try roles() == ["ann@example.com admin", "bo@example.com support"])
        _ = try office.json("operator remove bo@example.com --yes")
        let again = try office.admin("operator remove bo@example.com --yes")
        #expect(again.code == 1 && again.errors.contains("[operator_not_found]"))
        #expect(try roles() == ["ann@example.com admin"])
        let entries = try office.json("audit --user bo@example.com")["entries"]
        #expect(
            try entries.texts("action") == [
                "operator.remove", "operator.role", "operator.link", "operator.add",
            ])
        #expect(Set(try entries.texts("actorLabel")) == ["operator:jo"])
        let ids = try entries.texts("id")
        for filter in ["jo", "operator:jo"] {
            let some = try office.json("audit --user bo@example.com --by-operator \(filter)")
            #expect(try some["entries"].texts("id") == ids, "\(filter)")
        }
        let none = "audit --user bo@example.com --by-operator mo"
        #expect(try office.json(none)["entries"].texts("id").isEmpty)
        let ofJo = try office.json("audit --by-operator jo --action operator.add")["entries"]
        #expect(try ofJo.texts("subjectUserId") == [Office.bo, Office.ann])
        var (pages, cursor) = ([String](), "")
        repeat {
            let page = try office.json("audit --user bo@example.com --limit 3\(cursor)")
            pages += try page["entries"].texts("id")
            cursor = try page["nextCursor"].ifPresent.map { try " --cursor \($0.string())" } ?? ""
        } while !cursor.isEmpty
        #expect(pages == ids)
    }

    @Test("an address without an account is refused with advice")
    func noAccount() throws {
        let unknown = try office.admin("operator add nobody@example.com --role admin")
        #expect(unknown.code == 1 && unknown.errors.contains("Sign in to Hearth once"))
        let id = try office.makeFamily()
        let kid = try office.json("managed add \(id) Bo Kid")["member"]["id"].string()
        let child = try office.admin("operator add managed_\(kid) --role admin")
        #expect(child.code == 1 && child.errors.contains("a child without an account"))
        #expect(try office.admin("operator add ann@example.com --role king").code == 64)
        #expect(try roles().isEmpty)
    }

    @Test("the last admin can neither be removed nor get a lower role")
    func lastAdmin() throws {
        _ = try office.json("operator add ann@example.com --role admin")
        for command in ["remove ann@example.com --yes", "role ann@example.com support"] {
            let refused = try office.admin("operator \(command)")
            #expect(refused.code == 1 && refused.errors.contains("[last_admin]"))
        }
        _ = try office.json("operator add bo@example.com --role admin")
        _ = try office.json("operator role ann@example.com support")
        #expect(try roles() == ["ann@example.com support", "bo@example.com admin"])
    }

    @Test("removing both admins at the same time leaves one admin")
    func concurrentRemoval() throws {
        for _ in 0..<10 {
            for email in ["ann", "bo"] {
                _ = try office.json("operator add \(email)@example.com --role admin")
            }
            let settings = office.database.settings(as: "hearth_admin")
            let outcomes = onThreads(2) { index in
                try Connection(settings).transaction { transaction in
                    try transaction.query("SELECT app.begin_operation('jo')")
                    let id = index == 0 ? Office.ann : Office.bo
                    try transaction.query("SELECT app.operator_remove(\(id)::uuid)")
                }
            }
            let refusals = outcomes.compactMap { outcome in
                if case .failure(let error) = outcome {
                    return (error as? PostgresError)?.constraint ?? "\(error)"
                }
                return nil
            }
            #expect(refusals == ["last_admin"])
            #expect(try roles().count == 1)
            try office.asOwner("DELETE FROM app.operators")
        }
    }

    @Test("an operator's account can't be erased before the role is removed")
    func erased() throws {
        _ = try office.json("operator add ann@example.com --role viewer")
        let refused = try office.admin("erase ann@example.com --yes")
        #expect(refused.code == 1 && refused.errors.contains("[operator_role_stands]"))
        #expect(refused.errors.contains("operator remove"))
        _ = try office.json("operator remove ann@example.com --yes")
        #expect(try office.admin("erase ann@example.com --yes").code == 0)
    }

    @Test("a blocked account does not become an operator")
    func blocked() throws {
        _ = try office.json("user block ann@example.com --reason spam --yes")
        let refused = try office.admin("operator add ann@example.com --role admin")
        #expect(refused.code == 1 && refused.errors.contains("[account_blocked]"))
        #expect(refused.errors.contains("user unblock"))
        #expect(try roles().isEmpty)
    }

    @Test(
        "changing the role of an operator who is just being removed does not add the operator again"
    )
    func removedMeanwhile() throws {
        for email in ["ann", "bo"] {
            _ = try office.json("operator add \(email)@example.com --role admin")
        }
        let settings = office.database.settings(as: "hearth_admin")
        let removal = try Connection(settings)
        var waiting: BackgroundWork<String?>?
        try removal.transaction { transaction in
            try transaction.query("SELECT app.begin_operation('jo')")
            try transaction.query("SELECT app.operator_remove(\(Office.bo)::uuid)")
            waiting = inBackground {
                do {
                    try Connection(settings).transaction { late in
                        try late.query("SELECT app.begin_operation('jo')")
                        try late.query(
                            "SELECT app.operator_set_role(\(Office.bo)::uuid, 'support', false)")
                    }
                    return nil
                } catch let error as PostgresError {
                    return error.constraint
                }
            }
            try eventually {
                try office.scalar(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """) > 0
            }
        }
        #expect(try waiting?.wait() == "operator_not_found")
        #expect(try roles() == ["ann@example.com admin"])
    }

    @Test("an account does not become an operator while it is being erased")
    func erasedMeanwhile() throws {
        let settings = office.database.settings(as: "hearth_admin")
        let outcomes = onThreads(2) { index in
            try Connection(settings).transaction { transaction in
                try transaction.query("SELECT app.begin_operation('jo')")
                if index == 0 {
                    try transaction.query("SELECT app.erase_user(\(Office.dee)::uuid, '{}')")
                } else {
                    try transaction.query(
                        "SELECT app.operator_set_role(\(Office.dee)::uuid, 'viewer', true)")
                }
            }
        }
        #expect(outcomes.count { (try? $0.get()) != nil } == 1)
        let wrong: Int = try office.scalar(
            """
            SELECT count(*) FROM app.operators AS o JOIN app.users AS u ON u.id = o.user_id
            WHERE u.deleted_at IS NOT NULL
            """)
        #expect(wrong == 0)
    }

    @Test("a person's rate limits are listed and cleared, and other people's stay")
    func limits() throws {
        try office.asOwner(
            """
            INSERT INTO app.rate_limits (bucket, window_start, hits) VALUES
                ('code:account:\(Office.ann)', now(), 3), ('code:account:\(Office.bo)', now(), 4),
                ('password:account:'
                    || encode(sha256(convert_to('ann@example.com', 'UTF8')), 'hex'), now(), 5),
                ('mailed-code:place:'
                    || encode(sha256(convert_to('ann@example.com', 'UTF8')), 'hex')
                    || ':192.0.2.0/24', now(), 7),
                ('password:network:192.0.2.0/24', now(), 6);
            INSERT INTO app.code_lookups (user_id, code_digest) VALUES
                ('\(Office.ann)', sha256('1')), ('\(Office.ann)', sha256('2')),
                ('\(Office.bo)', sha256('1'));
            """)
        let listed = try office.json("limit list ann@example.com")["limits"]
        #expect(try listed.texts("limit") == ["code", "mailed-code", "password"])
        #expect(try office.json("limit clear ann@example.com")["cleared"].integer() == 4)
        #expect(try office.json("limit clear ann@example.com")["cleared"].integer() == 0)
        let left: Int = try office.scalar("SELECT sum(hits) FROM app.rate_limits")
        #expect(left == 10)
        let lookups: Int = try office.scalar("SELECT count(*) FROM app.code_lookups")
        #expect(lookups == 1)
        let entries = try office.json("audit --action limit.clear")["entries"]
        #expect(try entries.texts("subjectUserId") == [Office.ann])
    }

    @Test("the audit log is listed by request, and shows the request's id")
    func auditRequest() throws {
        try office.asOwner(
            """
            INSERT INTO app.audit_log (action, request_id)
                VALUES ('test.entry', 'abc-1'), ('test.entry', 'abc-2'), ('test.entry', NULL)
            """)
        let entries = try office.json("audit --request abc-1")["entries"]
        #expect(try entries.texts("requestId") == ["abc-1"])
        let all = try office.json("audit --action test.entry")["entries"].elements()
        #expect(try all.map { try $0["requestId"].ifPresent != nil } == [false, true, true])
        #expect(try office.json("audit --request abc-3")["entries"].elements().isEmpty)
    }

    @Test("the audit log is listed for a period, with the names of people and families")
    func auditPeriod() throws {
        let family = try office.makeFamily()
        try office.asOwner(
            """
            INSERT INTO app.audit_log (action, at, family_unit_id, actor_user_id, subject_user_id)
                SELECT 'test.entry', timestamptz '2026-11-01 00:00:00Z' + n * interval '12 hours',
                    '\(family)', '\(Office.ann)', '\(Office.bo)' FROM generate_series(0, 4) AS n
            """)
        func times(_ period: String) throws -> [String] {
            try office.json("audit --action test.entry \(period)")["entries"].texts("at")
        }
        #expect(try times("").count == 5)
        #expect(
            try times("--from 2026-11-01T12:00:00Z --until 2026-11-02") == ["2026-11-01T12:00:00Z"])
        #expect(try times("--until 2026-11-01T12:00:00Z") == ["2026-11-01T00:00:00Z"])
        let entry = try office.json("audit --action test.entry --limit 1")["entries"].elements()[0]
        #expect(try entry["actorName"].string() == "Ann" && entry["subjectName"].string() == "Bo")
        #expect(try entry["familyName"].string() == "The Terns")
        for wrong in ["2026-02-30", "yesterday", "2026-11-01T12:00:00"] {
            let refused = try office.admin("audit --from \(wrong)")
            #expect(refused.code == 64 && refused.errors.contains("2026-11-28"), "\(wrong)")
        }
    }

    @Test("the delivery attempts to a webhook are listed page by page")
    func webhookAttempts() throws {
        let id = try office.json("webhook add https://example.org/hook")["id"].string()
        try office.asOwner(
            """
            INSERT INTO app.webhook_attempts (endpoint_id, event_number, outcome, status,
                    duration_ms, content_type, error, at) VALUES
                ('\(id)', 1, 'failed', 500, 12, 'text/html', 'answered 500', '2026-11-01Z'),
                ('\(id)', 1, 'delivered', 204, 3, NULL, NULL, '2026-11-02Z')
            """)
        let first = try office.json("webhook attempts \(id) --limit 1")
        #expect(try first["attempts"].texts("outcome") == ["delivered"])
        let cursor = try first["nextCursor"].string()
        let rest = try office.json("webhook attempts \(id) --cursor \(cursor)")
        let attempt = try rest["attempts"].elements()[0]
        #expect(try attempt["status"].integer() == 500 && attempt["milliseconds"].integer() == 12)
        #expect(try attempt["contentType"].string() == "text/html")
        #expect(try rest["nextCursor"].ifPresent == nil)
    }

    @Test("an account is blocked with a reason, shown as blocked, and unblocked")
    func blockedUser() throws {
        #expect(try office.admin("user block ann@example.com --yes").code == 64)
        _ = try office.json("user block ann@example.com --reason 'sends spam' --yes")
        let shown = try office.json("user show ann@example.com")["user"]
        #expect(try shown["blockedReason"].string() == "sends spam")
        #expect(try shown["blockedBy"].string() == "operator:jo")
        #expect(try office.admin("user list").output.contains("blocked"))
        let again = try office.admin("user block ann@example.com --reason x --yes")
        #expect(again.code == 0 && again.output.contains("already blocked"))
        _ = try office.json("user unblock ann@example.com")
        #expect(try office.json("user show ann@example.com")["user"]["blockedAt"].ifPresent == nil)
        let entries = try office.json("audit --user ann@example.com")["entries"]
        #expect(try entries.texts("action") == ["user.unblock", "user.block"])
        _ = try office.json("operator add bo@example.com --role support")
        let refused = try office.admin("user block bo@example.com --reason x --yes")
        #expect(refused.code == 1 && refused.errors.contains("[operator_role_stands]"))
    }

    @Test("a person's sign-ins are listed page by page")
    func signIns() throws {
        try office.asOwner(
            """
            INSERT INTO app.sign_ins_log (user_id, kind, way, browser, network, at)
                SELECT '\(Office.ann)', 'failed', 'password', 'Firefox, Linux', '192.0.2.0/24',
                    timestamptz '2026-11-01 10:00:00Z' + n * interval '1 minute'
                FROM generate_series(1, 3) AS n;
            INSERT INTO app.sign_ins_log (user_id, kind, more, at)
                VALUES ('\(Office.ann)', 'more', 7, '2026-11-01 11:00:00Z');
            """)
        let first = try office.json("user sign-ins ann@example.com --limit 2")
        #expect(try first["signIns"].texts("kind") == ["more", "failed"])
        #expect(try first["signIns"].elements()[0]["more"].integer() == 7)
        let cursor = try first["nextCursor"].string()
        let rest = try office.json("user sign-ins ann@example.com --cursor \(cursor)")
        #expect(try rest["signIns"].texts("network") == ["192.0.2.0/24", "192.0.2.0/24"])
        let text = try office.admin("user sign-ins ann@example.com").output
        #expect(text.contains("and 7 more") && text.contains("Firefox, Linux"))
    }

    @Test("a token doesn't change an operator's address, and one with that address is not linked")
    func tokens() throws {
        try office.asOwner(
            "INSERT INTO app.email_sign_ins (user_id, email) VALUES ('\(Office.ann)', "
                + "'ann@example.com')")
        _ = try office.json("operator add ann@example.com --role admin")
        let stranger = "55555555-5555-4555-8555-555555555555"
        func seen(_ hash: String, _ email: String) throws -> String {
            try office.scalar(
                """
                SELECT user_id::text FROM app.upsert_user('https://issuer.test',
                    sha256(convert_to(\(hash), 'UTF8')), \(hash)::uuid, \(email), true, 'Ann',
                    'parent', NULL, 2000000000, true)
                """)
        }
        #expect(try seen(Office.ann, "taken@example.com") == Office.ann)
        let address = "SELECT email FROM app.users WHERE id = \(Office.ann)::uuid" as SQL
        #expect(try office.scalar(address) == "ann@example.com")
        #expect(try seen(stranger, "ann@example.com") == stranger)
        _ = try office.json("operator add bo@example.com --role admin")
        // Both accounts have the address now.
        _ = try office.json("operator remove \(Office.ann) --yes")
        #expect(try seen(Office.ann, "taken@example.com") == Office.ann)
        #expect(try office.scalar(address) == "taken@example.com")
    }
}
