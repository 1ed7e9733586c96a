import Repositories
import TestSupport

extension Reading {
    /// The versions that a conditional read finds, by the API's own statements, which name their
    /// caller: each caller finds what it sees behind a beginning, which other readings hold against
    /// the policy, and nobody else finds anything.
    static let conditional = Reading(
        name: "versions of a conditional read",
        sql: "SELECT x FROM proof.read_found_versions('app.begin_request app.begin_session "
            + "app.sign_in_versions app.session_versions app.tells_nothing_new') AS x",
        cells: \.familyCount,
        expected: { reader in
            // Who acts for another begins a request.
            if reader.asker.played.isActing { return [] }
            return Set(
                SampleFamily.existing.filter { reader.may(.familyRead, $0) }.map(\.tail))
        })
}

/// The statements of conditional reads, in SQL.
enum ConditionalReads {
    /// What the caller sees whose request has begun, a text for each row.
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

    /// What a statement finds with these parameters. With OFFSET 0 what is asked of the rows stays
    /// behind the statement.
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
        found(FoundVersions.bySignIn.text, signIn, columns: all)
    }

    private static func found(session: SampleSession, of account: SamplePerson) -> String {
        found(
            FoundVersions.bySession.text, ["'\(session.id)'::uuid", "'\(account.userID)'::uuid"],
            columns: all)
    }

    private static func found(_ signIn: [String], in family: SampleFamily) -> String {
        found(
            FoundVersion.bySignIn.text, signIn + ["'\(family.id)'::uuid"],
            columns: "version, raised_at")
    }

    private static func found(
        session: SampleSession, of account: SamplePerson, in family: SampleFamily
    ) -> String {
        found(
            FoundVersion.bySession.text,
            ["'\(session.id)'::uuid", "'\(account.userID)'::uuid", "'\(family.id)'::uuid"],
            columns: "version, raised_at")
    }

    /// Issuer, hash, e-mail, whether it is verified, whether there is a name.
    private static func signIn(_ hash: String, email: String? = nil) -> [String] {
        [
            "'\(Stage.issuer)'", hash, email.map { "'\($0)'::text" } ?? "NULL::text",
            email == nil ? "NULL::boolean" : "true", "false",
        ]
    }

    /// A function that runs as the client that calls it: the families that the present caller finds
    /// versions of, and a line for each thing that is wrong.
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
            BEGIN
                PERFORM outcome FROM app.begin_session('\(SampleSession.mine.id)',
                    '\(SamplePerson.me.userID)');
                v__by_session := \(seen);
                PERFORM outcome FROM app.begin_session('\(SampleSession.strangers.id)',
                    '\(SamplePerson.stranger.userID)');
                v__others := \(seen);
                v__others_of := ARRAY[\(ofFamilies)];
                PERFORM outcome FROM app.begin_request('\(Stage.issuer)', v__me, NULL, NULL);
                v__mine := \(seen);
                v__mine_of := ARRAY[\(ofFamilies)];
                RETURN QUERY SELECT \(tail("family_unit_id")) FROM app.family_versions
                    WHERE v__mine <> '{}';
                -- Nothing that was begun has a part in what is found.
                PERFORM outcome FROM app.begin_request(NULL, NULL, NULL, NULL);
                \(checks.map { name, found, expected in
                    """
                    IF \(found) IS DISTINCT FROM \(expected) THEN
                        RETURN NEXT 'wrong: \(name.replacing("'", with: "''"))';
                    END IF;
                    """
                }.joined(separator: "\n"))
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
