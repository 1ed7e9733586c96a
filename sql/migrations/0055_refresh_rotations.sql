-- When the refresh token before the newest was issued: a token that is two generations older than
-- the newest was taken at that moment. Null where that was before this file.
--
-- Locks: app.refresh_tokens, for a moment.

ALTER TABLE app.refresh_tokens ADD COLUMN previous_issued_at timestamptz;

COMMENT ON COLUMN app.refresh_tokens.previous_issued_at IS
    'When the token before the newest was issued; null for the first one of a session.';
