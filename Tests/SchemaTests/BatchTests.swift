import Postgres
import TestSupport
import Testing

@Suite("Callers of a batch")
struct BatchTests {
    @Test(
        "unknown callers and callers with new claims become null; the others keep their indexes"
    )
    func callers() throws {
        let house = try House()
        let (first, changed, last) = (try house.person(), try house.person(), try house.person())
        let unseen = Person(role: "parent")
        let people = [first, changed, unseen, last]
        let emails = people.map { $0.id == changed.id ? "else@example.org" : $0.email }
        let (rows, callers) = try Connection(house.test.settings(as: "hearth_api")).transaction {
            transaction in
            let rows = try transaction.query(
                """
                SELECT caller_index, outcome, user_id FROM app.begin_requests(
                    array_fill(\(Person.issuer)::text, ARRAY[4]),
                    (SELECT array_agg(sha256(convert_to(s, 'UTF8')) ORDER BY n)
                     FROM unnest(\(people.map(\.signIn))) WITH ORDINALITY AS t (s, n)),
                    \(emails), array_fill(true, ARRAY[4]), array_fill(false, ARRAY[4]),
                    array_fill(NULL::uuid, ARRAY[4]), array_fill(NULL::uuid, ARRAY[4]))
                """
            ).map { (row) throws(PostgresError) in
                let (index, outcome) = (try row.read(Int32.self), try row.read(String.self))
                let user = try row.read(UInt128?.self)
                return
                    "\(index) \(outcome) \(people.firstIndex { $0.id == user }.map { $0 + 1 } ?? 0)"
            }
            let callers = try transaction.query(
                """
                SELECT array_replace(
                    current_setting('hearth.callers')::uuid[], NULL, '00000000-0000-0000-0000-000000000000')
                """
            ).scalar([UInt128].self)
            return (rows, callers)
        }
        #expect(rows == ["1 known 1", "2 stale 0", "3 unknown 0", "4 known 4"])
        #expect(callers == [first.id, 0, 0, last.id])
    }

    @Test("each caller of a batch finds the versions of its own families, at its own index")
    func versions() throws {
        let house = try House()
        let (creator, parent) = (try house.person("player"), try house.person())
        let (lonely, leaver) = (try house.person(), try house.person())
        let ours = try house.family(of: creator)
        let theirs = try house.family(of: house.person("player"))
        for person in [parent, leaver] { try house.join(person, ours) }
        try house.join(parent, theirs)
        try house.asAPI(leaver) { try $0.query("SELECT app.leave_family(\(ours.id), NULL)") }
        let superuser = try house.superuser()
        // For each person a live session, an expired one and one that was ended.
        let people = [creator.id, parent.id, lonely.id, leaver.id]
        try superuser.query(
            "UPDATE app.user_identities SET lacks_name = true WHERE user_id = \(lonely.id)")
        try superuser.query(
            "UPDATE app.family_units SET code_expires_at = now() WHERE id = \(theirs.id)")
        try superuser.query(
            """
            INSERT INTO app.sessions (id, user_id, method, ends_at, ended_at, end_reason)
            SELECT md5(n || ' ' || k)::uuid, u, 'email',
                now() + CASE k WHEN 'over' THEN '0' ELSE interval '1 day' END,
                CASE k WHEN 'ended' THEN now() END, CASE k WHEN 'ended' THEN 'signed_out' END
            FROM unnest(\(people)) WITH ORDINALITY AS p (u, n),
                unnest('{open,over,ended}'::text[]) AS k
            """)
        // Position, person, credential, family. Credential: a token (-), one with another address,
        // one with a name (the third person has none), one of another issuer, or a session.
        let asked = [
            "1 1 - -", "2 2 - -", "3 3 - -", "4 4 - -", "5 2 - 1", "6 2 - 2", "7 1 - 2", "8 3 - 1",
            "9 4 - 1", "10 2 open -", "11 2 open 2", "12 2 over -", "13 2 ended -", "14 1 open 2",
            "15 9 - -", "16 1 news -", "17 2 others -", "18 2 others 1",
            "19 3 named -", "20 1 named -", "21 1 issuer -",
        ]
        let found = try superuser.query(
            """
            WITH asked AS (
                SELECT (x[1])::integer AS caller_index, (\(people)::uuid[])[(x[2])::integer] AS person,
                    x[3] AS kind, x[2] AS number, (ARRAY[\(ours.id), \(theirs.id)]::uuid[])
                        [nullif(x[4], '-')::integer] AS family
                FROM unnest(\(asked)) AS t (line), string_to_array(t.line, ' ') AS x
            ), named AS (
                SELECT a.*, a.kind NOT IN ('-', 'news', 'named', 'issuer') AS by_session, (\(
                    [creator, parent, lonely, leaver].map(\.signIn)
                )::text[])[a.number::integer] AS sign_in, u.email
                FROM asked AS a LEFT JOIN app.users AS u ON u.id = a.person
            ), arrays AS (
                SELECT array_agg(CASE WHEN kind = 'issuer' THEN 'https://other.test'
                        WHEN NOT by_session THEN \(Person.issuer)::text END ORDER BY caller_index)
                        AS issuers,
                    array_agg(CASE WHEN NOT by_session
                        THEN sha256(convert_to(coalesce(sign_in, ''), 'UTF8')) END
                        ORDER BY caller_index)
                        AS hashes,
                    array_agg(CASE WHEN kind = 'news' THEN 'else@example.com'
                        WHEN NOT by_session THEN email END ORDER BY caller_index) AS emails,
                    array_agg(CASE WHEN NOT by_session THEN true END ORDER BY caller_index)
                        AS verified,
                    array_agg(
                        CASE WHEN NOT by_session THEN kind = 'named' END ORDER BY caller_index)
                        AS named,
                    array_agg(CASE WHEN by_session THEN md5(
                        CASE kind WHEN 'others' THEN '1 open' ELSE number || ' ' || kind END)::uuid
                        END ORDER BY caller_index) AS sessions,
                    array_agg(CASE WHEN by_session THEN person END ORDER BY caller_index)
                        AS accounts,
                    array_agg(family ORDER BY caller_index) AS families
                FROM named
            )
            SELECT concat_ws(' ', f.caller_index, array_position(\(people), f.user_id),
                CASE WHEN f.own_version IS NULL AND f.own_raised_at IS NULL THEN 'none'
                    WHEN (f.own_version, f.own_raised_at)
                        IS NOT DISTINCT FROM (u.version, u.raised_at) THEN 'own'
                    ELSE 'wrong' END,
                coalesce(array_position(ARRAY[\(ours.id), \(theirs.id)], f.family_unit_id)::text, '-'),
                CASE WHEN f.version IS NULL AND f.raised_at IS NULL THEN 'none'
                    WHEN (f.version, f.raised_at)
                        IS NOT DISTINCT FROM (v.version, v.raised_at) THEN 'right'
                    ELSE 'wrong' END,
                coalesce(f.is_code_over::text, '-'))
            FROM arrays AS a
            CROSS JOIN LATERAL app.versions_of_callers(a.issuers, a.hashes, a.emails, a.verified,
                a.named, a.sessions, a.accounts, a.families) WITH ORDINALITY AS f (caller_index, user_id,
                own_version, own_raised_at, family_unit_id, version, raised_at, is_code_over, row)
            LEFT JOIN app.user_versions AS u ON u.user_id = f.user_id
            LEFT JOIN app.family_versions AS v ON v.family_unit_id = f.family_unit_id
            ORDER BY f.caller_index, f.family_unit_id = \(theirs.id)
            """
        ).map { (row) throws(PostgresError) in try row.read(String.self) }
        #expect(
            found == [
                "1 1 own 1 right -", "2 2 own 1 right -", "2 2 own 2 right true",
                "3 3 own - none -", "4 4 own - none -", "5 2 none 1 right -",
                "6 2 none 2 right -", "10 2 own 1 right -", "10 2 own 2 right true",
                "11 2 none 2 right -", "20 1 own 1 right -",
            ])
    }
}
