-- Who was vouched before it was kept, told by how each came; and from then on the form that holds.
--
-- Vouched without more is who made its family, and whom an operator put in or seated. From there it
-- is handed on by what the trail tells: whom a vouched member had approved, named or handed the
-- seat to, and who came by an invitation that a vouched member had sent last. The trail keeps this
-- for as long as the family is there, invitations are purged sooner. Whom another removed
-- afterwards is none. What the trail doesn't tell is not assumed: the creator can name or the admin
-- approve.
--
-- Locks: the rows changed; ACCESS EXCLUSIVE on family_members for an instant at the end, for a
-- constraint that is not validated yet.

WITH RECURSIVE vouched (family_unit_id, user_id, since) AS (
    (SELECT m.family_unit_id, m.user_id, '-infinity'::timestamptz
     FROM app.family_members AS m WHERE m.is_creator
     UNION
     SELECT m.family_unit_id, m.user_id, m.added_at
     FROM app.family_members AS m
     WHERE m.joined_via = 'operator' AND m.user_kind = 'account' AND m.status <> 'removed'
     UNION
     SELECT a.family_unit_id, a.subject_user_id, a.at
     FROM app.audit_log AS a
     WHERE a.actor_label LIKE 'operator:%' AND a.family_unit_id IS NOT NULL
         AND (a.action IN ('member.add', 'admin.transfer')
              OR (a.action = 'member.set_role' AND a.details ->> 'to' = 'parent_admin'))
         AND NOT EXISTS (
             SELECT FROM app.audit_log AS r
             WHERE r.family_unit_id = a.family_unit_id AND r.action = 'member.remove'
                 AND r.subject_user_id = a.subject_user_id AND r.at > a.at))
    UNION
    SELECT v.family_unit_id, n.user_id, n.since
    FROM vouched AS v
    CROSS JOIN LATERAL (
        -- Approved, named, or handed the seat.
        SELECT a.subject_user_id AS user_id, a.at AS since
        FROM app.audit_log AS a
        WHERE a.family_unit_id = v.family_unit_id AND a.actor_user_id = v.user_id
            AND a.subject_user_id <> v.user_id AND a.at >= v.since
            AND (a.action IN ('member.approve', 'admin.transfer')
                 OR (a.action = 'member.set_role' AND a.details ->> 'to' = 'parent_admin'))
        UNION ALL
        -- Come by an invitation that was sent last by this one.
        SELECT came.subject_user_id, came.at
        FROM app.audit_log AS sent
        JOIN app.audit_log AS came
            ON came.family_unit_id = sent.family_unit_id AND came.target_id = sent.target_id
        WHERE sent.family_unit_id = v.family_unit_id AND sent.action = 'invitation.create'
            AND sent.subject_user_id = v.user_id AND sent.at >= v.since
            AND came.action = 'invitation.accept' AND came.details ->> 'outcome' = 'joined'
            AND came.at > sent.at AND NOT EXISTS (
                SELECT FROM app.audit_log AS again
                WHERE again.family_unit_id = sent.family_unit_id
                    AND again.action = 'invitation.create' AND again.target_id = sent.target_id
                    AND again.subject_user_id <> sent.subject_user_id
                    AND again.at > sent.at AND again.at < came.at)) AS n
    WHERE NOT EXISTS (
        SELECT FROM app.audit_log AS r
        WHERE r.family_unit_id = v.family_unit_id AND r.action = 'member.remove'
            AND r.subject_user_id = n.user_id AND r.at > n.since)
), marked AS (
    UPDATE app.family_members AS m SET vouched = true
    WHERE NOT m.vouched AND m.user_kind = 'account'
        AND (m.family_unit_id, m.user_id) IN (SELECT v.family_unit_id, v.user_id FROM vouched AS v)
    RETURNING m.id
)
UPDATE app.family_invitations AS i SET vouched = true
WHERE i.status = 'pending' AND NOT i.vouched AND EXISTS (
    SELECT FROM vouched AS v
    WHERE v.family_unit_id = i.family_unit_id AND v.user_id = i.invited_by
        AND v.since <= coalesce((
            SELECT max(a.at) FROM app.audit_log AS a
            WHERE a.family_unit_id = i.family_unit_id AND a.action = 'invitation.create'
                AND a.target_id = i.id), i.created_at));

ALTER TABLE app.family_members ADD CONSTRAINT family_members_vouched_form CHECK (
    CASE WHEN user_kind = 'managed' THEN NOT vouched
         WHEN is_creator THEN vouched
         WHEN joined_via = 'operator' THEN vouched OR status = 'removed'
         ELSE true END) NOT VALID;
