import TestSupport

extension Reading {
    /// Readings of the views for several callers after `begin_requests`, with the callers in
    /// several orders. Each caller must see the same rows as alone, which other readings compare
    /// with the policy.
    static let batches: [Reading] = BatchOfCallers.views.map { single, shared in
        let alone = one(single)
        return Reading(
            name: "\(shared) of a batch",
            sql: "SELECT x FROM proof.read_\(shared)("
                + "'app.begin_requests app.begin_session app.\(shared)') AS x",
            cells: alone.cells,
            expected: { reader in
                // A caller acting for another shares no statements.
                reader.asker.played.isActing ? [] : alone.expected(&reader)
            })
    }

    /// The reading of a view or table for one caller.
    fileprivate static func one(_ relation: String) -> Reading {
        guard
            let reading = (tables + views + changes).first(where: {
                $0.name.hasSuffix(relation) && $0.sql.hasSuffix("FROM app.\(relation)")
            })
        else { preconditionFailure("\(relation) is not read") }
        return reading
    }
}

/// The callers of a batch, in SQL.
enum BatchOfCallers {
    /// The view for one caller, and the one for several.
    static let views = [
        ("member_list", "members_of_batch"), ("my_family_list", "my_families_of_batch"),
        ("my_profile", "profiles_of_batch"), ("family_versions", "family_versions_of_batch"),
        ("user_versions", "user_versions_of_batch"), ("invitation_list", "invitations_of_batch"),
        ("my_requests", "requests_of_batch"), ("my_missing_consents", "missing_consents_of_batch"),
    ]

    /// SQL of a function for each view, with the rights of its caller. It returns the rows of the
    /// current caller in a batch, and a line for each error. Its parameter names the objects that
    /// it depends on.
    static var functions: String { views.map { function($0, $1) }.joined() }

    /// The callers, with the columns number, issuer, hash, e-mail, whether it is verified, session,
    /// account. They are the current caller; another caller; an unknown caller; the current caller
    /// with another address than in its last token; a caller with an ended session; and the other
    /// caller with a session, and with an expired one.
    private static let callers = """
        (1, '\(Stage.issuer)', v__me, NULL, NULL::boolean, NULL::uuid, NULL::uuid),
        (2, '\(Stage.issuer)', sha256('stranger'), NULL, NULL, NULL, NULL),
        (3, '\(Stage.issuer)', sha256('unknown'), NULL, NULL, NULL, NULL),
        (4, '\(Stage.issuer)', v__me, 'another@example.com', true, NULL, NULL),
        (5, NULL, NULL, NULL, NULL, '\(SampleSession.mineEnded.id)', '\(SamplePerson.me.userID)'),
        (6, NULL, NULL, NULL, NULL, '\(SampleSession.strangers.id)', \(stranger)),
        (7, NULL, NULL, NULL, NULL, '\(SampleSession.strangersExpired.id)', \(stranger))
        """

    private static let stranger = "'\(SamplePerson.stranger.userID)'"

    private static func function(_ single: String, _ shared: String) -> String {
        let alone = Reading.one(single).sql
        func seen(_ number: Int) -> String {
            "ARRAY(SELECT r.x FROM (\(alone.replacing("app.\(single)", with: "app.\(shared)")) "
                + "WHERE caller_index = array_position(v__order, \(number))) AS r (x) ORDER BY r.x)"
        }
        return """
            CREATE FUNCTION proof.read_\(shared)(v__objects text) RETURNS SETOF text
            LANGUAGE plpgsql AS $batch$
            DECLARE
                v__me constant bytea := CASE
                    WHEN current_setting('hearth.guardian_id', true) <> ''
                        OR coalesce(current_setting('hearth.user_id', true), '') = ''
                    THEN sha256('unknown')
                    ELSE decode(current_setting('hearth.sign_in', true), 'hex') END;
                v__mine text[];
                v__others text[];
                v__order integer[];
            BEGIN
                PERFORM outcome FROM app.begin_request(
                    '\(Stage.issuer)', sha256('stranger'), NULL, NULL, NULL);
                v__others := ARRAY(SELECT r.x FROM (\(alone)) AS r (x) ORDER BY r.x);
                IF ARRAY(SELECT b.outcome FROM app.begin_session(
                        '\(SampleSession.strangers.id)', \(stranger)) AS b) <> '{known}'
                    OR ARRAY(SELECT r.x FROM (\(alone)) AS r (x) ORDER BY r.x) <> v__others THEN
                    RETURN NEXT 'a session begins otherwise than a token';
                END IF;
                PERFORM outcome FROM app.begin_request('\(Stage.issuer)', v__me, NULL, NULL, NULL);
                v__mine := ARRAY(SELECT r.x FROM (\(alone)) AS r (x) ORDER BY r.x);
                FOREACH v__order SLICE 1 IN ARRAY
                    ARRAY[[1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1], [3, 1, 7, 5, 2, 6, 4],
                        [6, 2, 1, 4, 7, 5, 3]]
                LOOP
                    PERFORM b.outcome FROM (
                        SELECT array_agg(c.issuer ORDER BY o.position) AS issuers,
                            array_agg(c.hash ORDER BY o.position) AS hashes,
                            array_agg(c.email ORDER BY o.position) AS emails,
                            array_agg(c.verified ORDER BY o.position) AS verified,
                            array_agg(c.session ORDER BY o.position) AS sessions,
                            array_agg(c.account ORDER BY o.position) AS accounts
                        FROM unnest(v__order) WITH ORDINALITY AS o (number, position)
                        JOIN (VALUES \(callers))
                            AS c (number, issuer, hash, email, verified, session, account)
                            ON c.number = o.number) AS a
                    CROSS JOIN LATERAL app.begin_requests(a.issuers, a.hashes, a.emails,
                        a.verified, ARRAY[]::boolean[], a.sessions, a.accounts) AS b;
                    IF \(seen(1)) <> v__mine OR \(seen(2)) <> v__others
                        OR \(seen(3)) <> '{}' OR \(seen(4)) <> '{}' OR \(seen(5)) <> '{}'
                        OR \(seen(6)) <> v__others OR \(seen(7)) <> '{}' THEN
                        RETURN NEXT 'wrong in the order ' || array_to_string(v__order, ' ');
                    END IF;
                    IF EXISTS (SELECT FROM app.\(single)) THEN
                        RETURN NEXT 'one caller is left';
                    END IF;
                END LOOP;
                RETURN QUERY SELECT unnest(\(seen(1)));
                PERFORM outcome FROM app.begin_request('\(Stage.issuer)', v__me, NULL, NULL, NULL);
                IF EXISTS (SELECT FROM app.\(shared)) THEN
                    RETURN NEXT 'the callers of a batch are left';
                END IF;
            END $batch$;
            GRANT EXECUTE ON FUNCTION proof.read_\(shared)(text) TO PUBLIC;
            """
    }
}
