-- Further ways to sign in to the console: a trusted proxy's name ('proxy'), and a mailed code
-- ('code'), which is an e-mail token with the purpose 'console'.
--
-- Locks: ACCESS EXCLUSIVE on app.email_tokens and app.console_sessions. The new conditions are
-- wider than the old ones, so existing rows meet them; a separate step checks these rows.

ALTER TABLE app.email_tokens
    DROP CONSTRAINT email_tokens_purpose_known,
    ADD CONSTRAINT email_tokens_purpose_known CHECK (
        purpose IN ('sign_in', 'sign_up', 'reset', 'change', 'console')) NOT VALID;
ALTER TABLE app.email_tokens VALIDATE CONSTRAINT email_tokens_purpose_known;

ALTER TABLE app.console_sessions
    DROP CONSTRAINT console_sessions_method_known,
    ADD CONSTRAINT console_sessions_method_known CHECK (
        method IN ('link', 'passkey', 'proxy', 'code')) NOT VALID;
ALTER TABLE app.console_sessions VALIDATE CONSTRAINT console_sessions_method_known;
