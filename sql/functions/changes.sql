-- Versions and changes: what each write notes, and how the notes become versions at the commit.
--
-- Triggers note a change in a setting that ends with the transaction (hearth.changes, a line per
-- change), whoever writes. At the commit the first constraint trigger that fires turns all of them
-- into versions (raise_versions). Nothing is locked before that, and the locks are taken in one
-- order by everybody: advisory locks of addresses (of the class 1212499275), families' versions by
-- id, versions of managed members by id, versions of accounts by id. What else a change touches
-- (the families of a user, the guardians of a child, whom an invitation is addressed to) is looked
-- up under those locks, so that of two transactions that touch each other's the later one sees the
-- earlier. Whoever gets an address also locks the versions of the families that have invited it,
-- without raising them: what such an invitation shows changes under the same lock.
--
-- A membership that begins locks its user's row (give_new_member_slot, give_changed_member_slot):
-- a change of the user and its new membership wait for each other as well.

CREATE OR REPLACE FUNCTION app.note_change(p_line text) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_noted constant text := coalesce(nullif(current_setting('hearth.changes', true), ''), E'\n');
BEGIN
    IF strpos(v_noted, E'\n' || p_line || E'\n') = 0 THEN
        PERFORM set_config('hearth.changes', v_noted || p_line || E'\n', true);
    END IF;
END $$;

-- A new family and a new user have versions from the start, so that raising one never inserts.
CREATE OR REPLACE FUNCTION app.begin_family_versions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO app.family_versions (family_unit_id) VALUES (NEW.id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER begin_versions AFTER INSERT ON app.family_units
    FOR EACH ROW EXECUTE FUNCTION app.begin_family_versions();

CREATE OR REPLACE FUNCTION app.begin_user_versions() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO app.user_versions (user_id) VALUES (NEW.id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER begin_versions AFTER INSERT ON app.users
    FOR EACH ROW EXECUTE FUNCTION app.begin_user_versions();

CREATE OR REPLACE FUNCTION app.note_family() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.note_change('family ' || NEW.id);
    IF NEW.player_details IS DISTINCT FROM OLD.player_details THEN
        PERFORM app.note_change('details ' || NEW.id);
    END IF;
    IF NEW.family_name <> OLD.family_name THEN
        PERFORM app.note_change('name ' || NEW.id);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER UPDATE ON app.family_units
    FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*) EXECUTE FUNCTION app.note_family();

-- A removed member that stays removed concerns nobody.
CREATE OR REPLACE FUNCTION app.note_member() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.family_members := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    v_was constant text := CASE WHEN TG_OP <> 'INSERT' THEN OLD.status ELSE 'removed' END;
    v_is constant text := CASE WHEN TG_OP <> 'DELETE' THEN NEW.status ELSE 'removed' END;
    v_about constant text := v_row.family_unit_id || ' ' || v_row.user_id;
BEGIN
    IF v_was = 'removed' AND v_is = 'removed' THEN
        RETURN NULL;
    END IF;
    -- Of a child that has grown up clients know the id of the child.
    PERFORM app.note_change(format('member %s %s %s %s', v_row.family_unit_id, v_row.id,
        CASE WHEN 'active' IN (v_was, v_is) THEN 'members' ELSE 'governors' END,
        CASE TG_OP WHEN 'UPDATE' THEN OLD.user_kind ELSE v_row.user_kind END));
    IF v_was <> v_is THEN
        PERFORM app.note_change('membership ' || v_about);
        PERFORM app.note_change('preferences ' || v_about);
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- Another user: a child that has grown up.
        IF (OLD.user_id, OLD.role, OLD.household_role)
            <> (NEW.user_id, NEW.role, NEW.household_role) THEN
            PERFORM app.note_change('membership ' || v_about);
        END IF;
        IF OLD.household_role <> 'visitor' AND NEW.household_role = 'visitor' THEN
            PERFORM app.note_change('lost-invitations ' || v_about);
            PERFORM app.note_change('lost-attributes ' || v_about);
        END IF;
        IF OLD.confides AND NOT NEW.confides THEN
            PERFORM app.note_change('lost-details ' || v_about);
        END IF;
        IF OLD.governs AND NOT NEW.governs THEN
            PERFORM app.note_change('lost-waiting ' || v_about);
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE ON app.family_members
    FOR EACH ROW EXECUTE FUNCTION app.note_member();
CREATE OR REPLACE TRIGGER note_update AFTER UPDATE ON app.family_members
    FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*) EXECUTE FUNCTION app.note_member();

-- The child's own version is raised too, and its lock makes concurrent changes of the child see its
-- new guardians. The child is shown with its guardians.
CREATE OR REPLACE FUNCTION app.note_guardianship() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.guardianships := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    v_about constant text := v_row.family_unit_id || ' ' || v_row.member_id;
BEGIN
    PERFORM app.note_change('member ' || v_about || ' members managed');
    PERFORM app.note_change('membership ' || v_about);
    PERFORM app.note_change('ward ' || v_about || ' ' || v_row.guardian_user_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON app.guardianships
    FOR EACH ROW EXECUTE FUNCTION app.note_guardianship();

-- Only pending invitations are shown, so others concern nobody. One that is sent to another address
-- concerns both.
CREATE OR REPLACE FUNCTION app.note_invitation() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.family_invitations := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    v_about constant text := format('invitation %s %s ', v_row.family_unit_id, v_row.id);
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.status = 'pending' THEN
        PERFORM app.note_change(rtrim(v_about || coalesce(OLD.invited_email, '')));
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.status = 'pending' THEN
        PERFORM app.note_change(rtrim(v_about || coalesce(NEW.invited_email, '')));
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR DELETE ON app.family_invitations
    FOR EACH ROW EXECUTE FUNCTION app.note_invitation();
CREATE OR REPLACE TRIGGER note_update AFTER UPDATE ON app.family_invitations
    FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*) EXECUTE FUNCTION app.note_invitation();

CREATE OR REPLACE FUNCTION app.note_user() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.note_change('user ' || NEW.id);
    IF NEW.full_name IS DISTINCT FROM OLD.full_name THEN
        PERFORM app.note_change('inviter ' || NEW.id);
    END IF;
    IF (NEW.email, NEW.email_verified) IS DISTINCT FROM (OLD.email, OLD.email_verified) THEN
        IF OLD.email_verified THEN
            PERFORM app.note_change('address ' || NEW.id || ' ' || OLD.email);
        END IF;
        IF NEW.email_verified THEN
            PERFORM app.note_change('address ' || NEW.id || ' ' || NEW.email);
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER UPDATE ON app.users
    FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*) EXECUTE FUNCTION app.note_user();

-- Of somebody new nobody has a copy, but it may have been invited already.
CREATE OR REPLACE FUNCTION app.note_new_user() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM app.note_change('address ' || NEW.id || ' ' || NEW.email);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON app.users
    FOR EACH ROW WHEN (NEW.email_verified) EXECUTE FUNCTION app.note_new_user();

CREATE OR REPLACE FUNCTION app.note_preferences() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.member_preferences := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    PERFORM app.note_change('preferences ' || v_row.family_unit_id || ' ' || v_row.user_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON app.member_preferences
    FOR EACH ROW EXECUTE FUNCTION app.note_preferences();

-- A family that is deleted takes its attributes along, and has no version to raise.
CREATE OR REPLACE FUNCTION app.note_attributes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    v_row constant app.family_attributes := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    PERFORM app.note_change('attributes ' || v_row.family_unit_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON app.family_attributes
    FOR EACH ROW EXECUTE FUNCTION app.note_attributes();

-- A change that is made only to what its author has read: hearth.expected_versions has the ids and
-- versions of the families and the person that were read. Versions are locked here until the
-- commit, so nothing comes in between.
CREATE OR REPLACE FUNCTION app.require_expected_version(p_id uuid, p_version bigint) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF substring(current_setting('hearth.expected_versions', true) FROM p_id || ' (\d+)')::bigint
        <> p_version THEN
        RAISE EXCEPTION 'it has changed since it was read' USING ERRCODE = 'serialization_failure';
    END IF;
END $$;

-- For programs of the previous release: gives what was changed its versions before the commit, so
-- that the answer can tell them.
CREATE OR REPLACE FUNCTION app.settle_versions() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    SET CONSTRAINTS ALL IMMEDIATE;
END $$;

COMMENT ON FUNCTION app.settle_versions() IS
    'Raises the versions of what the transaction has changed, now instead of at the commit.';

-- One version per family and transaction. Every hundredth forgets what is beyond the changes that
-- are kept.
CREATE OR REPLACE FUNCTION app.raise_family_version(p_family uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_version bigint;
BEGIN
    UPDATE app.family_versions AS v
        SET version = v.version + 1, raised_at = clock_timestamp(),
            transaction_id = pg_current_xact_id()
        WHERE v.family_unit_id = p_family
            AND v.transaction_id IS DISTINCT FROM pg_current_xact_id()
        RETURNING v.version - app.kept_changes() INTO v_version;
    PERFORM app.require_expected_version(p_family, v_version + app.kept_changes() - 1);
    IF v_version > 0 AND v_version % 100 = 0 THEN
        UPDATE app.family_versions AS v
            SET purged_version = v_version, purged_raised_at = (
                SELECT max(c.changed_at) FROM app.family_changes AS c
                WHERE c.family_unit_id = p_family AND c.version = v_version)
            WHERE v.family_unit_id = p_family AND v.purged_version < v_version;
        DELETE FROM app.family_changes AS c
            WHERE c.family_unit_id = p_family AND c.version <= v_version;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION app.raise_user_version(p_user uuid) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_version bigint;
BEGIN
    UPDATE app.user_versions AS v
        SET version = v.version + 1, raised_at = clock_timestamp(),
            transaction_id = pg_current_xact_id()
        WHERE v.user_id = p_user
            AND v.transaction_id IS DISTINCT FROM pg_current_xact_id()
        RETURNING v.version - app.kept_changes() INTO v_version;
    PERFORM app.require_expected_version(p_user, v_version + app.kept_changes() - 1);
    IF v_version > 0 AND v_version % 100 = 0 THEN
        UPDATE app.user_versions AS v
            SET purged_version = v_version, purged_raised_at = (
                SELECT max(c.changed_at) FROM app.user_changes AS c
                WHERE c.user_id = p_user AND c.version = v_version)
            WHERE v.user_id = p_user AND v.purged_version < v_version;
        DELETE FROM app.user_changes AS c
            WHERE c.user_id = p_user AND c.version <= v_version;
    END IF;
END $$;

-- What the notes mean is worked out note by note, and each kind asks only for what it needs: as
-- queries over all notes this would be planned anew, or run in vain, at every write.

-- The families that the notes concern. A user concerns every family that it is in, or waits for.
CREATE OR REPLACE FUNCTION app.noted_families(p_notes text[]) RETURNS uuid[]
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_note text;
    v_words text[];
    v_families uuid[] := '{}';
BEGIN
    FOREACH v_note IN ARRAY p_notes LOOP
        v_words := string_to_array(v_note, ' ');
        IF v_words[1] IN ('family', 'details', 'attributes', 'member', 'invitation') THEN
            v_families := v_families || v_words[2]::uuid;
        ELSIF v_words[1] = 'user' THEN
            v_families := v_families || ARRAY(
                SELECT m.family_unit_id FROM app.family_members AS m
                WHERE m.user_id = v_words[2]::uuid AND m.status IN ('active', 'invited'));
        END IF;
    END LOOP;
    IF cardinality(v_families) > 1 THEN
        v_families := ARRAY(SELECT DISTINCT f FROM unnest(v_families) AS f ORDER BY f);
    END IF;
    RETURN v_families;
END $$;

CREATE OR REPLACE FUNCTION app.noted_family_changes(p_notes text[]) RETURNS app.family_changes[]
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_note text;
    v_words text[];
    v_changes app.family_changes[] := '{}';
BEGIN
    FOREACH v_note IN ARRAY p_notes LOOP
        v_words := string_to_array(v_note, ' ');
        CASE v_words[1]
            WHEN 'family' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'family', v_words[2], 'members', false, NULL
                    )::app.family_changes;
            WHEN 'details' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'playerDetails', v_words[2], 'trusting', false, NULL
                    )::app.family_changes;
            WHEN 'attributes' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'attributes', v_words[2], 'residents', false, NULL
                    )::app.family_changes;
            WHEN 'member' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'member', v_words[3], v_words[4], v_words[5] = 'managed', NULL
                    )::app.family_changes;
            WHEN 'invitation' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'invitation', v_words[3], 'own', false, NULL
                        )::app.family_changes;
            WHEN 'user' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(m.family_unit_id, 0, 'member', m.id,
                        CASE m.status WHEN 'active' THEN 'members' ELSE 'governors' END,
                        m.user_kind = 'managed', NULL)::app.family_changes
                    FROM app.family_members AS m
                    WHERE m.user_id = v_words[2]::uuid AND m.status IN ('active', 'invited')
                    UNION ALL
                    -- Children are shown with the names of their guardians.
                    SELECT ROW(w.family_unit_id, 0, 'member', w.member_id, 'members', true, NULL
                        )::app.family_changes
                    FROM app.guardianships AS w WHERE w.guardian_user_id = v_words[2]::uuid);
            ELSE NULL;
        END CASE;
    END LOOP;
    RETURN v_changes;
END $$;

-- An id that nobody has. Changes of nobody stand for those of an addressee who has no account: they
-- are looked for like all others, and found nowhere.
CREATE OR REPLACE FUNCTION app.nobody() RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '00000000-0000-0000-0000-000000000000'::uuid;

-- The changes of people, but for what a child's guardian learns.
CREATE OR REPLACE FUNCTION app.noted_user_changes(p_notes text[]) RETURNS app.user_changes[]
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_note text;
    v_words text[];
    v_changes app.user_changes[] := '{}';
BEGIN
    FOREACH v_note IN ARRAY p_notes LOOP
        v_words := string_to_array(v_note, ' ');
        CASE v_words[1]
            WHEN 'user' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'profile', v_words[2], NULL, false, NULL)::app.user_changes;
            WHEN 'membership' THEN
                v_changes := v_changes || ROW(
                    v_words[3], 0, 'family', v_words[2], v_words[2], false, NULL)::app.user_changes;
            WHEN 'preferences' THEN
                v_changes := v_changes || ROW(
                    v_words[3], 0, 'preferences', v_words[3], v_words[2], false, NULL
                        )::app.user_changes;
            -- Also those of which the log tells the person no more, such as who was rejected since
            -- the person has last looked.
            WHEN 'lost-invitations' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(v_words[3], 0, 'invitation', l.id, v_words[2], false, NULL
                        )::app.user_changes
                    FROM (
                        SELECT i.id FROM app.family_invitations AS i
                        WHERE i.family_unit_id = v_words[2]::uuid AND i.status = 'pending'
                        UNION
                        SELECT c.id FROM app.family_changes AS c
                        WHERE c.family_unit_id = v_words[2]::uuid AND c.kind = 'invitation') AS l);
            WHEN 'lost-waiting' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(v_words[3], 0, 'member', l.id, v_words[2], false, NULL
                        )::app.user_changes
                    FROM (
                        SELECT m.id FROM app.family_members AS m
                        WHERE m.family_unit_id = v_words[2]::uuid AND m.status = 'invited'
                        UNION
                        SELECT c.id FROM app.family_changes AS c
                        WHERE c.family_unit_id = v_words[2]::uuid AND c.kind = 'member'
                            AND c.audience = 'governors') AS l);
            WHEN 'lost-details' THEN
                v_changes := v_changes || ROW(
                    v_words[3], 0, 'playerDetails', v_words[2], v_words[2], false, NULL
                    )::app.user_changes;
            WHEN 'lost-attributes' THEN
                v_changes := v_changes || ROW(
                    v_words[3], 0, 'attributes', v_words[2], v_words[2], false, NULL
                    )::app.user_changes;
            WHEN 'invitation' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(coalesce(u.id, app.nobody()), 0, 'receivedInvitation', v_words[3],
                        NULL, false, NULL)::app.user_changes
                    FROM (SELECT) AS always
                    LEFT JOIN app.users AS u ON u.email = v_words[4] AND u.email_verified
                    WHERE v_words[4] <> '');
            WHEN 'address' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(v_words[2], 0, 'receivedInvitation', i.id, NULL, false, NULL
                        )::app.user_changes
                    FROM app.family_invitations AS i
                    WHERE i.invited_email = v_words[3] AND i.status = 'pending');
            WHEN 'name' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(u.id, 0, 'receivedInvitation', i.id, NULL, false, NULL
                        )::app.user_changes
                    FROM app.family_invitations AS i
                    JOIN app.users AS u ON u.email = i.invited_email AND u.email_verified
                    WHERE i.family_unit_id = v_words[2]::uuid AND i.status = 'pending');
            WHEN 'inviter' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(u.id, 0, 'receivedInvitation', i.id, NULL, false, NULL
                        )::app.user_changes
                    FROM app.family_invitations AS i
                    JOIN app.users AS u ON u.email = i.invited_email AND u.email_verified
                    WHERE i.invited_by = v_words[2]::uuid AND i.status = 'pending');
            ELSE NULL;
        END CASE;
    END LOOP;
    RETURN v_changes;
END $$;

-- What the guardians of the children among them learn: those of today, and those who were until
-- now.
CREATE OR REPLACE FUNCTION app.noted_guardian_changes(
    p_notes text[], p_children uuid[], p_changes app.user_changes[])
RETURNS app.user_changes[]
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN ARRAY(
        SELECT ROW(w.guardian_user_id, 0, c.kind, c.id, c.family_unit_id, true, NULL
            )::app.user_changes
            FROM unnest(p_changes) AS c JOIN app.guardianships AS w ON w.member_id = c.user_id
            WHERE c.user_id = ANY (p_children) AND c.kind IN ('profile', 'preferences')
        UNION ALL
        SELECT ROW(split_part(n, ' ', 4), 0, k.kind, split_part(n, ' ', 3),
                CASE k.kind WHEN 'preferences' THEN split_part(n, ' ', 2) END, true, NULL
                )::app.user_changes
            FROM unnest(p_notes) AS n, (VALUES ('profile'), ('preferences')) AS k (kind)
            WHERE n LIKE 'ward %');
END $$;

-- Whoever gets an address while an invitation to it is made, or the other way round, sees it.
CREATE OR REPLACE FUNCTION app.lock_noted_addresses(p_notes text[]) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1212499275, a.hash) FROM (
        SELECT DISTINCT hashtext(split_part(n, ' ', CASE WHEN n LIKE 'address %' THEN 3 ELSE 4 END))
            AS hash
        FROM unnest(p_notes) AS n
        WHERE n LIKE 'address %' OR n LIKE 'invitation % % %' ORDER BY 1) AS a;
END $$;

-- What an invitation shows to whom it is addressed (the names of the family and of the inviter)
-- changes under the version of its family. Locks these versions together with those that are going
-- to be raised.
CREATE OR REPLACE FUNCTION app.lock_inviting_families(p_notes text[]) RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_addresses constant text[] := ARRAY(
        SELECT split_part(n, ' ', 3) FROM unnest(p_notes) AS n WHERE n LIKE 'address %');
BEGIN
    PERFORM FROM app.family_versions AS v
        WHERE v.family_unit_id = ANY (app.noted_families(p_notes) || ARRAY(
            SELECT i.family_unit_id FROM app.family_invitations AS i
            WHERE i.invited_email = ANY (v_addresses) AND i.status = 'pending'))
        ORDER BY v.family_unit_id FOR NO KEY UPDATE;
END $$;

CREATE OR REPLACE FUNCTION app.raise_versions() RETURNS void
LANGUAGE plpgsql SET search_path = '' AS $$
DECLARE
    v_text constant text := btrim(current_setting('hearth.changes', true), E'\n');
    v_notes constant text[] := string_to_array(v_text, E'\n');
    v_id uuid;
    v_changes app.user_changes[];
    v_children uuid[] := '{}';
BEGIN
    PERFORM set_config('hearth.changes', '', true);
    IF v_text ~ '@' THEN
        PERFORM app.lock_noted_addresses(v_notes);
    END IF;
    IF v_text LIKE '%address %' THEN
        PERFORM app.lock_inviting_families(v_notes);
    END IF;
    FOREACH v_id IN ARRAY app.noted_families(v_notes) LOOP
        PERFORM app.raise_family_version(v_id);
    END LOOP;
    INSERT INTO app.family_changes AS c
        (family_unit_id, version, kind, id, audience, is_managed, changed_at)
        SELECT DISTINCT ON (n.family_unit_id, n.kind, n.id)
            n.family_unit_id, v.version, n.kind, n.id, n.audience, n.is_managed, v.raised_at
        FROM unnest(app.noted_family_changes(v_notes)) AS n
        JOIN app.family_versions AS v ON v.family_unit_id = n.family_unit_id
            AND v.transaction_id = pg_current_xact_id()
        ORDER BY n.family_unit_id, n.kind, n.id, n.audience = 'members' DESC, n.is_managed DESC
        ON CONFLICT ON CONSTRAINT family_changes_pkey DO UPDATE
            SET audience = CASE 'members' WHEN excluded.audience THEN 'members' ELSE c.audience END,
                is_managed = c.is_managed OR excluded.is_managed
            WHERE excluded.audience = 'members' OR excluded.is_managed;

    IF v_text LIKE '%role %' THEN
        PERFORM app.date_role_changes(v_notes);
    END IF;

    v_changes := app.noted_user_changes(v_notes);
    IF cardinality(v_changes) = 0 THEN
        RETURN;
    END IF;
    FOR v_id IN
        SELECT DISTINCT u.id FROM unnest(v_changes) AS c
        JOIN app.users AS u ON u.id = c.user_id AND u.kind = 'managed' ORDER BY u.id
    LOOP
        PERFORM app.raise_user_version(v_id);
        v_children := v_children || v_id;
    END LOOP;
    IF cardinality(v_children) > 0 THEN
        v_changes := v_changes || app.noted_guardian_changes(v_notes, v_children, v_changes);
    END IF;
    FOR v_id IN
        SELECT DISTINCT c.user_id FROM unnest(v_changes) AS c
        WHERE c.user_id <> ALL (v_children) ORDER BY c.user_id
    LOOP
        PERFORM app.raise_user_version(v_id);
    END LOOP;
    INSERT INTO app.user_changes AS c
        (user_id, version, kind, id, family_unit_id, is_managed, changed_at)
        SELECT n.user_id, v.version, n.kind, n.id, n.family_unit_id,
            n.kind <> 'family' AND n.id = ANY (v_children), v.raised_at
        FROM unnest(v_changes) AS n
        JOIN app.user_versions AS v ON v.user_id = n.user_id
            AND v.transaction_id = pg_current_xact_id()
        ON CONFLICT DO NOTHING;
    -- Whoever invites must not find out by the time it takes whether the address has an account. So
    -- for one that has none a row is written too, where rows are purged soon.
    IF EXISTS (SELECT FROM unnest(v_changes) AS c WHERE c.user_id = app.nobody()) THEN
        INSERT INTO app.rate_limits (bucket, window_start, hits)
            VALUES ('invited:' || pg_current_xact_id(), now(), 0) ON CONFLICT DO NOTHING;
    END IF;
END $$;

-- When a version was given that somebody has seen of a family of its own; null if it never was, or
-- is too long ago. In another history than that of the data it was another moment, or none.
CREATE OR REPLACE FUNCTION app.family_version_raised_at(p_family uuid, p_version bigint)
RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE p_version
            WHEN v.version THEN v.raised_at
            WHEN v.purged_version THEN v.purged_raised_at
            ELSE (SELECT max(c.changed_at) FROM app.family_changes AS c
                  WHERE c.family_unit_id = p_family AND c.version = p_version) END
        FROM app.family_versions AS v
        WHERE v.family_unit_id = p_family
            AND p_family = ANY (ARRAY(SELECT f.family_unit_id FROM app.my_families AS f))
$$;

-- The same of the caller's own versions.
CREATE OR REPLACE FUNCTION app.my_version_raised_at(p_version bigint) RETURNS timestamptz
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT CASE p_version
            WHEN v.version THEN v.raised_at
            WHEN v.purged_version THEN v.purged_raised_at
            ELSE (SELECT max(c.changed_at) FROM app.user_changes AS c
                  WHERE c.user_id = v.user_id AND c.version = p_version) END
        FROM app.user_versions AS v WHERE v.user_id = app.user_id()
$$;

-- For the program that wakes waiting clients: which families and people have changed since a
-- moment, but no longer ago than so many seconds, and to which version, and which sessions have
-- ended. It works without a caller, so it tells hashes of their ids; what has changed a client is
-- told by a request of its own.
--
-- The bound is of the statement's time: by that of the clock, which differs from row to row, no
-- index could be used, and each look would read all changes that are kept.
CREATE OR REPLACE FUNCTION app.changed_since(p_since timestamptz, p_seconds double precision)
RETURNS TABLE (id_hash bigint, version bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off AS $$
    -- Apart, or the planner would provide for a third of all families and people.
    WITH of_families AS MATERIALIZED (
        SELECT c.family_unit_id, c.version FROM app.family_changes AS c
        WHERE c.changed_at >= greatest(p_since,
            statement_timestamp() - make_interval(secs => p_seconds))),
    of_users AS MATERIALIZED (
        SELECT c.user_id, c.version FROM app.user_changes AS c
        WHERE c.changed_at >= greatest(p_since,
            statement_timestamp() - make_interval(secs => p_seconds)))
    SELECT hashtextextended(c.family_unit_id::text, 0), max(c.version)
        FROM of_families AS c GROUP BY c.family_unit_id
    UNION ALL
    SELECT hashtextextended(c.user_id::text, 0), max(c.version)
        FROM of_users AS c GROUP BY c.user_id
    UNION ALL
    -- Sessions that were ended, or have run out: their streams end.
    SELECT hashtextextended(s.id::text, 0), 1 FROM app.sessions AS s
        WHERE coalesce(s.ended_at, s.ends_at)
            BETWEEN statement_timestamp() - make_interval(secs => p_seconds)
                AND statement_timestamp()
$$;

COMMENT ON FUNCTION app.changed_since(timestamptz, double precision) IS
    'Hashes of the families and people that changed since a moment, with their versions.';

-- The same of the last seconds, for programs of the previous release.
CREATE OR REPLACE FUNCTION app.changed_lately(p_seconds double precision)
RETURNS TABLE (id_hash bigint, version bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = '' AS $$
    SELECT c.id_hash, c.version FROM app.changed_since('-infinity', p_seconds) AS c
$$;

COMMENT ON FUNCTION app.changed_lately(double precision) IS
    'Hashes of the families and people that changed in the last seconds, with their versions.';

-- For the same program: which of the families, people and sessions that clients wait for are not at
-- the versions that the clients know, by their numbers in the list; a moment that is not known is
-- given as the epoch. It also finds what was committed long after it was noted, what was deleted,
-- and versions that a failover has undone.
CREATE OR REPLACE FUNCTION app.changed_beyond(
    p_ids uuid[], p_versions bigint[], p_raised_at timestamptz[])
RETURNS TABLE (place bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    SELECT k.place
    FROM unnest(p_ids, p_versions, p_raised_at) WITH ORDINALITY
        AS k (id, version, raised_at, place)
    LEFT JOIN app.family_versions AS f ON f.family_unit_id = k.id
    LEFT JOIN app.user_versions AS u ON u.user_id = k.id
    LEFT JOIN app.sessions AS s ON s.id = k.id
    -- A session's version becomes 1 when it ends.
    WHERE coalesce(f.version, u.version,
            (coalesce(s.ended_at, s.ends_at) <= clock_timestamp())::integer)
            IS DISTINCT FROM k.version
        OR coalesce(f.raised_at, u.raised_at, 'epoch') <> k.raised_at
$$;

COMMENT ON FUNCTION app.changed_beyond(uuid[], bigint[], timestamptz[]) IS
    'Which of these families, people and sessions have other versions than those that are given.';

-- What each caller of a batch sees of app.family_versions and app.user_versions; with each family,
-- when its code runs out. OFFSET 0 has each version looked up by its family's id: joined, the table
-- could be read whole, because the planner does not know how few there are.
CREATE OR REPLACE VIEW app.family_version_lists WITH (security_barrier) AS
SELECT c.place, j.family_unit_id, v.version, v.raised_at, v.code_expires_at, v.purged_version
FROM app.callers AS c
JOIN app.families_joined AS j ON j.viewer_id = c.user_id
CROSS JOIN LATERAL (
    SELECT v.version, v.raised_at, f.code_expires_at, v.purged_version
    FROM app.family_versions AS v JOIN app.family_units AS f ON f.id = v.family_unit_id
    WHERE v.family_unit_id = j.family_unit_id OFFSET 0) AS v;

CREATE OR REPLACE VIEW app.user_version_lists WITH (security_barrier) AS
SELECT c.place, v.user_id, v.version, v.raised_at, v.purged_version
FROM app.callers AS c
JOIN app.user_versions AS v ON v.user_id = c.user_id;

ALTER VIEW app.family_version_lists OWNER TO hearth_authz;
ALTER VIEW app.user_version_lists OWNER TO hearth_authz;

GRANT SELECT ON app.family_version_lists, app.user_version_lists TO hearth_api;
GRANT EXECUTE ON FUNCTION app.family_version_raised_at(uuid, bigint),
    app.my_version_raised_at(bigint), app.changed_lately(double precision),
    app.changed_since(timestamptz, double precision),
    app.changed_beyond(uuid[], bigint[], timestamptz[]), app.settle_versions()
    TO hearth_api;
