-- Further ways to sign in to the console: a trusted proxy's name ('proxy'), and a mailed code
-- ('code'), which is an e-mail token with the purpose 'console'.
--
-- Locks: ACCESS EXCLUSIVE on app.email_tokens and app.console_sessions while their rows are
-- checked, which is short: tokens are few and expire, and so do operators' sessions.

ALTER TABLE app.email_tokens
    DROP CONSTRAINT email_tokens_purpose_known,
    ADD CONSTRAINT email_tokens_purpose_known CHECK (
        purpose IN ('sign_in', 'sign_up', 'reset', 'change', 'console'));

ALTER TABLE app.console_sessions
    DROP CONSTRAINT console_sessions_method_known,
    ADD CONSTRAINT console_sessions_method_known CHECK (
        method IN ('link', 'passkey', 'proxy', 'code'));
