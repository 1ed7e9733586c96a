import Postgres
import Repositories
import TestSupport

extension Reading {
    /// The versions that conditional reads find, by the API's own statements for one and for
    /// several callers. Each caller must find exactly the versions that it sees after beginning a
    /// request, which other readings compare with the policy.
    static let conditional = Reading(
        name: "versions of a conditional read",
        sql: "SELECT x FROM proof.read_found_versions('app.begin_request app.begin_session "
            + "app.sign_in_versions app.session_versions app.versions_of_callers "
            + "app.claims_unchanged') AS x",
        cells: \.familyCount,
        expected: { reader in
            // A caller acting for another begins a request.
            if reader.asker.played.isActing { return [] }
            return Set(
                SampleFamily.existing.filter { reader.may(.familyRead, $0) }.map(\.tail))
        })
}

/// The statements of conditional reads, in SQL.
enum ConditionalReads {
    /// Rows visible to the caller of the begun request, as text.
    private static let seen = """
        ARRAY(SELECT format('%s %s %s %s %s %s', u.version, u.raised_at, l.family_unit_id,
                l.version, l.raised_at, l.is_over)
            FROM app.user_versions AS u LEFT JOIN (
                SELECT v.family_unit_id, v.version, v.raised_at,
                    f.code_expires_at <= now() AS is_over
                FROM app.family_versions AS v
                JOIN app.my_family_list AS f ON f.family_unit_id = v.family_unit_id) AS l ON true
            ORDER BY 1)
        """

    private static func seen(_ family: SampleFamily) -> String {
        """
        ARRAY(SELECT format('%s %s', v.version, v.raised_at) FROM app.family_versions AS v
            WHERE v.family_unit_id = '\(family.id)')
        """
    }

    /// Rows that a statement finds with these parameters. OFFSET 0 keeps the outer conditions from
    /// being pushed into the statement.
    private static func found(_ text: String, _ parameters: [String], columns: String) -> String {
        var text = text
        for (index, value) in parameters.enumerated().reversed() {
            text = text.replacing("$\(index + 1)", with: value)
        }
        let marks = columns.split(separator: ",").map { _ in "%s" }.joined(separator: " ")
        return """
            ARRAY(SELECT format('\(marks)', \(columns))
                FROM (\(text) OFFSET 0) AS r (user_id, \(columns))
                WHERE user_id IS NOT NULL AND \(columns.prefix { $0 != "," }) IS NOT NULL ORDER BY 1)
            """
    }

    private static let all = "own, own_at, family, version, raised_at, is_over"

    private static func found(_ signIn: [String]) -> String {
        found(CallerVersions.bySignIn.text, signIn, columns: all)
    }

    private static func found(session: SampleSession, of account: SamplePerson) -> String {
        found(
            CallerVersions.bySession.text, ["'\(session.id)'::uuid", "'\(account.userID)'::uuid"],
            columns: all)
    }

    private static func found(_ signIn: [String], in family: SampleFamily) -> String {
        found(
            CallerFamilyVersion.bySignIn.text, signIn + ["'\(family.id)'::uuid"],
            columns: "version, raised_at")
    }

    private static func found(
        session: SampleSession, of account: SamplePerson, in family: SampleFamily
    ) -> String {
        found(
            CallerFamilyVersion.bySession.text,
            ["'\(session.id)'::uuid", "'\(account.userID)'::uuid", "'\(family.id)'::uuid"],
            columns: "version, raised_at")
    }

    /// Returns the parameters of a sign-in: issuer, hash, e-mail, whether the e-mail is verified,
    /// whether the token has a name.
    private static func signIn(_ hash: String, email: String? = nil) -> [String] {
        [
            "'\(Stage.issuer)'", hash, email.map { "'\($0)'::text" } ?? "NULL::text",
            email == nil ? "NULL::boolean" : "true", "false",
        ]
    }

    /// The callers, with the columns number, issuer, hash, e-mail, whether it is verified, session,
    /// account, family, and the expected rows. They are the current caller and another one with
    /// every kind of sign-in, each for all families and for one; unknown callers and callers with
    /// changed claims; and sessions that have ended or belong to another account.
    private static var callers: String {
        let (me, stranger) = (
            "'\(SamplePerson.me.userID)'::uuid", "'\(SamplePerson.stranger.userID)'::uuid"
        )
        func token(_ hash: String, _ email: String? = nil) -> String {
            signIn(hash, email: email).dropLast().joined(separator: ", ")
                + ", NULL::uuid, NULL::uuid"
        }
        func session(_ session: SampleSession, _ account: String) -> String {
            "NULL, NULL, NULL, NULL, '\(session.id)', \(account)"
        }
        let ways: [(way: String, all: String, one: String)] = [
            (token("v__me"), "v__mine", "v__mine_of"),
            (token("sha256('stranger')"), "v__others", "v__others_of"),
            (token("sha256('unknown')"), "'{}'", "'{}'"),
            (token("v__me", "x@example.com"), "'{}'", "'{}'"),
            (session(.mine, me), "v__by_session", "v__by_session_of"),
            (session(.strangers, stranger), "v__others", "v__others_of"),
            (session(.mineEnded, me), "'{}'", "'{}'"),
            (session(.strangersExpired, stranger), "'{}'", "'{}'"),
            (session(.strangers, me), "'{}'", "'{}'"),
        ]
        let rows = ways.flatMap { way, all, one in
            [(way, "NULL::uuid", all)]
                + SampleFamily.existing.enumerated().map { number, family in
                    (
                        way, "'\(family.id)'",
                        "array_remove(ARRAY[(\(one)::text[])[\(number + 1)]], NULL)"
                    )
                }
        }
        return rows.enumerated().map { number, row in
            "(\(number), \(row.0), \(row.1), \(row.2)::text[])"
        }.joined(separator: ",\n")
    }

    /// SQL that runs one statement for all callers, in four different orders of the callers.
    private static var together: String {
        var text = DeclaredStatement(CallerVersions.batched).text
        let arrays = [
            "issuer", "hash", "email", "verified", "named", "session", "account", "family",
        ]
        for (index, name) in arrays.enumerated().reversed() {
            text = text.replacing("$\(index + 1)", with: "a.\(name)")
        }
        let gathered = arrays.map { name in
            "array_agg(\(name == "named" ? "false" : name) ORDER BY caller_index) AS \(name)"
        }.joined(separator: ", ")
        return """
            FOR v__number IN 1..4 LOOP
                WITH callers (number, issuer, hash, email, verified, session, account, family,
                    expected) AS (VALUES \(callers)
                ), placed AS MATERIALIZED (
                    SELECT c.*, row_number() OVER (ORDER BY md5(format('%s %s', number, v__number)))
                        AS caller_index
                    FROM callers AS c
                ), found AS MATERIALIZED (
                    SELECT f.* FROM (SELECT \(gathered) FROM placed) AS a CROSS JOIN LATERAL (\(text))
                        AS f (caller_index, user_id, \(all))
                )
                SELECT string_agg(p.number::text, ' ' ORDER BY p.number) INTO v__wrong
                FROM placed AS p
                WHERE p.expected IS DISTINCT FROM ARRAY(
                    SELECT CASE WHEN p.family IS NULL
                        THEN format('%s %s %s %s %s %s', \(all))
                        ELSE format('%s %s', f.version, f.raised_at) END
                    FROM found AS f
                    WHERE f.caller_index = p.caller_index AND (p.family IS NULL OR f.version IS NOT NULL)
                    ORDER BY 1);
                IF v__wrong IS NOT NULL THEN
                    RETURN NEXT 'wrong of several: ' || v__wrong;
                END IF;
            END LOOP;
            """
    }

    /// SQL of a function with the rights of its caller. It returns the families whose versions the
    /// current caller finds, and a line for each caller that finds other families than expected.
    static var function: String {
        let (me, stranger) = (signIn("v__me"), signIn("sha256('stranger')"))
        let families = SampleFamily.existing
        var checks: [(String, String, String)] = [
            ("oneself", found(me), "v__mine"), ("another", found(stranger), "v__others"),
            ("an unknown sign-in", found(signIn("sha256('unknown')")), "'{}'"),
            ("an address that is news", found(signIn("v__me", email: "x@example.com")), "'{}'"),
            ("another's session", found(session: .strangers, of: .stranger), "v__others"),
            ("one's own session", found(session: .mine, of: .me), "v__by_session"),
            ("an ended session", found(session: .mineEnded, of: .me), "'{}'"),
            ("a session that is over", found(session: .strangersExpired, of: .stranger), "'{}'"),
            ("a session of somebody else", found(session: .strangers, of: .me), "'{}'"),
        ]
        for (number, family) in families.enumerated() {
            checks += [
                (
                    "oneself in \(family)", found(me, in: family),
                    "array_remove(ARRAY[v__mine_of[\(number + 1)]], NULL)"
                ),
                (
                    "another's session in \(family)",
                    found(session: .strangers, of: .stranger, in: family),
                    "array_remove(ARRAY[v__others_of[\(number + 1)]], NULL)"
                ),
            ]
        }
        let ofFamilies = families.map { "(\(seen($0)))[1]" }.joined(separator: ", ")
        return """
            CREATE FUNCTION proof.read_found_versions(v__objects text) RETURNS SETOF text
            LANGUAGE plpgsql AS $found$
            DECLARE
                v__me constant bytea := CASE
                    WHEN current_setting('hearth.guardian_id', true) <> ''
                        OR coalesce(current_setting('hearth.user_id', true), '') = ''
                    THEN sha256('unknown')
                    ELSE decode(current_setting('hearth.sign_in', true), 'hex') END;
                v__mine text[];
                v__mine_of text[];
                v__by_session text[];
                v__others text[];
                v__others_of text[];
                v__by_session_of text[];
                v__wrong text;
            BEGIN
                PERFORM outcome FROM app.begin_session('\(SampleSession.mine.id)',
                    '\(SamplePerson.me.userID)');
                v__by_session := \(seen);
                v__by_session_of := ARRAY[\(ofFamilies)];
                PERFORM outcome FROM app.begin_session('\(SampleSession.strangers.id)',
                    '\(SamplePerson.stranger.userID)');
                v__others := \(seen);
                v__others_of := ARRAY[\(ofFamilies)];
                PERFORM outcome FROM app.begin_request('\(Stage.issuer)', v__me, NULL, NULL, NULL);
                v__mine := \(seen);
                v__mine_of := ARRAY[\(ofFamilies)];
                RETURN QUERY SELECT \(tail("family_unit_id")) FROM app.family_versions
                    WHERE v__mine <> '{}';
                -- Nothing that was begun has a part in what is found.
                PERFORM outcome FROM app.begin_request(NULL, NULL, NULL, NULL, NULL);
                \(checks.map { name, found, expected in
                    """
                    IF \(found) IS DISTINCT FROM \(expected) THEN
                        RETURN NEXT 'wrong: \(name.replacing("'", with: "''"))';
                    END IF;
                    """
                }.joined(separator: "\n"))
                \(together)
                PERFORM set_config('hearth.sign_in', '', true),
                    set_config('hearth.session', '', true);
                IF EXISTS (SELECT FROM app.sign_in_versions)
                    OR EXISTS (SELECT FROM app.session_versions) THEN
                    RETURN NEXT 'versions are shown to nobody';
                END IF;
            END $found$;
            GRANT EXECUTE ON FUNCTION proof.read_found_versions(text) TO PUBLIC;
            """
    }
}
