-- What the notes of a transaction (changes.sql) mean: whose versions rise, and which of their
-- things have changed.
--
-- It is worked out note by note, and each kind asks only for what it needs: as queries over all
-- notes this would be planned anew, or run in vain, at every write.

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

-- The changes of these families. One that the notes concern no more is told as changed itself.
CREATE OR REPLACE FUNCTION app.noted_family_changes(p_notes text[], p_families uuid[])
RETURNS app.family_changes[]
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_note text;
    v_words text[];
    v_family uuid;
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
    FOREACH v_family IN ARRAY p_families LOOP
        IF NOT EXISTS (
            SELECT FROM unnest(v_changes) AS c WHERE c.family_unit_id = v_family) THEN
            v_changes := v_changes || ROW(
                v_family, 0, 'family', v_family, 'members', false, NULL)::app.family_changes;
        END IF;
    END LOOP;
    RETURN v_changes;
END $$;

-- An id that nobody has. Changes of nobody stand for those of an addressee who has no account: they
-- are looked for like all others, and found nowhere.
CREATE OR REPLACE FUNCTION app.no_user_id() RETURNS uuid
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
            -- A profile shows the person's requests to join as well.
            WHEN 'user', 'request' THEN
                v_changes := v_changes || ROW(
                    v_words[2], 0, 'profile', v_words[2], NULL, false, NULL)::app.user_changes;
            WHEN 'membership' THEN
                v_changes := v_changes || ROW(
                    v_words[3], 0, 'family', v_words[2], v_words[2], false, NULL)::app.user_changes;
            -- The person has another id since: what it had under the former one is gone.
            WHEN 'moved' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(v_words[3], 0, 'profile', v_words[2], NULL, false, NULL
                        )::app.user_changes
                    UNION ALL
                    SELECT ROW(v_words[3], 0, 'preferences', v_words[2], m.family_unit_id, false,
                        NULL)::app.user_changes
                    FROM app.family_members AS m
                    WHERE m.user_id = v_words[3]::uuid AND m.status = 'active');
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
                    SELECT ROW(coalesce(u.id, app.no_user_id()), 0, 'receivedInvitation',
                        v_words[3], NULL, false, NULL)::app.user_changes
                    FROM (SELECT) AS always
                    LEFT JOIN app.users AS u ON u.mailbox = v_words[4] AND u.email_verified
                    WHERE v_words[4] <> '');
            WHEN 'address' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(v_words[2], 0, 'receivedInvitation', i.id, NULL, false, NULL
                        )::app.user_changes
                    FROM app.family_invitations AS i
                    WHERE i.mailbox = v_words[3] AND i.status = 'pending');
            WHEN 'name' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(u.id, 0, 'receivedInvitation', i.id, NULL, false, NULL
                        )::app.user_changes
                    FROM app.family_invitations AS i
                    JOIN app.users AS u ON u.mailbox = i.mailbox AND u.email_verified
                    WHERE i.family_unit_id = v_words[2]::uuid AND i.status = 'pending'
                    UNION ALL
                    SELECT ROW(m.user_id, 0, 'profile', m.user_id, NULL, false, NULL
                        )::app.user_changes
                    FROM app.family_members AS m
                    WHERE m.family_unit_id = v_words[2]::uuid AND m.status = 'invited');
            WHEN 'inviter' THEN
                v_changes := v_changes || ARRAY(
                    SELECT ROW(u.id, 0, 'receivedInvitation', i.id, NULL, false, NULL
                        )::app.user_changes
                    FROM app.family_invitations AS i
                    JOIN app.users AS u ON u.mailbox = i.mailbox AND u.email_verified
                    WHERE i.invited_by = v_words[2]::uuid AND i.status = 'pending');
            ELSE NULL;
        END CASE;
    END LOOP;
    RETURN v_changes;
END $$;

-- What guardians learn about the children among these people: the present guardians, and those who
-- were guardians until now.
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
