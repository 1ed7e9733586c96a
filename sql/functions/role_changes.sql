-- Conflicts between changes of household roles. Of two changes of a member's household role the
-- later one takes effect, by the clocks of the devices on which they were made, whichever arrives
-- first. Of two changes with the same time, the one that arrives later takes effect. A time in the
-- future is treated as now.
--
-- The policy judges a change by the author's rights when it arrives, not when it was made. Entering
-- a family is not a change of a role, and the changes of a membership are deleted when it ends.
-- Everything here runs under the family's lock.

-- Records each change of a role, whoever makes it, and the change `role` (changes_meaning.sql),
-- which makes the commit set the version (set_role_change_versions). The setting hearth.changed_at
-- holds the time of the change, if it is not now. Deletes the actor's conflict about this member:
-- an actor who changes the role again knows the outcome of its earlier change.
CREATE OR REPLACE FUNCTION app.record_role_change() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NEW.status <> 'active' THEN
        DELETE FROM app.role_changes AS c WHERE c.member_id = NEW.id;
        DELETE FROM app.role_conflicts AS c
            WHERE c.member_id = NEW.id
                OR (c.user_id = NEW.user_id AND c.family_unit_id = NEW.family_unit_id);
    ELSIF NEW.household_role <> OLD.household_role THEN
        INSERT INTO app.role_changes AS c
            (member_id, family_unit_id, household_role, changed_at, changed_by)
            VALUES (NEW.id, NEW.family_unit_id, NEW.household_role, coalesce(
                nullif(current_setting('hearth.changed_at', true), '')::timestamptz,
                clock_timestamp()), app.actor_id())
            ON CONFLICT ON CONSTRAINT role_changes_pkey DO UPDATE
                SET household_role = excluded.household_role, changed_at = excluded.changed_at,
                    changed_by = excluded.changed_by, version = NULL,
                    confirmed_at = NULL, confirmed_by = NULL;
        PERFORM app.end_role_conflict(NEW.id);
        INSERT INTO app.pending_changes (kind, family_unit_id, id)
            VALUES ('role', NEW.family_unit_id, NEW.id);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_role_change AFTER UPDATE ON app.family_members
    FOR EACH ROW
    WHEN (OLD.status = 'active'
          AND (NEW.status, NEW.household_role) IS DISTINCT FROM (OLD.status, OLD.household_role))
    EXECUTE FUNCTION app.record_role_change();

-- Deletes the actor's conflict about a member, so that it is no longer reported.
CREATE OR REPLACE FUNCTION app.end_role_conflict(p_member uuid) RETURNS void
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    DELETE FROM app.role_conflicts AS c
        WHERE c.member_id = p_member AND c.user_id = app.actor_id();
$$;

-- Records that a member was given the role that it already has. Nothing changes, but an earlier
-- change that arrives later must not take effect. The change that gave the role stays recorded as
-- it was, because a client that had not seen it still has not seen it. A role that came with the
-- entry has no version, because nobody changed it.
CREATE OR REPLACE FUNCTION app.confirm_role(p_member app.family_members, p_at timestamptz)
RETURNS void
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    INSERT INTO app.role_changes AS c
        (member_id, family_unit_id, household_role, changed_at, changed_by)
        VALUES (p_member.id, p_member.family_unit_id, p_member.household_role, p_at, app.actor_id())
        ON CONFLICT ON CONSTRAINT role_changes_pkey DO UPDATE
            SET confirmed_at = excluded.changed_at, confirmed_by = excluded.changed_by;
    SELECT app.end_role_conflict(p_member.id);
$$;

-- Whether a client that had seen version p_seen of the family had not seen a change. A p_seen
-- beyond the current version was lost, as when a backup is restored, or never assigned: then it is
-- unknown what the client has seen, and the change is treated as unseen.
CREATE OR REPLACE FUNCTION app.is_unseen(p_change app.role_changes, p_seen bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT p_change.version IS NOT NULL AND (
        p_change.version > p_seen
        OR p_seen > (SELECT v.version FROM app.family_versions AS v
                     WHERE v.family_unit_id = p_change.family_unit_id));
$$;

-- Time at which the member's current role was last assigned or confirmed. After a failover to a
-- server whose clock is behind, it can be in the future; a comparison must treat it as now.
CREATE OR REPLACE FUNCTION app.role_last_requested_at(p_change app.role_changes) RETURNS timestamptz
LANGUAGE sql IMMUTABLE SET search_path = '' AS $$
    SELECT coalesce(p_change.confirmed_at, p_change.changed_at);
$$;

-- Whether the member's role was changed or confirmed after p_at (null: now), so that a change made
-- at p_at comes too late. False unless the caller is a member of the family.
CREATE OR REPLACE FUNCTION app.role_was_changed_later(p_member uuid, p_at timestamptz)
RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT EXISTS (
        SELECT FROM app.role_changes AS c
        JOIN app.family_members AS me ON me.family_unit_id = c.family_unit_id
        WHERE c.member_id = p_member AND app.role_last_requested_at(c) > p_at
            AND clock_timestamp() > p_at
            AND me.user_id = app.account_id() AND me.status = 'active');
$$;

COMMENT ON FUNCTION app.role_was_changed_later(uuid, timestamptz) IS
    'Whether a member''s household role was changed after a point in time.';

-- Records for the author of a change that somebody who had not seen it has undone it. An author who
-- has left the family gets no record.
CREATE OR REPLACE FUNCTION app.record_role_conflict(
    p_caller app.family_members, p_last app.role_changes, p_at timestamptz) RETURNS void
LANGUAGE sql VOLATILE SET search_path = '' AS $$
    INSERT INTO app.role_conflicts AS c (user_id, member_id, family_unit_id, by_member_id, at)
        SELECT m.user_id, p_last.member_id, p_last.family_unit_id, p_caller.id, p_at
        FROM app.family_members AS m
        WHERE m.family_unit_id = p_last.family_unit_id AND m.user_id = p_last.changed_by
            AND m.status = 'active'
        ON CONFLICT ON CONSTRAINT role_conflicts_pkey DO UPDATE
            SET version = NULL, by_member_id = excluded.by_member_id, at = excluded.at,
                noted_at = excluded.noted_at;
$$;

-- Sets the family's version in the recorded changes and conflicts, at the commit.
CREATE OR REPLACE FUNCTION app.set_role_change_versions(p_changes app.pending_changes[])
RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_members constant uuid[] := ARRAY(
        SELECT c.id FROM unnest(p_changes) AS c WHERE c.kind = 'role');
BEGIN
    UPDATE app.role_changes AS c SET version = v.version FROM app.family_versions AS v
        WHERE c.member_id = ANY (v_members) AND v.family_unit_id = c.family_unit_id;
    UPDATE app.role_conflicts AS c SET version = v.version FROM app.family_versions AS v
        WHERE c.member_id = ANY (v_members) AND c.version IS NULL
            AND v.family_unit_id = c.family_unit_id;
END $$;

-- Conflicts about the caller's role changes, except those that the person has hidden in the session
-- of a request from a page. PL/pgSQL keeps the plan; every page of a family calls this function.
CREATE OR REPLACE FUNCTION app.unseen_role_conflicts()
RETURNS TABLE (member_id uuid, version bigint, by_member_id uuid, at timestamptz)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    RETURN QUERY SELECT c.member_id, c.version, c.by_member_id, c.at FROM app.role_conflicts AS c
        WHERE c.user_id = app.account_id() AND c.version IS NOT NULL AND NOT EXISTS (
            SELECT FROM app.sessions AS s
            WHERE s.id = nullif(current_setting('hearth.session', true), '')::uuid
                AND s.user_id = c.user_id AND s.conflicts_seen_at >= c.noted_at)
        ORDER BY c.noted_at DESC, c.member_id LIMIT 20;
END $$;

COMMENT ON FUNCTION app.unseen_role_conflicts() IS
    'Changes of roles that somebody has undone, for their author''s page.';

-- Hides the present conflicts from the pages of the session of a request.
CREATE OR REPLACE FUNCTION app.hide_role_conflicts() RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
    UPDATE app.sessions AS s SET conflicts_seen_at = clock_timestamp()
        WHERE s.id = nullif(current_setting('hearth.session', true), '')::uuid
            AND s.user_id = app.account_id() AND s.ended_at IS NULL AND s.ends_at > now();
$$;

COMMENT ON FUNCTION app.hide_role_conflicts() IS
    'Hides the present conflicts about roles from the pages of the session of this request.';

GRANT EXECUTE ON FUNCTION app.unseen_role_conflicts(), app.hide_role_conflicts()
    TO hearth_api;
GRANT EXECUTE ON FUNCTION app.role_was_changed_later(uuid, timestamptz) TO hearth_api;
