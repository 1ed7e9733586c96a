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

DROP FUNCTION IF EXISTS app.changes_of_families(app.pending_changes[]);
DROP FUNCTION IF EXISTS app.changes_of_people(app.pending_changes[]);

-- The changes of families; p_kinds holds the kinds in p_changes. A change of a user concerns every
-- family that the user is in or waits for approval to join, and every family with a child whose
-- guardian the user is, because children are shown with their guardians' names.
CREATE OR REPLACE FUNCTION app.changes_of_families(
    p_changes app.pending_changes[], p_kinds text[])
RETURNS TABLE (family_unit_id uuid, kind text, id uuid, audience text, is_managed boolean)
LANGUAGE plpgsql STABLE ROWS 10 SET search_path = '' AS $$
BEGIN
    RETURN QUERY
        SELECT c.family_unit_id, CASE c.kind WHEN 'details' THEN 'playerDetails' ELSE c.kind END,
            coalesce(c.id, c.family_unit_id),
            CASE c.kind
                WHEN 'family' THEN 'members'
                WHEN 'details' THEN 'trusting'
                WHEN 'attributes' THEN 'residents'
                WHEN 'invitation' THEN 'own'
                ELSE c.audience END,
            coalesce(c.is_managed, false)
        FROM unnest(p_changes) AS c
        WHERE c.kind IN ('family', 'details', 'attributes', 'member', 'invitation');
    IF 'user' = ANY (p_kinds) THEN
        RETURN QUERY
            SELECT m.family_unit_id, 'member', m.id,
                CASE m.status WHEN 'active' THEN 'members' ELSE 'governors' END,
                m.user_kind = 'managed'
            FROM unnest(p_changes) AS c JOIN app.family_members AS m ON m.user_id = c.user_id
            WHERE c.kind = 'user' AND m.status IN ('active', 'invited')
            UNION ALL
            SELECT w.family_unit_id, 'member', w.member_id, 'members', true
            FROM unnest(p_changes) AS c
            JOIN app.guardianships AS w ON w.guardian_user_id = c.user_id
            WHERE c.kind = 'user';
    END IF;
END $$;

-- An id that no user has. For an addressee without an account, changes are recorded under this id,
-- so that they cause the same look-ups, which find nothing.
CREATE OR REPLACE FUNCTION app.no_user_id() RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '00000000-0000-0000-0000-000000000000'::uuid;

-- The changes of people, except those that a child's guardians get. Runs only the queries that the
-- recorded kinds, p_kinds, need.
CREATE OR REPLACE FUNCTION app.changes_of_people(
    p_changes app.pending_changes[], p_kinds text[])
RETURNS SETOF app.person_change
LANGUAGE plpgsql STABLE ROWS 10 SET search_path = '' AS $$
BEGIN
    -- A profile contains the person's requests to join, too.
    RETURN QUERY
        SELECT c.user_id,
            CASE c.kind
                WHEN 'membership' THEN 'family'
                WHEN 'preferences' THEN 'preferences'
                WHEN 'lost-details' THEN 'playerDetails'
                WHEN 'lost-attributes' THEN 'attributes'
                ELSE 'profile' END,
            CASE WHEN c.kind IN ('user', 'request', 'preferences') THEN c.user_id
                 ELSE c.family_unit_id END,
            CASE WHEN c.kind NOT IN ('user', 'request') THEN c.family_unit_id END
        FROM unnest(p_changes) AS c
        WHERE c.kind IN ('user', 'request', 'membership', 'preferences', 'lost-details',
            'lost-attributes');
    -- The account has a new id: its profile and preferences under the former id are gone.
    IF 'moved' = ANY (p_kinds) THEN
        RETURN QUERY
            SELECT c.user_id, 'profile', c.id, NULL::uuid
            FROM unnest(p_changes) AS c
            WHERE c.kind = 'moved'
            UNION ALL
            SELECT c.user_id, 'preferences', c.id, m.family_unit_id
            FROM unnest(p_changes) AS c JOIN app.family_members AS m ON m.user_id = c.user_id
            WHERE c.kind = 'moved' AND m.status = 'active';
    END IF;
    -- The person may no longer read the family's pending invitations or waiting people. Those that
    -- have ended since the person last synchronised, such as a rejected request, come from the
    -- change log, because the person can no longer read their changes either.
    IF 'lost-invitations' = ANY (p_kinds) THEN
        RETURN QUERY
            SELECT c.user_id, 'invitation', l.id, c.family_unit_id
            FROM unnest(p_changes) AS c
            CROSS JOIN LATERAL (
                SELECT i.id FROM app.family_invitations AS i
                WHERE i.family_unit_id = c.family_unit_id AND i.status = 'pending'
                UNION
                SELECT f.id FROM app.family_changes AS f
                WHERE f.family_unit_id = c.family_unit_id AND f.kind = 'invitation') AS l
            WHERE c.kind = 'lost-invitations';
    END IF;
    IF 'lost-waiting' = ANY (p_kinds) THEN
        RETURN QUERY
            SELECT c.user_id, 'member', l.id, c.family_unit_id
            FROM unnest(p_changes) AS c
            CROSS JOIN LATERAL (
                SELECT m.id FROM app.family_members AS m
                WHERE m.family_unit_id = c.family_unit_id AND m.status = 'invited'
                UNION
                SELECT f.id FROM app.family_changes AS f
                WHERE f.family_unit_id = c.family_unit_id AND f.kind = 'member'
                    AND f.audience = 'governors') AS l
            WHERE c.kind = 'lost-waiting';
    END IF;
    IF 'invitation' = ANY (p_kinds) THEN
        RETURN QUERY
            SELECT coalesce(u.id, app.no_user_id()), 'receivedInvitation', c.id, NULL::uuid
            FROM unnest(p_changes) AS c
            LEFT JOIN app.users AS u ON u.mailbox = c.mailbox AND u.email_verified
            WHERE c.kind = 'invitation' AND c.mailbox IS NOT NULL;
    END IF;
    IF 'address' = ANY (p_kinds) THEN
        RETURN QUERY
            SELECT c.user_id, 'receivedInvitation', i.id, NULL::uuid
            FROM unnest(p_changes) AS c
            JOIN app.family_invitations AS i ON i.mailbox = c.mailbox
            WHERE c.kind = 'address' AND i.status = 'pending';
    END IF;
    IF 'name' = ANY (p_kinds) THEN
        RETURN QUERY
            SELECT u.id, 'receivedInvitation', i.id, NULL::uuid
            FROM unnest(p_changes) AS c
            JOIN app.family_invitations AS i ON i.family_unit_id = c.family_unit_id
            JOIN app.users AS u ON u.mailbox = i.mailbox AND u.email_verified
            WHERE c.kind = 'name' AND i.status = 'pending'
            UNION ALL
            SELECT m.user_id, 'profile', m.user_id, NULL
            FROM unnest(p_changes) AS c
            JOIN app.family_members AS m ON m.family_unit_id = c.family_unit_id
            WHERE c.kind = 'name' AND m.status = 'invited';
    END IF;
    IF 'inviter' = ANY (p_kinds) THEN
        RETURN QUERY
            SELECT u.id, 'receivedInvitation', i.id, NULL::uuid
            FROM unnest(p_changes) AS c
            JOIN app.family_invitations AS i ON i.invited_by = c.user_id
            JOIN app.users AS u ON u.mailbox = i.mailbox AND u.email_verified
            WHERE c.kind = 'inviter' AND i.status = 'pending';
    END IF;
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
