-- hearth: after faults.sql
-- The checks that find faults in the data. Each is a statement of its own: no snapshot is held for
-- longer than one check takes, so that vacuum of a large database is not delayed.
--
-- A sound database has no faults, so each check first finds candidates in one pass, by indexes that
-- cover the query where possible, and then examines only the candidates. All candidates are
-- collected first (MATERIALIZED). Otherwise, because of ORDER BY and LIMIT, the planner would scan
-- all rows one by one in the order of their ids. It expects many candidates, and would let one
-- process do all the work; parallel_tuple_cost = 0 makes several processes compare.
--
-- Where indexes in the same order cover the columns by which two tables are compared, a merge join
-- takes a third of the processor time of a hash join, and less memory. The planner prefers the hash
-- join, because several processes would share it, so the functions that compare in this way disable
-- hash joins and parallel workers.

-- Whether a valid unique index of this definition exists. Triggers and foreign keys can be
-- disabled, a unique index can't. So the checks compare rows only if the index is missing or
-- differs.
CREATE OR REPLACE FUNCTION app.has_unique_index(p_table regclass, p_definition text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL RESTRICTED SET search_path = '' AS $$
    SELECT EXISTS (
        SELECT FROM pg_index AS x
        WHERE x.indrelid = p_table AND x.indisunique AND x.indimmediate AND x.indisvalid
            AND x.indisready AND x.indislive
            AND split_part(pg_get_indexdef(x.indexrelid), ' USING ', 2) = p_definition);
$$;

-- The children with a guardian who is not an active adult of the family.
CREATE OR REPLACE FUNCTION app.children_with_former_guardians() RETURNS TABLE (member_id uuid)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10 SET search_path = ''
SET enable_hashjoin = off SET max_parallel_workers_per_gather = 0 AS $$
    WITH former AS MATERIALIZED (
        SELECT w.family_unit_id, w.guardian_user_id FROM app.guardianships AS w
        WHERE NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = w.family_unit_id
                AND g.active_adult_user_id = w.guardian_user_id
                AND g.active_adult_user_id IS NOT NULL))
    SELECT w.member_id
    FROM former AS f JOIN app.guardianships AS w
        ON w.family_unit_id = f.family_unit_id AND w.guardian_user_id = f.guardian_user_id
$$;

-- The candidates for both faults are children whose primary guardian has no guardianship, removed
-- children with guardians, and children with a guardian who is not an active adult of the family.
CREATE OR REPLACE FUNCTION app.check_guardians(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = '' SET parallel_tuple_cost = 0 AS $$
    WITH misrecorded AS MATERIALIZED (
        SELECT m.id FROM app.family_members AS m
        LEFT JOIN app.guardianships AS w
            ON w.member_id = m.id AND (m.status <> 'active' OR (
                w.guardian_user_id = m.parent_user_id AND w.family_unit_id = m.family_unit_id))
        WHERE m.user_kind = 'managed' AND (m.status = 'active') = (w.member_id IS NULL)),
    candidates AS MATERIALIZED (
        SELECT m AS child FROM app.family_members AS m
        WHERE m.user_kind = 'managed' AND m.id IN (
            SELECT r.id FROM misrecorded AS r
            UNION SELECT w.member_id FROM app.children_with_former_guardians() AS w))
    (SELECT 'child_without_guardian', (c.child).family_unit_id, (c.child).id,
            app.preferred_guardian((c.child).family_unit_id) IS NOT NULL
        FROM candidates AS c
        WHERE (c.child).status = 'active' AND NOT EXISTS (
            SELECT FROM app.family_members AS g
            WHERE g.family_unit_id = (c.child).family_unit_id
                AND g.active_adult_user_id = (c.child).parent_user_id)
        ORDER BY (c.child).id LIMIT p_limit)
    UNION ALL
    (SELECT 'guardianship_wrong', (c.child).family_unit_id, (c.child).id, true
        FROM candidates AS c WHERE app.has_wrong_guardianship(c.child)
        ORDER BY (c.child).id LIMIT p_limit)
$$;

-- Whether a person who is not an active member never was one: the person waits for the family's
-- approval, or asked for it and did not get it. The audit log shows whether a rejected person was a
-- member before.
CREATE OR REPLACE FUNCTION app.never_was_member(p_member app.family_members) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT p_member.status = 'invited' OR (p_member.status = 'removed' AND coalesce((
        SELECT a.details ->> 'was' = 'invited' FROM app.audit_log AS a
        WHERE a.family_unit_id = p_member.family_unit_id AND a.at >= p_member.added_at
            AND a.target_id = p_member.id AND a.action IN ('member.remove', 'member.leave')
        ORDER BY a.at DESC LIMIT 1), false));
$$;

-- Families with an active adult have none of these faults. The index of active adults shows which
-- families these are.
CREATE OR REPLACE FUNCTION app.check_families(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = ''
SET enable_hashjoin = off SET max_parallel_workers_per_gather = 0 AS $$
    WITH adultless AS MATERIALIZED (
        SELECT f.id FROM app.family_units AS f
        WHERE NOT EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = f.id AND m.active_adult_user_id IS NOT NULL)),
    -- OFFSET 0 makes PostgreSQL look up the members of each family separately. Otherwise the
    -- planner, which expects millions of families, would hash the members of all families.
    looked_at AS MATERIALIZED (
        SELECT f.* FROM adultless AS a CROSS JOIN LATERAL (
            SELECT u.id, u.created_at,
                EXISTS (SELECT FROM app.family_members AS m
                        WHERE m.family_unit_id = u.id AND m.status = 'active') AS has_members,
                EXISTS (SELECT FROM app.family_members AS m
                        WHERE m.family_unit_id = u.id
                            AND (m.user_kind = 'managed'
                                 OR (m.role = 'parent' AND NOT app.never_was_member(m))))
                    AS had_adults
            FROM app.family_units AS u WHERE u.id = a.id AND u.emptied_at IS NULL OFFSET 0) AS f),
    -- The new family of a player has no grown-up at first. This is a fault only after 30 days.
    unguarded AS MATERIALIZED (
        SELECT f.id FROM looked_at AS f
        WHERE f.has_members
            AND (f.created_at < now() - interval '30 days' OR f.had_adults)),
    misdated AS MATERIALIZED (
        SELECT f.id FROM looked_at AS f WHERE NOT f.has_members
        UNION ALL
        SELECT f.id FROM app.family_units AS f
        WHERE f.emptied_at IS NOT NULL AND EXISTS (
            SELECT FROM app.family_members AS m
            WHERE m.family_unit_id = f.id AND m.status = 'active'))
    (SELECT 'family_without_adult', u.id, NULL::uuid, false
        FROM unguarded AS u ORDER BY u.id LIMIT p_limit)
    UNION ALL
    (SELECT 'emptiness_wrong', d.id, NULL, true FROM misdated AS d ORDER BY d.id LIMIT p_limit)
$$;

CREATE OR REPLACE FUNCTION app.check_seats(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT 'several_parent_admins', m.family_unit_id, NULL::uuid, false
    FROM app.family_members AS m
    WHERE m.status = 'active' AND m.household_role = 'parent_admin'
        AND NOT app.has_unique_index('app.family_members',
            'btree (family_unit_id) WHERE ((status = ''active''::text)'
                ' AND (household_role = ''parent_admin''::text))')
    GROUP BY m.family_unit_id HAVING count(*) > 1
    ORDER BY m.family_unit_id LIMIT p_limit
$$;

CREATE OR REPLACE FUNCTION app.check_players(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT 'player_in_several_families', NULL::uuid, m.user_id, false
    FROM app.family_members AS m
    WHERE m.status = 'active' AND m.role = 'player'
        AND NOT app.has_unique_index('app.family_members',
            'btree (user_id) WHERE ((status = ''active''::text) AND (role = ''player''::text))')
    GROUP BY m.user_id HAVING count(*) > 1
    ORDER BY m.user_id LIMIT p_limit
$$;

-- A slot above its family's limit is also above the smallest limit of all families, so only slots
-- above that limit are examined.
CREATE OR REPLACE FUNCTION app.check_slots(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE plpgsql STABLE SET search_path = '' SET parallel_tuple_cost = 0 AS $$
DECLARE
    -- A separate statement, because with a subquery only one process would search for candidates.
    v_smallest constant smallint := (SELECT min(l.member_limit) FROM app.family_units AS l);
BEGIN
    RETURN QUERY WITH candidates AS MATERIALIZED (
        SELECT m.id, m.family_unit_id, m.slot,
            (m.status = 'active') <> (m.slot IS NOT NULL) AS is_misplaced
        FROM app.family_members AS m
        WHERE (m.status = 'active') <> (m.slot IS NOT NULL) OR m.slot > v_smallest),
    doubled AS MATERIALIZED (
        SELECT s.family_unit_id, s.slot FROM app.family_members AS s
        WHERE s.slot IS NOT NULL
            AND NOT app.has_unique_index('app.family_members', 'btree (family_unit_id, slot)')
        GROUP BY s.family_unit_id, s.slot HAVING count(*) > 1),
    found AS MATERIALIZED (
        SELECT c.family_unit_id, c.id
        FROM candidates AS c JOIN app.family_units AS f ON f.id = c.family_unit_id
        WHERE c.is_misplaced OR c.slot > f.member_limit
        UNION
        SELECT m.family_unit_id, m.id
        FROM doubled AS d JOIN app.family_members AS m
            ON m.family_unit_id = d.family_unit_id AND m.slot = d.slot
        WHERE EXISTS (SELECT FROM app.family_members AS o
                      WHERE o.family_unit_id = m.family_unit_id AND o.slot = m.slot
                          AND o.id < m.id))
    SELECT 'slot_wrong', f.family_unit_id, f.id, true FROM found AS f ORDER BY f.id LIMIT p_limit;
END $$;

-- Users to which memberships refer, but which don't exist.
CREATE OR REPLACE FUNCTION app.missing_users() RETURNS TABLE (user_id uuid)
LANGUAGE sql STABLE PARALLEL RESTRICTED ROWS 10 SET search_path = ''
SET enable_hashjoin = off SET max_parallel_workers_per_gather = 0 AS $$
    SELECT m.user_id FROM app.family_members AS m
    WHERE NOT EXISTS (SELECT FROM app.users AS u WHERE u.id = m.user_id)
$$;

-- Members whose user is missing or of another kind. Only the managed users are hashed.
CREATE OR REPLACE FUNCTION app.check_user_kind(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = '' SET parallel_tuple_cost = 0 AS $$
    WITH differing AS MATERIALIZED (
        SELECT m.family_unit_id, m.id
        FROM app.family_members AS m
        LEFT JOIN (SELECT u.id FROM app.users AS u WHERE u.kind = 'managed') AS u
            ON u.id = m.user_id
        WHERE (m.user_kind = 'managed') <> (u.id IS NOT NULL)),
    found AS MATERIALIZED (
        SELECT d.family_unit_id, d.id FROM differing AS d
        UNION
        SELECT m.family_unit_id, m.id
        FROM app.missing_users() AS x JOIN app.family_members AS m ON m.user_id = x.user_id)
    SELECT 'member_kind_wrong', f.family_unit_id, f.id, false
    FROM found AS f ORDER BY f.id LIMIT p_limit
$$;

CREATE OR REPLACE FUNCTION app.check_creators(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = '' SET parallel_tuple_cost = 0 AS $$
    WITH found AS MATERIALIZED (
        SELECT m.family_unit_id, m.id
        FROM app.family_members AS m JOIN app.family_units AS f ON f.id = m.family_unit_id
        WHERE m.is_creator <> (f.created_by_user_id = m.user_id))
    SELECT 'creator_mark_wrong', f.family_unit_id, f.id, false
    FROM found AS f ORDER BY f.id LIMIT p_limit
$$;

-- Memberships in another role than the account's. If all memberships of an account agree, the
-- account's role is the wrong one, and can be repaired. Also members whose stands_in is wrong.
CREATE OR REPLACE FUNCTION app.check_roles(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = '' SET parallel_tuple_cost = 0 AS $$
    WITH differing AS MATERIALIZED (
        SELECT m.family_unit_id, m.id, m.user_id
        FROM app.family_members AS m JOIN app.users AS u ON u.id = m.user_id
        WHERE u.kind = 'account' AND m.held_role <> u.role)
    (SELECT 'role_differs', d.family_unit_id, d.id,
            app.role_in_all_families(d.user_id) IS NOT NULL
        FROM differing AS d ORDER BY d.id LIMIT p_limit)
    UNION ALL
    (SELECT 'stand_in_wrong', n.family_unit_id, n.id, true
        FROM app.expected_stand_ins() AS n JOIN app.family_members AS m ON m.id = n.id
        WHERE m.stands_in <> n.stands_in ORDER BY n.id LIMIT p_limit)
$$;

-- The worker retires expired codes every minute, so one that expired an hour ago is a fault.
CREATE OR REPLACE FUNCTION app.check_codes(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = '' SET parallel_tuple_cost = 0 AS $$
    WITH found AS MATERIALIZED (
        SELECT f.id FROM app.family_units AS f
        LEFT JOIN app.family_codes AS c ON c.family_unit_id = f.id AND c.state = 'live'
        WHERE c.code IS DISTINCT FROM f.family_code
            OR (f.family_code IS NULL
                AND (f.code_expires_at IS NULL OR f.code_expires_at > now())
                AND NOT app.code_was_given_up(f.id)))
    (SELECT 'code_wrong', f.id, NULL::uuid, true FROM found AS f ORDER BY f.id LIMIT p_limit)
    UNION ALL
    (SELECT 'code_overdue', f.id, NULL, true FROM (
            SELECT o.id FROM app.family_units AS o
            WHERE o.family_code IS NOT NULL AND o.code_expires_at < now() - interval '1 hour'
            ORDER BY o.code_expires_at LIMIT p_limit) AS f
        ORDER BY f.id)
$$;

-- The worker ends expired invitations every minute, so one that expired an hour ago is a fault.
CREATE OR REPLACE FUNCTION app.check_invitations(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = '' AS $$
    WITH closed AS MATERIALIZED (
        SELECT i.family_unit_id, i.id FROM app.family_invitations AS i
        WHERE i.status = 'pending' AND i.expires_at > now() AND NOT EXISTS (
            SELECT FROM app.invitation_secrets AS s
            WHERE s.invitation_id = i.id AND s.generation = i.generation))
    (SELECT 'invitation_overdue', i.family_unit_id, i.id, true FROM (
            SELECT o.family_unit_id, o.id FROM app.family_invitations AS o
            WHERE o.status = 'pending' AND o.expires_at < now() - interval '1 hour'
            ORDER BY o.expires_at LIMIT p_limit) AS i
        ORDER BY i.id)
    UNION ALL
    (SELECT 'invitation_without_secret', c.family_unit_id, c.id, false
        FROM closed AS c ORDER BY c.id LIMIT p_limit)
$$;

CREATE OR REPLACE FUNCTION app.check_people(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = '' SET parallel_tuple_cost = 0 AS $$
    WITH erased AS MATERIALIZED (
        SELECT u.id, u.full_name IS NOT NULL OR u.email IS NOT NULL AS is_known
        FROM app.users AS u WHERE u.deleted_at IS NOT NULL),
    found AS MATERIALIZED (
        SELECT e.id FROM erased AS e
        WHERE e.is_known
            OR EXISTS (SELECT FROM app.user_identities AS i WHERE i.user_id = e.id)
            OR EXISTS (SELECT FROM app.family_members AS m
                       WHERE m.user_id = e.id AND m.status = 'active'))
    SELECT 'erased_user_left_over', NULL::uuid, f.id, false
    FROM found AS f ORDER BY f.id LIMIT p_limit
$$;

-- Accounts that have proved another spelling of a mailbox that another account has proved. They
-- can't sign in with this spelling until one of the two is removed.
CREATE OR REPLACE FUNCTION app.check_addresses(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT 'mailbox_of_two', NULL::uuid, e.user_id, false
    FROM app.email_sign_ins AS e
    WHERE e.mailbox IS NULL AND e.removed_at IS NULL AND app.mailbox_of(e.email) IS NOT NULL
    ORDER BY e.user_id LIMIT p_limit
$$;

-- Domains of stored addresses for which no program has stored an A-label.
CREATE OR REPLACE FUNCTION app.unlabelled_domains(p_limit integer) RETURNS TABLE (spelling text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT d.spelling FROM (
        SELECT split_part(u.email, '@', 2) AS spelling FROM app.users AS u
            WHERE u.mailbox IS NULL AND u.email IS NOT NULL
        UNION SELECT split_part(e.email, '@', 2) FROM app.email_sign_ins AS e
            WHERE e.mailbox IS NULL
        UNION SELECT split_part(i.invited_email, '@', 2) FROM app.family_invitations AS i
            WHERE i.mailbox IS NULL AND i.invited_email IS NOT NULL
        UNION SELECT split_part(x.email, '@', 2) FROM app.suppressed_addresses AS x
            WHERE x.mailbox IS NULL
        UNION SELECT split_part(r.email, '@', 2) FROM app.refused_invitations AS r
            WHERE r.mailbox IS NULL) AS d
    WHERE app.a_label_of_address('@' || d.spelling) IS NULL
    ORDER BY d.spelling LIMIT p_limit
$$;

COMMENT ON FUNCTION app.unlabelled_domains(integer) IS
    'Domains of stored addresses whose A-labels are not stored, so that the addresses match '
    'nothing.';

-- Accounts whose id is not the subject of their primary sign-in. Either another account already has
-- the subject as its id, for example because it removed a sign-in that had been added by its
-- address, or the account has not used the primary sign-in since it was added.
CREATE OR REPLACE FUNCTION app.check_ids(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SET search_path = '' SET parallel_tuple_cost = 0 AS $$
    SELECT 'id_not_of_sign_in', NULL::uuid, i.user_id, false
    FROM app.user_identities AS i JOIN app.trusted_issuers AS t ON t.issuer = i.issuer
    WHERE t.is_primary
        AND i.subject_hash <> sha256(convert_to(i.issuer || E'\n' || i.user_id, 'UTF8'))
    ORDER BY i.user_id LIMIT p_limit
$$;

-- The checks of find_faults_of, in the order in which faults are best repaired.
CREATE OR REPLACE FUNCTION app.fault_checks() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY['guardians', 'families', 'seats', 'slots', 'players', 'kinds', 'creators', 'codes',
    'invitations', 'people', 'roles', 'addresses', 'ids'];

-- Runs one check. Returns the kind of fault, the family (null if none in particular), the member,
-- user or invitation concerned, and whether repair_fault can repair it; at most p_limit of each
-- kind.
--
-- The settings keep comparisons of millions of rows in memory, and price pages as cached.
CREATE OR REPLACE FUNCTION app.find_faults_of(p_check text, p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = ''
SET work_mem = '128MB' SET random_page_cost = 1.1 SET jit = off AS $$
BEGIN
    CASE p_check
        WHEN 'guardians' THEN RETURN QUERY SELECT f.* FROM app.check_guardians(p_limit) AS f;
        WHEN 'families' THEN RETURN QUERY SELECT f.* FROM app.check_families(p_limit) AS f;
        WHEN 'seats' THEN RETURN QUERY SELECT f.* FROM app.check_seats(p_limit) AS f;
        WHEN 'slots' THEN RETURN QUERY SELECT f.* FROM app.check_slots(p_limit) AS f;
        WHEN 'players' THEN RETURN QUERY SELECT f.* FROM app.check_players(p_limit) AS f;
        WHEN 'kinds' THEN RETURN QUERY SELECT f.* FROM app.check_user_kind(p_limit) AS f;
        WHEN 'creators' THEN RETURN QUERY SELECT f.* FROM app.check_creators(p_limit) AS f;
        WHEN 'codes' THEN RETURN QUERY SELECT f.* FROM app.check_codes(p_limit) AS f;
        WHEN 'invitations' THEN
            RETURN QUERY SELECT f.* FROM app.check_invitations(p_limit) AS f;
        WHEN 'people' THEN RETURN QUERY SELECT f.* FROM app.check_people(p_limit) AS f;
        WHEN 'addresses' THEN RETURN QUERY SELECT f.* FROM app.check_addresses(p_limit) AS f;
        WHEN 'ids' THEN RETURN QUERY SELECT f.* FROM app.check_ids(p_limit) AS f;
        WHEN 'roles' THEN RETURN QUERY SELECT f.* FROM app.check_roles(p_limit) AS f;
    END CASE;
END $$;

COMMENT ON FUNCTION app.find_faults_of(text, integer) IS
    'The faults that one check of fault_checks finds; none in a sound database.';

-- Runs all checks under one snapshot.
CREATE OR REPLACE FUNCTION app.find_faults(p_limit integer)
RETURNS TABLE (kind text, family_unit_id uuid, subject_id uuid, mendable boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT f.* FROM unnest(app.fault_checks()) WITH ORDINALITY AS c (name, position),
        LATERAL app.find_faults_of(c.name, p_limit) AS f
    ORDER BY c.position, f.kind
$$;

COMMENT ON FUNCTION app.find_faults(integer) IS 'The faults in the data; none in a sound database.';

GRANT EXECUTE ON FUNCTION
    app.fault_checks(), app.find_faults_of(text, integer), app.find_faults(integer),
    app.unlabelled_domains(integer)
    TO hearth_admin;
