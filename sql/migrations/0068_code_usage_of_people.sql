-- hearth: no-transaction
-- An index of the log of codes by person, for changing a person's id.
--
-- Locks: SHARE UPDATE EXCLUSIVE on app.family_code_usage_log while the index is built, which stops
-- neither reads nor writes.

CREATE INDEX CONCURRENTLY family_code_usage_log_user ON app.family_code_usage_log (user_id)
    WHERE user_id IS NOT NULL;
