-- signed_in_at: when the person signed in to another issuer, whose token a session began with. Null
-- for the other sessions, which began as their person signed in.
--
-- Locks: ACCESS EXCLUSIVE on app.sessions, for a moment.

ALTER TABLE app.sessions ADD COLUMN signed_in_at timestamptz;

COMMENT ON COLUMN app.sessions.signed_in_at IS
    'When the token was issued that the session began with; null if it began with none.';
