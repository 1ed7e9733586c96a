-- Versions are raised at the commit of a transaction, according to its recorded changes
-- (changes.sql).

-- Supports changes that are made only if nothing has changed since a read: hearth.expected_versions
-- has the ids and versions of the families and the person that were read; it is empty for most
-- changes, and then no caller needs this function. The caller has locked this version until the
-- commit, so nothing can change in between.
CREATE OR REPLACE FUNCTION app.require_expected_version(p_id uuid, p_version bigint) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF substring(current_setting('hearth.expected_versions', true) FROM p_id || ' (\d+)')::bigint
        <> p_version THEN
        RAISE EXCEPTION 'the data has changed since it was read'
            USING ERRCODE = 'serialization_failure';
    END IF;
END $$;

-- Raises a family's version once in a transaction. At every hundredth version it deletes the
-- changes that are older than the retained ones. Does nothing for a family that is gone, or whose
-- version this transaction has raised already.
CREATE OR REPLACE FUNCTION app.raise_family_version(p_family uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_version bigint;
    v_purge_to bigint;
BEGIN
    UPDATE app.family_versions AS v
        SET version = v.version + 1, raised_at = clock_timestamp(),
            transaction_id = pg_current_xact_id()
        WHERE v.family_unit_id = p_family
            AND v.transaction_id IS DISTINCT FROM pg_current_xact_id()
        RETURNING v.version INTO v_version;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF current_setting('hearth.expected_versions', true) <> '' THEN
        PERFORM app.require_expected_version(p_family, v_version - 1);
    END IF;
    v_purge_to := v_version - app.retained_changes();
    IF v_purge_to > 0 AND v_purge_to % 100 = 0 THEN
        UPDATE app.family_versions AS v
            SET purged_version = v_purge_to, purged_raised_at = (
                SELECT max(c.changed_at) FROM app.family_changes AS c
                WHERE c.family_unit_id = p_family AND c.version = v_purge_to)
            WHERE v.family_unit_id = p_family AND v.purged_version < v_purge_to;
        DELETE FROM app.family_changes AS c
            WHERE c.family_unit_id = p_family AND c.version <= v_purge_to;
    END IF;
END $$;

-- Does the same for a user's version. One function for both tables would need dynamic SQL.
CREATE OR REPLACE FUNCTION app.raise_user_version(p_user uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_version bigint;
    v_purge_to bigint;
BEGIN
    UPDATE app.user_versions AS v
        SET version = v.version + 1, raised_at = clock_timestamp(),
            transaction_id = pg_current_xact_id()
        WHERE v.user_id = p_user
            AND v.transaction_id IS DISTINCT FROM pg_current_xact_id()
        RETURNING v.version INTO v_version;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF current_setting('hearth.expected_versions', true) <> '' THEN
        PERFORM app.require_expected_version(p_user, v_version - 1);
    END IF;
    v_purge_to := v_version - app.retained_changes();
    IF v_purge_to > 0 AND v_purge_to % 100 = 0 THEN
        UPDATE app.user_versions AS v
            SET purged_version = v_purge_to, purged_raised_at = (
                SELECT max(c.changed_at) FROM app.user_changes AS c
                WHERE c.user_id = p_user AND c.version = v_purge_to)
            WHERE v.user_id = p_user AND v.purged_version < v_purge_to;
        DELETE FROM app.user_changes AS c
            WHERE c.user_id = p_user AND c.version <= v_purge_to;
    END IF;
END $$;

-- Makes a change of a person's address and a change of an invitation to this address wait for each
-- other, so that the later transaction reads the earlier one's result.
CREATE OR REPLACE FUNCTION app.lock_changed_addresses(p_changes app.pending_changes[])
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1212499275, a.hash) FROM (
        SELECT DISTINCT hashtext(c.mailbox) AS hash FROM unnest(p_changes) AS c
        WHERE c.mailbox IS NOT NULL ORDER BY 1) AS a;
END $$;

DROP FUNCTION IF EXISTS app.lock_inviting_families(app.pending_changes[]);

-- An invitation shows its addressee the names of the family and of the inviter. These names change
-- under the lock of the family's version. This locks the versions of the inviting families in one
-- order with those that the transaction will raise.
CREATE OR REPLACE FUNCTION app.lock_inviting_families(
    p_changes app.pending_changes[], p_kinds text[]) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM FROM app.family_versions AS v
        WHERE v.family_unit_id = ANY (ARRAY(
            SELECT c.family_unit_id FROM app.changes_of_families(p_changes, p_kinds) AS c
            UNION
            SELECT i.family_unit_id FROM unnest(p_changes) AS c
            JOIN app.family_invitations AS i ON i.mailbox = c.mailbox
            WHERE c.kind = 'address' AND i.status = 'pending'))
        ORDER BY v.family_unit_id FOR NO KEY UPDATE;
END $$;

-- Deletes all changes that the transaction has recorded so far, and raises the versions that they
-- concern.
--
-- The settings make the statements here and in the called functions look up rows by indexes, once
-- for each change, whatever the statistics are. They are planned once per session, because planning
-- took longer than running them.
CREATE OR REPLACE FUNCTION app.raise_versions() RETURNS void
LANGUAGE plpgsql SET search_path = '' SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
    v_pending app.pending_changes[];
    v_kinds text[];
    v_has_mailbox boolean;
    v_last bigint;
    v_id uuid;
    v_families uuid[];
    v_changes app.person_change[];
    v_children uuid[];
    v_others uuid[];
BEGIN
    WITH taken_changes AS (
        DELETE FROM app.pending_changes AS c WHERE c.transaction_id = pg_current_xact_id()
        RETURNING c AS change, c.kind, c.mailbox, c.number)
    SELECT array_agg(t.change), array_agg(DISTINCT t.kind), bool_or(t.mailbox IS NOT NULL),
            max(t.number)
        INTO v_pending, v_kinds, v_has_mailbox, v_last FROM taken_changes AS t;
    IF v_pending IS NULL THEN
        RETURN;
    END IF;
    PERFORM set_config('hearth.raised_changes', v_last::text, true);

    IF v_has_mailbox THEN
        PERFORM app.lock_changed_addresses(v_pending);
    END IF;
    IF 'address' = ANY (v_kinds) THEN
        PERFORM app.lock_inviting_families(v_pending, v_kinds);
    END IF;
    v_families := ARRAY(
        SELECT DISTINCT c.family_unit_id FROM app.changes_of_families(v_pending, v_kinds) AS c
        ORDER BY c.family_unit_id);
    FOREACH v_id IN ARRAY v_families LOOP
        PERFORM app.raise_family_version(v_id);
    END LOOP;
    INSERT INTO app.family_changes AS c
        (family_unit_id, version, kind, id, audience, is_managed, changed_at)
        SELECT DISTINCT ON (n.family_unit_id, n.kind, n.id)
            n.family_unit_id, v.version, n.kind, n.id, n.audience, n.is_managed, v.raised_at
        FROM app.changes_of_families(v_pending, v_kinds) AS n
        JOIN app.family_versions AS v ON v.family_unit_id = n.family_unit_id
            AND v.transaction_id = pg_current_xact_id()
        ORDER BY n.family_unit_id, n.kind, n.id, n.audience = 'members' DESC, n.is_managed DESC
        ON CONFLICT ON CONSTRAINT family_changes_pkey DO UPDATE
            SET audience = CASE 'members' WHEN excluded.audience THEN 'members' ELSE c.audience END,
                is_managed = c.is_managed OR excluded.is_managed
            WHERE excluded.audience = 'members' OR excluded.is_managed;
    -- Each version needs a change; otherwise a client that has the version could not continue from
    -- it. A version would have none if a user left the family while the transaction waited for the
    -- version's lock.
    IF 'user' = ANY (v_kinds) THEN
        INSERT INTO app.family_changes (family_unit_id, version, kind, id, audience, changed_at)
            SELECT v.family_unit_id, v.version, 'family', v.family_unit_id, 'members', v.raised_at
            FROM app.family_versions AS v
            WHERE v.family_unit_id = ANY (v_families) AND NOT EXISTS (
                SELECT FROM app.family_changes AS c
                WHERE c.family_unit_id = v.family_unit_id AND c.version = v.version);
    END IF;
    IF 'role' = ANY (v_kinds) THEN
        PERFORM app.set_role_change_versions(v_pending);
    END IF;

    v_changes := ARRAY(SELECT c FROM app.changes_of_people(v_pending, v_kinds) AS c);
    IF cardinality(v_changes) = 0 THEN
        RETURN;
    END IF;
    v_children := ARRAY(
        SELECT DISTINCT u.id FROM unnest(v_changes) AS c
        JOIN app.users AS u ON u.id = c.user_id AND u.kind = 'managed' ORDER BY u.id);
    FOREACH v_id IN ARRAY v_children LOOP
        PERFORM app.raise_user_version(v_id);
    END LOOP;
    IF cardinality(v_children) > 0 THEN
        v_changes := v_changes || ARRAY(
            SELECT c FROM app.changes_of_guardians(v_pending, v_changes) AS c);
    END IF;
    -- A subquery (SELECT unnest) is hashed; an array would be searched from its start for each row.
    v_others := ARRAY(
        SELECT DISTINCT c.user_id FROM unnest(v_changes) AS c
        WHERE c.user_id NOT IN (SELECT unnest(v_children)) ORDER BY c.user_id);
    FOREACH v_id IN ARRAY v_others LOOP
        PERFORM app.raise_user_version(v_id);
    END LOOP;
    INSERT INTO app.user_changes AS c
        (user_id, version, kind, id, family_unit_id, is_managed, changed_at)
        SELECT n.user_id, v.version, n.kind, n.id, n.family_unit_id,
            n.kind <> 'family' AND n.id IN (SELECT unnest(v_children)), v.raised_at
        FROM unnest(v_changes) AS n
        JOIN app.user_versions AS v ON v.user_id = n.user_id
            AND v.transaction_id = pg_current_xact_id()
        ON CONFLICT DO NOTHING;
    -- The time that an invitation takes must not reveal whether the address has an account. So for
    -- an address without an account a row is written too, into a table whose rows are soon purged.
    IF app.no_user_id() = ANY (v_others) THEN
        INSERT INTO app.rate_limits (bucket, window_start, hits)
            VALUES ('invited:' || pg_current_xact_id(), now(), 0) ON CONFLICT DO NOTHING;
    END IF;
END $$;
