-- Whoever stands in for creator and Parent Admin (0065_standing_in.sql) reads the rows of those who
-- wait, as whoever governs does.
--
-- Locks: ACCESS EXCLUSIVE on the view, for a moment.

-- The people whose rows of app.users the subject reads: those of its families, and, for who decides
-- on them, those who wait to enter.
CREATE OR REPLACE VIEW app.my_relatives WITH (security_barrier) AS
SELECT m.user_id
FROM app.family_members AS me
JOIN app.family_members AS m ON m.family_unit_id = me.family_unit_id
WHERE me.user_id = app.user_id() AND me.status = 'active'
    AND (m.status = 'active'
         OR (m.status = 'invited' AND (me.governs OR me.stands_in)
             AND me.user_id = app.account_id()));
