import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite("Families in the console")
struct ConsoleFamilyTests {
    let site: ConsoleSite

    init() throws { site = try ConsoleSite() }

    /// Returns the ids of a list of families, from all of its pages.
    private func ids(of list: String, _ browser: ConsoleBrowser) throws -> [String] {
        var path: String? = "/families?list=\(list)"
        var ids: [String] = []
        while let next = path {
            let page = try browser.open(next)
            try #require(page.status == 200, "\(next): \(page)")
            ids += self.ids(on: page)
            path = nextPath(of: page)
            try #require(ids.count < 1_000)
        }
        return ids
    }

    private func ids(on page: ConsolePage) -> [String] {
        page.text.matches(of: /<td><a href="\/families\/([0-9a-f-]{36})"/).map { String($0.1) }
    }

    /// Path of the next page of a list; nil on the last page.
    private func nextPath(of page: ConsolePage) -> String? {
        page.targets.first { $0.contains("&amp;after=") }?.replacing("&amp;", with: "&")
    }

    @Test(
        "a page by name begins where the previous one ended, even if that family has changed",
        arguments: [
            "UPDATE app.family_units SET family_name = 'Zzz'", "DELETE FROM app.family_units",
        ])
    func boundary(change: String) throws {
        let superuser = try Connection(site.test.settings())
        try superuser.execute(script: ManyFamilies.script(140))
        let all = try expected(
            """
            SELECT f.id::text FROM app.family_units AS f
            ORDER BY lower(f.family_name) COLLATE "C", f.id
            """)
        let browser = try site.browser(of: "vic@example.com")
        let first = try browser.open("/families?list=name")
        #expect(ids(on: first) == Array(all[..<50]))
        // Without triggers, as if the family's members had been removed before.
        try superuser.execute(
            script: "SET session_replication_role = replica; \(change) WHERE id = '\(all[49])'")
        let second = try browser.open(try #require(nextPath(of: first)))
        #expect(second.status == 200 && ids(on: second) == Array(all[50..<100]), "\(second)")
        #expect(try browser.open("/families?list=name&after=x").status == 409)
    }

    private func expected(_ order: SQL) throws -> [String] {
        try Connection(site.test.settings()).query(order).decode(as: Scalar<String>.self)
            .map(\.value)
    }

    @Test("each list of families has its order, without gaps or repetitions")
    func lists() throws {
        let superuser = try Connection(site.test.settings())
        try superuser.execute(script: ManyFamilies.script(140))
        // More families of one name than a page has, and of one time.
        try superuser.execute(
            script: """
                UPDATE app.family_units SET family_name = 'My Family'
                    WHERE right(family_name, 1) < '6';
                UPDATE app.family_units SET created_at = now() - interval '1 day'
                    WHERE right(family_name, 1) = '7';
                ANALYZE app.family_units
                """)
        try site.asOwner(
            """
            INSERT INTO app.family_members (family_unit_id, user_id, user_kind, role,
                    household_role, status, joined_via)
                SELECT f.id, '\(ConsoleSite.bo)', 'account', 'parent', 'adult', 'invited', 'code'
                FROM app.family_units AS f ORDER BY md5(f.id::text) LIMIT 60
            """)
        let browser = try site.browser(of: "vic@example.com")
        let newest = try ids(of: "newest", browser)
        let byTime = try expected(
            """
            SELECT f.id::text FROM app.family_units AS f ORDER BY f.created_at DESC, f.id DESC
            """)
        #expect(newest.count == 140 && newest == byTime)
        #expect(try ids(of: "oldest", browser) == newest.reversed())
        let byName = try expected(
            """
            SELECT f.id::text FROM app.family_units AS f
            ORDER BY lower(f.family_name) COLLATE "C", f.id
            """)
        #expect(try ids(of: "name", browser) == byName)
        let waiting = try expected(
            """
            SELECT f.id::text FROM app.family_units AS f
            WHERE EXISTS (SELECT FROM app.family_members AS m
                WHERE m.family_unit_id = f.id AND m.status = 'invited') ORDER BY f.id
            """)
        #expect(try ids(of: "waiting", browser) == waiting && waiting.count == 60)
        #expect(try browser.open("/families").says("About 140. "))
        let unknown = try browser.open("/families?list=best")
        #expect(unknown.status == 400 && unknown.alert?.contains("newest, oldest, name") == true)
    }

    @Test("families by name are read from the index, however many have the same name")
    func plan() throws {
        let superuser = try Connection(site.test.settings())
        try superuser.execute(script: ManyFamilies.script(3000))
        try superuser.execute(
            script: "UPDATE app.family_units SET family_name = 'My Family'; ANALYZE")
        let middle: UInt128 = try superuser.query(
            "SELECT id FROM app.family_units ORDER BY id OFFSET 2000 LIMIT 1"
        ).scalar(UInt128.self)
        func reads() throws -> Int64 {
            try superuser.execute(script: "SELECT pg_stat_force_next_flush()")
            return try superuser.query(
                """
                SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables
                WHERE relname = 'family_units'
                """
            ).scalar(Int64.self)
        }
        let statements: [SQL] = [
            "SELECT count(*) FROM app.console_families_by_name(NULL, NULL, 51)",
            "SELECT count(*) FROM app.console_families_by_name('My Family', \(middle), 51)",
            "SELECT count(*) FROM app.console_find_families('my f', NULL, 51)",
        ]
        for statement in statements {
            let before = try reads()
            #expect(try superuser.query(statement).scalar(Int.self) == 51)
            let count = try reads() - before
            #expect(count < 500, "\(count) rows were read")
        }
    }

    private func member(_ user: String) throws -> String {
        try site.scalar("SELECT id::text FROM app.family_members WHERE user_id = \(user)::uuid")
    }

    /// Returns the ids of the guardians who are mailed about a new guardian, in the order of the
    /// e-mails.
    private func mails() throws -> String {
        try site.scalar(
            """
            SELECT coalesce(string_agg(payload ->> 'recipient', ' ' ORDER BY id), '')
            FROM jobs.live WHERE kind = 'mail.guardian_replaced'
            """)
    }

    @Test("an adult who becomes a guardian while its removal waits is mailed about the next one")
    func guardianMeanwhile() throws {
        _ = try site.makeFamily()
        let path = "/members/\(try member(ConsoleSite.bo))/remove"
        let browser = try site.browser(of: "root@example.com")
        let page = try browser.open(path)
        let isLocked = Atomic(false)
        let settings = site.test.settings()
        // Commits the other guardian once the removal waits for the family's lock.
        let change = inBackground {
            let observer = try Connection(settings)
            try Connection(settings).transaction { transaction in
                try transaction.query("SELECT FROM app.family_units FOR NO KEY UPDATE")
                let holder: Int32 = try transaction.query("SELECT pg_backend_pid()").scalar()
                isLocked.store(true, ordering: .releasing)
                try eventually {
                    let blocked: Int = try observer.query(
                        """
                        SELECT count(*) FROM pg_stat_activity AS a
                        WHERE \(holder) = ANY (pg_blocking_pids(a.pid))
                        """
                    ).scalar()
                    return blocked > 0
                }
                try transaction.query("DELETE FROM app.guardianships")
                try transaction.query(
                    """
                    UPDATE app.family_members SET parent_user_id = \(ConsoleSite.bo)::uuid
                    WHERE user_kind = 'managed'
                    """)
            }
        }
        try eventually { isLocked.load(ordering: .acquiring) }
        let removed = try browser.send(path, from: page, ["successor": member(ConsoleSite.ann)])
        try change.wait()
        #expect(removed.status == 303, "\(removed)")
        #expect(try mails() == ConsoleSite.bo)
    }

    @Test("a reassignment is refused without an e-mail if the guardian has changed meanwhile")
    func guardianChanged() throws {
        let family = try site.makeFamily()
        try site.asOperator { session in
            _ = try session.addMember(
                session.user(ConsoleSite.sue).id, to: session.family(family).id, role: nil,
                householdRole: nil)
        }
        func guardian() throws -> String {
            try site.scalar(
                "SELECT parent_user_id::text FROM app.family_members WHERE user_kind = 'managed'")
        }
        let child: String = try site.scalar(
            "SELECT id::text FROM app.family_members WHERE user_kind = 'managed'")
        let path = "/members/\(child)/reassign"
        let values = ["guardian": try member(ConsoleSite.sue)]
        let browser = try site.browser(of: "root@example.com")
        let page = try browser.open(path)
        #expect(page.says("In place of Ann Fisher."), "\(page)")
        let incomplete = try browser.post(
            path, ["form_token": try browser.formToken()].merging(values) { $1 })
        #expect(incomplete.status == 400, "\(incomplete)")
        try site.asOperator { session in
            let id = try session.family(family).id
            let kid = try session.member(child, of: id)
            try session.reassignManagedMember(
                kid, from: kid.guardian, to: session.member(ConsoleSite.bo, of: id))
        }
        let refused = try browser.send(path, from: page, values)
        #expect(
            refused.status == 409 && refused.alert?.contains("guardian_changed") == true,
            "\(refused)")
        #expect(refused.says("In place of Bo Tern."))
        #expect(try guardian() == ConsoleSite.bo && mails() == ConsoleSite.ann)
        let moved = try browser.send(path, from: refused, values)
        #expect(moved.status == 303, "\(moved)")
        #expect(try guardian() == ConsoleSite.sue)
        #expect(try mails() == "\(ConsoleSite.ann) \(ConsoleSite.bo)")
    }

    /// Adds Sue's request to join a family.
    private func letSueWait(for family: String) throws {
        try site.asOwner(
            """
            INSERT INTO app.family_members (family_unit_id, user_id, user_kind, role,
                    household_role, status, joined_via)
                VALUES ('\(family)', '\(ConsoleSite.sue)', 'account', 'parent', 'adult', 'invited',
                    'code')
            """)
    }

    @Test("a person who waited when the page was made is not removed once the family has approved")
    func approvedMeanwhile() throws {
        let family = try site.makeFamily()
        try letSueWait(for: family)
        let sue: String = try site.scalar(
            """
            SELECT id::text FROM app.family_members WHERE user_id = \(ConsoleSite.sue)::uuid
            """)
        let path = "/members/\(sue)/remove"
        let browser = try site.browser(of: "root@example.com")
        let page = try browser.open(path)
        #expect(try browser.perform("/members/\(sue)/approve").status == 303)
        let refused = try browser.send(path, from: page)
        #expect(
            refused.status == 409 && refused.alert?.contains("member_is_not_waiting") == true,
            "\(refused)")
        #expect(try browser.send(path, from: refused).status == 303)
    }

    @Test("the page of a family tells how each member joined, and how people who wait have asked")
    func entries() throws {
        let family = try site.makeFamily()
        let (child, wes, max) = (
            "55555555-5555-4555-8555-555555555555", "66666666-6666-4666-8666-666666666666",
            "44444444-4444-4444-8444-444444444444"
        )
        // Root was added as a child and has an account now.
        try site.asOwner(
            """
            INSERT INTO app.users (id, kind, full_name, role) VALUES
                ('\(child)', 'managed', 'Pia', 'player'), ('\(wes)', 'account', 'Wes', 'parent'),
                ('\(max)', 'account', 'Max', 'parent');
            INSERT INTO app.family_members (id, family_unit_id, user_id, user_kind, role,
                    household_role, status, joined_via, parent_user_id, removed_at)
                SELECT coalesce(v.id::uuid, gen_random_uuid()), '\(family)', v.user_id::uuid,
                    CASE WHEN v.id IS NULL THEN 'account' ELSE 'managed' END, v.role,
                    CASE v.role WHEN 'player' THEN 'kid' ELSE 'adult' END, v.status, v.way,
                    CASE WHEN v.id IS NOT NULL THEN '\(ConsoleSite.ann)'::uuid END,
                    CASE v.status WHEN 'removed' THEN now() END
                FROM (VALUES
                    ('\(child)', '\(child)', 'player', 'active', 'created'),
                    (NULL, '\(ConsoleSite.root)', 'parent', 'active', 'created'),
                    (NULL, '\(ConsoleSite.sue)', 'parent', 'active', 'code'),
                    (NULL, '\(ConsoleSite.vic)', 'parent', 'active', 'invitation'),
                    (NULL, '\(wes)', 'parent', 'invited', 'code'),
                    (NULL, '\(max)', 'parent', 'removed', 'code'))
                    AS v (id, user_id, role, status, way)
            """)
        for name in ["root", "vic"] {
            let page = try site.browser(of: "\(name)@example.com").open("/families/\(family)")
            let rows = page.text.split(separator: "\n").filter { $0.hasPrefix("<tr>") }
            for (id, words) in [
                (ConsoleSite.ann, "created the family"), (ConsoleSite.bo, "added by an operator"),
                (child, "added by a parent"), (ConsoleSite.root, "added as a child"),
                (ConsoleSite.sue, "by code"), (ConsoleSite.vic, "by invitation"),
                (wes, "asked by code"), (max, "by code"),
            ] {
                let row = rows.first { $0.contains("href=\"/people/\(id)\"") } ?? ""
                #expect(row.contains("<td>\(words)</td>"), "\(name), \(words): \(row)")
            }
        }
        let person = try site.browser(of: "vic@example.com").open("/people/\(ConsoleSite.bo)")
        #expect(person.says("<td>added by an operator</td>"), "\(person)")
    }

    @Test("the page of a family tells a member who left from one who was removed, and by whom")
    func endings() throws {
        let family = try site.makeFamily()
        let root = try site.browser(of: "root@example.com")
        let waiting = "66666666-6666-4666-8666-666666666666"
        // Sue left, Ann removed Vic, and Wes waits for approval.
        try site.asOwner(
            """
            INSERT INTO app.users (id, full_name, role) VALUES ('\(waiting)', 'Wes', 'parent');
            INSERT INTO app.family_members (family_unit_id, user_id, user_kind, role,
                    household_role, status, joined_via, removed_at, removed_by)
                VALUES
                    ('\(family)', '\(ConsoleSite.sue)', 'account', 'parent', 'adult', 'removed',
                        'code', now(), '\(ConsoleSite.sue)'),
                    ('\(family)', '\(ConsoleSite.vic)', 'account', 'parent', 'adult', 'removed',
                        'code', now(), '\(ConsoleSite.ann)'),
                    ('\(family)', '\(waiting)', 'account', 'parent', 'adult', 'invited',
                        'code', NULL, NULL)
            """)
        for id in [ConsoleSite.bo, waiting] {
            let removed = try root.perform("/members/\(member(id))/remove")
            #expect(removed.status == 303, "\(removed)")
        }
        let page = try root.open("/families/\(family)")
        for state in [
            "<td>left <time", "<td>removed by Ann Fisher <time",
            "<td>removed by operator:root@example.com <time",
            "<td>rejected by operator:root@example.com <time",
        ] {
            #expect(page.says(state), "\(state): \(page)")
        }
        let left = try root.open("/people/\(ConsoleSite.sue)")
        #expect(left.says("<td>left <time"), "\(left)")
        // The name of the person who removed somebody goes when that account is erased.
        try site.asOwner(
            "UPDATE app.users SET full_name = NULL WHERE id = '\(ConsoleSite.ann)'")
        #expect(try root.open("/families/\(family)").says("<td>removed <time"))
        // The audit log may have been dropped by month.
        try Connection(site.test.settings()).execute(
            script: """
                SET session_replication_role = replica;
                DELETE FROM app.audit_log WHERE action = 'member.remove'
                """)
        let later = try root.open("/families/\(family)")
        #expect(later.says("<td>rejected <time") && !later.says(" by operator:"), "\(later)")
    }

    @Test("somebody who left or was removed is brought back, in the account's own role by default")
    func bringingBack() throws {
        let family = try site.makeFamily()
        let root = try site.browser(of: "root@example.com")
        let (bo, kid) = (try member(ConsoleSite.bo), try child())
        let path = "/members/\(bo)/bring-back"
        #expect(try root.open(path).status == 409)
        for id in [bo, kid] {
            let removed = try root.perform("/members/\(id)/remove")
            #expect(removed.status == 303, "\(removed)")
        }
        // Sue left.
        try site.asOwner(
            """
            INSERT INTO app.family_members (family_unit_id, user_id, user_kind, role,
                    household_role, status, joined_via, removed_at, removed_by)
                VALUES ('\(family)', '\(ConsoleSite.sue)', 'account', 'parent', 'visitor',
                    'removed', 'code', now(), '\(ConsoleSite.sue)')
            """)
        let sueID = try member(ConsoleSite.sue)
        let sue = "/members/\(sueID)/bring-back"
        let page = try root.open("/families/\(family)")
        #expect(page.targets.contains(path) && page.targets.contains(sue), "\(page)")
        #expect(!page.targets.contains("/members/\(kid)/bring-back"))
        let form = try root.open(sue)
        #expect(form.says("<option value=\"visitor\" selected>"), "\(form)")
        #expect(form.says("<option value=\"\">The account&#39;s own role</option>"), "\(form)")
        #expect(!form.says("<option value=\"parent\" selected>"), "\(form)")
        for (one, role) in [(path, ""), (sue, "parent")] {
            let back = try root.perform(one, ["role": role, "household": "adult"])
            #expect(back.location == "/families/\(family)?done=bring-back", "\(back)")
        }
        let states: String = try site.scalar(
            """
            SELECT string_agg(m.status || ' ' || m.role || ' ' || m.household_role, ', ')
            FROM app.family_members AS m
            WHERE m.id IN (\(bo)::uuid, \(sueID)::uuid)
            """)
        #expect(states == "active parent adult, active parent adult")
    }

    @Test("a person whose request was rejected, or whose account is erased, is not brought back")
    func neverMember() throws {
        let family = try site.makeFamily()
        try letSueWait(for: family)
        let root = try site.browser(of: "root@example.com")
        let (sue, bo) = (try member(ConsoleSite.sue), try member(ConsoleSite.bo))
        for id in [sue, bo] {
            let removed = try root.perform("/members/\(id)/remove")
            #expect(removed.status == 303, "\(removed)")
        }
        #expect(try root.open("/members/\(sue)/bring-back").status == 409)
        #expect(try root.open("/members/\(bo)/bring-back").status == 200)
        try site.asOperator { session in
            _ = try session.erase(session.user(ConsoleSite.bo).id, successors: [])
        }
        #expect(try root.open("/members/\(bo)/bring-back").status == 409)
        let page = try root.open("/families/\(family)")
        #expect(!page.targets.contains { $0.hasSuffix("/bring-back") }, "\(page)")
    }

    private func child() throws -> String {
        try site.scalar("SELECT id::text FROM app.family_members WHERE user_kind = 'managed'")
    }

    @Test("a refusal because a child would have no guardian says what to do in the console")
    func guardianWanted() throws {
        let family = try site.makeFamily()
        let browser = try site.browser(of: "root@example.com")
        let path = "/members/\(try child())/remove-guardian"
        let guardian = try browser.perform(path, ["guardian": member(ConsoleSite.ann)])
        #expect(
            guardian.alert?.hasPrefix("This is the child's only guardian. ") == true
                && guardian.alert?.contains("'Replace the primary") == true, "\(guardian)")
        // A member who is not the Parent Admin, who could not be removed anyway.
        try site.asOperator { session in
            let id = try session.family(family).id
            try session.transferAdmin(to: session.member(ConsoleSite.bo, of: id))
        }
        let removed = try browser.perform("/members/\(member(ConsoleSite.ann))/remove")
        #expect(
            removed.alert?.hasPrefix("This member is the only guardian of a child. ") == true,
            "\(removed)")
        for page in [guardian, removed] {
            #expect(page.status == 409, "\(page)")
            #expect(page.alert?.contains("guardian_has_managed_members") == true)
            #expect(!page.says("--reassign-managed-to") && !page.says("managed members."))
        }
    }

    @Test("the erasure of a child's only guardian names the child before it asks for a passkey")
    func erasureOfGuardian() throws {
        let family = try site.makeFamily()
        let path = "/people/\(ConsoleSite.ann)/erase"
        let browser = try site.browser(of: "root@example.com")
        func refuse() throws {
            let fields = ["form_token": try browser.formToken(), "id": ConsoleSite.ann]
            for page in [try browser.open(path), try browser.post(path, fields)] {
                let link = "<a href=\"/families/\(family)\">Nemo Little Fisher</a>"
                #expect(page.status == 409, "\(page)")
                let alert = try #require(page.alert, "\(page)")
                #expect(alert.hasPrefix("Ann Fisher is the only guardian of \(link). First"))
                #expect(alert.contains("guardian_has_managed_members"))
            }
        }
        try refuse()
        let added = try browser.perform(
            "/members/\(try child())/add-guardian", ["guardian": member(ConsoleSite.bo)])
        #expect(added.status == 303, "\(added)")
        #expect(try browser.open(path).location?.hasPrefix("/confirm?return=") == true)
        // A blocked guardian is treated as absent.
        try site.block(ConsoleSite.bo)
        try refuse()
        let operators = try browser.open("/people/\(ConsoleSite.sue)/erase")
        #expect(
            operators.status == 409 && operators.alert?.contains("operator_role_stands") == true,
            "\(operators)")
    }

    /// Adds children whose guardians are Ann, as the primary one, and the given other people. The
    /// guardianships are older than all others.
    private func addChildren(_ count: Int, to family: String, besides others: [String]) throws {
        let guardians = ([ConsoleSite.ann] + others).enumerated()
            .map { "(\($0.offset + 1), '\($0.element)'::uuid)" }.joined(separator: ", ")
        // Without triggers, because a family has at most 64 members.
        try Connection(site.test.settings()).execute(
            script: """
                SET session_replication_role = replica;
                CREATE TEMPORARY TABLE kids ON COMMIT DROP AS
                    SELECT gen_random_uuid() AS id, n, f.slot + n AS slot
                    FROM generate_series(1, \(count)) AS n, (
                        SELECT max(m.slot) AS slot FROM app.family_members AS m
                        WHERE m.family_unit_id = '\(family)') AS f;
                INSERT INTO app.users (id, kind, full_name, role)
                    SELECT k.id, 'managed', 'Kid ' || k.n, 'player' FROM kids AS k;
                INSERT INTO app.family_members (id, family_unit_id, user_id, user_kind, role,
                        household_role, household_ceiling, slot, parent_user_id, joined_via)
                    SELECT k.id, '\(family)', k.id, 'managed', 'player', 'kid', 'kid', k.slot,
                        '\(ConsoleSite.ann)', 'operator'
                    FROM kids AS k;
                INSERT INTO app.guardianships (member_id, guardian_user_id, family_unit_id, slot,
                        since)
                    SELECT k.id, g.id, '\(family)', g.slot, now() - interval '1 day'
                    FROM kids AS k CROSS JOIN (VALUES \(guardians)) AS g (slot, id)
                """)
    }

    @Test("the erasure of a guardian of very many children is refused for the sake of the last one")
    func erasureOfGuardianOfMany() throws {
        let family = try site.makeFamily()
        try addChildren(205, to: family, besides: [ConsoleSite.bo])
        let browser = try site.browser(of: "root@example.com")
        let page = try browser.open("/people/\(ConsoleSite.ann)")
        #expect(page.says("Only the first 200 are shown.") && !page.says("Nemo"), "\(page)")
        let refused = try browser.open("/people/\(ConsoleSite.ann)/erase")
        let link = "<a href=\"/families/\(family)\">Nemo Little Fisher</a>"
        let sentence = "Ann Fisher is the only guardian of \(link). First give the child"
        #expect(
            refused.status == 409 && refused.alert?.hasPrefix(sentence) == true, "\(refused)")
    }

    @Test("the refusal to erase a guardian names at most 20 children, and says if there are more")
    func erasureNamesFew() throws {
        let family = try site.makeFamily()
        let browser = try site.browser(of: "root@example.com")
        for (count, ending) in [(19, "</a>. First"), (1, "</a> and further children. First")] {
            try addChildren(count, to: family, besides: [])
            let page = try browser.open("/people/\(ConsoleSite.ann)/erase")
            let alert = try #require(page.alert, "\(page)")
            let links = alert.components(separatedBy: "<a href").count - 1
            #expect(links == 20 && alert.contains(ending), "\(alert)")
        }
    }

    @Test("the page of a family that leaves out former members says so")
    func formerMembersLeftOut() throws {
        let family = try site.makeFamily()
        let sentence = "Only the first 500 are shown."
        let browser = try site.browser(of: "vic@example.com")
        for (count, isCut) in [(496, false), (1, true)] {
            try Connection(site.test.settings()).execute(
                script: """
                    SET session_replication_role = replica;
                    WITH person AS (
                        INSERT INTO app.users (full_name, role)
                            SELECT 'Former', 'parent' FROM generate_series(1, \(count))
                            RETURNING id)
                    INSERT INTO app.family_members (family_unit_id, user_id, user_kind, role,
                            household_role, status, joined_via, added_at, removed_at)
                        SELECT '\(family)', p.id, 'account', 'parent', 'adult', 'removed', 'code',
                            now() - interval '1 year', now()
                        FROM person AS p
                    """)
            let page = try browser.open("/families/\(family)")
            #expect(page.says(sentence) == isCut && page.says("Ann Fisher"), "\(count)")
        }
    }

    @Test("the page that asks for the id of the person to be erased shows it")
    func erasureShowsID() throws {
        let browser = try site.provenBrowser(of: "root@example.com")
        let path = "/people/\(ConsoleSite.bo)/erase"
        let page = try browser.open(path)
        #expect(page.says("<code>\(ConsoleSite.bo)</code>"), "\(page)")
        let other = try browser.send(path, from: page, ["id": ConsoleSite.ann])
        #expect(other.status == 400 && other.says("This is not the id"), "\(other)")
        #expect(try browser.send(path, from: other, ["id": ConsoleSite.bo]).status == 303)
    }

    @Test("only guardians of the child are offered for removal, and other ones as the primary one")
    func offeredGuardians() throws {
        _ = try site.makeFamily()
        let browser = try site.browser(of: "root@example.com")
        let path = "/members/\(try child())"
        let (ann, bo) = (try member(ConsoleSite.ann), try member(ConsoleSite.bo))
        func offered(_ operation: String) throws -> [String] {
            let page = try browser.open("\(path)/\(operation)")
            #expect(page.status == 200, "\(page)")
            return [ann, bo].filter { page.says("value=\"\($0)\"") }
        }
        #expect(try offered("add-guardian") == [bo])
        #expect(try offered("remove-guardian") == [ann])
        #expect(try offered("primary-guardian") == [])
        let added = try browser.perform("\(path)/add-guardian", ["guardian": bo])
        #expect(added.status == 303, "\(added)")
        #expect(try offered("remove-guardian") == [ann, bo])
        #expect(try offered("primary-guardian") == [bo])
        #expect(try offered("add-guardian") == [])
    }

    @Test("an adult who is a guardian of the child is refused as a further one")
    func presentGuardian() throws {
        _ = try site.makeFamily()
        let browser = try site.browser(of: "root@example.com")
        let path = "/members/\(try child())/add-guardian"
        let page = try browser.open(path)
        let before = try site.audit()
        let refused = try browser.send(path, from: page, ["guardian": member(ConsoleSite.ann)])
        #expect(refused.status == 409, "\(refused)")
        #expect(refused.alert == "Ann Fisher is already a guardian of the child.", "\(refused)")
        #expect(try site.audit() == before)
    }

    @Test("an operation that needs another adult says so in a family without one, with no form")
    func noOtherAdult() throws {
        let family = try site.makeFamily()
        let browser = try site.browser(of: "root@example.com")
        let kid = "/members/\(try child())"
        let removed = try browser.perform("/members/\(member(ConsoleSite.bo))/remove")
        #expect(removed.status == 303, "\(removed)")
        let other = "The family has no other adult. Invite one first."
        let sentences = [
            "\(kid)/add-guardian": "Every adult of the family is already a guardian of the child.",
            "\(kid)/primary-guardian": "The child has no other guardian.",
            "\(kid)/reassign": other, "/families/\(family)/transfer-admin": other,
        ]
        for (path, sentence) in sentences {
            let page = try browser.open(path)
            #expect(page.status == 200 && page.says(sentence), "\(path): \(page)")
            #expect(!page.targets.contains(path) && !page.says("<select"), "\(path): \(page)")
        }
    }

    @Test("an operation says so if only the operator's own account could be chosen")
    func onlyOneself() throws {
        let family = try site.makeFamily()
        let browser = try site.browser(of: "root@example.com")
        let removed = try browser.perform("/members/\(member(ConsoleSite.bo))/remove")
        #expect(removed.status == 303, "\(removed)")
        try site.asOperator { session in
            _ = try session.addMember(
                session.user(ConsoleSite.root).id, to: session.family(family).id, role: nil,
                householdRole: nil)
        }
        let path = "/families/\(family)/transfer-admin"
        let page = try browser.open(path)
        #expect(page.says("Only your own account could be chosen."), "\(page)")
        #expect(!page.targets.contains(path) && !page.says("The family has no other adult"))
    }

    @Test("a page about a member tells who it is, and asks for a guardian only for children")
    func removal() throws {
        _ = try site.makeFamily()
        let browser = try site.browser(of: "root@example.com")
        let kid = try child()
        let (ann, bo) = (try member(ConsoleSite.ann), try member(ConsoleSite.bo))
        for (id, hasChild) in [(ann, true), (bo, false), (kid, false)] {
            let page = try browser.open("/members/\(id)/remove")
            #expect(page.status == 200 && page.says("<code>\(id)</code>"), "\(page)")
            #expect(page.says("name=\"successor\"") == hasChild, "\(page)")
        }
        for (id, hasChild) in [(ann, true), (bo, false)] {
            let page = try browser.open("/members/\(id)/set-role")
            #expect(page.status == 200 && page.says("name=\"successor\"") == hasChild)
        }
        let page = try browser.open("/members/\(kid)/remove")
        #expect(page.says("<dd>Ann Fisher</dd>"), "\(page)")
    }

    @Test("the page of a family names its Parent Admin and its creator, or says that there is none")
    func parentAdmin() throws {
        let family = try site.makeFamily()
        let browser = try site.browser(of: "sue@example.com")
        func fact(_ name: String) throws -> String {
            let page = try browser.open("/families/\(family)")
            let lines = page.text.split(separator: "\n")
            return String(try #require(lines.first { $0.contains("<dt>\(name)</dt>") }, "\(page)"))
        }
        let ann = "<a href=\"/people/\(ConsoleSite.ann)\">Ann Fisher</a>"
        #expect(try fact("Parent Admin").contains(ann))
        try site.asOperator { session in
            try session.transferAdmin(
                to: session.member(ConsoleSite.bo, of: session.family(family).id))
        }
        let bo = "<a href=\"/people/\(ConsoleSite.bo)\">Bo Tern</a>"
        #expect(try fact("Parent Admin").contains(bo))
        #expect(try fact("Created by").contains(ann))
        try Connection(site.test.settings()).execute(
            script: """
                SET session_replication_role = replica;
                UPDATE app.family_members SET household_role = 'adult'
                    WHERE user_id = '\(ConsoleSite.bo)'
                """)
        #expect(try fact("Parent Admin").contains("<dd>none</dd>"))
    }

    @Test("a new code leaves open invitations valid, as its page says")
    func newCode() throws {
        let family = try site.makeFamily()
        let browser = try site.browser(of: "root@example.com")
        let path = "/families/\(family)"
        let invited = try browser.perform(
            path + "/invite", ["email": "cy@example.com", "role": "parent"])
        #expect(invited.status == 303, "\(invited)")
        let page = try browser.open(path + "/new-code")
        #expect(page.says("Open invitations and their links stay valid."), "\(page)")
        #expect(try browser.send(path + "/new-code", from: page).status == 303)
        let open: Int = try site.scalar(
            """
            SELECT count(*) FROM app.family_invitations AS i
            JOIN app.invitation_secrets AS s ON s.invitation_id = i.id
            WHERE i.status = 'pending'
            """)
        #expect(open == 1)
    }

    @Test("more than two buttons of a row are folded, and fewer are not")
    func foldedButtons() throws {
        let family = try site.makeFamily()
        let page = try site.browser(of: "root@example.com").open("/families/\(family)")
        let menu = /<details class="menu">(.*?)<\/details>/.dotMatchesNewlines()
        let menus = page.text.matches(of: menu).map { String($0.1) }
        let first = try #require(menus.first, "\(page)")
        let path = "/members/\(try child())/"
        #expect(menus.count == 1 && first.contains("aria-label=\"Actions for Nemo Little Fisher\""))
        #expect(first.matches(of: /<li>/).count == 6 && first.contains(path + "graduate"))
        let others = try member(ConsoleSite.bo)
        #expect(page.targets.contains("/members/\(others)/remove"))
        #expect(!first.contains("/members/\(others)/"))
    }

    @Test("erased people are called so, with the start of the id, wherever they had a name")
    func erasedPeople() throws {
        let family = try site.makeFamily()
        let childID: String = try site.scalar(
            "SELECT id::text FROM app.users WHERE kind = 'managed'")
        try site.asOperator { session in
            _ = try session.erase(session.user(ConsoleSite.bo).id, successors: [])
            _ = try session.erase(session.user(childID).id, successors: [])
        }
        // An erased account gets another id.
        let accountID: String = try site.scalar(
            "SELECT id::text FROM app.users WHERE kind = 'account' AND deleted_at IS NOT NULL")
        for name in ["root", "vic"] {
            let browser = try site.browser(of: "\(name)@example.com")
            for (id, kind) in [(accountID, "account"), (childID, "child")] {
                let words = "erased \(kind) \(id.prefix(8))"
                let link = "<a href=\"/people/\(id)\">\(words)</a>"
                let page = try browser.open("/families/\(family)")
                // Once among the members, and at least once among the events.
                #expect(page.text.components(separatedBy: link).count > 2, "\(name): \(page)")
                #expect(!page.says(">no name<") && !page.says(">\(id)</a>"), "\(page)")
                #expect(try browser.open("/audit?action=user.erase").says(link))
                #expect(try browser.open("/people").says(link))
                #expect(try browser.open("/people/\(id)").heading == words)
            }
        }
    }

    @Test("the focus is in the first visible field of an operation's page, also after a mistake")
    func focusOfForms() throws {
        let family = try site.makeFamily()
        let browser = try site.browser(of: "root@example.com")
        func focused(_ page: ConsolePage) -> [String] {
            page.text.matches(of: /<(?:input|select) id="([^"]+)"[^>]* autofocus[ >]/).map {
                String($0.1)
            }
        }
        let path = "/families/\(family)/new-code"
        #expect(try focused(browser.open(path)) == ["days"])
        let refused = try browser.perform(path, ["days": "0"])
        #expect(refused.status == 400 && focused(refused) == ["days"], "\(refused)")
        // A choice, and a hidden field after it.
        let guardian = try browser.open("/members/\(try child())/reassign")
        #expect(focused(guardian) == ["guardian"], "\(guardian)")
        #expect(guardian.text.components(separatedBy: "autofocus").count == 2, "\(guardian)")
    }

    @Test("the events of a family's page have no column with the family, the audit log has one")
    func columnsOfEvents() throws {
        let family = try site.makeFamily(named: "The Longwindeds")
        let browser = try site.browser(of: "root@example.com")
        func events(_ path: String) throws -> String {
            let page = try browser.open(path)
            let table = /aria-label="Audit log"(.*?)<\/table>/.dotMatchesNewlines()
            return String(try #require(page.text.firstMatch(of: table), "\(page)").1)
        }
        let (own, all) = (try events("/families/\(family)"), try events("/audit"))
        let (head, name) = ("<th scope=\"col\">Family</th>", ">The Longwindeds</a>")
        #expect(!own.contains(head) && !own.contains(name), "\(own)")
        #expect(all.contains(head) && all.contains(name), "\(all)")
        for table in [own, all] {
            // As many cells as columns.
            let cells = table.matches(of: /<td>/).count
            let columns = table.matches(of: /<th\s/).count
            let rows = table.matches(of: /<tr>/).count - 1
            #expect(rows > 0 && cells == rows * columns, "\(table)")
            #expect(table.contains("<div class=\"wide\"><code class=\"long\">"), "\(table)")
        }
    }

    @Test("a member without a name is 'no name' in the table, and the address elsewhere")
    func nameless() throws {
        let family = try site.makeFamily()
        try site.asOwner(
            "UPDATE app.users SET full_name = NULL WHERE id = '\(ConsoleSite.bo)'")
        let browser = try site.browser(of: "root@example.com")
        let page = try browser.open("/families/\(family)")
        #expect(page.says("<a href=\"/people/\(ConsoleSite.bo)\">no name</a>"), "\(page)")
        let removal = try browser.open("/members/\(try member(ConsoleSite.bo))/remove")
        #expect(removal.heading == "Remove: bo@example.com, The Terns", "\(removal)")
    }

    @Test("invitations to an address are read from the index, however many there are")
    func planOfInvitations() throws {
        let superuser = try Connection(site.test.settings())
        try superuser.execute(script: ManyFamilies.script(3000))
        try superuser.execute(
            script: """
                SET session_replication_role = replica;
                INSERT INTO app.family_invitations (family_unit_id, invited_by, invited_email, role,
                        household_role, delivery, sent_count, last_sent_at)
                    SELECT f.id, '\(ConsoleSite.ann)',
                        'cy' || row_number() OVER (ORDER BY f.id) || '@example.com', 'parent',
                        'adult', 'email', 1, now()
                    FROM app.family_units AS f;
                RESET session_replication_role;
                ANALYZE
                """)
        func reads() throws -> Int64 {
            try superuser.execute(script: "SELECT pg_stat_force_next_flush()")
            return try superuser.query(
                """
                SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables
                WHERE relname = 'family_invitations'
                """
            ).scalar(Int64.self)
        }
        let before = try reads()
        let found: Int = try superuser.query(
            "SELECT count(*) FROM app.console_find_invitations('Cy2000@Example.com', 50)"
        ).scalar()
        #expect(found == 1)
        #expect(try reads() - before < 10)
    }

    @Test("the page of a family shows its latest events, the newest first")
    func events() throws {
        let family = try site.makeFamily()
        let root = try site.browser(of: "root@example.com")
        #expect(try root.perform("/families/\(family)/rename", ["name": "The Gulls"]).status == 303)
        let page = try root.open("/families/\(family)")
        let events = try #require(page.text.range(of: "Latest events"))
        let actions = page.text[events.upperBound...]
            .matches(of: /<code>([a-z_]+\.[a-z_]+)<\/code>/).map { String($0.1) }
        #expect(actions.first == "family.update" && actions.contains("managed.create"), "\(page)")
        #expect(page.says("operator:root@example.com"))
        let viewer = try site.browser(of: "vic@example.com").open("/families/\(family)")
        #expect(viewer.says("<code>family.update</code>") && !viewer.says("root@example.com"))
    }

    @Test("the page of a family shows all guardians, and its QR code except to viewers")
    func family() throws {
        let family = try site.makeFamily()
        let child: String = try site.scalar(
            "SELECT id::text FROM app.family_members WHERE user_kind = 'managed'")
        let code: String = try site.scalar("SELECT family_code FROM app.family_units")
        let browser = try site.browser(of: "root@example.com")
        let given = try browser.perform(
            "/members/\(child)/reassign", ["guardian": member(ConsoleSite.bo)])
        #expect(given.status == 303, "\(given)")
        let added = try browser.perform(
            "/members/\(child)/add-guardian", ["guardian": member(ConsoleSite.ann)])
        #expect(added.status == 303, "\(added)")
        let page = try browser.open("/families/\(family)")
        #expect(page.says("Bo Tern, Ann Fisher"), "\(page)")
        #expect(page.says("https://family.test/join?code=\(code)"))
        #expect(page.says("QR code of the family"))
        let viewer = try site.browser(of: "vic@example.com").open("/families/\(family)")
        #expect(viewer.status == 200 && viewer.says("Bo Tern, Ann Fisher"))
        #expect(!viewer.says("QR code") && !viewer.says("/join?code="))
    }
}
