-- The schema `api` for direct clients (PostgREST, Supabase).
--
-- The views run as their caller (security_invoker), so row-level security of the underlying tables
-- decides the rows. The views mask columns, which a policy can't do, by the caller's membership:
-- addresses, codes, home and player details. Ids are plain columns, so that tools find the
-- underlying foreign keys and can embed one view in another. Times are in whole seconds, because
-- the clients' parsers need that; they are truncated as in the API's responses.
--
-- Memberships are sorted as the API lists families, because apps use a person's first family.
--
-- A client that creates a family sends columns that it may not choose (times). Columns with an
-- expression accept no plain INSERT, so a trigger handles it: it writes the columns that may be
-- chosen to the table, with the caller's own rights and policies; the table sets the others. A
-- chosen code is kept if it is well-formed and free, and wrong codes don't make approval required
-- now; otherwise another one replaces it (codes.sql). These functions are written with BEGIN
-- ATOMIC, so that names are resolved when they are created, because their caller can't use tables
-- of `app` by name.

-- The users whose e-mail address the subject may read.
CREATE OR REPLACE VIEW app.my_contacts WITH (security_barrier) AS
SELECT m.user_id
FROM app.family_members AS me
JOIN app.family_members AS m ON m.family_unit_id = me.family_unit_id
WHERE me.user_id = app.account_id() AND me.status = 'active' AND me.confides
    AND (m.status = 'active' OR (m.status = 'invited' AND (me.governs OR me.stands_in)));

ALTER VIEW app.my_contacts OWNER TO hearth_authz;

CREATE OR REPLACE VIEW api.family_units WITH (security_invoker) AS
SELECT
    f.id,
    f.created_by_user_id,
    f.family_name,
    CASE WHEN f.id = ANY (ARRAY(
                  SELECT r.family_unit_id FROM app.resident_families_of_account AS r))
              AND (f.code_expires_at IS NULL OR f.code_expires_at > now())
         THEN coalesce(f.family_code, '') ELSE '' END AS family_code,
    date_trunc('second', f.code_generated_at)::timestamptz(0) AS code_generated_at,
    CASE WHEN f.id = ANY (ARRAY(SELECT t.family_unit_id FROM app.my_trusting_families AS t))
         THEN f.home_latitude END AS home_latitude,
    CASE WHEN f.id = ANY (ARRAY(SELECT t.family_unit_id FROM app.my_trusting_families AS t))
         THEN f.home_longitude END AS home_longitude,
    CASE WHEN f.id = ANY (ARRAY(SELECT t.family_unit_id FROM app.my_trusting_families AS t))
         THEN f.player_details END AS player_details,
    date_trunc('second', f.created_at)::timestamptz(0) AS created_at,
    date_trunc('second', f.updated_at)::timestamptz(0) AS updated_at
FROM app.family_units AS f;

COMMENT ON VIEW api.family_units IS 'The families of the caller.';

CREATE OR REPLACE VIEW api.family_members WITH (security_invoker) AS
SELECT
    m.id,
    m.family_unit_id,
    m.user_id,
    m.role,
    m.household_role,
    m.status,
    m.parent_user_id,
    m.user_kind = 'managed' AS is_managed,
    date_trunc('second', m.added_at)::timestamptz(0) AS added_at
FROM app.family_members AS m
WHERE m.status = 'active'
-- Row-level security shows only the caller's own families, so only members of these families are
-- counted.
ORDER BY m.family_unit_id = ANY (ARRAY(
    SELECT o.family_unit_id
    FROM app.family_members AS o
    WHERE o.status = 'active'
    GROUP BY o.family_unit_id
    HAVING count(*) > 1)) DESC, m.added_at, m.id;

COMMENT ON VIEW api.family_members IS 'The active members of the caller''s families.';

CREATE OR REPLACE VIEW api.users WITH (security_invoker) AS
SELECT
    u.id,
    CASE WHEN u.id = (SELECT app.user_id())
              OR u.id = ANY (ARRAY(SELECT c.user_id FROM app.my_contacts AS c))
         THEN coalesce(u.email, '') ELSE '' END AS email,
    u.full_name,
    u.role,
    u.avatar_key,
    u.avatar_url,
    date_trunc('second', u.created_at)::timestamptz(0) AS created_at,
    date_trunc('second', u.updated_at)::timestamptz(0) AS updated_at
FROM app.users AS u;

COMMENT ON VIEW api.users IS 'The caller, and the people in its families.';

CREATE OR REPLACE VIEW api.family_invitations WITH (security_invoker) AS
SELECT
    i.id,
    i.family_unit_id,
    i.invited_by,
    CASE WHEN i.family_unit_id = ANY (ARRAY(
              SELECT o.family_unit_id FROM app.my_trusting_families AS o))
         THEN coalesce(i.invited_email, '') ELSE '' END AS invited_email,
    i.role,
    i.household_role,
    ''::text AS token,
    CASE WHEN i.status = 'pending' AND i.expires_at <= now() THEN 'expired' ELSE i.status END
        AS status,
    date_trunc('second', i.expires_at)::timestamptz(0) AS expires_at,
    date_trunc('second', i.created_at)::timestamptz(0) AS created_at,
    date_trunc('second', i.accepted_at)::timestamptz(0) AS accepted_at
FROM app.family_invitations AS i;

COMMENT ON VIEW api.family_invitations IS 'Invitations to the caller''s families.';

GRANT SELECT ON app.my_contacts TO hearth_api, authenticated;
GRANT SELECT ON api.family_units, api.family_members, api.users, api.family_invitations
    TO authenticated;
GRANT INSERT (id, created_by_user_id, family_name, family_code, code_generated_at, created_at,
    updated_at)
    ON api.family_units TO authenticated;
GRANT UPDATE (family_name) ON api.family_units TO authenticated;
GRANT INSERT (id, family_unit_id, user_id, role, added_at) ON api.family_members TO authenticated;
GRANT UPDATE (full_name, avatar_key, avatar_url) ON api.users TO authenticated;
GRANT DELETE ON api.family_invitations TO authenticated;

CREATE OR REPLACE FUNCTION gateway.insert_family(
    p_id uuid, p_creator uuid, p_name text, p_code text)
RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    INSERT INTO app.family_units (id, created_by_user_id, family_name, family_code)
    VALUES (p_id, p_creator, p_name, p_code);
END;

CREATE OR REPLACE FUNCTION gateway.insert_member(p_id uuid, p_family uuid, p_user uuid, p_role text)
RETURNS void
LANGUAGE sql VOLATILE
BEGIN ATOMIC
    INSERT INTO app.family_members (id, family_unit_id, user_id, role)
    VALUES (p_id, p_family, p_user, p_role);
END;

-- Returns the stored row, not the one that was sent.
CREATE OR REPLACE FUNCTION gateway.insert_family_row() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW.id := coalesce(NEW.id, gen_random_uuid());
    PERFORM gateway.insert_family(
        NEW.id, NEW.created_by_user_id, coalesce(NEW.family_name, 'My Family'),
        NEW.family_code);
    SELECT f.* INTO STRICT NEW FROM api.family_units AS f WHERE f.id = NEW.id;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER insert_row INSTEAD OF INSERT ON api.family_units
    FOR EACH ROW EXECUTE FUNCTION gateway.insert_family_row();

CREATE OR REPLACE FUNCTION gateway.insert_member_row() RETURNS trigger
LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW.id := coalesce(NEW.id, gen_random_uuid());
    PERFORM gateway.insert_member(NEW.id, NEW.family_unit_id, NEW.user_id, NEW.role);
    SELECT m.* INTO STRICT NEW FROM api.family_members AS m WHERE m.id = NEW.id;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER insert_row INSTEAD OF INSERT ON api.family_members
    FOR EACH ROW EXECUTE FUNCTION gateway.insert_member_row();

GRANT EXECUTE ON FUNCTION
    gateway.insert_family(uuid, uuid, text, text),
    gateway.insert_member(uuid, uuid, uuid, text)
    TO authenticated;
