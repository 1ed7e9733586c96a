-- hearth: after sessions.sql
-- Conditional reads: whether a client's copy of a list is still right.
--
-- Each view shows versions to one caller, as begin_request and begin_session would find it, by what
-- the same statement has just given: so one statement finds the caller and tells what an entity tag
-- is made of. It begins no request, and policies show nothing by it. Whoever is not found, or acts
-- for somebody else, asks in the usual way.
--
-- A statement gives sign-in or session first, and joins the view to it by a LEFT JOIN without a
-- condition on the left side, so that there is only one plan: the left side, then the look-ups. The
-- joins are LEFT JOINs by unique keys, so that the planner leaves out those of which the statement
-- reads nothing: of one family's version neither the person's own is looked up nor the code's end.

-- Of the sign-in whose hash was just given: the person's own version, and those of the families
-- that it is an active member of, with the end of each family's code. Whether the token tells
-- something new is for the statement to ask (tells_nothing_new).
CREATE OR REPLACE VIEW app.sign_in_versions WITH (security_barrier) AS
SELECT i.issuer, i.user_id, i.claims_mark, i.lacks_name,
    u.version AS own_version, u.raised_at AS own_raised_at,
    j.family_unit_id, v.version, v.raised_at, f.code_expires_at
FROM app.user_identities AS i
LEFT JOIN app.user_versions AS u ON u.user_id = i.user_id
LEFT JOIN app.families_joined AS j ON j.viewer_id = i.user_id
LEFT JOIN app.family_versions AS v ON v.family_unit_id = j.family_unit_id
LEFT JOIN app.family_units AS f ON f.id = j.family_unit_id
WHERE i.subject_hash = decode(current_setting('hearth.sign_in', true), 'hex');

-- The same of the session that was just given, while it lasts.
CREATE OR REPLACE VIEW app.session_versions WITH (security_barrier) AS
SELECT s.user_id,
    u.version AS own_version, u.raised_at AS own_raised_at,
    j.family_unit_id, v.version, v.raised_at, f.code_expires_at
FROM app.unended_sessions AS s
LEFT JOIN app.user_versions AS u ON u.user_id = s.user_id
LEFT JOIN app.families_joined AS j ON j.viewer_id = s.user_id
LEFT JOIN app.family_versions AS v ON v.family_unit_id = j.family_unit_id
LEFT JOIN app.family_units AS f ON f.id = j.family_unit_id
WHERE s.id = nullif(current_setting('hearth.session', true), '')::uuid;

ALTER VIEW app.sign_in_versions OWNER TO hearth_authz;
ALTER VIEW app.session_versions OWNER TO hearth_authz;

GRANT SELECT ON app.sign_in_versions, app.session_versions TO hearth_api;
