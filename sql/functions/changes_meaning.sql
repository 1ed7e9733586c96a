-- The meaning of a transaction's recorded changes (changes.sql): the versions that they raise, and
-- the entries that they add to the change log.
--
-- The kinds of app.pending_changes, by what records them (triggers of changes.sql where no file is
-- named), the versions that they raise, and the entries (kinds of family_changes and user_changes):
--
--   kind              recorded by                 raises the version of      entry
--   family            a family; blocking.sql      the family                 family
--   details           a family's player details   the family                 playerDetails
--   name              a family's name             invited people; waiting    receivedInvitation;
--                                                 people                     profile
--   attributes        family attributes           the family                 attributes
--   member            a member, a guardianship    the family                 member
--   membership        a member, a guardianship    the person                 family
--   preferences       preferences, a member       the person                 preferences
--   request           a member who waits;         the person                 profile
--                     consents.sql
--   lost-invitations  a member who became a       the person                 invitation
--   lost-attributes     visitor                   the person                 attributes
--   lost-details      a member who no longer      the person                 playerDetails
--                     confides
--   lost-waiting      a member who no longer      the person                 member
--                     governs or stands in
--   role              role_changes.sql            none: dates the change and its conflicts
--   ward              a guardianship              the guardian               profile, preferences
--   invitation        a pending invitation        the family; the addressee  invitation;
--                                                                            receivedInvitation
--   user              a user                      the person; families,      profile; member
--                                                 and its children's
--   inviter           a user's name               invited people             receivedInvitation
--   address           a user's verified address   the person                 receivedInvitation
--   moved             account_ids.sql             the person                 profile, preferences
--
-- Entries of a child are for its guardians as well (changes_of_guardians).

-- The changes of families. A change of a user concerns every family that the user is in or waits
-- for approval to join, and every family with a child whose guardian the user is, because children
-- are shown with their guardians' names.
CREATE OR REPLACE FUNCTION app.changes_of_families(p_changes app.pending_changes[])
RETURNS TABLE (family_unit_id uuid, kind text, id uuid, audience text, is_managed boolean)
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT c.family_unit_id, k.kind, coalesce(c.id, c.family_unit_id) AS id,
        coalesce(k.audience, c.audience) AS audience, coalesce(c.is_managed, false) AS is_managed
    FROM unnest(p_changes) AS c
    JOIN (VALUES
        ('family', 'family', 'members'),
        ('details', 'playerDetails', 'trusting'),
        ('attributes', 'attributes', 'residents'),
        ('member', 'member', NULL),
        ('invitation', 'invitation', 'own')) AS k (recorded, kind, audience)
        ON k.recorded = c.kind
    UNION ALL
    SELECT m.family_unit_id, 'member' AS kind, m.id,
        CASE m.status WHEN 'active' THEN 'members' ELSE 'governors' END AS audience,
        m.user_kind = 'managed' AS is_managed
    FROM unnest(p_changes) AS c JOIN app.family_members AS m ON m.user_id = c.user_id
    WHERE c.kind = 'user' AND m.status IN ('active', 'invited')
    UNION ALL
    SELECT w.family_unit_id, 'member' AS kind, w.member_id AS id, 'members' AS audience,
        true AS is_managed
    FROM unnest(p_changes) AS c JOIN app.guardianships AS w ON w.guardian_user_id = c.user_id
    WHERE c.kind = 'user';
END;

-- An id that no user has. For an addressee without an account, changes are recorded under this id,
-- so that they cause the same look-ups, which find nothing.
CREATE OR REPLACE FUNCTION app.no_user_id() RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '00000000-0000-0000-0000-000000000000'::uuid;

-- The changes of people, except those that a child's guardians get. The loop runs only the queries
-- that the recorded kinds need.
CREATE OR REPLACE FUNCTION app.changes_of_people(p_changes app.pending_changes[])
RETURNS SETOF app.person_change
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
DECLARE
    v_kind text;
    v_group app.pending_changes[];
BEGIN
    -- A profile contains the person's requests to join, too.
    RETURN QUERY
        SELECT c.user_id, k.kind, k.id, k.family_unit_id
        FROM unnest(p_changes) AS c
        CROSS JOIN LATERAL (VALUES
            ('user', 'profile', c.user_id, NULL::uuid),
            ('request', 'profile', c.user_id, NULL),
            ('membership', 'family', c.family_unit_id, c.family_unit_id),
            ('preferences', 'preferences', c.user_id, c.family_unit_id),
            ('lost-details', 'playerDetails', c.family_unit_id, c.family_unit_id),
            ('lost-attributes', 'attributes', c.family_unit_id, c.family_unit_id))
            AS k (recorded, kind, id, family_unit_id)
        WHERE k.recorded = c.kind;
    FOR v_kind, v_group IN
        SELECT c.kind, array_agg(c) FROM unnest(p_changes) AS c GROUP BY c.kind ORDER BY c.kind
    LOOP
        CASE v_kind
            -- The account has a new id: its profile and preferences under the former id are gone.
            WHEN 'moved' THEN
                RETURN QUERY
                    SELECT c.user_id, 'profile', c.id, NULL::uuid
                    FROM unnest(v_group) AS c
                    UNION ALL
                    SELECT c.user_id, 'preferences', c.id, m.family_unit_id
                    FROM unnest(v_group) AS c JOIN app.family_members AS m ON m.user_id = c.user_id
                    WHERE m.status = 'active';
            -- The person may no longer read the family's pending invitations or waiting people.
            -- Those that have ended since the person last synchronised, such as a rejected request,
            -- come from the change log, because the person can no longer read their changes either.
            WHEN 'lost-invitations' THEN
                RETURN QUERY
                    SELECT c.user_id, 'invitation', l.id, c.family_unit_id
                    FROM unnest(v_group) AS c
                    CROSS JOIN LATERAL (
                        SELECT i.id FROM app.family_invitations AS i
                        WHERE i.family_unit_id = c.family_unit_id AND i.status = 'pending'
                        UNION
                        SELECT f.id FROM app.family_changes AS f
                        WHERE f.family_unit_id = c.family_unit_id AND f.kind = 'invitation') AS l;
            WHEN 'lost-waiting' THEN
                RETURN QUERY
                    SELECT c.user_id, 'member', l.id, c.family_unit_id
                    FROM unnest(v_group) AS c
                    CROSS JOIN LATERAL (
                        SELECT m.id FROM app.family_members AS m
                        WHERE m.family_unit_id = c.family_unit_id AND m.status = 'invited'
                        UNION
                        SELECT f.id FROM app.family_changes AS f
                        WHERE f.family_unit_id = c.family_unit_id AND f.kind = 'member'
                            AND f.audience = 'governors') AS l;
            WHEN 'invitation' THEN
                RETURN QUERY
                    SELECT coalesce(u.id, app.no_user_id()), 'receivedInvitation', c.id, NULL::uuid
                    FROM unnest(v_group) AS c
                    LEFT JOIN app.users AS u ON u.mailbox = c.mailbox AND u.email_verified
                    WHERE c.mailbox IS NOT NULL;
            WHEN 'address' THEN
                RETURN QUERY
                    SELECT c.user_id, 'receivedInvitation', i.id, NULL::uuid
                    FROM unnest(v_group) AS c
                    JOIN app.family_invitations AS i ON i.mailbox = c.mailbox
                    WHERE i.status = 'pending';
            WHEN 'name' THEN
                RETURN QUERY
                    SELECT u.id, 'receivedInvitation', i.id, NULL::uuid
                    FROM unnest(v_group) AS c
                    JOIN app.family_invitations AS i ON i.family_unit_id = c.family_unit_id
                    JOIN app.users AS u ON u.mailbox = i.mailbox AND u.email_verified
                    WHERE i.status = 'pending'
                    UNION ALL
                    SELECT m.user_id, 'profile', m.user_id, NULL
                    FROM unnest(v_group) AS c
                    JOIN app.family_members AS m ON m.family_unit_id = c.family_unit_id
                    WHERE m.status = 'invited';
            WHEN 'inviter' THEN
                RETURN QUERY
                    SELECT u.id, 'receivedInvitation', i.id, NULL::uuid
                    FROM unnest(v_group) AS c
                    JOIN app.family_invitations AS i ON i.invited_by = c.user_id
                    JOIN app.users AS u ON u.mailbox = i.mailbox AND u.email_verified
                    WHERE i.status = 'pending';
            ELSE NULL;
        END CASE;
    END LOOP;
END $$;

-- The changes that guardians of these children get: the present guardians, and those who were
-- guardians until now.
CREATE OR REPLACE FUNCTION app.changes_of_guardians(
    p_changes app.pending_changes[], p_people app.person_change[])
RETURNS SETOF app.person_change
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    RETURN QUERY
        -- Only children have guardianships, and the id of a child's membership is the child's own
        -- id.
        SELECT w.guardian_user_id, p.kind, p.id, p.family_unit_id
        FROM unnest(p_people) AS p JOIN app.guardianships AS w ON w.member_id = p.user_id
        WHERE p.kind IN ('profile', 'preferences')
        UNION ALL
        SELECT c.user_id, k.kind, c.id,
            CASE k.kind WHEN 'preferences' THEN c.family_unit_id END
        FROM unnest(p_changes) AS c, (VALUES ('profile'), ('preferences')) AS k (kind)
        WHERE c.kind = 'ward';
END $$;
